"""Values, dtypes and shapes of the Python array API 2024.12, from tables of its functions, against array-api-strict.

Each test draws dtypes, shapes (of no axes, empty, broadcast) and ways in which elements lie, calls a function of both
namespaces with the same arguments, and compares all that comes back.
"""

import operator
import warnings

import array_api_strict as strict
import hypothesis.extra.numpy as hnp
import kasoku as ks
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    strict.set_array_api_strict_flags(api_version="2024.12")

few = settings(max_examples=8)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS, COMPLEX = ["float32", "float64"], ["complex64", "complex128"]
KINDS = {
    "bool": ["bool"],
    "integer": INTEGERS,
    "integer or bool": [*INTEGERS, "bool"],
    "float": FLOATS,
    "floating": FLOATS + COMPLEX,
    "complex": COMPLEX,
    "real": INTEGERS + FLOATS,
    "numeric": INTEGERS + FLOATS + COMPLEX,
    "any": ["bool", *INTEGERS, *FLOATS, *COMPLEX],
}
UNARY = {
    "numeric": "abs conj isfinite isinf isnan negative positive round sign square real",
    "real": "ceil floor trunc",
    "floating": """
        acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 reciprocal sin sinh sqrt tan tanh
    """,
    "float": "signbit",
    "complex": "imag",
    "bool": "logical_not",
    "integer or bool": "bitwise_invert",
}
BINARY = {
    "numeric": "add multiply subtract",
    "any": "equal not_equal",
    "real": "floor_divide greater greater_equal less less_equal maximum minimum remainder",
    "floating": "divide",
    "float": "atan2 copysign hypot logaddexp nextafter pow",
    "integer or bool": "bitwise_and bitwise_or bitwise_xor",
    "integer": "bitwise_left_shift bitwise_right_shift",
    "bool": "logical_and logical_or logical_xor",
}
OPERATORS = {
    "numeric": "add sub mul",
    "any": "eq ne",
    "real": "floordiv gt ge lt le mod",
    "floating": "truediv",
    "float": "pow",
    "integer or bool": "and_ or_ xor",
    "integer": "lshift rshift",
}
IN_PLACE = "add sub mul floordiv mod truediv pow and_ or_ xor lshift rshift".split()
SHIFTS = {"bitwise_left_shift", "bitwise_right_shift", "lshift", "rshift"}
QUOTIENTS = {"floor_divide", "remainder", "floordiv", "mod"}


def rows(table):
    return [pytest.param(name, kind, id=name) for kind, names in table.items() for name in names.split()]


@pytest.fixture(autouse=True)
def _on_device(on_device):
    """What the tests make lies on each device in turn."""


def elements(dtype, least=None, most=None):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low, high = limits.min if least is None else max(least, limits.min), limits.max if most is None else most
        return st.one_of(st.integers(max(low, -9), min(high, 9)), st.integers(low, high))
    low, high = -1e3 if least is None else least, 1e3 if most is None else most
    real = st.floats(low, high, width=32, allow_subnormal=False).map(lambda x: round(x, 3))
    return real if dtype.kind == "f" else st.builds(complex, real, real)


def shapes(**limits):
    return hnp.array_shapes(**{"min_dims": 0, "max_dims": 3, "min_side": 0, "max_side": 4, **limits})


def values(dtype, shape, **limits):
    return hnp.arrays(dtype, shape, elements=elements(dtype, **limits))


def laid(x, data):
    """x as ours, with its elements in one of the ways in which they can lie."""
    way = data.draw(st.sampled_from(["rows", "columns", "backwards", "every second", "pending"]))
    if way == "columns":
        return ks.permute_dims(ks.asarray(x.T.copy()), tuple(range(x.ndim))[::-1])
    if way == "backwards":
        return ks.flip(ks.asarray(np.flip(x).copy()))
    if way == "every second" and x.ndim:
        return ks.asarray(np.repeat(x, 2, -1))[..., ::2]
    if way == "pending":
        return ks.asarray(x) + 0 if x.dtype.kind in "iu" else ks.astype(ks.asarray(x), ks.dtype(x.dtype), copy=True)
    return ks.asarray(x)


def host(x):
    return np.asarray(x._array) if hasattr(x, "_array") else x.numpy() if isinstance(x, ks.Array) else x


def agree(got, want, exact=False):
    """What two calls gave: arrays, tuples and lists of such, numbers."""
    if isinstance(want, (tuple, list)):
        assert isinstance(got, type(want) if type(want) in (tuple, list) else tuple) and len(got) == len(want)
        if hasattr(want, "_fields"):
            assert got._fields == want._fields
        for g, w in zip(got, want):
            agree(g, w, exact)
        return
    if not hasattr(want, "_array"):
        assert got == want
        return
    assert isinstance(got, ks.Array)
    want = host(want)
    assert str(got.dtype) == str(want.dtype)
    assert got.shape == want.shape
    got = got.numpy()
    if want.dtype.kind in "biu" or exact:
        np.testing.assert_array_equal(got, want)
        return
    eps = float(np.finfo(want.dtype).eps)
    size = np.abs(want[np.isfinite(want)]).max(initial=0) if want.dtype.kind == "c" else 0
    for part in ("real", "imag"):  # an infinite part says nothing of the other one's last digits
        np.testing.assert_allclose(
            getattr(got, part), getattr(want, part), rtol=64 * eps, atol=64 * eps * max(size, 1e-3)
        )


def both(call, arrays, data, exact=False):
    """call(namespace, arrays) of ours and of array-api-strict."""
    theirs = [strict.asarray(x) for x in arrays]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = call(strict, *theirs)
    agree(call(ks, *(laid(x, data) for x in arrays)), want, exact)
    return want


def two(kind, name, data):
    """Two arrays that have a dtype in common and broadcast."""
    first = data.draw(st.sampled_from(KINDS[kind]))
    with_it = [d for d in KINDS[kind] if promotes(first, d)]
    second = first if name in ("nextafter", *SHIFTS) else data.draw(st.sampled_from(with_it))
    shape = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4, min_side=0))
    limits = {"least": 0, "most": np.iinfo(second).bits - 1} if name in SHIFTS else {}
    x, y = data.draw(values(first, shape.input_shapes[0])), data.draw(values(second, shape.input_shapes[1], **limits))
    if name in QUOTIENTS:
        y = np.where(y == 0, y.dtype.type(3), y)
    if name == "pow":
        x, y = np.abs(x) + x.dtype.type(0.5), np.fmod(y, y.dtype.type(9))
    return x, y


