"""Gives a program kasoku's faces for the imports that stand in its own files.

`import torch` in the program means `kasoku.compat.torch`; the same statement in a library in
site-packages means what it always meant. The importing file decides, so `sys.modules` keeps
the real packages under their names.
"""

import __future__
import ast
import builtins
import contextlib
import functools
import importlib
import importlib.util
import linecache
import operator
import os
import sys
import sysconfig
import zlib

from ._guests import AfterImport
from .compat import Face, faces, missing

_prefix = "kasoku.compat."
_here = os.path.dirname(__file__) + os.sep
_features = functools.reduce(operator.or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names))


class Redirect:
    """Redirects imports of `names` that come from files below `folders`, from `__main__`,
    and from code that has no file."""

    def __init__(self, folders, names=None, explain=None):
        self.folders = [os.path.realpath(folder) + os.sep for folder in folders]
        self.names = {n for n in (faces() if names is None else names) if not self._has_own(n)}
        self.explain = explain  # called with a line to show, or None
        self._own_files = {}
        self._ready = set()
        self._said = set()
        paths = sysconfig.get_paths()
        libraries = {paths[k] for k in ("stdlib", "platstdlib", "purelib")} | {os.path.dirname(__file__)}
        self._libraries = tuple(os.path.realpath(folder) + os.sep for folder in libraries)

    def install(self):
        self._import = builtins.__import__
        self._import_module = importlib.import_module
        self._find_spec = importlib.util.find_spec
        self._exec = builtins.exec
        self._compile = builtins.compile
        if "numba" in self.names:
            builtins.exec, builtins.compile = self._on_exec, self._on_compile
        builtins.__import__ = self._on_import
        importlib.import_module = self._on_import_module
        importlib.util.find_spec = self._on_find_spec

    def uninstall(self):
        builtins.__import__ = self._import
        importlib.import_module = self._import_module
        importlib.util.find_spec = self._find_spec
        builtins.exec, builtins.compile = self._exec, self._compile

    # ── whose import is it ────────────────────────────────────────────────────────────────

    def _has_own(self, name):
        """A program's own torch.py goes first, as it does without us. A plain folder `torch/` does
        not: an installed package goes before it."""
        return any(
            os.path.exists(folder + name + end) for folder in self.folders for end in (".py", f"{os.sep}__init__.py")
        )

    def _is_own(self, importer):
        if importer is None:
            return False
        name, file = importer.get("__name__") or "", importer.get("__file__")
        if name in ("__main__", "__mp_main__"):
            return True
        if name.startswith(_prefix) and file and not file.startswith(_here):
            return True  # a module of the package that is executed as one of its face
        if not file:
            return importer.get("__spec__") is None  # text that the program executes
        own = self._own_files.get(file)
        if own is None:
            path = os.path.realpath(file)
            own = path.startswith(tuple(self.folders)) and not (
                path.startswith(self._libraries)
                or f"{os.sep}site-packages{os.sep}" in path
                or f"{os.sep}dist-packages{os.sep}" in path
            )
            self._own_files[file] = own
        return own

    def _wants(self, name, importer):
        root = name.partition(".")[0]
        if root not in self.names:
            return False
        own = self._is_own(importer)
        if self.explain:
            self._say(root, name, own, importer)
        return own

    def _say(self, root, name, own, importer):
        file = importer.get("__file__") if importer else None
        key = (name, file, own)
        if key in self._said or file and file.startswith(os.path.dirname(__file__)):
            return
        self._said.add(key)
        frame = sys._getframe(3)
        here = os.path.relpath(file) if file else frame.f_code.co_filename
        if own:
            self.explain(f"{here}:{frame.f_lineno}: {name} is {_prefix}{name}")
        else:
            self.explain(f"{here}:{frame.f_lineno}: {name} left as it is, in a library")

    # ── the three ways to import ──────────────────────────────────────────────────────────

    def _on_import(self, name, globals=None, locals=None, fromlist=(), level=0):
        importer = globals
        if importer is None and not level and name.partition(".")[0] in self.names:  # a program's __import__("torch")
            importer = sys._getframe(1).f_globals
        if level or not self._wants(name, importer):
            return self._import(name, globals, locals, fromlist, level)
        module = self.face(name)
        if not fromlist:
            return self.face(name.partition(".")[0])
        for item in fromlist:
            if item != "*" and not hasattr(module, item):
                with contextlib.suppress(ImportError) if globals is None else contextlib.nullcontext():
                    self.face(f"{name}.{item}", is_name=True)  # of a call the names need not be there
        return module

    def _on_import_module(self, name, package=None):
        if name.startswith(".") or not self._wants(name, _asker(sys._getframe(1)).f_globals):
            return self._import_module(name, package)
        return self.face(name)

    def _on_find_spec(self, name, package=None):
        if not name.startswith(".") and self._wants(name, sys._getframe(1).f_globals):
            name = _prefix + name
        return self._find_spec(name, package)

    def _on_exec(self, source, globals=None, locals=None, /, **closure):
        """Numba compiles from bytecode, kasoku from text: a text that defines functions is kept for it."""
        frame = sys._getframe(1)
        if globals is None:
            globals = frame.f_globals
            locals = frame.f_locals if locals is None else locals
        if type(source) is str and "def " in source and self._is_own(frame.f_globals):
            source = self._kept(source, frame.f_code.co_flags & _features) or source
        return self._exec(source, globals, locals, **closure)

    def _on_compile(self, source, filename, mode, flags=0, dont_inherit=False, optimize=-1, **words):
        """Keeps the text of functions that a program makes as a syntax tree: the tree is written as text first."""
        frame = sys._getframe(1)
        if not dont_inherit:
            flags |= frame.f_code.co_flags & _features
        if isinstance(source, ast.Module) and str(filename).startswith("<") and not flags & ast.PyCF_ONLY_AST:
            if any(isinstance(each, ast.FunctionDef) for each in source.body) and self._is_own(frame.f_globals):
                with contextlib.suppress(SyntaxError):  # a tree may have names that no text has
                    return self._kept(ast.unparse(source), flags) or self._compile(source, filename, mode, flags, True)
        return self._compile(source, filename, mode, flags, True, optimize, **words)

    def _kept(self, text, flags):
        """The code of a text that its functions are found in later; None if it is very long."""
        if len(text) > 100_000:
            return None
        name = f"<text {zlib.crc32(text.encode()):08x} of exec>"
        code = self._compile(text, name, "exec", flags, True)
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        return code

    def face(self, name, is_name=False):
        """The module of the face that stands for `name`. What a face has as an attribute
        serves as a submodule too."""
        target = _prefix + name
        if target in self._ready:
            return sys.modules[target]
        if name.startswith("numpy."):  # pickle looks for it under its own name
            with contextlib.suppress(ImportError):
                self._import_module(name)
        try:
            module = self._import_module(target)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{target}.".startswith(f"{error.name}."):
                raise
            parent, _, last = name.rpartition(".")
            module = getattr(self.face(parent), last, None) if parent else None
            if module is None:
                kind = ImportError if is_name else ModuleNotFoundError
                raise kind(missing(name), name=name) from None
            return module
        if isinstance(module, Face) and "." not in name:
            module.__name__ = name  # programs ask xp.__name__
        self._ready.add(target)
        return module


def _asker(frame):
    """The frame that asks for a module by name; pkgutil and unittest.mock, which ask for their caller, are passed over."""
    while frame.f_back and frame.f_globals.get("__name__") in ("pkgutil", "unittest.mock", "contextlib"):
        frame = frame.f_back
    return frame


_active = None


def install(folders, names=None, explain=None):
    """Starts redirecting; an earlier redirection ends."""
    global _active
    uninstall()
    _active = Redirect(folders, names, explain)
    _active.install()
    if names and "numpy" in names:
        AfterImport(_prefix + "numpy", lambda face: face.start())
    return _active


def is_own(importer):
    """Whether those globals are of the program that is redirected."""
    return _active is not None and _active._is_own(importer)


def uninstall():
    global _active
    if _active is not None:
        _active.uninstall()
        _active = None
