"""Rewrites a Python function so that its loads and stores of shared things are recorded.

`total.n += 1` becomes a recorded load and a recorded store with the user's line; calls of other Python
functions of the user's program go through their own rewritten forms. What C code does with an array
argument shows by its content before and after.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import os
import queue
import sys
import sysconfig
import textwrap
import time
import types

import numpy as np

from .. import _syntax
from .recorder import is_array, view_of

HOOK = "__kasoku_check__"
_sleep = time.sleep
_LIBRARY = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MUTATING = {
    list: {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"},
    dict: {"update", "pop", "popitem", "setdefault", "clear"},
    set: {"add", "discard", "remove", "pop", "clear", "update"},
    np.ndarray: {"fill", "sort", "partition", "put", "resize", "itemset", "setfield", "byteswap"},
}


class _Rewriter(ast.NodeTransformer):
    def __init__(self, shared_names, cell_names):
        self.shared_names = shared_names  # globals that the function reads or writes
        self.cell_names = cell_names  # variables that an inner function writes through nonlocal

    def _hook(self, method, *args, at):
        call = ast.Call(
            ast.Attribute(ast.Name(HOOK, ast.Load()), method, ast.Load()),
            [*args, ast.Constant(at.lineno)],
            [],
        )
        return ast.copy_location(call, at)

    def _describe(self, node):
        return ast.Constant(ast.unparse(node))

    # --- loads -----------------------------------------------------------------------------------------------

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.shared_names:
            return self._hook("load_name", ast.Constant(node.id), node, at=node)
        if isinstance(node.ctx, ast.Load) and node.id in self.cell_names:
            return self._hook("load_cell", ast.Constant(node.id), self._cell(node.id), node, at=node)
        return node

    @staticmethod
    def _cell(name):
        """`lambda: name`, whose closure is the variable itself."""
        empty = ast.arguments([], [], None, [], [], None, [])
        return ast.Lambda(empty, ast.Name(name, ast.Load()))

    def visit_Attribute(self, node):
        name = self._describe(node)
        node.value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            return self._hook("load_attribute", node.value, ast.Constant(node.attr), name, at=node)
        return node

    def visit_Subscript(self, node):
        name = self._describe(node.value)
        node.value, node.slice = self.visit(node.value), self.visit(node.slice)
        if isinstance(node.ctx, ast.Load):
            return self._hook("load_item", node.value, self._index(node.slice), name, at=node)
        return node

    @staticmethod
    def _index(node):
        """An index as an expression: slices become slice(...) calls."""
        if isinstance(node, ast.Slice):
            parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
            return ast.Call(ast.Name("slice", ast.Load()), parts, [])
        if isinstance(node, ast.Tuple):
            return ast.Tuple([_Rewriter._index(item) for item in node.elts], ast.Load())
        return node

    def visit_Call(self, node):
        name = self._describe(node.func)
        if isinstance(node.func, ast.Attribute):
            function = self._hook(
                "method",
                self.visit(node.func.value),
                ast.Constant(node.func.attr),
                ast.Constant(ast.unparse(node.func.value)),
                at=node,
            )
        else:
            function = self._hook("function", self.visit(node.func), at=node)
        args = [self.visit(arg) for arg in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        texts = ast.Tuple([ast.Constant(ast.unparse(arg)) for arg in node.args], ast.Load())
        call = ast.Call(
            ast.Attribute(ast.Name(HOOK, ast.Load()), "call", ast.Load()),
            [function, ast.Constant(name.value), texts, ast.Constant(node.lineno), *args],
            keywords,
        )
        return ast.copy_location(call, node)

    # --- stores ----------------------------------------------------------------------------------------------

    def _store(self, target, value, at):
        """Statements that store the expression `value` into `target`, recorded."""
        if isinstance(target, ast.Attribute):
            hook = self._hook(
                "store_attribute",
                self.visit(target.value),
                ast.Constant(target.attr),
                value,
                self._describe(target),
                at=at,
            )
            return [ast.copy_location(ast.Expr(hook), at)]
        if isinstance(target, ast.Subscript):
            hook = self._hook(
                "store_item",
                self.visit(target.value),
                self._index(self.visit(target.slice)),
                value,
                self._describe(target.value),
                at=at,
            )
            return [ast.copy_location(ast.Expr(hook), at)]
        if isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(t, ast.Starred) for t in target.elts):
            names = [ast.Name(f"__kasoku_part_{at.lineno}_{k}", ast.Store()) for k in range(len(target.elts))]
            unpack = ast.Assign([ast.Tuple(names, ast.Store())], value)
            parts = [s for n, t in zip(names, target.elts) for s in self._store(t, ast.Name(n.id, ast.Load()), at)]
            return [ast.copy_location(unpack, at), *parts]
        stores = [ast.copy_location(ast.Assign([target], value), at)]
        if isinstance(target, ast.Name) and target.id in self.shared_names:
            stores.insert(0, ast.copy_location(ast.Expr(self._hook("store_name", ast.Constant(target.id), at=at)), at))
        if isinstance(target, ast.Name) and target.id in self.cell_names:
            hook = self._hook("store_cell", ast.Constant(target.id), self._cell(target.id), at=at)
            stores.append(ast.copy_location(ast.Expr(hook), at))
        return stores

    def visit_Assign(self, node):
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self._store(node.targets[0], value, node)
        name = f"__kasoku_value_{node.lineno}"
        stores = [ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)]
        for target in node.targets:
            stores += self._store(target, ast.Name(name, ast.Load()), node)
        return stores

    def visit_AnnAssign(self, node):
        return self._store(node.target, self.visit(node.value), node) if node.value is not None else node

    def visit_AugAssign(self, node):
        operator = type(node.op).__name__
        load = {ast.Name: ast.Name, ast.Attribute: ast.Attribute, ast.Subscript: ast.Subscript}[type(node.target)]
        fields = {f: getattr(node.target, f) for f in node.target._fields if f != "ctx"}
        current = ast.copy_location(load(**fields, ctx=ast.Load()), node.target)
        text = self._describe(node.target)
        loaded = self.visit(current)
        value = self._hook("in_place", ast.Constant(operator), loaded, self.visit(node.value), text, at=node)
        return self._store(node.target, value, node)

    def visit_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                target.value = self._hook(
                    "container_to_change", self.visit(target.value), self._describe(target.value), at=node
                )
        return node

    # --- loops, locks, scopes ----------------------------------------------------------------------------------

    def visit_For(self, node):
        text = self._describe(node.iter)
        node.iter = self._hook("iterate", self.visit(node.iter), text, at=node)
        node.body = self._block(node.body)
        node.orelse = self._block(node.orelse)
        return node

    def visit_comprehension(self, node):
        text = self._describe(node.iter)
        node.iter = self._hook("iterate", self.visit(node.iter), text, at=node.iter)
        node.ifs = [self.visit(each) for each in node.ifs]
        return node

    def visit_Compare(self, node):
        """`key in container` reads the container, or of a dict that item."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self.generic_visit(node)
        text = self._describe(node.comparators[0])
        found = self._hook("is_in", self.visit(node.left), self.visit(node.comparators[0]), text, at=node)
        return ast.copy_location(ast.UnaryOp(ast.Not(), found), node) if isinstance(node.ops[0], ast.NotIn) else found

    def visit_While(self, node):
        node.test = self.visit(node.test)
        name = f"__kasoku_turns_{node.lineno}"
        start = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(0)), node)
        count = self._hook("spin", ast.Name(name, ast.Load()), at=node)
        step = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], count), node)
        node.body = [step, *self._block(node.body)]
        node.orelse = self._block(node.orelse)
        return [start, node]

    def _block(self, statements):
        result = []
        for statement in statements:
            new = self.visit(statement)
            result += new if isinstance(new, list) else [new]
        return result

    def visit_With(self, node):
        for item in node.items:
            item.context_expr = self._hook("enter", self.visit(item.context_expr), at=node)
        node.body = self._block(node.body)
        return node

    def visit_FunctionDef(self, node):
        node.body = self._block(node.body)
        return node

    def visit_Global(self, node):
        return node