def promotes(a, b):
    try:
        strict.result_type(getattr(strict, a), getattr(strict, b))
        return True
    except TypeError:
        return False


@few
@pytest.mark.parametrize("name, kind", rows(UNARY))
@given(data=st.data())
def test_a_function_of_one_array(name, kind, data):
    dtype = data.draw(st.sampled_from(KINDS[kind]))
    x = data.draw(values(dtype, data.draw(shapes()), **({} if dtype in INTEGERS else {"least": -20, "most": 20})))
    assume(not (name == "abs" and x.size and x.dtype.kind == "i" and x.min() == np.iinfo(dtype).min))
    if x.dtype.kind == "c" and name == "log1p":  # where NumPy's own is not exact near 0, but for numbers of more digits
        got = ks.log1p(laid(x, data))
        with np.errstate(all="ignore"):
            want = np.log1p(x.astype(np.clongdouble)).astype(dtype)
        assert got.shape == x.shape and got.dtype == dtype
        eps = float(np.finfo(dtype).eps)
        np.testing.assert_allclose(got.numpy(), want, rtol=8 * eps, atol=1e-6 * eps)
        return
    if x.dtype.kind == "c" and name == "reciprocal":  # of 0 the standard has 1 / x, which NumPy's is not
        x = np.where(x == 0, x.dtype.type(1), x)
    both(lambda xp, x: getattr(xp, name)(x), [x], data)


@few
@pytest.mark.parametrize("name, kind", rows(BINARY))
@given(data=st.data())
def test_a_function_of_two_arrays(name, kind, data):
    both(lambda xp, x, y: getattr(xp, name)(x, y), two(kind, name, data), data, exact=name in ("nextafter", "copysign"))


def scalar_for(x, name, data):
    """A number of Python that has the kind of x's dtype."""
    kind = x.dtype.kind
    if kind == "b":
        return data.draw(st.booleans())
    if kind in "iu":
        low, high = (0, np.iinfo(x.dtype).bits - 1) if name in SHIFTS else (0 if kind == "u" else -9, 9)
        number = data.draw(st.integers(low, high))
    else:
        number = data.draw(st.one_of(st.integers(-9, 9), st.floats(-9, 9).map(lambda x: round(x, 3))))
    return 3 if name in QUOTIENTS and number == 0 else abs(number) if name == "pow" else number


@few
@pytest.mark.parametrize("name, kind", rows(BINARY))
@given(data=st.data(), is_left=st.booleans())
def test_a_function_of_an_array_and_a_number(name, kind, data, is_left):
    x, _ = two(kind, name, data)
    if name in SHIFTS:
        x = np.clip(x, 0, np.iinfo(x.dtype).bits - 1)
    if name in QUOTIENTS and is_left:
        x = np.where(x == 0, x.dtype.type(3), x)
    number = scalar_for(x, name, data)
    both(lambda xp, x: getattr(xp, name)(*((number, x) if is_left else (x, number))), [x], data)


@few
@pytest.mark.parametrize("name, kind", rows(OPERATORS))
@given(data=st.data(), form=st.sampled_from(["arrays", "number right", "number left"]))
def test_an_operator(name, kind, data, form):
    x, y = two(kind, name, data)
    function = getattr(operator, name)
    if form == "arrays":
        both(lambda xp, x, y: function(x, y), [x, y], data)
        return
    if form == "number left":
        x = np.clip(x, 0, np.iinfo(x.dtype).bits - 1) if name in SHIFTS else x
        x = np.where(x == 0, x.dtype.type(3), x) if name in QUOTIENTS else x
    number = scalar_for(x, name, data)
    both(lambda xp, x: function(x, number) if form == "number right" else function(number, x), [x], data)


@few
@pytest.mark.parametrize("name, kind", [row for row in rows(OPERATORS) if row.values[0] in IN_PLACE])
@given(data=st.data(), with_number=st.booleans())
def test_an_operator_in_place(name, kind, data, with_number):
    x, y = two(kind, name, data)
    assume(np.result_type(x, y) == x.dtype and np.broadcast_shapes(x.shape, y.shape) == x.shape)
    function = getattr(operator, "i" + name.rstrip("_"))
    number = scalar_for(x, name, data)

    def call(xp, x, y):
        x = xp.asarray(x, copy=True)
        before = x
        x = function(x, number if with_number else y)
        assert x is before
        return x

    both(call, [x, y], data)


@pytest.mark.parametrize(
    "name, kind", [("neg", "numeric"), ("pos", "numeric"), ("abs", "numeric"), ("invert", "integer or bool")]
)
@few
@given(data=st.data())
def test_an_operator_of_one_array(name, kind, data):
    x = data.draw(values(data.draw(st.sampled_from(KINDS[kind])), data.draw(shapes()), most=100))
    assume(not (name == "abs" and x.size and x.dtype.kind == "i" and x.min() == np.iinfo(x.dtype).min))
    both(lambda xp, x: getattr(operator, name)(x), [x], data)


@few
@given(data=st.data())
def test_clip(data):
    dtype = data.draw(st.sampled_from(KINDS["real"]))
    shape = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4, min_side=0))
    x = data.draw(values(dtype, shape.result_shape))
    low, high = (data.draw(values(dtype, s)) for s in shape.input_shapes[1:])
    low, high = np.minimum(low, high), np.maximum(low, high)
    assume(np.broadcast_shapes(low.shape, x.shape) == x.shape)
    form = data.draw(st.sampled_from(["arrays", "numbers", "low", "high", "none"]))
    number = 2 if np.dtype(dtype).kind in "iu" else 2.5
    calls = {
        "arrays": lambda xp, x, a, b: xp.clip(x, a, b),
        "numbers": lambda xp, x, a, b: xp.clip(x, number, number + 3),
        "low": lambda xp, x, a, b: xp.clip(x, min=a),
        "high": lambda xp, x, a, b: xp.clip(x, None, number),
        "none": lambda xp, x, a, b: xp.clip(x),
    }
    both(calls[form], [x, low, high], data)


# Creation.


def made(call, exact=False):
    want = call(strict)
    agree(call(ks), want, exact)


