"""Pickles of compiled functions and kernels, by content: a process that has not what they were made of has them too.

A function is its code, its text and what it reads from outside of itself; what can be imported is named. The same pickle
is the same object within a process, so that it is compiled once there.
"""

import builtins
import collections
import dis
import hashlib
import importlib
import importlib.util
import io
import marshal
import pickle
import sys
import types
import weakref

from . import __version__, _source, errors

_known = weakref.WeakValueDictionary()  # what a pickle was made of, or what was made of it
_latest = collections.deque(maxlen=32)


def reduce(thing):
    """`__reduce__` of what has `__kasoku_parts__`, a method that gives (what makes it again, arguments)."""
    stream = io.BytesIO()
    _pickler()(stream, pickle.HIGHEST_PROTOCOL).dump(thing)
    content = stream.getvalue()
    _known[_digest(content)] = thing
    return loaded, (content, __version__)


def loaded(content, version=__version__):
    """The object that reduce() wrote."""
    if version != __version__:
        raise errors.UnsupportedError(
            f"a compiled function of kasoku {version} cannot be read: this process has kasoku {__version__}\n"
            f"  fix  pip install kasoku=={version} here, or the same version in both"
        )
    digest = _digest(content)
    thing = _known.get(digest)
    if thing is None:
        thing = _known[digest] = pickle.loads(content)
        _latest.append(thing)
    return thing


def reduce_kernel(kernel):
    """`__reduce__` of kernels of text: as they were constructed, or as their module's function."""
    state = {k: v for k, v in vars(kernel).items() if k not in ("_made_of", "_module")}
    if "_module" in vars(kernel):
        return _function_of_module, (kernel._module, kernel.name), state
    return _constructed, (type(kernel), *kernel._made_of), state


def _function_of_module(module, name):
    return module.get_function(name)


def _constructed(cls, of, args, kwargs):
    made = cls.__new__(cls)
    of.__init__(made, *args, **kwargs)
    return made


def _digest(content):
    return hashlib.blake2b(content, digest_size=16).digest()


def _pickler():
    """Ours, upon cloudpickle's if the program uses that: it knows classes and more by content."""
    cloud = sys.modules.get("cloudpickle")
    base = getattr(cloud, "Pickler", pickle.Pickler)

    class Pickler(base):
        def reducer_override(self, thing):
            if hasattr(type(thing), "__kasoku_parts__"):
                return thing.__kasoku_parts__()
            if type(thing) is types.FunctionType and not _can_be_imported(thing):
                return _parts_of(thing)
            if type(thing) is types.ModuleType:
                return _module, (thing.__name__,)
            return base.reducer_override(self, thing) if hasattr(base, "reducer_override") else NotImplemented

    return Pickler


def _module(name):
    return importlib.import_module(name)  # which `kasoku run` replaces


def _can_be_imported(function):
    if function.__module__ in (None, "__main__"):
        return False
    found = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function


def _parts_of(function):
    """What pickle is to do with a function: made without what is outside, which may need it, and then given that."""
    code = function.__code__
    try:
        text = _source.text_of(function)
    except errors.UnsupportedError:
        text = None
    bare = (importlib.util.MAGIC_NUMBER, marshal.dumps(code), function.__module__, function.__qualname__,
            function.__defaults__, function.__kwdefaults__, len(code.co_freevars), text)  # fmt: skip
    names = _global_names(code)
    outside = {name: value for name, value in function.__globals__.items() if name in names}
    cells = [(each.cell_contents,) if _has_content(each) else () for each in function.__closure__ or ()]
    own = {name: value for name, value in vars(function).items() if name != "__kasoku_source__"}
    return _function, bare, (outside, cells, own), None, None, _complete


def _function(magic, code, module, qualname, defaults, keyword_defaults, n_cells, text):
    if magic != importlib.util.MAGIC_NUMBER:
        raise errors.UnsupportedError(f"{qualname} was pickled by another version of Python")
    space = {"__name__": module, "__builtins__": builtins}
    cells = tuple(types.CellType() for _ in range(n_cells))
    made = types.FunctionType(marshal.loads(code), space, qualname.rpartition(".")[2], defaults, cells)
    made.__kwdefaults__, made.__module__, made.__qualname__ = keyword_defaults, module, qualname
    if text:
        _source.give(made, *text)
    return made


def _complete(function, state):
    outside, cells, own = state
    function.__globals__.update(outside)
    for cell, content in zip(function.__closure__ or (), cells, strict=True):
        if content:
            (cell.cell_contents,) = content
    function.__dict__.update(own)


def _has_content(cell):
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _global_names(code):
    """Names that the code, and the functions in it, look up outside."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            names |= _global_names(each)
    return names