class _HeldLock:
    def __init__(self, recorder, lock):
        self.recorder, self.lock = recorder, lock

    def __enter__(self):
        return self.recorder.acquire(self.lock)

    def __exit__(self, *error):
        self.recorder.release(self.lock)


class Hook:
    """What rewritten code of one function calls; the last argument is always the line."""

    def __init__(self, recorder, watcher, file, namespace):
        self.recorder, self.watcher, self.file, self.namespace = recorder, watcher, file, namespace

    def _place(self, line):
        return (self.file, line)

    def load_name(self, name, value, line):
        self.recorder.touch(("global", id(self.namespace), name), False, name, self._place(line), self.namespace)
        return value

    def store_name(self, name, line):
        self.recorder.touch(("global", id(self.namespace), name), True, name, self._place(line), self.namespace)

    def load_cell(self, name, probe, value, line):
        cell = probe.__closure__[0]
        self.recorder.touch(("cell", id(cell)), False, name, self._place(line), cell)
        return value

    def store_cell(self, name, probe, line):
        cell = probe.__closure__[0]
        self.recorder.touch(("cell", id(cell)), True, name, self._place(line), cell)

    def load_attribute(self, thing, attribute, text, line):
        if not isinstance(thing, types.ModuleType) and not is_array(thing) and not _is_own(thing):
            self.recorder.touch(("attribute", id(thing), attribute), False, text, self._place(line), thing)
        return getattr(thing, attribute)

    def store_attribute(self, thing, attribute, value, text, line):
        if not _is_own(thing):
            self.recorder.touch(("attribute", id(thing), attribute), True, text, self._place(line), thing)
        setattr(thing, attribute, value)

    def _item(self, thing, index, writes, text, line):
        if is_array(thing):
            whole, thing = thing, view_of(thing)
            if thing is None:
                return
            try:
                part = thing[index]
            except Exception:  # the user's own statement will raise it
                return
            basic = isinstance(part, np.ndarray) and np.may_share_memory(part, thing)
            if not basic and not isinstance(part, np.ndarray):
                window = tuple(
                    slice(i, i + 1 or None)
                    for i in (index if isinstance(index, tuple) else (index,))
                    if isinstance(i, (int, np.integer))
                )
                part, basic = thing[window], True
            self.recorder.array(part if basic else thing, writes, text, self._place(line), whole is not thing)
        elif isinstance(thing, (dict, list, bytearray)):
            whole = isinstance(index, slice)
            name = text if whole else f"{text}[{index!r}]"
            self.recorder.content(thing, writes, name, self._place(line), None if whole else index)

    def load_item(self, thing, index, text, line):
        value = thing[index]
        self._item(thing, index, False, text, line)
        return value

    def store_item(self, thing, index, value, text, line):
        self._item(thing, index, True, text, line)
        thing[index] = value

    def container_to_change(self, thing, text, line):
        self.recorder.content(thing, True, text, self._place(line))
        return thing

    def in_place(self, operator, current, value, text, line):
        """`current OP= value` as Python does it: in place where the type can."""
        name = _IN_PLACE[operator]
        if isinstance(current, (list, set, bytearray)) or (is_array(current) and hasattr(current, f"__{name}__")):
            self.recorder.content(current, True, text, self._place(line))
            if is_array(value):
                self.recorder.content(value, False, text, self._place(line))
        import operator as operators

        return getattr(operators, name)(current, value)

    def is_in(self, key, container, text, line):
        index = key if isinstance(container, dict) else None
        name = text if index is None else f"{text}[{index!r}]"
        self.recorder.content(container, False, name, self._place(line), index)
        return key in container

    def iterate(self, iterable, text, line):
        self.recorder.content(iterable, False, text, self._place(line))
        return iterable

    def enter(self, context, line):
        from .recorder import _LOCKS

        return _HeldLock(self.recorder, context) if isinstance(context, _LOCKS) else context

    def function(self, function, line):
        return function

    def method(self, thing, name, text, line):
        from .recorder import _LOCKS

        if not isinstance(thing, np.ndarray) and is_array(thing):  # of ours: torch's end in _
            writes = name in _MUTATING[np.ndarray] or (name.endswith("_") and not name.startswith("_"))
            self.recorder.content(thing, writes, text, self._place(line))
            return getattr(thing, name)
        for kind, mutating in _MUTATING.items():
            if isinstance(thing, kind):
                self.recorder.content(thing, name in mutating, text, self._place(line))
        if isinstance(thing, _LOCKS) and name in ("acquire", "release"):
            return functools.partial(getattr(self.recorder, name), thing)
        if isinstance(thing, queue.SimpleQueue) and name in ("put", "get"):
            return functools.partial(self._simple_queue, thing, name)
        if (
            not isinstance(thing, (types.ModuleType, type))
            and not isinstance(thing, tuple(_MUTATING))
            and not _is_own(thing)
        ):
            if name in getattr(thing, "__dict__", ()):
                self.recorder.touch(("attribute", id(thing), name), False, f"{text}.{name}", self._place(line), thing)
        return getattr(thing, name)

    def _simple_queue(self, thing, name, *args, **kwargs):
        if name == "put":
            self.recorder.sync_out(thing)
            return thing.put(*args, **kwargs)
        if self.recorder.turns is not None and (args[0] if args else kwargs.get("block", True)):
            self.recorder.turns.until(lambda: not thing.empty(), len(args) > 1 or "timeout" in kwargs)
        item = thing.get(False)
        self.recorder.sync_in(thing)
        return item

    def spin(self, count, line):
        """In a while loop: now and then others go on, who may end it."""
        if self.recorder.turns is not None and count >= 256 and count & (count - 1) == 0:
            self.recorder.last_place = self._place(line)
            self.recorder.turns.sleep()
        return count + 1

    def call(self, function, name, texts, line, /, *args, **kwargs):
        self.recorder.last_place = self._place(line)
        if function is _sleep and self.recorder.turns is not None:
            return self.recorder.turns.sleep()
        replaced = self.watcher.replacement(function)
        if replaced is not None:
            return replaced(*args, **kwargs)
        if _is_ours(function):
            return function(*args, **kwargs)
        arrays = [(text, arg) for text, arg in zip(texts, args) if is_array(arg)]
        arrays += [(key, arg) for key, arg in kwargs.items() if is_array(arg)]
        owner = getattr(function, "__self__", None)
        if is_array(owner):
            arrays.append((name.rpartition(".")[0], owner))
        containers = [(text, arg) for text, arg in zip(texts, args) if not is_array(arg)]
        return self.recorder.call_of_others(function, args, kwargs, arrays + containers, self._place(line))