@settings(max_examples=60)
@given(data=st.data())
def test_arange(data):
    whole = data.draw(st.booleans())
    number = st.integers(-20, 20) if whole else st.floats(-20, 20).map(lambda x: round(x, 2))
    start, stop = data.draw(number), data.draw(st.one_of(st.none(), number))
    step = data.draw((st.integers(-5, 5) if whole else st.floats(-5, 5).map(lambda x: round(x, 1))).filter(bool))
    dtype = data.draw(st.sampled_from([None, *(["int32", "int64", "float32", "float64"] if whole else FLOATS)]))
    call = lambda xp: xp.arange(start, stop, step, dtype=dtype and getattr(xp, dtype))
    got, want = call(ks), host(call(strict))
    assert got.shape == want.shape and str(got.dtype) == str(want.dtype)
    # NumPy adds the step, as its dtype rounds it, again and again.
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-4, atol=1e-3 if want.dtype == "float32" else 1e-12)


@settings(max_examples=60)
@given(
    start=st.floats(-20, 20), stop=st.floats(-20, 20), num=st.integers(0, 20), endpoint=st.booleans(),
    dtype=st.sampled_from([None, *FLOATS, *COMPLEX]),
)  # fmt: skip
def test_linspace(start, stop, num, endpoint, dtype):
    made(lambda xp: xp.linspace(start, stop, num, endpoint=endpoint, dtype=dtype and getattr(xp, dtype)))
    x = ks.linspace(start, stop, num, endpoint=endpoint).numpy()
    assert num == 0 or x[0] == start and (not endpoint or num == 1 or x[-1] == stop)


@few
@pytest.mark.parametrize(
    "name", ["zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like"]
)
@given(data=st.data())
def test_filled_arrays(name, data):
    shape = data.draw(st.one_of(shapes(), st.integers(0, 4)))
    dtype = data.draw(st.sampled_from([None, *KINDS["any"]]))
    fill = [data.draw(st.sampled_from([True, 3, 2.5, 1 + 2j]))] if "full" in name else []
    kinds = "b" if fill == [True] else "iufc" if fill == [3] else "fc" if fill == [2.5] else "c"
    assume(not fill or dtype is None or np.dtype(dtype).kind in kinds)
    like = strict.ones(shape, dtype=strict.int16)

    def call(xp):
        first = xp.asarray(host(like)) if "like" in name else shape
        x = getattr(xp, name)(first, *fill, dtype=dtype and getattr(xp, dtype))
        return x if "empty" not in name else xp.zeros_like(x)

    assume(not fill or "like" not in name or dtype is not None or fill == [3])
    made(call, exact=True)


@few
@given(data=st.data())
def test_eye_and_triangles(data):
    n, m, k = (
        data.draw(st.integers(0, 4)),
        data.draw(st.one_of(st.none(), st.integers(0, 4))),
        data.draw(st.integers(-5, 5)),
    )
    dtype = data.draw(st.sampled_from([None, *KINDS["numeric"]]))
    made(lambda xp: xp.eye(n, m, k=k, dtype=dtype and getattr(xp, dtype)))
    x = data.draw(values(data.draw(st.sampled_from(KINDS["any"])), data.draw(shapes(min_dims=2, max_dims=4))))
    both(lambda xp, x: [xp.tril(x, k=k), xp.triu(x, k=k)], [x], data)


@few
@given(data=st.data(), indexing=st.sampled_from(["xy", "ij"]), n=st.integers(1, 4))
def test_meshgrid(data, indexing, n):
    dtype = data.draw(st.sampled_from(KINDS["any"]))
    arrays = [data.draw(values(dtype, data.draw(st.integers(0, 3)))) for _ in range(n)]
    both(lambda xp, *arrays: list(xp.meshgrid(*arrays, indexing=indexing)), arrays, data)


NESTED = [True, 3, 2.5, 1j, [True, False], [1, 2], [[1, 2.5], [3, 4]], [1, 2.5, 1j], [], [[], []], [[[7]]]]


@pytest.mark.parametrize("number", NESTED, ids=str)
def test_asarray_of_numbers(number):
    made(lambda xp: xp.asarray(number))


@few
@given(data=st.data(), copy=st.sampled_from([None, True, False]))
def test_asarray_and_dlpack_of_arrays(data, copy):
    x = data.draw(values(data.draw(st.sampled_from(KINDS["any"])), data.draw(shapes())))
    ours = laid(x, data)
    y = ks.asarray(ours, copy=copy)
    np.testing.assert_array_equal(y.numpy(), x)
    y = ks.from_dlpack(ours, copy=copy)
    assert y.dtype == x.dtype and y.shape == x.shape and y.device == ours.device
    np.testing.assert_array_equal(y.numpy(), x)
    if x.size and copy is True:
        y[...] = ks.asarray(x).astype(y.dtype) if x.dtype.kind == "b" else y + 1
        np.testing.assert_array_equal(ours.numpy(), x)


# Dtypes.

ALL = KINDS["any"]
KIND_NAMES = "bool,signed integer,unsigned integer,integral,real floating,complex floating,numeric".split(",")


@pytest.mark.parametrize("a", ALL)
def test_dtypes_and_what_they_become(a):
    for b in ALL:
        if promotes(a, b):
            assert str(ks.result_type(ks.dtype(a), ks.dtype(b))) == str(
                strict.result_type(getattr(strict, a), getattr(strict, b))._np_dtype
            )
            assert ks.result_type(ks.ones(2, dtype=a), ks.dtype(b)) == ks.result_type(ks.dtype(a), ks.dtype(b))
            can = strict.can_cast(getattr(strict, a), getattr(strict, b))
            assert ks.can_cast(ks.dtype(a), ks.dtype(b)) == can
            assert ks.can_cast(ks.ones((), dtype=a), ks.dtype(b)) == can
    for kind in [
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
    ]:
        assert ks.isdtype(ks.dtype(a), kind) == strict.isdtype(getattr(strict, a), kind)
        assert ks.isdtype(ks.dtype(a), (kind, ks.int8)) == strict.isdtype(getattr(strict, a), (kind, strict.int8))
    assert ks.isdtype(getattr(ks, a), getattr(ks, a))


SCALARS = {
    "bool": [True],
    "int8": [True, 3],
    "uint32": [3],
    "float32": [3, 2.5],
    "complex64": [3, 2.5, 1j],
    "float64": [2.5],
}


