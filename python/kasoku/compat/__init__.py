"""Other packages' interfaces on kasoku: `kasoku.compat.torch`, `kasoku.compat.pycuda` and so on.

A folder (or file) here is a face: `kasoku run` and `%load_ext kasoku` find it by its name and
give it to the program that imports the package of that name. There is no list to edit.
"""

import os as _os
import sys as _sys
import types as _types
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec


def _leave_ours_alone():
    """numba-cuda's import hook takes every module with "numba.cuda" in its name for its own and
    calls itself without end for kasoku.compat.numba.cuda: it is not asked about ours."""
    for finder in _sys.meta_path:
        if type(finder).__module__ == "_numba_cuda_redirector" and "find_spec" not in vars(finder):

            def find_spec(name, path, target=None, asked=finder.find_spec):
                return None if name.startswith("kasoku.") else asked(name, path, target)

            finder.find_spec = find_spec


_leave_ours_alone()


def faces(with_numpy=False):
    """The names of the packages that have a face. NumPy's is for programs that ask for it: arrays of ours are no class of
    NumPy's, so it is not what every program expects."""
    found = set()
    for entry in _os.scandir(_os.path.dirname(__file__)):
        name = entry.name.removesuffix(".py")
        if name.startswith("_") or not name.isidentifier():
            continue
        if entry.is_dir() and _os.path.exists(_os.path.join(entry.path, "__init__.py")):
            found.add(name)
        elif entry.name.endswith(".py"):
            found.add(name)
    return found if with_numpy else found - {"numpy"}


def preferred_device():
    """The default of faces whose package is for GPUs only (pycuda, cupy):
    KASOKU_DEVICE, else a GPU if there is one, else the CPU."""
    import kasoku

    if not _os.environ.get("KASOKU_DEVICE") and kasoku.has_device("cuda"):
        return kasoku.Device("cuda")
    return kasoku.default_device()


def missing(name, known=()):
    """The error for a name that a face does not have; it lists similar names that it has."""
    from kasoku._hints import did_you_mean

    from ._face.refusals import reason_of

    package, last = name.partition(".")[0], name.rpartition(".")[2]
    refused = reason_of(name)
    why = refused or f"`import {package}` gave kasoku's own {package}, which covers a part of it"
    return (
        f"kasoku does not have {name} yet{'' if refused else did_you_mean(last, known)}\n"
        f"  why  {why}\n"
        f"  fix  `kasoku run --real {package} …` uses the installed {package} instead"
    )


def tests_of(module, name):
    """__getattr__ and __dir__ of a module, by name, whose other names only the package's own tests need: they are those of
    kasoku_testing's module `name`, which stands in the source tree beside kasoku and not in a wheel."""
    from importlib import import_module, util

    def get(attribute):
        if attribute.startswith("__") and attribute != "__all__" or util.find_spec("kasoku_testing") is None:
            raise AttributeError(attribute)
        rest = import_module(f"kasoku_testing.{name}")
        return names() if attribute == "__all__" else getattr(rest, attribute)

    def names():
        here = util.find_spec("kasoku_testing") and vars(import_module(f"kasoku_testing.{name}"))
        return sorted(n for n in {*vars(_sys.modules[module]), *(here or ())} if not n.startswith("_"))

    return {"__getattr__": get, "__dir__": names}


def says_what_is_missing(name):
    """A class's decorator: asking one of its objects for what the package's own has and it lacks says so."""

    def add(cls):
        def __getattr__(self, attribute):
            if attribute.startswith("__"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {attribute!r}")
            raise AttributeError(missing(f"{name}.{attribute}"), name=attribute, obj=self)

        cls.__getattr__ = __getattr__
        return cls

    return add


def _own_name(module):
    """A package that a program has imported has the peer's name as `__name__`; its spec keeps its own."""
    return module.__spec__.name if module.__spec__ else module.__name__


def _is_of(module, package, name):
    return isinstance(module, _types.ModuleType) and _own_name(module) == f"{_own_name(package)}.{name}"


def _adopt(module):
    """The modules of a face say what they lack by the package's own names, whoever imports them. _finished(name, names) of a
    face is told of each."""
    if type(module) is _types.ModuleType:
        module.__class__ = Face
        face, _, below = _own_name(module).removeprefix(f"{__name__}.").partition(".")
        if finished := below and vars(_sys.modules[f"{__name__}.{face}"]).get("_finished"):
            finished(below, vars(module))
    for name, value in list(vars(module).items()):
        if _is_of(value, module, name):
            _adopt(value)


class _Package(_types.ModuleType):
    """What an import binds a module in, which is a face or one of its modules from then on."""

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if not (type(self) is _Package and name.startswith("_")) and _is_of(value, self, name):
            _adopt(value)


def _is_of_others(value):
    """Whether it is a module that one of ours imports for itself."""
    return isinstance(value, type(_sys)) and not isinstance(value, _Package) and not value.__name__.startswith("kasoku")


class Face(_Package):
    """A module of a face; asking for what it lacks says so by the package's own name.

    A package that a program has imported has that name as `__name__` (`xp.__name__ == "cupy"`). Python's `from . import
    module` goes by `__name__` too, so modules of it are found here, and those that it imports when they are asked for (`_later`)."""

    def __getattr__(self, name):
        full = self.__name__.removeprefix("kasoku.compat.") + "." + name
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        own = f"{self.__spec__.name}.{name}"
        if name in vars(self).get("_later", ()):
            return _import_module(own)
        if "__path__" in vars(self) and own != f"{self.__name__}.{name}" and (own in _sys.modules or _find_spec(own)):
            return _import_module(own)
        known = [] if name[0] == "_" else dir(self)
        known = [word for word in known if word[0] != "_" and not _is_of_others(vars(self).get(word))]
        raise AttributeError(missing(full, known), name=name, obj=self)

    def __reduce__(self):
        """Pickles by name, as cloudpickle does other modules: the process that reads it may have no redirection."""
        return _import_module, (_own_name(self),)


_sys.modules[__name__].__class__ = _Package