_IN_PLACE = {
    "Add": "iadd", "Sub": "isub", "Mult": "imul", "Div": "itruediv", "FloorDiv": "ifloordiv", "Mod": "imod",
    "Pow": "ipow", "MatMult": "imatmul", "LShift": "ilshift", "RShift": "irshift", "BitOr": "ior",
    "BitAnd": "iand", "BitXor": "ixor",
}  # fmt: skip


def _is_own(thing):
    """Things that no two tasks share, whatever name leads to them."""
    import threading

    return isinstance(thing, threading.local)


class Watcher:
    """Rewritten forms of the user's functions, made once each."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.made = {}
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
        if not isinstance(function, types.FunctionType) or not is_users(function):
            return None
        if HOOK in function.__code__.co_freevars:  # made by a watched function: watched already
            return function
        if function not in self.made:
            self.made[function] = self._rewrite(function)
        return self.made[function]

    def _rewrite(self, function):
        try:
            lines, first = inspect.getsourcelines(function)
            tree = _syntax.parse(textwrap.dedent("".join(lines)))
        except (OSError, TypeError, SyntaxError):
            self.recorder.unseen.add(function.__qualname__)
            return None
        definition = next((n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))), None)
        if definition is None or inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            self.recorder.unseen.add(function.__qualname__)
            return None
        ast.increment_lineno(tree, first - 1)
        code = function.__code__
        declared = {n for node in ast.walk(definition) if isinstance(node, ast.Global) for n in node.names}
        cell_names = {n for node in ast.walk(definition) if isinstance(node, ast.Nonlocal) for n in node.names}
        local = set(code.co_varnames) | set(code.co_cellvars) | set(code.co_freevars)
        shared = (_global_names(code) | declared) - (local - declared)
        shared = {n for n in shared if n not in builtins.__dict__ and not _is_constant(function, n)}
        rewriter = _Rewriter(shared, cell_names)
        if isinstance(definition, ast.Lambda):
            body = [ast.copy_location(ast.Return(rewriter.visit(definition.body)), definition)]
            definition = ast.FunctionDef("watched", definition.args, body, [], None, type_comment=None)
            if sys.version_info >= (3, 12):
                definition.type_params = []
            ast.copy_location(definition, body[0])
        else:
            definition.decorator_list = []
            definition.body = rewriter._block(definition.body)
        definition.args.defaults, definition.args.kw_defaults = [], [None] * len(definition.args.kwonlyargs)
        file = inspect.getsourcefile(function) or code.co_filename
        free = code.co_freevars
        name = definition.name
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
        inner = watched.__code__
        closure = tuple(types.CellType(hook) if n == HOOK else cells[n] for n in inner.co_freevars)
        result = types.FunctionType(inner, function.__globals__, function.__name__, function.__defaults__, closure)
        result.__kwdefaults__ = function.__kwdefaults__
        return result


def _global_names(code):
    """Names that the code and the functions in it look up as globals."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _global_names(constant)
    return names


def _is_ours(function):
    return getattr(function, "__module__", None) in (
        "kasoku._check.turns",
        "kasoku._check.recorder",
        "kasoku._check.rewrite",
    )


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