@pytest.mark.parametrize("a, number", [(a, number) for a, numbers in SCALARS.items() for number in numbers])
def test_result_type_of_arrays_and_numbers(a, number):
    if isinstance(number, bool) and a != "bool":
        return
    want = str(strict.result_type(getattr(strict, a), number)._np_dtype)
    assert str(ks.result_type(ks.dtype(a), number)) == want
    assert str(ks.result_type(number, ks.ones((), dtype=a), ks.ones((2, 2), dtype=a))) == want


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX)
def test_finfo(dtype):
    want = strict.finfo(getattr(strict, dtype))
    for got in (ks.finfo(getattr(ks, dtype)), ks.finfo(ks.ones(2, dtype=dtype))):
        for name in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(got, name)) is float and getattr(got, name) == getattr(want, name), name
        assert type(got.bits) is int and got.bits == want.bits
        assert got.dtype == np.dtype(want.dtype._np_dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_iinfo(dtype):
    want = strict.iinfo(getattr(strict, dtype))
    for got in (ks.iinfo(getattr(ks, dtype)), ks.iinfo(ks.ones(2, dtype=dtype))):
        assert all(type(getattr(got, name)) is int for name in ("bits", "min", "max"))
        assert (got.bits, got.min, got.max, got.dtype) == (want.bits, want.min, want.max, np.dtype(dtype))


@few
@given(data=st.data(), copy=st.booleans())
def test_astype(data, copy):
    a, b = data.draw(st.sampled_from(ALL)), data.draw(st.sampled_from(ALL))
    assume(not (np.dtype(a).kind == "c" and np.dtype(b).kind != "c"))
    x = data.draw(values(a, data.draw(shapes()), least=0, most=100))
    got = both(lambda xp, x: xp.astype(x, getattr(xp, b), copy=copy), [x], data)
    assert got.dtype == getattr(strict, b)
    ours = ks.asarray(x)
    assert ks.astype(ours, ks.dtype(b), device=ours.device).device == ours.device
    assert ks.astype(ours, ks.dtype(a), copy=False) is ours


def test_inspection():
    assert ks.__array_api_version__ == "2024.12"
    info = ks.__array_namespace_info__()
    theirs = strict.__array_namespace_info__()
    assert info.capabilities() == theirs.capabilities()
    assert {k: str(v) for k, v in info.default_dtypes().items()} == {
        k: str(v._np_dtype) for k, v in theirs.default_dtypes().items()
    }
    for kind in [None, *KIND_NAMES, ("bool", "integral"), ()]:
        assert {k: str(v) for k, v in info.dtypes(kind=kind).items()} == {
            k: str(v._np_dtype) for k, v in theirs.dtypes(kind=kind).items()
        }
    assert info.default_device() in info.devices()
    for device in info.devices():
        assert ks.zeros(2, device=device).device == device
        assert info.dtypes(device=device, kind="bool") == {"bool": np.dtype("bool")}
        assert set(info.default_dtypes(device=device)) == {"real floating", "complex floating", "integral", "indexing"}


# Arrays.


@pytest.mark.parametrize("number", [True, 3, -2.5, 1 + 2j])
def test_numbers_of_arrays(number):
    x = ks.asarray(number)
    assert bool(x) is bool(number) and complex(x) == number
    if not isinstance(number, complex):
        assert float(x) == number and int(x) == int(number)
        assert type(float(x)) is float and type(int(x)) is int
    if type(number) is int:
        assert operator.index(x) == number and [0, 1, 2, 3][x] == 3
    else:
        with pytest.raises(TypeError):
            operator.index(x)
    assert type(complex(x)) is complex
    for several in (ks.ones(3), ks.ones((0,))):
        with pytest.raises((TypeError, ValueError)):
            float(several)


@few
@given(data=st.data())
def test_attributes(data):
    x = data.draw(values(data.draw(st.sampled_from(ALL)), data.draw(shapes())))
    ours = laid(x, data)
    assert (ours.shape, ours.ndim, ours.size, ours.dtype) == (x.shape, x.ndim, x.size, x.dtype)
    assert type(ours.shape) is tuple and type(ours.size) is int
    assert ours.__array_namespace__() is ks and ours.__array_namespace__(api_version="2024.12") is ks
    with pytest.raises(ValueError):
        ours.__array_namespace__(api_version="1905.01")
    assert ours.to_device(ours.device) is ours or ours.to_device(ours.device).shape == x.shape
    assert ours.__dlpack_device__() == ours.__dlpack_device__()
    if x.ndim == 2:
        both(lambda xp, x: x.T, [x], data)
    if x.ndim >= 2:
        both(lambda xp, x: x.mT, [x], data)
    else:
        with pytest.raises(ValueError):
            ours.mT


@st.composite
def basic_index(draw, shape):
    """An index of numbers, slices, None and an ellipsis."""
    parts, has_ellipsis = [], draw(st.booleans())
    n = draw(st.integers(0, len(shape))) if has_ellipsis else len(shape)
    front = draw(st.integers(0, n))
    sides = [*shape[:front], *shape[len(shape) - (n - front) :]]
    for k, side in enumerate(sides):
        if has_ellipsis and k == front:
            parts.append(...)
        if draw(st.integers(0, 5)) == 0:
            parts.append(None)
        if side and draw(st.booleans()):
            parts.append(draw(st.integers(-side, side - 1)))
        else:
            parts.append(draw(slices(side)))
    if has_ellipsis and ... not in parts:
        parts.append(...)
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


@st.composite
def slices(draw, side):
    """Those whose meaning the standard says: bounds within the axis."""
    step = draw(st.sampled_from([None, 1, 2, 3, -1, -2]))
    if step is None or step > 0:
        bound = st.one_of(st.none(), st.integers(-side, side))
        return slice(draw(bound), draw(bound), step)
    start = draw(st.one_of(st.none(), st.integers(-side, max(side - 1, -side))))
    stop = draw(st.one_of(st.none(), st.integers(-side - 1, max(side - 1, -side - 1))))
    return slice(start, stop, step)


@settings(max_examples=150)
@given(data=st.data())
def test_an_item_by_a_basic_index(data):
    x = data.draw(values(data.draw(st.sampled_from(ALL)), data.draw(shapes(max_dims=4))))
    index = data.draw(basic_index(x.shape))
    got = laid(x, data)[index]
    assert isinstance(got, ks.Array) and got.shape == x[index].shape and got.dtype == x.dtype
    np.testing.assert_array_equal(got.numpy(), x[index])


@settings(max_examples=100)
@given(data=st.data())
def test_a_store_by_a_basic_index(data):
    x = data.draw(values(data.draw(st.sampled_from(ALL)), data.draw(shapes(max_dims=4))))
    index = data.draw(basic_index(x.shape))
    ours, want = laid(x, data), x.copy()
    with_number = data.draw(st.booleans())
    shape = x[index].shape
    if with_number:
        value = x.dtype.type(data.draw(elements(x.dtype))).item()
        want[index] = value
        ours[index] = value
    else:
        stretched = tuple(data.draw(st.sampled_from([n, 1])) for n in shape)[data.draw(st.integers(0, len(shape))) :]
        value = data.draw(values(x.dtype, stretched))
        want[index] = value
        ours[index] = laid(value, data)
    np.testing.assert_array_equal(ours.numpy(), want)


@settings(max_examples=60)
@given(data=st.data())
def test_items_and_stores_by_a_mask(data):
    x = data.draw(values(data.draw(st.sampled_from(ALL)), data.draw(shapes())))
    mask = data.draw(hnp.arrays("bool", x.shape[: data.draw(st.integers(0, x.ndim))]))
    got = laid(x, data)[laid(mask, data)]
    np.testing.assert_array_equal(got.numpy(), x[mask])
    assert got.shape == x[mask].shape
    ours, want = laid(x, data), x.copy()
    want[mask] = 1
    ours[laid(mask, data)] = 1
    np.testing.assert_array_equal(ours.numpy(), want)


@settings(max_examples=60)
@given(data=st.data())
def test_items_by_arrays_of_positions_and_numbers(data):
    """2024.12: a tuple of arrays of integers and of numbers, one for each axis, that broadcast."""
    x = data.draw(values(data.draw(st.sampled_from(ALL)), data.draw(shapes(min_dims=1, min_side=1))))
    shape = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=x.ndim, max_dims=2, max_side=3))
    dtype = data.draw(st.sampled_from(["int64", "int32", "uint8"]))
    positions = []
    for side, s in zip(x.shape, shape.input_shapes):
        if len(positions) and data.draw(st.booleans()):
            positions.append(data.draw(st.integers(-side, side - 1)))
        else:
            positions.append(data.draw(values(dtype, s, least=0 if dtype == "uint8" else -side, most=side - 1)))
    want = x[tuple(positions)]
    got = laid(x, data)[tuple(ks.asarray(p) if isinstance(p, np.ndarray) else p for p in positions)]
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_array_equal(got.numpy(), want)


