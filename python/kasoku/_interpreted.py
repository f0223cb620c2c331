"""Runs functions of ks.jit that have no compiled form: by Python's interpreter, with compiled loops where that is
possible.

Numbers follow compiled code's rules: operators of narrow ones, elements of arrays mostly, have 64 bits, and results are
Python's numbers.

The function is written anew with each outermost loop as a call of a function of its own, which takes the variables
that the loop reads and gives back those that are read after it. Such a function is one of ks.jit: it is compiled if
its types allow it, else its own loops are taken out in the same way. A loop stays where it is if a variable might
have no value before it, or if an exception handler would see what the loop had assigned until then.
"""

import ast
import copy
import math
import operator
import types

import numpy as np

from . import _source, _syntax, errors

_loops = (ast.For, ast.While)
_scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_all_names = None  # after a jump, nothing more is reached: every name counts as assigned


def form(function, source, make):
    """(what to call in the function's place, functions of its loops). `make` is ks.jit with its options."""
    node, file = source[:2]
    code = function.__code__
    if not isinstance(node, ast.FunctionDef) or _hides_names(node):
        return function, []
    new = copy.copy(node)
    new.decorator_list, new.returns = [], None
    rewriter = _Rewriter(function, source, make)
    if not (code.co_flags & 0x2A0 or _is_beyond_analysis(node)):
        new.body = rewriter.function_body(node)
    cells = rewriter.cells | {name: types.CellType(loop) for name, loop in rewriter.made.items()}
    wide = _WithWideNumbers(new).visit(copy.deepcopy(new))
    written = _function(wide, file, function, cells | _cells)
    return written, list(rewriter.made.values())


def argument(value):
    """What a function that runs in the interpreter is given: an array of records knows its fields as attributes there, too,
    and one of a program's own class is an array."""
    if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray):
        return value
    kind = np.recarray if value.dtype.names else np.ndarray
    return value if type(value) is kind else value.view(kind)


def result(value):
    """What a function that ran in the interpreter gives: Python's numbers, as compiled ones do."""
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "biufc" else value
    if type(value) is tuple:
        return tuple(map(result, value))
    if type(value) is list and any(isinstance(item, (np.generic, tuple)) for item in value):
        value[:] = map(result, value)
    if type(value) is np.recarray:
        return value.view(np.dtype((np.void, value.dtype)), np.ndarray)
    return value


# ── operators ─────────────────────────────────────────────────────────────────────────────────────────────────────────

# What has fewer than 64 bits, and what operators make of it where the other operand is not the same float.
_wide = {np.bool_: bool, np.float16: np.float64, np.float32: np.float64}
_wide |= dict.fromkeys((np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32), np.int64)
_integers = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_numbers = (bool, int, float, complex, np.bool_, np.number)


def _on_wide_numbers(of_both, wide=_wide):
    def of(x, y):
        if type(x) in wide or type(y) in wide:
            return of_both(*_widened(x, y))
        return of_both(x, y)

    return of


def _widened(x, y):
    """Both as compiled code has them; an array's dtype is its own."""
    one, other = type(x), type(y)
    if not (isinstance(x, _numbers) and isinstance(y, _numbers)) or (one is other and issubclass(one, np.floating)):
        return x, y
    if issubclass(one, np.unsignedinteger) and issubclass(other, np.unsignedinteger):
        return np.uint64(x), np.uint64(y)
    return _wide.get(one, _same)(x), _wide.get(other, _same)(y)


_same = lambda x: x  # noqa: E731


def _in_item(name, items, place, x):
    """items[place] op= x."""
    items[place] = _cells[f"{name} of numbers"].cell_contents(items[place], x)


def _sum(function, *args):
    if function is sum:
        args = [(_wide.get(type(x), _same)(x) for x in args[0]), *args[1:]]
    return function(*args)


def _power(power):
    of_all = _on_wide_numbers(power)

    def of(x, y):
        is_of_floats = isinstance(x, (int, float)) and isinstance(y, (int, float)) and float in (type(x), type(y))
        return _as_in_c(of_all, np.power, x, y) if is_of_floats else of_all(x, y)

    return of


_in_c = {f"a{name}": getattr(np, f"arc{name}") for name in "cos sin cosh tanh".split()} | {
    "pow": np.power,
    "gamma": lambda x: math.nan if x < 0 else math.inf,
    "lgamma": lambda x: math.inf,
}


