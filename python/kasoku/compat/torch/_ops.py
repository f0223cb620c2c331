"""torch's operations: functions, methods and in-place methods from one table each."""

import numbers

import numpy as np

import kasoku as ks
from kasoku._core import _unsettled as unsettled

from .._face.compositions import softmax
from .._operands import divides_by_zero, engine_names
from . import _promotion, _types
from ._table import functions, in_place, into, rules
from ._tensor import ShapeError, Tensor, shaped
from ._types import as_number, scalar_name


class IntegerDivisionError(RuntimeError, ZeroDivisionError):
    """The error of torch for integers divided by 0 on a CPU."""


_by_value = frozenset("equal not_equal less less_equal greater greater_equal".split())


_instead = "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
_not_of_bools = dict(floor_divide="div_floor_cpu", remainder="remainder_cpu", fmod="fmod_cpu", power="pow")


def _must_take_bools(name, wanted, operands):
    """That bools are among the operands only where torch computes with them."""
    if name in _not_of_bools and wanted.category == 0:
        raise RuntimeError(f"\"{_not_of_bools[name]}\" not implemented for 'Bool'")
    if name == "subtract" and any(_promotion.is_bool(x) for x in operands):
        with_what = "a bool tensor is not supported. " + _instead
        if wanted.category == 0:
            with_what = "two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
        raise RuntimeError(f"Subtraction, the `-` operator, with {with_what}")
    if name == "negative" and wanted.category == 0:
        raise RuntimeError(f"Negation, the `-` operator, on a bool tensor is not supported. {_instead}")


def _apply(name, *operands, wants_float=False, out=None):
    wanted = _promotion.of(wants_float, *operands)
    if name in _promotion.not_of_bools:
        _must_take_bools(name, wanted, operands)
    converted = []
    for x in operands:
        if isinstance(x, Tensor):
            a = x._a
            converted.append(a if _types.of_array(a) is wanted else a.astype(wanted.numpy))
        else:
            converted.append(as_number(x, None if name in _by_value else wanted))
    if name in ("floor_divide", "remainder", "fmod") and wanted.category == 1 and divides_by_zero(*converted):
        raise IntegerDivisionError(f"ZeroDivisionError: {name} of integers by 0")
    try:
        result = getattr(ks, name)(*converted)
    except ks.errors.ValueError as error:
        raise ShapeError(*error.args) from None
    except ks.errors.TypeError:
        raise RuntimeError(f"\"{name}_cpu\" not implemented for '{scalar_name(wanted)}'") from None
    return Tensor(result) if out is None else into(out, result)


# torch's name -> kasoku's; floats are made of integers first in the second group
_plain = engine_names("""
    absolute negative floor ceil trunc add subtract multiply maximum minimum fmax fmin fmod remainder floor_divide bitwise_and
    bitwise_or bitwise_xor not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not isnan
    isinf isfinite gcd lcm positive signbit abs neg=negative fix=trunc sub=subtract mul=multiply pow bitwise_not
    bitwise_left_shift bitwise_right_shift eq=equal ne=not_equal lt=less le=less_equal gt=greater ge=greater_equal
""")
_floating = engine_names("""
    exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh reciprocal
    divide arctan2 hypot logaddexp copysign nextafter float_power heaviside asin acos atan asinh acosh atanh div=divide
    true_divide atan2 rad2deg deg2rad
""")


def _with_names(name, operands, more):
    """Operands that came by torch's names of them."""
    for word in more:
        if word not in ("input", "other", "exponent", "mat2", "vec", "tensor"):
            raise TypeError(f"{name}() got an unexpected keyword argument {word!r}")
    first = (more.pop("input"),) if "input" in more else ()
    return (*first, *operands, *more.values())


def _quotient(rounding_mode, x, y):
    if rounding_mode not in ("trunc", "floor"):
        known = "one of None, 'trunc', or 'floor'"
        raise RuntimeError(f"div expected rounding_mode to be {known} but found {rounding_mode!r}")
    if rounding_mode == "floor":
        return _apply("floor_divide", x, y)
    if _promotion.of(False, x, y).category < 2:  # the remainder has the dividend's sign: what is left divides exactly
        return unsettled(lambda: _apply("floor_divide", x - functions["fmod"](x, y), y))
    return Tensor(ks.trunc(unsettled(_apply, "divide", x, y)._a))


_arity = {row[0]: row[1] for row in ks._core._ops()}
_operand = (Tensor, numbers.Number, np.generic)


def _check_operands(name, arity, operands, kinds=_operand):
    """Raises, in torch's words, unless there are so many tensors and numbers."""
    words = ("input", "other")[:arity]
    if not operands:
        raise TypeError(f'{name}() missing {arity} required positional arguments: "{", ".join(words)}"')
    given = [type(x).__name__ for x in operands]
    if len(operands) != arity:
        takes = ", ".join(("Tensor input", "Tensor or Number other" if kinds is _operand else "Tensor other")[:arity])
        said = f"received an invalid combination of arguments - got ({', '.join(given)}), but expected ({takes})"
        raise TypeError(f"{name}() {said}")
    for at, x in enumerate(operands):
        if not isinstance(x, kinds if arity == 2 else Tensor):
            raise TypeError(f"{name}(): argument '{words[at]}' (position {at + 1}) must be Tensor, not {given[at]}")


def _make(name, engine_name, wants_float):
    """Defines the method; plain operands go to the engine without this function."""

    arity = _arity[engine_name]

    def function(*operands, out=None, alpha=None, rounding_mode=None, **more):
        if more:
            operands = _with_names(name, operands, more)
        _check_operands(name, arity, operands)
        if alpha is not None and alpha != 1:
            operands = (operands[0], unsettled(mul, operands[1], alpha))
        if rounding_mode is not None:
            return _quotient(rounding_mode, *operands)
        return _apply(engine_name, *operands, wants_float=wants_float, out=out)

    function.__name__ = name
    _promotion.face_of(engine_name).define(Tensor, name, engine_name, wants_float, function)
    return getattr(Tensor, name)