def test_what_arrays_refuse():
    x = ks.arange(6).reshape(2, 3)
    for index in [(0, 0, 0), (2,), (0, 3), (..., ...)]:
        with pytest.raises(IndexError):
            x[index]
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises((TypeError, ValueError)):
        ks.nonzero(ks.asarray(3))
    for axis in (3, -4):
        with pytest.raises((IndexError, ValueError)):
            ks.expand_dims(x, axis=axis)
        with pytest.raises((IndexError, ValueError)):
            ks.sum(x, axis=axis)
    with pytest.raises((ValueError, TypeError)):
        ks.squeeze(x, axis=0)
    with pytest.raises((OverflowError, TypeError, ValueError)):
        ks.ones(2, dtype="int8") + 1000
    with pytest.raises(ValueError):
        ks.meshgrid(ks.arange(2), ks.arange(2), indexing="ab")


# Manipulation.


def axis_of(x, data):
    return data.draw(st.integers(-x.ndim, x.ndim - 1))


def axes_of(x, data):
    """None, one axis, or several."""
    some = hnp.valid_tuple_axes(x.ndim)
    one = st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.nothing()
    return data.draw(st.one_of(st.none(), one, some))


def drawn(data, kind="any", **limits):
    return data.draw(values(data.draw(st.sampled_from(KINDS[kind])), data.draw(shapes(**limits))))


# What shapes a function takes, and what it gets beside the array.
MANIPULATION = {
    "broadcast_to": ({"min_side": 1}, lambda x, data: {"shape": (data.draw(st.integers(0, 3)), *x.shape)}),
    "concat": ({"min_dims": 1}, lambda x, data: {"axis": data.draw(st.sampled_from([None, axis_of(x, data)]))}),
    "expand_dims": ({}, lambda x, data: {"axis": data.draw(st.integers(-x.ndim - 1, x.ndim))}),
    "flip": ({}, lambda x, data: {"axis": axes_of(x, data)}),
    "matrix_transpose": ({"min_dims": 2}, lambda x, data: {}),
    "moveaxis": ({"min_dims": 1}, lambda x, data: {"source": axis_of(x, data), "destination": axis_of(x, data)}),
    "permute_dims": ({}, lambda x, data: {"axes": tuple(data.draw(st.permutations(range(x.ndim))))}),
    "repeat": ({}, lambda x, data: {"repeats": data.draw(st.integers(0, 3)), "axis": None}),
    "reshape": ({}, lambda x, data: {"shape": data.draw(st.sampled_from([(x.size,), (x.size, 1), x.shape[::-1]]))}),
    "roll": ({"min_dims": 1}, lambda x, data: rolled(x, data)),
    "squeeze": ({}, lambda x, data: {"axis": tuple(k for k, n in enumerate(x.shape) if n == 1)}),
    "stack": ({}, lambda x, data: {"axis": data.draw(st.integers(-x.ndim - 1, x.ndim))}),
    "tile": ({}, lambda x, data: {"repetitions": tuple(data.draw(st.lists(st.integers(0, 3), max_size=4)))}),
    "unstack": ({"min_dims": 1}, lambda x, data: {"axis": axis_of(x, data)}),
}
BY_PLACE = ("shape", "source", "destination", "axes", "repeats", "shift", "repetitions")


def rolled(x, data):
    axes = axes_of(x, data)
    if isinstance(axes, tuple) and axes and data.draw(st.booleans()):
        return {"shift": tuple(data.draw(st.integers(-7, 7)) for _ in axes), "axis": axes}
    return {"shift": data.draw(st.integers(-7, 7)), "axis": axes}


