"""Modules of the installed Dask that hold no engine: they are executed as modules of the face, so that what they import from
Dask is the face's. Without Dask the face has the common part of some of them in files of their own."""

import builtins
import importlib
import importlib.util
import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader

_face = __package__
_modules = {
    "_collections", "_compatibility", "_dispatch", "_expr", "backends", "array.chunk", "array.dispatch", "array.numpy_compat", "array.svg", "array.utils", "bag", "blockwise", "bytes", "cache", "config", "context", "core", "datasets", "diagnostics.profile_visualize", "dot", "graph_manipulation", "hashing", "highlevelgraph",
    "layers", "ml", "optimization", "order", "rewrite", "sizeof", "system", "task_spec", "typing", "utils", "utils_test", "widgets",
}  # fmt: skip
_rests = "_rest_of_"  # the module of Dask's behind one of the face that lacks some of its names


def _import(name, globals=None, locals=None, fromlist=(), level=0):  # noqa: A002
    root, _, rest = name.partition(".")
    if level or root != "dask":
        return builtins.__import__(name, globals, locals, fromlist, level)
    full = f"{_face}.{rest}" if rest else _face
    module = sys.modules.get(full) or importlib.import_module(full)
    for item in fromlist or ():
        if not hasattr(module, item):
            importlib.import_module(f"{module.__name__}.{item}")
    return module if fromlist else sys.modules[_face]


class _Builtins(dict):
    """Python's, but for __import__; open() as it is when it is called, for who puts another in its place."""

    __missing__ = lambda self, name: vars(builtins)[name]


_builtins = _Builtins({**vars(builtins), "__import__": _import})
del _builtins["open"]


class _Loader(SourceFileLoader):
    def exec_module(self, module):
        module.__builtins__ = _builtins
        exec(self.get_code(module.__name__), vars(module))


def _file_of(name):
    """The file of a module of the installed Dask, and the folder of its modules; None without Dask."""
    package = PathFinder.find_spec("dask")
    for folder in package.submodule_search_locations or () if package else ():
        path = os.path.join(folder, *name.split("."))
        for file, inner in ((path + ".py", None), (os.path.join(path, "__init__.py"), [path])):
            if os.path.exists(file):
                return file, inner
    return None


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(_face + "."):
            return None
        own = name[len(_face) + 1 :]
        if not {own, own.partition(".")[0]} & _modules and not own.startswith(_rests):
            return None
        found = _file_of(own.removeprefix(_rests).replace("__", "."))
        if found is None:
            return None
        file, inner = found
        return importlib.util.spec_from_file_location(
            name, file, loader=_Loader(name, file), submodule_search_locations=inner
        )


def module(name):
    """Dask's module of that name, executed on the face; None without Dask."""
    return importlib.import_module(f"{_face}.{_rests}{name.replace('.', '__')}") if _file_of(name) else None


def rest_of(name):
    """A module's __getattr__: what the face's lacks is of Dask's module of that name, if Dask is installed."""

    def get(attribute):
        if not attribute.startswith("__") and hasattr(rest := module(name), attribute):
            return getattr(rest, attribute)
        raise AttributeError(f"module 'dask.{name}' has no attribute {attribute!r}")

    return get


sys.meta_path.insert(0, _Finder)
