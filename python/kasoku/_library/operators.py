"""The module `operator`: a call of operator.add(a, b) is read as a + b; operator.iadd is a function with a += b."""

import ast
import operator

_binary = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "pow": ast.Pow, "matmul": ast.MatMult, "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor,
    "lshift": ast.LShift, "rshift": ast.RShift,
}  # fmt: skip
_compare = {
    "lt": ast.Lt, "le": ast.LtE, "eq": ast.Eq, "ne": ast.NotEq, "gt": ast.Gt, "ge": ast.GtE, "is_": ast.Is,
    "is_not": ast.IsNot,
}  # fmt: skip
_unary = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert, "inv": ast.Invert, "not_": ast.Not}
_forms = {
    **{name: (2, lambda a, b, op=op: ast.BinOp(a, op(), b)) for name, op in _binary.items()},
    **{name: (2, lambda a, b, op=op: ast.Compare(a, [op()], [b])) for name, op in _compare.items()},
    **{name: (1, lambda a, op=op: ast.UnaryOp(op(), a)) for name, op in _unary.items()},
    "truth": (1, lambda a: ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), a))),
    "contains": (2, lambda a, b: ast.Compare(b, [ast.In()], [a])),
    "getitem": (2, lambda a, b: ast.Subscript(a, b, ast.Load())),
}
_by_object = {getattr(operator, name): form for name, form in _forms.items()}


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


def itruediv(a, b):
    a /= b
    return a


def ifloordiv(a, b):
    a //= b
    return a


def imod(a, b):
    a %= b
    return a


def ipow(a, b):
    a **= b
    return a


def iand(a, b):
    a &= b
    return a


def ior(a, b):
    a |= b
    return a


def ixor(a, b):
    a ^= b
    return a


def ilshift(a, b):
    a <<= b
    return a


def irshift(a, b):
    a >>= b
    return a


def _attribute(call):
    """`x.name` for getattr(x, "name")."""
    if len(call.args) != 2 or call.keywords:
        return None
    of, name = call.args
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or not name.value.isidentifier():
        return None
    return ast.fix_missing_locations(ast.copy_location(ast.Attribute(of, name.value, ast.Load()), call))


def written(meant, call):
    """The expression that this call of a function of `operator`, or of getattr, stands for, or None."""
    if meant is getattr:
        return _attribute(call)
    count, form = _by_object.get(meant, (None, None))
    if count != len(call.args) or call.keywords:
        return None
    return ast.fix_missing_locations(ast.copy_location(form(*call.args), call))