@few
@pytest.mark.parametrize("name", MANIPULATION)
@given(data=st.data())
def test_manipulation(name, data):
    limits, arguments = MANIPULATION[name]
    x = drawn(data, **limits)
    given = arguments(x, data)
    args = [given[word] for word in BY_PLACE if word in given]
    options = {word: value for word, value in given.items() if word not in BY_PLACE}
    of = (lambda x: [x, x, x]) if name in ("concat", "stack") else (lambda x: x)
    both(lambda xp, x: getattr(xp, name)(of(x), *args, **options), [x], data, exact=True)
    if name == "reshape":
        both(lambda xp, x: xp.reshape(x, (1, -1) if x.size else (1, 0), copy=True), [x], data, exact=True)


@few
@given(data=st.data())
def test_repeat_by_an_array(data):
    x = drawn(data, min_dims=1)
    axis = axis_of(x, data)
    n = data.draw(values("int64", x.shape[axis], least=0, most=3))
    both(lambda xp, x, n: xp.repeat(x, n, axis=axis), [x, n], data, exact=True)


@few
@given(data=st.data())
def test_concat_promotes(data):
    a = data.draw(st.sampled_from(ALL))
    b = data.draw(st.sampled_from([d for d in ALL if promotes(a, d)]))
    x, y = (data.draw(values(d, data.draw(shapes(min_dims=1, max_dims=1)))) for d in (a, b))
    both(lambda xp, x, y: xp.concat([x, y]), [x, y], data)
    x, y = x[:2], y[:2]
    assume(x.shape == y.shape)
    both(lambda xp, x, y: xp.stack([x, y], axis=-1), [x, y], data)


@few
@given(data=st.data())
def test_broadcast_arrays(data):
    shape = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4, min_side=0))
    arrays = [data.draw(values(data.draw(st.sampled_from(ALL)), s)) for s in shape.input_shapes]
    both(lambda xp, *arrays: list(xp.broadcast_arrays(*arrays)), arrays, data, exact=True)


# Searching, sets, sorting.


@few
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(data=st.data(), keepdims=st.booleans())
def test_positions_of_extremes(name, data, keepdims):
    x = drawn(data, "real", min_side=1)
    axis = axis_of(x, data) if x.ndim and data.draw(st.booleans()) else None
    both(lambda xp, x: getattr(xp, name)(x, axis=axis, keepdims=keepdims), [x], data)


@few
@given(data=st.data(), keepdims=st.booleans())
def test_count_nonzero_and_nonzero(data, keepdims):
    x = drawn(data, "any")
    axis = axes_of(x, data)
    both(lambda xp, x: xp.count_nonzero(x, axis=axis, keepdims=keepdims), [x], data)
    if x.ndim:
        both(lambda xp, x: xp.nonzero(x), [x], data)


@few
@given(data=st.data(), side=st.sampled_from(["left", "right"]), with_sorter=st.booleans())
def test_searchsorted(data, side, with_sorter):
    dtype = data.draw(st.sampled_from(KINDS["real"]))
    x = data.draw(values(dtype, data.draw(st.integers(1, 9))))
    v = data.draw(values(dtype, data.draw(shapes())))
    if with_sorter:
        sorter = np.argsort(x)
        both(lambda xp, x, v, s: xp.searchsorted(x, v, side=side, sorter=s), [x, v, sorter], data)
    else:
        both(lambda xp, x, v: xp.searchsorted(x, v, side=side), [np.sort(x), v], data)


@few
@given(data=st.data())
def test_where(data):
    shape = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4, min_side=0))
    a = data.draw(st.sampled_from(ALL))
    b = data.draw(st.sampled_from([d for d in ALL if promotes(a, d)]))
    arrays = [data.draw(values(d, s)) for d, s in zip(("bool", a, b), shape.input_shapes)]
    both(lambda xp, c, x, y: xp.where(c, x, y), arrays, data)
    number = scalar_for(arrays[1], "where", data)
    both(lambda xp, c, x, y: [xp.where(c, x, number), xp.where(c, number, x)], arrays, data)


@few
@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
@given(data=st.data())
def test_unique_functions_are_numpys(name, data):
    x = data.draw(values(data.draw(st.sampled_from(ALL)), data.draw(shapes()), most=3, least=-3))
    both(lambda xp, x: getattr(xp, name)(x), [x], data)


def test_every_nan_is_a_value_of_its_own():
    x = ks.asarray([1.0, float("nan"), 1.0, float("nan")])
    assert ks.unique_values(x).shape == (3,) and ks.unique_counts(x).counts.numpy().tolist() == [2, 1, 1]
    assert ks.unique_all(x).inverse_indices.numpy().tolist() in ([0, 1, 0, 2], [0, 2, 0, 1])


@few
@pytest.mark.parametrize("name", ["sort", "argsort"])
@given(data=st.data(), descending=st.booleans(), stable=st.booleans())
def test_sorting(name, data, descending, stable):
    x = drawn(data, "real", min_dims=1)
    axis = axis_of(x, data)
    ours = laid(x, data)
    order = ks.argsort(ours, axis=axis, descending=descending, stable=True)
    both(lambda xp, x: xp.sort(x, axis=axis, descending=descending, stable=stable), [x], data)
    both(lambda xp, x: xp.argsort(x, axis=axis, descending=descending, stable=True), [x], data)
    np.testing.assert_array_equal(
        np.take_along_axis(x, ks.argsort(ours, axis=axis, descending=descending, stable=stable).numpy(), axis),
        np.take_along_axis(x, order.numpy(), axis),
    )


@few
@given(data=st.data())
def test_take(data):
    x = drawn(data, min_dims=1, min_side=1)
    axis = axis_of(x, data)
    at = data.draw(
        values(
            data.draw(st.sampled_from(["int32", "int64"])),
            data.draw(st.integers(0, 5)),
            least=0,
            most=x.shape[axis] - 1,
        )
    )
    both(lambda xp, x, at: xp.take(x, at, axis=axis), [x, at], data, exact=True)
    if x.ndim == 1:
        both(lambda xp, x, at: xp.take(x, at), [x, at], data, exact=True)
    shape = list(x.shape)
    shape[axis] = data.draw(st.integers(0, 3))
    along = data.draw(values("int64", tuple(shape), least=-x.shape[axis], most=x.shape[axis] - 1))
    both(lambda xp, x, at: xp.take_along_axis(x, at, axis=axis), [x, along], data, exact=True)
    if x.size:  # axes of length 1 are stretched
        one = along[tuple(slice(None) if k == axis % x.ndim else slice(0, 1) for k in range(x.ndim))]
        both(lambda xp, x, at: xp.take_along_axis(x, at, axis=axis), [x, one], data, exact=True)