def _math(function, *args):
    """A function of the module math."""
    if getattr(function, "__module__", "") != "math":
        return function(*args)
    return _as_in_c(function, _in_c.get(function.__name__) or getattr(np, function.__name__), *args)


def _as_in_c(function, ufunc, *args):
    """function(*args), where Python's error or complex number is C's NaN, infinity or 0."""
    try:
        result = function(*args)
    except (ValueError, ZeroDivisionError, OverflowError):
        result = 1j
    if isinstance(result, complex):
        with np.errstate(all="ignore"):
            return float(ufunc(*map(float, args)))
    return result


def _cast(kind, x):
    """kind(x), where numbers wrap around in NumPy's types of integers."""
    if isinstance(kind, type) and issubclass(kind, np.integer) and isinstance(x, (int, float)) and math.isfinite(x):
        return np.uint64(int(x) & 2**64 - 1).astype(kind)
    return kind(x)


_of_math = set(
    "sqrt log log10 log2 log1p exp expm1 exp2 pow acos asin acosh atanh cosh sinh tan cos sin gamma lgamma fmod".split()
)
_operators = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
_in_place = {kind: f"i{name}" for kind, name in _operators.items()}
_cells = {
    f"{name} of numbers": types.CellType(_on_wide_numbers(getattr(operator, name)))
    for name in [*_operators.values(), *_in_place.values()]
}
_cells |= {
    f"{name} of numbers": types.CellType(f)
    for name, f in (
        ("yield", result),
        ("cast", _cast),
        ("sum", _sum),
        ("in item", _in_item),
        ("math", _math),
        ("pow", _power(operator.pow)),
        ("ipow", _power(operator.ipow)),
    )  # fmt: skip
}


