"""The functions that are watched, and their rewritten forms."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import functools
import inspect
import linecache
import os
import sys
import sysconfig
import types

from .. import _source, errors
from .hook import Hook
from .rewrite import HOOK, Rewriter
from .waits import awaited

_LIBRARY = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_GUARD = contextlib.contextmanager(iter).__code__  # of all functions that contextmanager() makes
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Watcher:
    """Rewritten forms of the user's functions, made once each."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.made, self.files = {}, set()
        self.patches = {}  # functions that the check itself stands in for

    def replacement(self, function):
        """The watched form of a Python function of the user's program, or None for anything else."""
        try:
            if function in self.patches:
                return self.patches[function]
        except TypeError:
            return None
        if isinstance(function, types.MethodType):
            inner = self.replacement(function.__func__)
            return functools.partial(inner, function.__self__) if inner else None
        if isinstance(function, functools.partial):
            inner = self.replacement(function.func)
            return functools.partial(inner, *function.args, **function.keywords) if inner else None
        if getattr(function, "__code__", None) is _GUARD and (inner := self.replacement(function.__wrapped__)):
            return contextlib.contextmanager(inner)
        if not isinstance(function, types.FunctionType) or not is_users(function):
            return None
        if HOOK in function.__code__.co_freevars:  # made by a watched function: watched already
            return function
        if function not in self.made:
            self.made[function] = self._rewrite(function)
        return self.made[function]

    def special(self, thing, name):
        """The watched form of a method that an operator calls; None if it is not the user's."""
        method = getattr(type(thing), name, None)
        return self.replacement(types.MethodType(method, thing)) if isinstance(method, types.FunctionType) else None

    def _rewrite(self, function):
        try:
            definition = copy.deepcopy(_source.of(function, may_await=True)[0])
        except errors.UnsupportedError:
            definition = None
        if definition is None:
            self.recorder.unseen.add(function.__qualname__)
            return None
        code = function.__code__
        declared = {n for node in ast.walk(definition) if isinstance(node, ast.Global) for n in node.names}
        cell_names = {n for node in ast.walk(definition) if isinstance(node, ast.Nonlocal) for n in node.names}
        local = set(code.co_varnames) | set(code.co_cellvars) | set(code.co_freevars)
        shared = (_global_names(code) | declared) - (local - declared)
        shared = {n for n in shared if n not in builtins.__dict__ and not _is_constant(function, n)}
        rewriter = Rewriter(shared, cell_names, code.co_varnames[: _parameters(code)])
        if isinstance(definition, ast.Lambda):
            body = [ast.copy_location(ast.Return(rewriter.visit(definition.body)), definition)]
            definition = ast.FunctionDef("watched", definition.args, body, [], None, type_comment=None)
            if sys.version_info >= (3, 12):
                definition.type_params = []
            ast.copy_location(definition, body[0])
        else:
            definition.decorator_list = []
            definition.body = rewriter.function_body(definition)
        definition.args.defaults, definition.args.kw_defaults = [], [None] * len(definition.args.kwonlyargs)
        file = inspect.getsourcefile(function) or code.co_filename
        self._note_awaited(file)
        free = code.co_freevars
        name = definition.name = "__kasoku_watched__"  # a function that calls itself means the global of its name
        outer = ast.FunctionDef(
            "__kasoku_outer__",
            ast.arguments([], [ast.arg(n) for n in (HOOK, *free)], None, [], [], None, []),
            [definition, ast.Return(ast.Name(name, ast.Load()))],
            [], None, type_comment=None,
        )  # fmt: skip
        if sys.version_info >= (3, 12):
            outer.type_params = []
        module = ast.Module([outer], [])
        ast.fix_missing_locations(module)
        scope = {}
        exec(compile(module, file, "exec"), function.__globals__, scope)
        hook = Hook(self.recorder, self, file, function.__globals__)
        cells = dict(zip(free, function.__closure__ or ()))
        watched = scope["__kasoku_outer__"](hook, *(None for _ in free))
        inner = watched.__code__.replace(co_name=function.__code__.co_name)
        closure = tuple(types.CellType(hook) if n == HOOK else cells[n] for n in inner.co_freevars)
        result = types.FunctionType(inner, function.__globals__, function.__name__, function.__defaults__, closure)
        result.__kwdefaults__ = function.__kwdefaults__
        return result

    def _note_awaited(self, file):
        """What the loops of a file wait for, before any of it is written."""
        if file not in self.files:
            self.files.add(file)
            with contextlib.suppress(SyntaxError):
                self.recorder.awaited |= awaited(ast.parse("".join(linecache.getlines(file))))


def _parameters(code):
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + stars


def _global_names(code):
    """Names that the code and the functions in it look up as globals."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _global_names(constant)
    return names


def _is_constant(function, name):
    """Names of modules, functions and classes: read by everybody, written by nobody."""
    try:
        value = function.__globals__[name]
    except KeyError:
        return False
    return isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType)) or isinstance(
        value, type
    )


def is_users(function):
    """Whether a function's source belongs to a program, not to a library."""
    file = function.__code__.co_filename
    if file.startswith((*_LIBRARY, _OWN)) or file.startswith("<frozen"):
        return False
    return bool(linecache.getlines(file)) or file.startswith("<")