# Statistics.


@few
@pytest.mark.parametrize(
    "name, kind", rows({"real": "max min", "numeric": "sum prod", "float": "mean std var", "any": "all any"})
)
@given(data=st.data(), keepdims=st.booleans())
def test_statistics(name, kind, data, keepdims):
    x = drawn(data, kind, min_side=1 if name in ("max", "min", "mean", "std", "var") else 0)
    axis, options = axes_of(x, data), {"keepdims": keepdims}
    if name in ("std", "var"):
        options["correction"] = data.draw(st.sampled_from([0, 0.5, 1, 1.0]))
        n = x.size if axis is None else np.prod([x.shape[k] for k in (axis if isinstance(axis, tuple) else (axis,))])
        assume(n > options["correction"])
    dtype = None
    if name in ("sum", "prod"):
        x = np.clip(x, -3, 3) if x.dtype.kind != "c" else x / 999
        wider = {"i": ["int64"], "u": ["uint64"], "f": FLOATS, "c": COMPLEX}[x.dtype.kind]
        dtype = data.draw(st.sampled_from([None, *wider]))
    both(
        lambda xp, x: getattr(xp, name)(x, axis=axis, **options, **({"dtype": getattr(xp, dtype)} if dtype else {})),
        [x],
        data,
    )


@few
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@given(data=st.data(), include_initial=st.booleans())
def test_cumulative(name, data, include_initial):
    x = drawn(data, "numeric", min_dims=1)
    x = np.clip(x, -3, 3) if x.dtype.kind != "c" else x / 999
    axis = axis_of(x, data)
    wider = {"i": ["int64"], "u": ["uint64"], "f": FLOATS, "c": COMPLEX}[x.dtype.kind]
    dtype = data.draw(st.sampled_from([None, *wider]))
    both(
        lambda xp, x: getattr(xp, name)(
            x, axis=axis, dtype=dtype and getattr(xp, dtype), include_initial=include_initial
        ),
        [x],
        data,
    )
    if x.ndim == 1:
        both(lambda xp, x: getattr(xp, name)(x, include_initial=include_initial), [x], data)


@few
@given(data=st.data(), n=st.integers(1, 3), ends=st.sampled_from(["", "prepend", "append", "prepend append"]))
def test_diff(data, n, ends):
    x = drawn(data, "numeric", min_dims=1)
    axis = axis_of(x, data)
    end = np.take(np.ones((1, *x.shape), x.dtype), [0], 0)[0]
    end = end[tuple(slice(0, 1) if k == axis % x.ndim else slice(None) for k in range(x.ndim))]
    assume(end.shape[axis] == 1 or not ends)
    both(lambda xp, x, e: xp.diff(x, axis=axis, n=n, **dict.fromkeys(ends.split(), e)), [x, end], data)


# linalg and fft.


def matrices(data, n=None, m=None, kind="floating", batch=True, least=-5, most=5):
    shape = (data.draw(shapes(max_dims=2, max_side=2)) if batch else ()) + (
        n if n is not None else data.draw(st.integers(1, 4)),
        m if m is not None else data.draw(st.integers(1, 4)),
    )
    return data.draw(values(data.draw(st.sampled_from(KINDS[kind])), shape, least=least, most=most))


def square(data, kind="floating", **options):
    n = data.draw(st.integers(1, 4))
    x = matrices(data, n, n, kind, **options)
    return x + np.eye(n, dtype=x.dtype) * x.dtype.type(40)  # far from singular


def near(got, want, dtype):
    eps = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(got, want, rtol=3e3 * eps, atol=3e3 * eps * max(np.abs(want).max(initial=0), 1))


def compare(call, arrays, data):
    """As both(), with the tolerance of factors."""
    theirs = [strict.asarray(x) for x in arrays]
    want = call(strict, *theirs)
    got = call(ks, *(laid(x, data) for x in arrays))
    parts = zip(got, want) if isinstance(want, tuple) else [(got, want)]
    if hasattr(want, "_fields"):
        assert got._fields == want._fields
    for g, w in parts:
        w = host(w)
        assert g.shape == w.shape and str(g.dtype) == str(w.dtype)
        near(g.numpy(), w, w.dtype if w.dtype.kind in "fc" else "float64")


LINALG = {
    "cholesky": lambda xp, x: xp.linalg.cholesky(x @ xp.conj(x.mT)),
    "cholesky upper": lambda xp, x: xp.linalg.cholesky(x @ xp.conj(x.mT), upper=True),
    "det": lambda xp, x: xp.linalg.det(x),
    "inv": lambda xp, x: xp.linalg.inv(x),
    "slogdet": lambda xp, x: xp.linalg.slogdet(x),
    "trace": lambda xp, x: xp.linalg.trace(x, offset=1),
    "matrix_power": lambda xp, x: xp.linalg.matrix_power(x / 40, -2),
    "svdvals": lambda xp, x: xp.linalg.svdvals(x),
    "pinv": lambda xp, x: xp.linalg.pinv(x),
    "eigvalsh": lambda xp, x: xp.linalg.eigvalsh(x + xp.conj(xp.matrix_transpose(x))),
    "matrix_rank": lambda xp, x: xp.linalg.matrix_rank(x),
    "diagonal": lambda xp, x: xp.linalg.diagonal(x, offset=-1),
    "matrix_norm": lambda xp, x: xp.linalg.matrix_norm(x),
    "solve": lambda xp, x: xp.linalg.solve(x, x[..., :1] * 2),
    "solve of a vector": lambda xp, x: xp.linalg.solve(x, xp.ones(x.shape[-1], dtype=x.dtype)),
    "matrix_transpose": lambda xp, x: xp.linalg.matrix_transpose(x),
}  # fmt: skip


@few
@pytest.mark.parametrize("name", LINALG)
@given(data=st.data())
def test_linalg_of_matrices(name, data):
    compare(LINALG[name], [square(data)], data)


@few
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")])
@given(data=st.data(), keepdims=st.booleans())
def test_matrix_norm(ord, data, keepdims):
    compare(lambda xp, x: xp.linalg.matrix_norm(x, ord=ord, keepdims=keepdims), [matrices(data)], data)