_engine_names = {**_plain, **_floating}
for _name, _engine in _engine_names.items():
    functions[_name] = _make(_name, _engine, _name in _floating)
mul = functions["mul"]


_soft = rules["floats"](softmax)


functions.rows("arrays", {
    "round": lambda input, *, decimals=0: ks.round(input, decimals),
    "sign": (lambda input: input.copy() if input.dtype == "bool" else (
        (input > 0).astype(input.dtype) - (input < 0).astype(input.dtype)),
        "1, -1 or 0 of each element; 0 of what is not a number."),
    "relu": lambda input: ks.maximum(input, 0),
    "square": lambda input: input * input if input.dtype != "bool" else input.astype("int64"),
    "masked_select": lambda input, mask: input[mask],
    "nonzero": lambda input, *, as_tuple=False: ks.nonzero(input) if as_tuple else ks.stack(ks.nonzero(input), 1),
})  # fmt: skip
functions.rows("floats", {
    "rsqrt": lambda input: 1 / ks.sqrt(input),
    "sigmoid": lambda input: 1 / (1 + ks.exp(-input)),
})  # fmt: skip
functions.rows("tensors", {
    "softmax": lambda input, dim, dtype=None: _soft(input if dtype is None else input.to(dtype), dim),
    "equal": lambda input, other: input.shape == other.shape and bool((input._a == other._a).all()),
    "allclose": lambda input, other, rtol=1e-5, atol=1e-8, equal_nan=False: bool(
        functions.isclose(input, other, rtol, atol, equal_nan)._a.all()),
})  # fmt: skip


def _within(bound, dtype):
    """A bound of numbers of that dtype: what is beyond them bounds nothing."""
    if type(bound) is not int:
        return bound
    info = np.iinfo(dtype.numpy)
    return max(info.min, min(bound, info.max))


@functions.row("tensors")
def clamp(input, min=None, max=None, *, out=None):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    wanted = _promotion.of(False, input, *(v for v in (min, max) if v is not None))
    low, high = (v._a.astype(wanted.numpy) if isinstance(v, Tensor) else as_number(v) for v in (min, max))
    if wanted.category == 1:
        low, high = (_within(v, wanted) for v in (low, high))
    a = input._a if input.dtype is wanted else input._a.astype(wanted.numpy)
    result = ks.clip(a, low, high)
    return Tensor(result) if out is None else into(out, result)


@functions.row("tensors")
def where(condition, input=None, other=None):
    if input is None:
        return functions.nonzero(condition, as_tuple=True)
    wanted = _promotion.of(False, input, other)
    parts = [v._a.astype(wanted.numpy) if isinstance(v, Tensor) else as_number(v, wanted) for v in (input, other)]
    if not any(isinstance(v, Tensor) for v in (input, other)):
        parts[0] = ks.full((), input, wanted.numpy, condition._a.device)
    return Tensor(ks.where(condition._a, *parts))


def _product(name, dims=None):
    def function(*operands, out=None, **more):
        operands = _with_names(name, operands, more) if more else operands
        _check_operands(name, 2, operands, Tensor)
        x, y = operands
        if x.dtype is not y.dtype:
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x.dtype.name} != {y.dtype.name}")
        if x.device != y.device:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {x.device} and {y.device}!"
            )
        if dims and (x.ndim, y.ndim) != dims:
            raise RuntimeError(
                f"{name}: expected tensors of {dims[0]} and {dims[1]} dimensions, got {x.ndim} and {y.ndim}"
            )
        result = shaped(ks.matmul, x._a, y._a)
        return Tensor(result) if out is None else into(out, result)

    function.__name__ = name
    functions[name] = function


for _row in (("matmul",), ("mm", (2, 2)), ("bmm", (3, 3)), ("mv", (2, 1)), ("dot", (1, 1))):
    _product(*_row)


# ── methods ───────────────────────────────────────────────────────────────────────────────


for _name, _engine in _engine_names.items():
    if not _name.startswith("is"):
        _promotion.face_of(_engine).define_in_place(
            Tensor, _name + "_", _engine, _name in _floating, in_place(functions[_name])
        )

_known = (Tensor, numbers.Number)


def _operator(dunder, name, reflected=False):
    f = functions[name]

    def method(self, other):
        if not isinstance(other, _known):
            if hasattr(other, "__array__") and getattr(other, "ndim", 1) == 0:
                other = other.item()
            elif hasattr(other, "__array__"):
                other = Tensor(ks.array(other, device=self._a.device))
            else:
                return NotImplemented
        return f(other, self) if reflected else f(self, other)

    engine_name, wants_float = _engine_names[name], name in _floating
    _promotion.face_of(engine_name).define_operator(Tensor, dunder, engine_name, wants_float, reflected, method)


for _dunder, _name in {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}.items():  # fmt: skip
    _operator(f"__{_dunder}__", _name)
    _operator(f"__r{_dunder}__", _name, True)
    setattr(Tensor, f"__i{_dunder}__", getattr(Tensor, _name + "_"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _operator(f"__{_name}__", _name)
for _name in ("matmul", "neg", "pos=positive", "abs", "invert=bitwise_not"):
    setattr(Tensor, f"__{_name.partition('=')[0]}__", functions[_name.rpartition("=")[2]])
for _name in "half bfloat16 float double char byte short int long bool cfloat cdouble".split():
    setattr(Tensor, _name, lambda self, _d=_types.names[_name]: self.to(_d))