class _WithWideNumbers(ast.NodeTransformer):
    """Operators as calls of those above, where an operand may be narrow."""

    def __init__(self, function):
        parameters = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
        self.python_numbers = _names(function.body, ast.Store) - parameters
        count = None
        while count != len(self.python_numbers):  # until nothing is left that another thing was assigned to
            count = len(self.python_numbers)
            inside = (each for each in ast.walk(function) if each is not function)
            self.python_numbers -= {name for each in inside for name in self._others_of(each)}

    def _others_of(self, node):
        """Names that may be something else than Python's numbers and texts after this node."""
        if isinstance(node, ast.Assign) and self._is_plain(node.value):
            return set()
        if isinstance(node, ast.AugAssign) and self._is_plain(node.value):
            return set()
        if isinstance(node, (ast.For, ast.comprehension)):
            is_range = isinstance(node.iter, ast.Call) and _called(node.iter) in ("range", "prange")
            return set() if is_range else _names([node.target], ast.Store)
        if isinstance(node, ast.With):
            return _names(node.items, ast.Store)
        kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, *_scopes)
        return _names([node], ast.Store) if isinstance(node, kinds) else set()

    def _is_plain(self, node):
        if isinstance(node, ast.Name):
            return node.id in self.python_numbers
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.IfExp)):
            return all(self._is_plain(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
        return isinstance(node, (ast.Constant, ast.JoinedStr)) or (
            isinstance(node, ast.Call) and _called(node) in ("len", "int", "float", "str", "ord")
        )

    def visit_BinOp(self, node):
        plain = self._is_plain(node.left) and self._is_plain(node.right)
        self.generic_visit(node)
        if plain and not isinstance(node.op, ast.Pow):
            return node
        return self._with_wide(_operators, node, node.left, node.right) or node

    def visit_AugAssign(self, node):
        plain, target = self._is_plain(node.value), node.target
        self.generic_visit(node)
        if type(node.op) not in _in_place or (plain and getattr(target, "id", "") in self.python_numbers):
            return node
        if isinstance(target, ast.Subscript) and not any(
            isinstance(each, ast.Slice) for each in ast.walk(target.slice)
        ):
            name = ast.copy_location(ast.Constant(_in_place[type(node.op)]), node)
            return ast.copy_location(
                ast.Expr(_call("in item", node, name, target.value, target.slice, node.value)), node
            )
        if not isinstance(getattr(target, "value", target), ast.Name) or isinstance(target, ast.Subscript):
            return node
        old = copy.deepcopy(target)
        old.ctx = ast.Load()
        return ast.copy_location(ast.Assign([target], self._with_wide(_in_place, node, old, node.value)), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        kind = "cast" if _called(node) in _integers else _called(node)
        if kind in _of_math and not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args):
            return _call("math", node, node.func, *node.args)
        is_simple = kind in ("cast", "sum") and len(node.args) == 1 and not node.keywords
        return _call(kind, node, node.func, *node.args) if is_simple else node

    def visit_Yield(self, node):
        self.generic_visit(node)
        node.value = node.value and _call("yield", node, node.value)
        return node

    @staticmethod
    def _with_wide(names, node, left, right):
        return _call(names[type(node.op)], node, left, right) if type(node.op) in names else None


def _call(name, node, *args):
    name = ast.copy_location(ast.Name(f"{name} of numbers", ast.Load()), node)
    return ast.copy_location(ast.Call(name, [*args], []), node)


def _called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def with_names(function, given):
    """The function with these parameters, by place, as names from outside; None if it is not to be written so.

    Its other parameters are all given by place: `*args` as the tuple that it is.
    """
    try:
        node, file, lines, text = _source.of(function)
    except errors.UnsupportedError:
        return None
    new = copy.deepcopy(node)
    rest = [new.args.vararg] if new.args.vararg else []
    parameters = [*new.args.posonlyargs, *new.args.args, *rest, *new.args.kwonlyargs]
    names = {parameters[k].arg: value for k, value in given.items()}
    if isinstance(node, ast.Lambda):
        new = ast.FunctionDef("lambda_", new.args, [ast.Return(new.body, **_place(node.body))], **_place(node))
        if "type_params" in ast.FunctionDef._fields:
            new.type_params = []
    if _is_beyond_analysis(new) or _names(new.body, ast.Store) & set(names):
        return None
    slices = {name: names.pop(name) for name in list(names) if type(names[name]) is slice}
    others = [each for parameter in parameters if parameter.arg not in names for each in _of_slice(parameter, slices)]
    new.body[:0] = [_made_slice(name, of, new.body[0]) for name, of in slices.items()]
    new.args = ast.arguments([], others, None, [], [], None, [])
    new.decorator_list, new.returns = [], None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells |= {name: types.CellType(value) for name, value in names.items()}
    return function_of(new, (file, lines, text), function, cells)


def function_of(node, source, model, cells):
    """A function of this node without defaults, whose text counts as a model's. `source`: its file, lines and whole text."""
    bare = types.FunctionType((lambda: None).__code__, model.__globals__, model.__name__)
    made = _function(node, source[0], bare, cells)
    made.__qualname__, made.__module__ = model.__qualname__, model.__module__
    made.__kasoku_source__ = node, *source
    made.__kasoku_serial__ = getattr(model, "__kasoku_serial__", False)
    return made


_parts_of_slice = ("start", "stop", "step")


def _of_slice(parameter, slices):
    """The parameters in the place of one: of a slice, its parts."""
    if parameter.arg not in slices:
        return [parameter]
    return [ast.copy_location(ast.arg(f"ks_{parameter.arg}_{part}_of"), parameter) for part in _parts_of_slice]


def _made_slice(name, of, place):
    """The assignment of a slice that is made of its parts."""
    parts = [
        ast.Constant(None) if getattr(of, part) is None else ast.Name(f"ks_{name}_{part}_of", ast.Load())
        for part in _parts_of_slice
    ]
    made = ast.Assign([ast.Name(name, ast.Store())], ast.Call(ast.Name("slice", ast.Load()), parts, []))
    for node in ast.walk(made):
        ast.copy_location(node, place)
    return made


def with_types(function, declared):
    """The function whose variables of these names are converted to a type, a number's, wherever they get a value."""
    node, file, lines, text = _source.of(function)
    if isinstance(node, ast.Lambda):
        return function  # it assigns nothing
    kinds = {name: np.dtype(of.__kasoku_dtype__).type for name, of in declared.items() if _is_number(of)}
    new = _WithTypes(kinds).visit(copy.deepcopy(node))
    given = [arg for arg in (*new.args.posonlyargs, *new.args.args, *new.args.kwonlyargs) if arg.arg in kinds]
    new.body[:0] = [_WithTypes(kinds).converted(arg.arg, new.body[0]) for arg in given]
    ast.fix_missing_locations(new)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells |= {_WithTypes.name(name): types.CellType(kind) for name, kind in kinds.items()}
    new.decorator_list = []
    made = _function(new, file, function, cells)
    made.__module__, made.__doc__ = function.__module__, function.__doc__
    made.__kasoku_source__ = new, file, lines, text
    return made


def _is_number(of):
    return hasattr(of, "__kasoku_dtype__") and not hasattr(of, "ndim") and of.__kasoku_dtype__[0] in "biufc"


class _WithTypes(ast.NodeTransformer):
    """Assignments to some variables of a function, made to convert."""

    def __init__(self, kinds):
        self.kinds, self._is_inside = kinds, False

    name = staticmethod(lambda variable: f"_type_of_{variable}")

    def converted(self, variable, place, value=None):
        call = ast.Call(ast.Name(self.name(variable), ast.Load()), [value or ast.Name(variable, ast.Load())], [])
        return ast.copy_location(ast.Assign([ast.Name(variable, ast.Store())], call), place)

    def _is_typed(self, target):
        return isinstance(target, ast.Name) and target.id in self.kinds

    def visit_FunctionDef(self, node):  # noqa: N802
        if self._is_inside:
            return node  # whose variables are others
        self._is_inside = True
        return self.generic_visit(node)

    def visit_Lambda(self, node):  # noqa: N802
        return node

    def visit_Assign(self, node):  # noqa: N802
        if len(node.targets) == 1 and self._is_typed(node.targets[0]):
            return self.converted(node.targets[0].id, node, node.value)
        return [node, *(self.converted(name, node) for target in node.targets for name in self._in(target))]

    def visit_AnnAssign(self, node):  # noqa: N802
        return self.converted(node.target.id, node, node.value) if node.value and self._is_typed(node.target) else node

    def visit_AugAssign(self, node):  # noqa: N802
        if not self._is_typed(node.target):
            return node
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return self.converted(node.target.id, node, ast.copy_location(value, node))

    def visit_For(self, node):  # noqa: N802
        self.generic_visit(node)
        node.body[:0] = [self.converted(name, node.body[0]) for name in self._in(node.target)]
        return node

    def _in(self, target):
        return [each.id for each in ast.walk(target) if self._is_typed(each) and isinstance(each.ctx, ast.Store)]


def _function(node, file, model, cells):
    """A function of this node, with the outside of `model`."""
    node = copy.deepcopy(node)
    name, node.name = node.name, f"{node.name} written"  # inside of itself its name means what it meant
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [None if d is None else ast.Constant(None) for d in node.args.kw_defaults]
    names = [ast.arg(name) for name in cells]
    around = ast.FunctionDef("around", ast.arguments([], names, None, [], [], None, []), [node], [], **_place(node))
    if hasattr(node, "type_params"):
        around.type_params = []
    code = _syntax.compiled(ast.fix_missing_locations(ast.Module([around], [])), file).co_consts[0]
    code = next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == node.name)
    closure = tuple(cells[name] for name in code.co_freevars)
    code = code.replace(co_name=name, co_qualname=model.__qualname__)
    made = types.FunctionType(code, model.__globals__, name, model.__defaults__, closure)
    made.__kwdefaults__ = model.__kwdefaults__
    made.__qualname__ = model.__qualname__
    return made


def _is_beyond_analysis(function):
    """Whether variables change in ways that its text does not show."""
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal, ast.Match)):
            return True
        if isinstance(node, ast.Delete) and any(isinstance(target, ast.Name) for target in node.targets):
            return True
    return False