@few
@pytest.mark.parametrize("ord", [0, 1, 2, 3, 0.5, -1, -2, float("inf"), float("-inf")])
@given(data=st.data(), keepdims=st.booleans())
def test_vector_norm(ord, data, keepdims):
    x = data.draw(values(data.draw(st.sampled_from(KINDS["floating"])), data.draw(shapes(min_side=1)), least=1, most=9))
    axis = axes_of(x, data)
    assume(axis != ())
    compare(lambda xp, x: xp.linalg.vector_norm(x, axis=axis, ord=ord, keepdims=keepdims), [x], data)


@few
@pytest.mark.parametrize("name", ["qr", "qr complete", "svd", "svd short", "eigh"])
@given(data=st.data())
def test_factors_give_the_matrix_back(name, data):
    x = matrices(data)
    if name == "eigh":
        x = square(data)
        x = x + np.conj(np.swapaxes(x, -1, -2))
    ours = laid(x, data)
    n, m = x.shape[-2:]
    real = np.finfo(x.dtype).dtype
    if name.startswith("qr"):
        got = ks.linalg.qr(ours, mode="complete" if "complete" in name else "reduced")
        assert got._fields == ("Q", "R") and got.Q.dtype == got.R.dtype == x.dtype
        k = n if "complete" in name else min(n, m)
        assert got.Q.shape[-2:] == (n, k) and got.R.shape[-2:] == (k, m)
        back = ks.matmul(got.Q, got.R)
    elif name.startswith("svd"):
        full = name == "svd"
        got = ks.linalg.svd(ours, full_matrices=full)
        assert got._fields == ("U", "S", "Vh") and got.S.dtype == real and got.U.dtype == got.Vh.dtype == x.dtype
        k = min(n, m)
        assert got.U.shape[-2:] == (n, n if full else k) and got.Vh.shape[-2:] == (m if full else k, m)
        back = ks.matmul(got.U[..., :k] * ks.astype(got.S[..., None, :], got.U.dtype), got.Vh[..., :k, :])
    else:
        got = ks.linalg.eigh(ours)
        assert got._fields == ("eigenvalues", "eigenvectors") and got.eigenvalues.dtype == real
        v = got.eigenvectors
        back = ks.matmul(v * ks.astype(got.eigenvalues[..., None, :], v.dtype), ks.conj(ks.matrix_transpose(v)))
    assert back.shape == x.shape
    near(back.numpy(), x, x.dtype)


@few
@given(data=st.data())
def test_products(data):
    kind = data.draw(st.sampled_from(["numeric", "floating"]))
    n, k, m = (data.draw(st.integers(0, 4)) for _ in range(3))
    x = matrices(data, n, k, kind, batch=False, least=-3, most=3)
    y = data.draw(values(x.dtype, (2, k, m), least=-3, most=3))
    compare(lambda xp, x, y: xp.matmul(x, y), [x, y], data)
    compare(lambda xp, x, y: x @ y, [x, y], data)
    compare(lambda xp, x, y: xp.linalg.matmul(x, y), [x, y], data)
    compare(lambda xp, x, y: xp.tensordot(x, y, axes=((1,), (1,))), [x, y], data)
    compare(lambda xp, x, y: xp.tensordot(x, y[0, ...], axes=1), [x, y], data)
    compare(lambda xp, x, y: xp.tensordot(x, y, axes=0), [x, y], data)
    u, v = np.ravel(x), np.ravel(y)
    compare(lambda xp, u, v: xp.linalg.outer(u, v), [u, v], data)
    compare(lambda xp, x, y: xp.vecdot(x, x, axis=-1), [x, y], data)
    compare(lambda xp, x, y: xp.linalg.vecdot(x, x, axis=-2), [x, y], data)
    compare(lambda xp, x, y: xp.matmul(x, y[0, :, 0]) if y.shape[2] else x, [x, y], data)


def test_a_product_in_place():
    x = ks.asarray([[1.0, 2.0], [3.0, 4.0]])
    before = x
    x @= ks.asarray([[0.0, 1.0], [1.0, 0.0]])
    assert x is before and x.numpy().tolist() == [[2, 1], [4, 3]]
    assert x.__rmatmul__(ks.eye(2)).numpy().tolist() == [[2, 1], [4, 3]]


@few
@given(data=st.data())
def test_cross(data):
    dtype = data.draw(st.sampled_from(KINDS["numeric"]))
    shape = data.draw(shapes(max_dims=2))
    axis = data.draw(st.sampled_from([-1, -len(shape) - 1]))
    shape = (*shape, 3) if axis == -1 else (3, *shape)
    x, y = (data.draw(values(dtype, shape, least=-9, most=9)) for _ in range(2))
    compare(lambda xp, x, y: xp.linalg.cross(x, y, axis=axis), [x, y], data)


FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft".split()


@few
@pytest.mark.parametrize("name", FFT)
@given(data=st.data(), norm=st.sampled_from(["backward", "ortho", "forward"]))
def test_fft(name, data, norm):
    dtype = data.draw(st.sampled_from(FLOATS if name.startswith("rfft") or name == "ihfft" else COMPLEX))
    x = data.draw(values(dtype, data.draw(shapes(min_dims=1, min_side=2, max_side=6)), least=-9, most=9))
    if name.endswith("n"):
        n = data.draw(st.integers(1, x.ndim))
        axes = tuple(data.draw(st.permutations(range(x.ndim))))[:n]
        s = data.draw(st.one_of(st.none(), st.just(tuple(data.draw(st.integers(2, 6)) for _ in axes))))
        options = {"axes": axes, "s": s}
    else:
        options = {"axis": axis_of(x, data), "n": data.draw(st.one_of(st.none(), st.integers(2, 8)))}
    compare(lambda xp, x: getattr(xp.fft, name)(x, norm=norm, **options), [x], data)


@few
@given(data=st.data(), n=st.integers(1, 9), d=st.sampled_from([1.0, 0.5, 3.0]), dtype=st.sampled_from([None, *FLOATS]))
def test_frequencies_and_shifts(data, n, d, dtype):
    made(lambda xp: [getattr(xp.fft, f)(n, d=d, dtype=dtype and getattr(xp, dtype)) for f in ("fftfreq", "rfftfreq")])
    x = drawn(data, "floating", min_dims=1)
    axes = axes_of(x, data)
    both(lambda xp, x: [xp.fft.fftshift(x, axes=axes), xp.fft.ifftshift(x, axes=axes)], [x], data, exact=True)
