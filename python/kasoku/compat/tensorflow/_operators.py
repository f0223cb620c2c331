"""The elementwise operations of TensorFlow: operators and functions that the engine runs without
Python where the operands are plain, and what is said of those that do not fit."""

import functools

import kasoku as ks
from kasoku._core import _Face

from .._operands import comparisons, engine_names
from ._tensor import Tensor, binary, broadcast, convert, must_take, op_name, operands
from ._variable import Variable

# what integers become before a true division
_quotients = {"int8": "float32", "int16": "float32", "uint8": "float32", "uint16": "float32",
              "int32": "float64", "int64": "float64", "uint32": "float64", "uint64": "float64"}  # fmt: skip


def _divide(x, y):
    """True division: two arrays of one dtype."""
    to = _quotients.get(str(x.dtype))
    return ks.divide(x, y) if to is None else ks.divide(x.astype(to), y.astype(to))


def _meet(wants_float, *operands):
    """The dtype of operands that fit: tensors of one type, and numbers that it holds."""
    found = [x for x in operands if not isinstance(x, (bool, int, float, complex))]
    dtype = convert(found[0]).dtype
    for x in operands:
        if isinstance(x, (Tensor, Variable)):
            fits = x.dtype == dtype
        elif isinstance(x, bool) or dtype.is_bool:
            fits = isinstance(x, bool) and dtype.is_bool
        else:
            fits = isinstance(x, int) or dtype.is_complex or isinstance(x, float) and dtype.is_floating
        if not fits:
            return None
    return _quotients.get(dtype.name, dtype.name) if wants_float else dtype.name


@functools.cache
def _face(kinds):
    """Operations of tensors of these kinds alone: of others their function has something to say."""

    def meet(wants_float, *operands):
        dtype = _meet(wants_float, *operands)
        given = next(x for x in operands if isinstance(x, (Tensor, Variable)))
        return dtype if given.dtype.kind in kinds else None

    face = _Face(Tensor, "_array", meet)
    face.hold_in(Variable, "_value")
    return face


_rounded = lambda x: x if x.dtype.kind in "iu" else ks.rint(x)


_looks_at_integers = ("power", "rint")  # at negative exponents, and at what is round
_ORDERED, _NUMBERS, _ALL = "iuf", "iufc", "biufc"
# NumPy's letters of the kinds that TensorFlow's operation takes, where they are not numbers
_KINDS = dict(equal=_ALL, not_equal=_ALL, logical_and="b", logical_or="b", logical_xor="b", logical_not="b") | dict.fromkeys(
    "bitwise_and bitwise_or bitwise_xor".split(), "biu"
) | dict.fromkeys("arctan2 floor ceil isnan isinf isfinite".split(), "f") | dict.fromkeys(
    "floor_divide remainder maximum minimum less less_equal greater greater_equal".split(), _ORDERED
) | dict.fromkeys(
    "exp expm1 log log1p sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh".split(), "fc"
)  # fmt: skip


def _kinds_of(engine):
    """Those that the operation takes, and those that the engine computes with nothing to look at."""
    kinds = _KINDS.get(engine, _NUMBERS)
    return kinds, kinds.replace("iu", "") if engine in _looks_at_integers else kinds


# kasoku's name -> TensorFlow's of the operation, of its operator, and of its functions
_BINARY = {
    "add": ("AddV2", "add", "add"), "subtract": ("Sub", "sub", "subtract"), "multiply": ("Mul", "mul", "multiply"),
    "divide": ("RealDiv", "truediv", "divide truediv"), "floor_divide": ("FloorDiv", "floordiv", "floordiv"),
    "remainder": ("FloorMod", "mod", "mod floormod"), "power": ("Pow", "pow", "pow"), "arctan2": ("Atan2", "", "atan2"),
    **{f"bitwise_{symbol}": (op_name(f"bitwise_{symbol}"), symbol, "") for symbol in ("and", "or", "xor")},
    **{name: (op_name(name), "", name) for name in "maximum minimum logical_and logical_or logical_xor".split()},
}  # fmt: skip
_COMPARISONS = {name: (op_name(name), symbol, name) for symbol, name in comparisons.items()}
_UNARY = engine_names("""
    exp expm1 log log1p sqrt square sin cos tan sinh cosh tanh floor ceil sign reciprocal rint negative logical_not asin acos atan
    asinh acosh atanh round=rint abs is_nan=isnan is_inf=isinf is_finite=isfinite
""")
_IDENTITY = {"equal": False, "not_equal": True}  # of a tensor and None, or of one of another shape


_OP_NAMES = {"negative": "Neg"}  # where it is not the function's


class _Functions:
    """Where they are defined."""


def _define_binary(engine, op, method, names):
    wants_float = engine == "divide"
    function = _divide if wants_float else getattr(ks, engine)
    kinds, plain = _kinds_of(engine)
    face = _face(plain)

    def forward(x, y, name=None):
        return binary(op, function, x, y, kinds)

    def reflected(x, y):
        return binary(op, function, y, x, kinds)

    def compared(x, y):
        if y is None:
            return _IDENTITY[engine]
        x, y = operands(op, x, y)
        # of other shapes the operator's answer; the function refuses them
        return forward(x, y) if broadcast(x, y) else convert(_IDENTITY[engine])

    for name in names.split():
        face.define(_Functions, name, engine, wants_float, forward)
        elementwise[name] = getattr(_Functions, name)
    for cls in (Tensor, Variable) if method else ():
        face.define_operator(
            cls, f"__{method}__", engine, wants_float, False, compared if engine in _IDENTITY else forward
        )
        if engine not in _COMPARISONS:
            face.define_operator(cls, f"__r{method}__", engine, wants_float, True, reflected)


def _define_unary(name, engine):
    function = _rounded if name == "round" else getattr(ks, engine)
    kinds, plain = _kinds_of(engine) if name != "rint" else ("f", "f")
    op = _OP_NAMES.get(name) or op_name(name)

    def forward(x, name=None):
        return Tensor(function(must_take(op, kinds, convert(x))._array))

    _face(plain).define(_Functions, name, engine, False, forward)
    elementwise[name] = getattr(_Functions, name)


elementwise = {}  # TensorFlow's name -> function
for _engine, _names in {**_BINARY, **_COMPARISONS}.items():
    _define_binary(_engine, *_names)
for _name, _engine in _UNARY.items():
    _define_unary(_name, _engine)
for _cls in (Tensor, Variable):
    _face(_NUMBERS).define(_cls, "__neg__", "negative", False, elementwise["negative"])
    _face(_NUMBERS).define(_cls, "__abs__", "absolute", False, elementwise["abs"])