def _hides_names(function):
    """Whether it means names that the text of another function would not mean."""
    for node in ast.walk(function):
        name = getattr(node, "id", getattr(node, "attr", ""))
        if name in ("locals", "eval", "exec", "vars") or (name.startswith("__") and not name.endswith("__")):
            return True  # the class around a method is a part of private names
    return False


def _names(nodes, context):
    found = set()
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, context):
                found.add(each.id)
            elif context is ast.Store and isinstance(each, ast.ExceptHandler) and each.name:
                found.add(each.name)
            elif context is ast.Store and isinstance(each, ast.alias):
                found.add((each.asname or each.name).split(".")[0])
            elif context is ast.Store and isinstance(each, _scopes) and not isinstance(each, ast.Lambda):
                found.add(each.name)
    return found


def _targets(target):
    """Names that an assignment to it surely sets."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, (ast.Tuple, ast.List)):
        return set().union(*map(_targets, target.elts))
    return _targets(target.value) if isinstance(target, ast.Starred) else set()


def _leaves(loop):
    """Whether something in the loop leaves it for elsewhere, or cannot stand in another function."""
    kinds = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, *_scopes)
    jumps = (each for stmt in loop.orelse for each in ast.walk(stmt) if isinstance(each, (ast.Break, ast.Continue)))
    return any(isinstance(node, kinds) for node in ast.walk(loop)) or any(jumps)


class _Rewriter:
    """One walk over a function's body, last statement first: `live` are the names that are read later."""

    def __init__(self, function, source, make):
        code = function.__code__
        self.function, self.source, self.make = function, source, make
        self.cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        node = source[0]
        self.locals = set(code.co_varnames) | set(code.co_cellvars)
        inner = [each for each in ast.walk(node) if isinstance(each, _scopes) and each is not node]
        self.captured = _names(inner, ast.Load) & self.locals
        self.draws_in_order = any(getattr(each, "attr", getattr(each, "id", "")) == "seed" for each in ast.walk(node))
        self.assigned = {}  # statement -> names that surely have values before it
        self.made = {}

    def function_body(self, node):
        parameters = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        self._assign(node.body, set(parameters))
        is_lifted = hasattr(self.function, "__kasoku_part__")
        if is_lifted:  # it is a loop that does not compile: what is inside of it
            loop, *rest = node.body
            live = self._live(rest, set())
            return [self._inside(loop, live, set())[0], *rest]
        return self._block(node.body, set(), set())[0]

    # Names that surely have values, in the order of the text.

    def _assign(self, body, names):
        for stmt in body:
            if names is _all_names:
                self.assigned[stmt] = set()  # not reached
                for each in ast.walk(stmt):
                    self.assigned.setdefault(each, set())
                continue
            self.assigned[stmt] = set(names)
            names = self._assigned_after(stmt, names)
        return names

    def _assigned_after(self, stmt, names):
        def both(a, b):
            return b if a is _all_names else a if b is _all_names else a & b

        if isinstance(stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            return _all_names
        if isinstance(stmt, ast.If):
            return both(self._assign(stmt.body, set(names)), self._assign(stmt.orelse, set(names)))
        if isinstance(stmt, _loops):
            inside = set(names) | (_targets(stmt.target) if isinstance(stmt, ast.For) else set())
            self._assign(stmt.body, inside)
            self._assign(stmt.orelse, set(names))
            return names
        if isinstance(stmt, ast.With):
            for item in stmt.items:
                names = names | (_targets(item.optional_vars) if item.optional_vars else set())
            self._assign(stmt.body, set(names))
            return names
        if isinstance(stmt, ast.Try):
            self._assign(stmt.body, set(names))
            for handler in stmt.handlers:
                self._assign(handler.body, set(names) | ({handler.name} if handler.name else set()))
            self._assign(stmt.orelse, set(names))
            after = self._assign(stmt.finalbody, set(names))
            return (names if after is _all_names else after) - {handler.name for handler in stmt.handlers}
        return names | self._sets(stmt)

    @staticmethod
    def _sets(stmt):
        if isinstance(stmt, ast.Assign):
            return set().union(*map(_targets, stmt.targets))
        if isinstance(stmt, ast.AugAssign) or (isinstance(stmt, ast.AnnAssign) and stmt.value):
            return _targets(stmt.target)
        if isinstance(stmt, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
            return _names([stmt], ast.Store) if not isinstance(stmt, _scopes) else {stmt.name}
        return set()

    # Names that are read later, against the order of the text.

    def _live(self, body, live, jumps=(frozenset(), frozenset())):
        """What is read from the block's begin on; `jumps`: what is read after a break and a continue."""
        for stmt in reversed(body):
            live = self._live_before(stmt, live, jumps)
        return live

    def _live_before(self, stmt, live, jumps=(frozenset(), frozenset())):
        if isinstance(stmt, (ast.Return, ast.Raise)):
            return _names([stmt], ast.Load)
        if isinstance(stmt, ast.Break):
            return set(jumps[0])
        if isinstance(stmt, ast.Continue):
            return set(jumps[1])
        if isinstance(stmt, ast.If):
            return (
                _names([stmt.test], ast.Load)
                | self._live(stmt.body, live, jumps)
                | self._live(stmt.orelse, live, jumps)
            )
        if isinstance(stmt, _loops):
            return self._live_of_loop(stmt, live, jumps)[0]
        if isinstance(stmt, ast.With):
            return _names(stmt.items, ast.Load) | self._live(stmt.body, live, jumps)
        if isinstance(stmt, ast.Try):
            return _names([stmt], ast.Load) | live | jumps[0] | jumps[1]
        kills = set() if isinstance(stmt, ast.AugAssign) else self._sets(stmt)
        reads = _names([stmt], ast.Load)
        if isinstance(stmt, ast.AugAssign):
            reads |= _targets(stmt.target)
        return (live - kills) | reads

    def _live_of_loop(self, loop, live, jumps):
        """(what is read before the loop, at the end of its body)."""
        after = self._live(loop.orelse, live, jumps)
        is_for = isinstance(loop, ast.For)
        head = after | _names([loop.iter if is_for else loop.test], ast.Load)
        kills = _targets(loop.target) if is_for else set()
        for _ in range(2):
            head = head | (self._live(loop.body, head, (live, head)) - kills)
        return head, head

    # The new text.

    def _block(self, body, live, kept, jumps=(frozenset(), frozenset())):
        """(statements, what is read before them). `kept`: what a handler around them may read."""
        out = []
        for stmt in reversed(body):
            before = self._live_before(stmt, live, jumps)
            out.extend(reversed(self._statement(stmt, live, kept, jumps)))
            live = before
        return out[::-1] if out else body, live

    def _statement(self, stmt, live, kept, jumps):
        if isinstance(stmt, _loops):
            lifted = self._lift(stmt, live, kept)
            if lifted:
                return lifted
        return self._inside(stmt, live, kept, jumps)

    def _inside(self, stmt, live, kept, jumps=(frozenset(), frozenset())):
        new = copy.copy(stmt)
        if isinstance(stmt, _loops):
            end = self._live_of_loop(stmt, live, jumps)[1]
            new.body = self._block(stmt.body, end, kept, (live, end))[0]
            new.orelse = self._block(stmt.orelse, live, kept, jumps)[0]
        elif isinstance(stmt, ast.If):
            new.body = self._block(stmt.body, live, kept, jumps)[0]
            new.orelse = self._block(stmt.orelse, live, kept, jumps)[0]
        elif isinstance(stmt, ast.With):  # it may swallow an exception
            new.body = self._block(stmt.body, live, kept | live | jumps[0] | jumps[1], jumps)[0]
        elif isinstance(stmt, ast.Try):
            seen = kept | live | jumps[0] | jumps[1] | _names([*stmt.handlers, *stmt.finalbody], ast.Load)
            after = live | jumps[0] | jumps[1] | _names([*stmt.handlers, *stmt.orelse, *stmt.finalbody], ast.Load)
            new.body = self._block(stmt.body, after, seen, jumps)[0]
        return [new]

    def _lift(self, loop, live, kept):
        reads, stores = _names([loop], ast.Load), _names([loop], ast.Store)
        if _leaves(loop) or stores & (kept | self.captured) or (self.draws_in_order and _draws(loop)):
            return None
        before = self._live_before(loop, live)
        taken = sorted(before & (reads | stores) & self.locals)
        given = sorted(stores & live)
        if not set(taken) <= self.assigned[loop] or not set(given) <= set(taken):
            return None
        begin = getattr(self.function, "__kasoku_part__", self.function.__code__.co_firstlineno)
        name = f"{self.function.__name__}_loop_{loop.lineno - begin + 1}"
        at = _place(loop)
        results = [ast.Name(each, ast.Load(), **at) for each in given]
        value = results[0] if len(results) == 1 else ast.Tuple(results, ast.Load(), **at)
        arguments = ast.arguments([], [ast.arg(each, **at) for each in taken], None, [], [], None, [])
        body = [loop, ast.Return(value, **at)] if given else [loop]
        node = ast.FunctionDef(name, arguments, body, [], **at)
        if "type_params" in ast.FunctionDef._fields:
            node.type_params = []
        whole, file, lines, text = self.source
        bare = types.FunctionType((lambda: None).__code__, self.function.__globals__, name)
        function = _function(node, file, bare, self.cells)
        function.__qualname__ = f"{self.function.__qualname__}, its loop"
        function.__kasoku_source__, function.__kasoku_part__ = (
            (node, file, lines[loop.lineno - whole.lineno :], text),
            begin,
        )
        function.__kasoku_serial__ = getattr(self.function, "__kasoku_serial__", False)
        self.made[name] = self.make(function)
        call = ast.Call(
            ast.Name(name, ast.Load(), **at), [ast.Name(each, ast.Load(), **at) for each in taken], [], **at
        )
        if not given:
            return [ast.Expr(call, **at)]
        targets = [ast.Name(each, ast.Store(), **at) for each in given]
        return [ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store(), **at)], call, **at)]


def _place(node):
    return {each: getattr(node, each) for each in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def _draws(loop):
    return any("rand" in getattr(each, "attr", getattr(each, "id", "")) for each in ast.walk(loop))
