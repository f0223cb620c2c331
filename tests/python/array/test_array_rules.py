"""Where results go, and what does not fit: out=, where=, dtype=, numbers that an array does not hold, axes of
numbers; each against NumPy, its values, dtypes and kinds of exceptions."""

import copy
import itertools
import warnings

import numpy as np
import pytest

import kasoku as ks

pytestmark = pytest.mark.usefixtures("tier")

DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
kinds = (TypeError, OverflowError, ValueError, IndexError, ZeroDivisionError)


def outcome(f):
    """The value, or which of Python's exceptions there was."""
    try:
        with np.errstate(all="ignore"):
            value = f()
    except kinds as error:
        return next(kind for kind in kinds if isinstance(error, kind))
    value = value.numpy() if isinstance(value, ks.Array) else np.asarray(value)
    return value.dtype.name, value.shape, repr(value.tolist())  # where NaN is itself


def same(f, device):
    with ks.default_device(device):
        assert outcome(lambda: f(ks)) == outcome(lambda: f(np))


@pytest.mark.parametrize("to", DTYPES)
def test_a_reduction_goes_where_its_shape_and_kind_fit(device, to):
    def total(xp, shape, axis, name="sum"):
        out = xp.zeros(shape, dtype=to)
        getattr(xp, name)(xp.ones((2, 3), dtype="float32"), axis=axis, out=out)
        return out

    for shape, axis in [((), None), ((3,), 0), ((2,), 0), ((2, 3), None), ((3,), None), ((1,), None), ((2, 3), ())]:
        same(lambda xp, shape=shape, axis=axis: total(xp, shape, axis), device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype_says_what_an_operation_computes_in(device, dtype):
    for a, b in itertools.product(("int8", "uint16", "float32", "complex64"), repeat=2):
        same(lambda xp, a=a, b=b: xp.add(xp.full(2, 100, dtype=a), xp.full(2, 100, dtype=b), dtype=dtype), device)
    same(lambda xp: xp.multiply(xp.full((2,), 100, dtype="int8"), 3, dtype=dtype), device)
    same(lambda xp: xp.divide(xp.full((2,), 3, dtype="int16"), xp.full((2,), 2, dtype="int16"), dtype=dtype), device)
    same(lambda xp: xp.absolute(xp.full((2,), -3, dtype="int16"), dtype=dtype), device)


def test_out_of_a_larger_shape_and_where(device):
    mask = np.array([True, False, True])
    for shape in [(3,), (2, 3), (3, 1), (), (2,)]:

        def spread(xp, shape=shape):
            out = xp.full(shape, 7.0)
            xp.add(xp.arange(3), 1.5, out=out)
            return out

        def some(xp, shape=shape):
            out = xp.full(shape, 7.0)
            xp.multiply(xp.arange(3), 2, out=out, where=xp.array(mask))
            return out

        same(spread, device)
        same(some, device)
    x = ks.arange(6, device=device)
    assert ks.add(x[1:], x[:-1], out=x[1:]).tolist() == [1, 3, 5, 7, 9]
    assert x.tolist() == [0, 1, 3, 5, 7, 9]
    y = ks.ones(3, device=device)
    assert ks.sqrt(ks.array([4.0, -1.0, 9.0], device=device), out=y, where=ks.array(mask, device=device)) is y
    assert y.tolist() == [2, 1, 3]
    with pytest.raises(TypeError, match="mask of bools"):
        ks.add(y, 1, out=y, where=ks.ones(3, device=device))
    for wrong in (3, [1.0], np.zeros(3)):
        with pytest.raises(TypeError, match="out is an array"):
            ks.sum(y, out=wrong)


def test_divmod_into_outputs(device):
    x, y = np.array([7.0, -7.0, 9.5]), 4
    for given in [(None, None), (True, None), (None, True), (True, True)]:
        ours = [ks.empty(3, device=device) if one else None for one in given]
        for results in (
            ks.divmod(ks.array(x, device=device), y, *ours),
            ks.divmod(ks.array(x, device=device), y, out=tuple(ours)),
        ):
            for result, into, want in zip(results, ours, np.divmod(x, y)):
                assert (into is None or result is into) and result.tolist() == want.tolist()
    same = ks.array(x, device=device)
    assert ks.divmod(same, y, same, None)[1].tolist() == np.mod(x, y).tolist() and same.tolist() == (x // y).tolist()
    with pytest.raises(TypeError, match="according to the rule 'same_kind'"):
        ks.divmod(same, y, out=(ks.empty(3, "int32", device), None))


def test_where_the_matrices_of_a_product_lie(device):
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(4, 5, 2)
    ours = ks.array(x, device=device), ks.array(y, device=device)
    for axes in ([(1, 2), (0, 1)], [(1, 2), (0, 1), (0, 1)], [(-2, -1), (0, 1), (2, 0)]):
        want = np.matmul(x, y, axes=[*axes, (-2, -1)][:3])
        np.testing.assert_array_equal(ks.matmul(*ours, axes=axes).numpy(), want)
        single = ks.matmul(*ours, axes=axes, dtype="float32", order="F")
        assert single.dtype == "float32" and single.flags.f_contiguous
        np.testing.assert_array_equal(single.numpy(), want)
    with pytest.raises(ValueError):
        ks.matmul(*ours, axes=[(2, 1), (1, 0)])
    out = ks.empty((2, 2), "int32", device)
    with pytest.raises(TypeError, match="by the rule 'same_kind'"):
        ks.matmul(ks.ones((2, 2), device=device), ks.ones((2, 2), device=device), out=out)
    assert ks.matmul(ks.eye(2, device=device), ks.eye(2, device=device), out, casting="unsafe") is out
    with pytest.raises(ValueError, match="axes= are those of both matrices"):
        ks.matmul(out, out, axes=[(0, 1)])


@pytest.mark.parametrize("dtype", DTYPES)
def test_pythons_numbers_are_stored_where_they_fit(device, dtype):
    numbers = [True, 0, 1, -1, 127, 128, 255, 256, -129, 2**31, -(2**31) - 1, 2**32, 2**63, -(2**63)]
    numbers += [0.0, 1.75, -1.75, 127.9, 1e10, float("nan"), float("inf"), 1 + 2j]
    for number in numbers:

        def stored(xp, at, number=number):
            x = xp.zeros((2,), dtype=dtype)
            x[at] = number
            return x

        if (
            dtype == "bool"
            and abs(number) >= 2**63
            or dtype == "float16"
            and abs(number) > 65504
            and isinstance(number, int)
        ):
            continue  # NumPy's int to half overflows with an error of its own kind
        same(lambda xp: stored(xp, 0), device)
        same(lambda xp: stored(xp, ...), device)
        if isinstance(number, int):
            same(lambda xp, number=number: xp.full((2,), number, dtype=dtype), device)
            same(lambda xp, number=number: xp.zeros((2,), dtype=dtype) + number, device)


def test_numbers_reduce_along_their_only_axis(device):
    for name, axis in itertools.product(("sum", "prod", "max", "min", "any", "all"), (0, -1, 1, None, ())):
        same(lambda xp, name=name, axis=axis: getattr(xp, name)(xp.array(3.0), axis=axis, keepdims=True), device)


def test_functions_of_floats_meet_as_floats(device):
    for name, a, b in itertools.product(("hypot", "arctan2", "copysign", "logaddexp"), DTYPES[:-2], DTYPES[:-2]):
        x, y = np.ones(2, a), np.ones(2, b)
        want = getattr(np, name)(x, y)
        got = getattr(ks, name)(ks.array(x, device=device), ks.array(y, device=device))
        assert got.dtype == want.dtype, (name, a, b)
        np.testing.assert_allclose(got.numpy(), want, rtol=2e-3)


def test_ranges_of_integers_go_by_their_first_two(device):
    for range_ in [
        (1, 8, 0.5),
        (0.5, 6, 1.5),
        (-2, 3, 1),
        (0, 5, 2),
        (5, 0, -2),
        (-2.5, 3, 1),
        (0, 300, 100),
    ]:
        for dtype in ("int32", "uint8", "int64", "complex64", "complex128"):
            same(lambda xp, range_=range_, dtype=dtype: xp.arange(*range_, dtype=dtype), device)


def test_leading_axes_vanish_where_a_value_is_stored(device):
    def stored(xp, index, shape):
        x = xp.zeros((2, 3))
        x[index(xp)] = xp.full(shape, 7.0)
        return x

    indices = [
        lambda xp: slice(None),
        lambda xp: xp.asarray(np.array([0, 1])),
        lambda xp: (0, xp.asarray(np.array([2, 0, 1]))),
        lambda xp: xp.ones(2, dtype=bool),
        lambda xp: (xp.ones(2, dtype=bool), 1),
    ]
    for index, shape in itertools.product(indices, [(3,), (1, 3), (1, 1, 3), (1, 2, 3), (2, 2, 3), (1, 1, 2)]):
        same(lambda xp, index=index, shape=shape: stored(xp, index, shape), device)


@pytest.mark.parametrize("dtype", DTYPES[1:9])
def test_bounds_that_nothing_passes_are_none(device, dtype):
    x = np.array([0, 3, 100], dtype)
    lows, highs = [-(10**30), -(2**63), -129, -1, 0, 5, 255, 2**31, None], [-129, 0, 5, 255, 2**31, 2**63, 2**64, None]
    for low, high in itertools.product(lows, highs):
        if low is not None or high is not None:
            same(lambda xp, low=low, high=high: xp.clip(xp.asarray(x), low, high), device)
            same(lambda xp, low=low, high=high: xp.clip(xp.asarray(x), a_min=low, a_max=high), device)


def test_ravelled_values_lie_in_order(device):
    for view in (lambda x: x, lambda x: x[::-1], lambda x: x[1:], lambda x: x[:, ::2], lambda x: x.T, lambda x: x[0]):

        def written(xp, view=view):
            x = xp.arange(12).reshape(3, 4) + 0
            y = view(x).ravel()
            x[...] = 7
            return y

        same(written, device)


def test_what_is_no_number_and_no_axis(device):
    x = ks.ones((2, 2), device=device)
    for convert in (int, float, complex):
        with pytest.raises(TypeError, match="one element"):
            convert(x)
    with pytest.raises(TypeError):
        ks.take(x, ks.array([0], device=device), axis=())
    with pytest.raises(TypeError):
        ks.concatenate([x, x], axis=(0,))


def test_integers_have_no_negative_powers(device):
    for base, exponent in itertools.product(("int8", "int16", "int64", "uint8", "bool", "float32"), ("int8", "int64")):
        for powers in ([2, -1], [-2, -2], [2, 3], []):
            x, y = np.ones(len(powers), base), np.array(powers, exponent)
            same(lambda xp, x=x, y=y: xp.asarray(x) ** xp.asarray(y), device)
        same(lambda xp, exponent=exponent: xp.power(2, xp.asarray(np.array([1, -1], exponent))), device)


nan, inf = float("nan"), float("inf")
RANGES = [(nan,), (nan, 5), (5, nan), (0, 1, nan), (inf,), (0, inf), (-inf, 0), (0, 1, inf), (0, -1), (0, -1, inf)]
RANGES += [(0, 1e30), (0, 1, 1e-30), (1e300,), (0, 5, 0), (0.0, 5, 0.0), (3, 3), (3.0, 3), (2**63, 2**63 + 3)]
RANGES += [(0, 5, 2**63), (5, 0, -(2**40)), (2**62, 2**62 + 2), (-(2**63), -(2**63) + 2)]


def test_ranges_have_a_length(device):
    for given in RANGES:
        same(lambda xp, given=given: xp.arange(*given), device)
    for given in [(2,), (1, 3), (3,), (0,)]:
        same(lambda xp, given=given: xp.arange(*given, dtype="bool"), device)
    same(lambda xp: xp.arange(2**63, 2**63 + 3, dtype="uint64"), device)
    with pytest.raises(TypeError, match="complex numbers have no order"):
        ks.arange(3j)


@pytest.mark.parametrize(
    "call",
    [
        "eye(-2)", "eye(3, -1)", "eye(0)", "eye(2, 3)", "eye(2, 3, 1)", "eye(3, (2,))", "identity(-1)", "zeros(-1)",
        "zeros((2, -1))", "zeros(2.5)", "zeros((2, 2.5))", "zeros(np.array([2, 3]))", "ones(np.int64(3))",
        "full(-1, 3)", "full((2, 2), [1, 2])", "full((2, 2), [1, 2, 3])", "full(2, np.float32(1.5))", "full(2, [True])",
        "linspace(0, 1, -1)", "linspace(0, 1, 0)", "prod(xp.zeros((2, 0), 'D'), 1)", "prod(xp.zeros(0, 'F'))",
        "reshape(xp.arange(6), (-2, -3))", "reshape(xp.arange(6), (-1, -1))", "broadcast_to(xp.ones(3), (-1, 3))",
        "broadcast_to(xp.ones(3), (0, 3))", "nonzero(xp.array(1))[0]", "where(xp.array(1))[0]", "where([0, 1])[0]",
    ],
)  # fmt: skip
def test_shapes_are_what_numpy_takes(device, call):
    same(lambda xp: eval("xp." + call, {"xp": xp, "np": np}), device)


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
def test_large_integers_are_told_apart(device, name):
    large = np.array([0, 5, 2**63 - 1, 2**63, 2**64 - 1], "u8")[:, None]
    for dtype in ("int8", "int64", "uint64", "float64"):
        ends = [np.iinfo(dtype).min, np.iinfo(dtype).max] if dtype != "float64" else [-1.0, 2.0**63]
        some = np.array([0, 5, *ends], dtype)
        same(lambda xp, some=some: getattr(xp, name)(xp.asarray(large), xp.asarray(some)), device)
        same(lambda xp, some=some: getattr(xp, name)(xp.asarray(some), xp.asarray(large)), device)
    for number in (2**63 - 1, 2**63, -1, 2**64 - 1):
        same(lambda xp, number=number: getattr(xp, name)(xp.asarray(large), number), device)
        same(lambda xp, number=number: getattr(xp, name)(xp.asarray(np.array([2**63 - 1, -1])), number), device)


@pytest.mark.parametrize("number, array", itertools.product(DTYPES, DTYPES))
def test_numbers_of_numpys_keep_their_dtype(number, array):
    value = np.dtype(number).type(3)
    host = np.arange(1, 5).astype(array)
    for f in (
        lambda x: x * value, lambda x: value + x, lambda x: x / value, lambda x: x == value, lambda x: np.subtract(x, value),
    ):  # fmt: skip
        assert outcome(lambda f=f: f(ks.array(host))) == outcome(lambda f=f: f(host))
        assert outcome(lambda f=f: f(ks.array(host))) == outcome(lambda f=f: f(host))  # as it was computed before


@pytest.mark.parametrize("array", DTYPES)
def test_numbers_of_numpys_are_stored_as_numpy_does(array):
    for value in (
        np.float64(2.5),
        np.float32(1.5),
        np.int64(7),
        np.int8(-1),
        np.uint64(2**63),
        np.bool_(True),
        np.int64(300),
    ):
        if np.dtype(array).kind in "iu" and value.dtype.kind != "b":
            limits = np.iinfo(array)
            if value.dtype.kind == "f" or not limits.min <= int(value) <= limits.max:
                continue  # what C leaves open
        host, ours = np.zeros(4, array), ks.zeros(4, array)
        for x in (host, ours):
            x[1] = value
            x[2:] = value
        assert ours.tolist() == host.tolist(), value
        for x in (host, ours):
            x[0] = x[1] if x is host else x[1].item()
        assert ours.tolist() == host.tolist()


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
@pytest.mark.parametrize("other", [None, ..., object(), np._NoValue])
def test_no_element_equals_an_object_that_is_no_number(other, shape, device):
    x = ks.ones(shape, device=device)
    for found, wanted in ((x == other, False), (other == x, False), (x != other, True), (other != x, True)):
        assert (
            found.dtype == bool and found.shape == shape and found.device == x.device and bool((found == wanted).all())
        )


@pytest.mark.parametrize("text", ["x", b"x"])
def test_no_element_is_a_text(text):
    x, host = ks.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]])
    for found, wanted in ((x == text, host == text), (x != text, host != text), (text == x, text == host)):
        assert found.dtype == wanted.dtype and np.array_equal(found.numpy(), wanted)


@pytest.mark.parametrize("name", ["modf", "frexp", "ldexp", "divmod", "logaddexp2"])
@pytest.mark.parametrize("asked", [{"dtype": "f4"}, {"dtype": "f8"}, {"dtype": "i4", "casting": "unsafe"}, {"dtype": "c16"}, {"casting": "no"},
                                   {"casting": "safe"}, {"dtype": "f2", "casting": "unsafe"}], ids=str)  # fmt: skip
def test_functions_of_several_results_compute_in_the_dtype_that_is_asked_for(name, asked, device):
    x, y = np.array([1.5, -2.25, 7.0]), np.array([2, 3, -2])
    given = (x, y)[: getattr(np, name).nin]
    try:
        want = getattr(np, name)(*given, **asked)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(ks, name)(*(ks.array(a, device=device) for a in given), **asked)
        return
    got = getattr(ks, name)(*(ks.array(a, device=device) for a in given), **asked)
    for ours, numpys in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
        assert ours.dtype == numpys.dtype
        np.testing.assert_allclose(ours.numpy(), numpys, rtol=1e-3 if numpys.dtype == "f2" else 1e-6)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["modf", "frexp", "spacing", "angle"])
def test_parts_of_small_integers_are_the_floats_of_numpy(name, dtype):
    x = np.array([3, 0, 1]).astype(dtype)
    if name == "spacing" and np.sqrt(x).dtype == "float16":
        pytest.skip("float16 has no nextafter")
    found, wanted = getattr(ks, name)(ks.array(x)), getattr(np, name)(x)
    for one, other in zip(found, wanted) if isinstance(wanted, tuple) else [(found, wanted)]:
        assert one.dtype == other.dtype and np.array_equal(one.numpy(), other)


def test_geomspace_turns_complex_numbers(device):
    for ends in ((-1, 1), (1, 1j), (1 + 1j, -1), ([1, 2], [-8, 2j])):
        first, last = (np.asarray(x) for x in ends)
        want = np.geomspace(first, last, 5, dtype=complex)
        with ks.default_device(device):
            found = ks.geomspace(ks.array(first), ks.array(last), 5, dtype=complex)
        np.testing.assert_allclose(found.numpy(), want, rtol=1e-12, atol=1e-14)
        assert (found[0].numpy() == first).all() and (found[-1].numpy() == last).all()


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_bases_of_logspace_may_be_arrays(device, axis):
    for start, stop, base in ((1, 2, [1, 2]), (1, [2, 3], [1, 2]), ([[1.0], [1.0]], [2, 3], [[1, 2], [3, 4.5]])):
        want = np.logspace(np.array(start), np.array(stop), 5, base=np.array(base), axis=axis)
        with ks.default_device(device):
            found = ks.logspace(ks.array(start), ks.array(stop), 5, base=ks.array(base), axis=axis)
        np.testing.assert_allclose(found.numpy(), want, rtol=1e-14)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_the_sign_of_an_infinite_complex_number_is_its_direction(device, dtype):
    inf = np.inf
    x = np.array(
        [-inf, inf, complex(3, inf), complex(2, -inf), complex(inf, inf), complex(np.nan, 1), 0, 3 - 4j], dtype
    )
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ks.sign(ks.array(x, device=device)).numpy(), np.sign(x), rtol=1e-6)


def test_functions_of_two_results_have_two_outputs(device):
    x = np.array([5.7, -8.0, 0.0])
    with ks.default_device(device):
        for name, dtypes in {"modf": "dd", "frexp": "di", "divmod": "dd"}.items():
            operands = (x, 2.5) if name == "divmod" else (x,)
            want = getattr(np, name)(*operands)
            first, second = (ks.empty(3, dtype) for dtype in dtypes)
            of = (ks.array(x), *operands[1:])
            for found in (getattr(ks, name)(*of, first, second), getattr(ks, name)(*of, out=(first, second))):
                assert found[0] is first and found[1] is second
                for one, other in zip(found, want):
                    np.testing.assert_array_equal(one.numpy(), other)
            found = getattr(ks, name)(*of, None, second)
            assert found[0] is not first and found[1] is second
            np.testing.assert_array_equal(found[0].numpy(), want[0])
        out = ks.empty(3)
        assert ks.ldexp(ks.array(x), 3, out=out) is out and out.tolist() == np.ldexp(x, 3).tolist()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float16", "float32"])
def test_ldexp_of_small_integers_is_of_the_small_floats_of_numpy(device, dtype):
    x, n = np.array([1, 0, 3]).astype(dtype), np.array([3, 1, -2], np.int32)
    want, found = np.ldexp(x, n), ks.ldexp(ks.array(x, device=device), ks.array(n, device=device))
    assert found.dtype == want.dtype
    np.testing.assert_array_equal(found.numpy(), want)


def test_a_variance_about_a_mean_that_is_given(device):
    x = np.array([[1.0, 2, np.nan], [4, 5, 6]])
    mean = np.nanmean(x, axis=1, keepdims=True)
    with ks.default_device(device):
        for name in ("nanvar", "nanstd"):
            found = getattr(ks, name)(ks.array(x), axis=1, mean=ks.array(mean), correction=1)
            np.testing.assert_allclose(found.numpy(), getattr(np, name)(x, axis=1, ddof=1), rtol=1e-14)
            with pytest.raises(ValueError, match="ddof and correction"):
                getattr(ks, name)(ks.array(x), ddof=1, correction=0)


def test_an_object_that_compares_is_asked():
    class Same:
        def __eq__(self, other):
            return "asked"

    assert (ks.ones(3) == Same()) == "asked"


class _EqualToTwo:
    def __eq__(self, other):
        return other == 2


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_an_object_with_an_equality_of_its_own_is_asked(dtype, device):
    host = np.array([[1, 2, 3], [2, 5, 6]], dtype)
    x, other = ks.array(host, device=device), _EqualToTwo()
    np.testing.assert_array_equal((x != other).numpy(), host != other)
    np.testing.assert_array_equal((x == other).numpy(), host == other)
    assert (x != object()).all() and not (x == object()).any()


def test_parts_of_complex_arrays_can_be_set(device):
    x, wanted = ks.zeros((2, 3), dtype="complex64", device=device), np.zeros((2, 3), "complex64")
    for z in (x, wanted):
        z.real = [1, 2, 3]
        z.imag = 5
        z.T.imag = [[1, 2]]
        z[0].real = -1
    assert x.numpy().tolist() == wanted.tolist()
    y = ks.arange(3.0, device=device)
    y.real = 7
    assert y.numpy().tolist() == [7, 7, 7]
    with pytest.raises(TypeError, match="imaginary"):
        y.imag = 1
    with pytest.raises(ValueError):
        x.real = [1, 2]


def test_edges_where_numpys_own_tests_go(device):
    """Percentiles of none and into one element, densities, values too close for bins, spirals, copies in the memory's order."""
    same(lambda m: m.percentile(m.arange(6.0), []), device)
    same(lambda m: m.percentile(m.reshape(m.arange(6.0), (2, 3)), [], axis=0), device)
    same(lambda m: m.percentile(m.arange(6.0), 20, out=m.zeros(1)), device)
    same(lambda m: m.quantile(m.reshape(m.arange(6.0), (2, 3)), 0.25, axis=0, out=m.zeros((2, 3))), device)
    same(lambda m: m.histogram(m.arange(10), [0, 1, 3, 6, 10], density=True)[0], device)
    same(lambda m: m.histogram(m.asarray([1, 1 + 2e-16] * 10), bins=10)[0], device)
    ends = np.array([1 + 2.0**-20, 2.0], np.float32)
    same(lambda m: m.histogram(m.asarray([1.0], dtype="float16"), bins=1, range=ends)[0], device)
    same(lambda m: m.histogram_bin_edges(m.asarray([1.0], dtype="float16"), bins=1, range=ends), device)
    same(lambda m: m.geomspace(1, 1e6, num=7), device)
    same(lambda m: m.geomspace(-100, -1, num=3), device)
    same(lambda m: m.geomspace(-3, 3, num=4), device)
    same(lambda m: m.cov(m.ones((1, 3)), ddof=0, rowvar=False), device)
    same(lambda m: m.zeros([2**20] * 4), device)
    same(lambda m: m.empty(2**64), device)


def test_a_product_in_place_keeps_the_shape(device):
    def of_rows(m):
        x = m.arange(3.0)
        x @= m.arange(3.0)

    same(of_rows, device)


def test_copies_of_columns_lie_by_columns():
    x = ks.asarray(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    for y in (copy.copy(x), copy.deepcopy(x), copy.copy(x.T)):
        assert y.tolist() in (x.tolist(), x.T.tolist()) and y is not x
    assert copy.copy(x).strides == copy.deepcopy(x).strides == x.strides and copy.copy(x.T).strides == x.T.strides


def test_paths_of_operands_with_their_axes():
    x, y = ks.ones((2, 3)), ks.ones((3, 4))
    assert ks.einsum_path(x, [0, 1], y, [1, 2])[0] == ks.einsum_path("ij,jk", x, y)[0]
    assert ks.einsum_path(x, [0, 1], y, [1, 2], [0])[0] == ks.einsum_path("ij,jk->i", x, y)[0]


def test_a_rounded_array_is_a_new_one(device):
    for decimals in (0, 2):
        x = ks.asarray([1, 2, 3], device=device)
        y = ks.round(x, decimals)
        y += 1
        assert x.tolist() == [1, 2, 3] and y.tolist() == [2, 3, 4]


def test_what_numpy_takes_for_a_mask_and_a_kind(device):
    same(lambda m: m.add(m.arange(4.0), 1, out=m.zeros(4), where=[1, 0, 0, 1]), device)
    same(lambda m: m.sum(m.arange(4.0), where=[1, 0, 0, 1]), device)
    same(lambda m: m.add(m.arange(4.0), 1, out=m.zeros(4), where=m.asarray([1, 0, 0, 1])), device)
    for kind in ("quick", "q", "Heap", "s", "x", ""):
        same(lambda m, kind=kind: m.sort(m.asarray([3, 1, 2]), kind=kind), device)
        same(lambda m, kind=kind: m.argsort(m.asarray([3, 1, 2]), kind=kind), device)
    same(lambda m: m.var(m.arange(4.0), ddof=1, correction=1), device)
    for empty in ((0,), (0, 3)):
        same(lambda m, empty=empty: m.partition(m.zeros(empty), 2, axis=0), device)
        same(lambda m, empty=empty: m.argpartition(m.zeros(empty), 2, axis=0), device)


def test_numbers_take_the_dtype_of_arrays_beside_them(device):
    for number in (3, -1, 1.0, 1j):
        for dtype in ("uint8", "float32", "float64"):
            same(lambda m, n=number, dtype=dtype: m.choose([1], (n, m.asarray([1], dtype=dtype))), device)
    near = 0.9999999999999998
    same(lambda m: m.isclose(m.asarray([1], dtype="float32"), near, atol=0, rtol=0), device)
    same(lambda m: m.isclose(m.asarray([1], dtype="float64"), near, atol=0, rtol=0), device)
    same(lambda m: m.isclose(near, m.asarray([1, 2]), atol=0, rtol=1e-9), device)
    same(lambda m: m.isclose(1, 1.1), device)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_places_among_complex_numbers_with_nan(device, dtype):
    parts = [0, 1, np.nan]
    numbers = np.array([complex(x, y) for x in parts for y in parts], dtype)
    for side in ("left", "right"):
        same(lambda m, side=side: m.searchsorted(m.sort(m.asarray(numbers)), m.asarray(numbers), side=side), device)


def test_sums_are_computed_in_a_wider_output(device):
    for of, to in (
        ("float16", "float32"),
        ("float16", "float64"),
        ("float32", "float64"),
        ("float32", "complex128"),
        ("int8", "float32"),
    ):
        high = 60000 if of == "float16" else 2**24 if of == "float32" else 100
        for name in ("sum", "prod", "nansum", "mean", "cumsum"):

            def joined(m, name=name, of=of, to=to, high=high):
                shape = (3,) if name == "cumsum" else ()
                return getattr(m, name)(m.asarray([high, 1, high], dtype=of), out=m.zeros(shape, dtype=to))

            same(joined, device)


def test_one_element_is_joined_with_what_leaves_no_trace(device):
    for name in ("gcd", "hypot", "logical_xor", "bitwise_or"):
        for axis in (1, (), (0, 1)):
            of = float if name == "hypot" else int
            same(
                lambda m, f=name, axis=axis, of=of: getattr(m, f).reduce(m.asarray([[-3]], dtype=of), axis=axis), device
            )
    for dtype in ("uint8", "int8", "uint32", "float16", "bool"):
        for numbers in ([[3], [4]], [[3, 4, 100]]):
            same(lambda m, of=dtype, x=numbers: m.subtract.reduce(m.asarray(x, dtype=of), axis=1), device)


def test_what_is_taken_away_step_by_step(device):
    for dtype in ("uint8", "int8", "int64", "float32", "float64", "complex64"):
        for axis in (0, 1, -1):
            for to in (None, "float32"):
                same(
                    lambda m, of=dtype, axis=axis, to=to: m.subtract.accumulate(
                        m.asarray([[5, 1, 3], [0, 7, 2]], dtype=of), axis=axis, dtype=None if of == "complex64" else to
                    ),
                    device,
                )
    same(lambda m: m.subtract.accumulate(m.asarray([0.1, 0.2, -0.3, 1e300, 7.0])), device)
    for wrong in (lambda m: m.asarray([True, False]), lambda m: m.asarray(3)):
        with pytest.raises(TypeError):
            ks.subtract.accumulate(wrong(ks))


def test_means_of_numbers_with_no_axis(device):
    for name in ("nanmean", "nanvar", "nanstd"):
        for x in (3.0, float("nan")):
            with ks.default_device(device), np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = getattr(np, name)(np.array(x), axis=0)
                np.testing.assert_array_equal(float(getattr(ks, name)(ks.array(x), axis=0)), want)
    assert float(ks.mean(ks.array(3.0), axis=0, where=ks.array(True))) == 3
    with pytest.raises(IndexError, match="out of bounds"):
        ks.mean(ks.array(3.0), axis=0)


def test_coefficients_of_polynomials_stretch(device):
    for x in ([1.0, 2.0], [[1.0], [2.0]], 3.0):
        same(lambda m, x=x: m.polyval(m.asarray([[1.0, 2.0], [3.0, 4.0]]), m.asarray(x)), device)
    with pytest.raises(ValueError):
        ks.polyval(ks.ones((2, 2)), ks.ones(3))
    with pytest.raises(TypeError, match="real"):
        ks.interp(ks.array([1j]), [0, 1], [0, 1])


def test_dtypes_of_means_with_weights(device):
    for of in DTYPES:
        for by in ("bool", "int8", "float16", "float32", "float64"):
            same(
                lambda m, of=of, by=by: m.average(m.asarray([1, 0], dtype=of), weights=m.asarray([1, 1], dtype=by)),
                device,
            )


def test_dtypes_of_products_with_a_row_of_bools(device):
    for of in ("bool", "uint8", "int8", "float32"):
        same(lambda m, of=of: m.vecmat(m.asarray([True, False]), m.ones((2, 3), dtype=of)), device)


def test_integers_count_as_the_floats_of_their_size_where_results_may_be_complex(device):
    for of in ("bool", "int8", "int16", "uint16", "int32", "float32"):
        for first in (1, -1) if of[0] in "if" else (1,):
            same(lambda m, of=of, x=first: m.emath.sqrt(m.asarray([x, 1], dtype=of)), device)
            same(
                lambda m, of=of, x=first: m.emath.power(m.asarray([x, 1], dtype=of), m.asarray([2, 1], dtype=of)).real,
                device,
            )


def test_logspace_has_the_dtype_of_its_ends(device):
    for of in ("float32", "float64", "int32"):
        same(lambda m, of=of: m.logspace(m.asarray(1, dtype=of), m.asarray(2, dtype=of), 2), device)
        same(lambda m, of=of: m.logspace(m.asarray([1, 2], dtype=of), 3, 2, base=2), device)


def test_integers_of_any_size_are_compared_and_stored_as_floats(device):
    for number in (-200, 300, 2**40, 2**64, 2**100, -(2**64)):
        for of in ("int8", "uint8", "int64", "float32", "complex128"):
            same(lambda m, of=of, x=number: m.isclose(m.asarray([1, 100], dtype=of), x), device)
        for of in ("float32", "complex64"):
            same(lambda m, of=of, x=number: m.full(2, x, dtype=of), device)


def test_a_spread_of_too_few_integers_divides_by_0_and_of_floats_is_none(device):
    for of in ("int32", "float64"):
        for name in ("nanvar", "nanstd"):
            same(lambda m, of=of, f=name: getattr(m, f)(m.asarray([1, 3], dtype=of), ddof=2), device)


def test_no_matrices_have_no_conditions(device):
    for shape in ((0, 3, 3), (0, 2, 3), (3, 0, 0), (0, 3)):
        same(lambda m, shape=shape: m.linalg.cond(m.zeros(shape)), device)


def test_repeats_may_be_an_array_of_numpys(device):
    for counts in ([1, 2, 0], [2], 3):
        for x in (np.asarray(counts), np.asarray(counts, dtype="uint8")):
            same(lambda m, x=x: m.repeat(m.asarray([5, 6, 7]), x), device)
            same(lambda m, x=x: m.asarray([[5, 6, 7]]).repeat(x, axis=1), device)


@pytest.mark.parametrize("of", [int, np.int64, np.uint8, np.asarray])
def test_integers_of_numpys_are_axes_and_counts(device, of):
    one, two = of(1), of(2)
    x = np.arange(1.0, 7.0).reshape(2, 3)
    for name in ("hypot", "logaddexp", "subtract", "fmax"):
        same(lambda m, f=name: getattr(m, f).reduce(m.asarray(x), axis=one), device)
    same(lambda m: m.bitwise_or.reduce(m.asarray(x).astype(int), axis=one), device)
    same(lambda m: m.average(m.asarray(x), axis=one, weights=m.asarray([1.0, 2, 5])), device)
    same(lambda m: m.size(m.asarray(x), one), device)
    same(lambda m: m.split(m.asarray(x), one)[0], device)
    same(lambda m: m.split(m.asarray(x), two, axis=one), device)
    same(lambda m: m.asarray(m.broadcast_shapes(two, (4, 1))), device)
    if of is not np.asarray:
        same(lambda m: m.apply_over_axes(m.sum, m.asarray(x), one), device)


@pytest.mark.parametrize("of", [list, np.asarray])
def test_views_and_copies_of_what_is_no_array_yet(device, of):
    x = of([[1, 2, 3], [4, 5, 6]])
    for call in (
        lambda m: m.swapaxes(x, 0, 1),
        lambda m: m.moveaxis(x, 0, 1),
        lambda m: m.permute_dims(x, (1, 0)),
        lambda m: m.copy(x),
    ):
        same(call, device)


def test_limits_beyond_the_dtype_of_an_array_of_numpy_limit_nothing(device):
    x = np.asarray([0, 1, 200], dtype="uint8")
    for low, high in ((-1, 300), (1, 2**70), (-(2**70), 100)):
        same(lambda m, low=low, high=high: m.clip(x, low, high), device)


def test_parts_and_limits_of_bfloat16(device):
    numbers = np.array([8, -0.75, 0, 1.0, -3.0 * 2**100, 2.0**-126, 2.0**-130, np.inf, np.nan], dtype="float32")
    x = ks.array(numbers, dtype="bfloat16", device=device)
    mantissas, exponents = ks.frexp(x)
    for got, want in zip((mantissas, exponents), np.frexp(numbers), strict=True):
        np.testing.assert_array_equal(got.numpy(), want)
    back = ks.ldexp(mantissas, exponents)
    assert mantissas.dtype == back.dtype == x.dtype and exponents.dtype == np.int32
    np.testing.assert_array_equal(back.numpy(), numbers)
    ends = ks.nan_to_num(ks.array([np.inf, -np.inf, np.nan], dtype="bfloat16", device=device))
    assert ends.numpy().tolist() == [255 * 2.0**120, -255 * 2.0**120, 0]


def rounded_to_8_bits(number):
    """To nearest, ties to even, by the arithmetic of Python's integers."""
    unit = 1 << max(abs(number).bit_length() - 8, 0)
    whole, rest = divmod(abs(number), unit)
    whole += 2 * rest > unit or (2 * rest == unit and whole % 2)
    return float(whole * unit * (-1 if number < 0 else 1))


def test_whole_numbers_are_rounded_to_bfloat16_once(device):
    # Just beside the middle of two numbers, which they become in float32 or in float64.
    halves = [257 << n for n in (16, 17, 22, 23, 40, 45, 46, 53)] + [(1 << 62) + (1 << 54), (1 << 63) - (1 << 54)]
    numbers = [s * (h + d) for h in halves for d in (-(1 << 11), -1, 0, 1, 1 << 11) for s in (1, -1)] + [-(1 << 63)]
    for dtype in ("int32", "uint32", "int64", "uint64", "float64"):
        holds = np.iinfo(dtype) if dtype != "float64" else None
        fitting = [n for n in numbers if (holds.min <= n <= holds.max if holds else int(float(n)) == n)]
        want = np.array([rounded_to_8_bits(n) for n in fitting])
        x = ks.array(np.array(fitting, dtype), device=device)
        many = ks.array(np.tile(np.array(fitting, dtype), 2000), device=device)
        stored = ks.zeros(len(fitting), dtype="bfloat16", device=device)
        for i, number in enumerate(fitting):
            stored[i] = number
        for got in (x.astype("bfloat16"), many.astype("bfloat16")[: len(want)], stored):
            np.testing.assert_array_equal(got.astype("float64").numpy(), want)


def test_constants_of_an_integral_are_a_number_or_a_row(device):
    for constants in (3, 2.5, 1j, np.int64(3), np.asarray(3.0), np.asarray([3]), [1, 2], [1, 2, 3]):
        for m in (0, 1, 2, 3):
            same(lambda xp, k=constants, m=m: xp.polyint(xp.asarray([2.0, 4.0]), m, k), device)


CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("casting", [*CASTINGS, "never"])
def test_operations_cast_by_numpys_rules(device, casting):
    values = [np.array([1, 2, 4]).astype(dtype) for dtype in ("int8", "int64", "float32", "float64", "complex64")]
    for x, y in itertools.product(values, values):
        for name in ("add", "divide", "less", "maximum"):
            same(lambda xp, x=x, y=y, f=name: getattr(xp, f)(xp.asarray(x), xp.asarray(y), casting=casting), device)
        for to in ("int32", "float32", "float64", "complex128"):
            same(lambda xp, x=x, y=y, to=to: xp.add(xp.asarray(x), xp.asarray(y), dtype=to, casting=casting), device)
            same(
                lambda xp, x=x, y=y, to=to: xp.multiply(xp.asarray(x), xp.asarray(y), xp.zeros(3, to), casting=casting),
                device,
            )
    for x in values:
        for name in ("sqrt", "absolute", "negative", "isfinite"):
            same(lambda xp, x=x, f=name: getattr(xp, f)(xp.asarray(x), casting=casting), device)
        for to in DTYPES:
            same(lambda xp, x=x, to=to: xp.asarray(x).astype(to, casting=casting), device)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_what_is_cast_to_a_dtype_that_is_asked_for(device):
    same(lambda xp: xp.add(xp.array([1.7, -1.7]), 1.5, dtype="int32", casting="unsafe"), device)
    same(lambda xp: xp.sqrt(xp.array([4.0, 9.0]), dtype="float32", casting="safe"), device)
    same(lambda xp: xp.clip(xp.array([0.5, 9.0]), 1, 5, dtype="int32", casting="unsafe"), device)
    same(lambda xp: xp.less(xp.array([1.5]), 2, dtype="bool", casting="unsafe"), device)
    same(lambda xp: xp.add(xp.array([1, 2]), 2.5, casting="no"), device)
    same(lambda xp: xp.add(xp.array([1.0, 2]), 2, casting="no", subok=False), device)
    same(lambda xp: xp.logical_or(xp.array([1, 0]), xp.array([0.0, 0]), casting="no"), device)
    same(lambda xp: xp.subtract.reduce(xp.array([3, 1], dtype="uint8"), dtype="int8"), device)
    for casting in CASTINGS:
        for to in ("float32", "int32", "complex128"):
            named = {"dtype": to, "casting": casting}
            same(lambda xp, w=named: xp.matmul(xp.array([[1.5, 2], [3, 4]]), xp.array([1.5, 1]), **w), device)
    for wide in ("complex64", complex):
        same(lambda xp, wide=wide: xp.std(xp.array([1, 2, 3, 4]), dtype=wide).dtype.name, device)
        assert ks.var(ks.array([1.0, 3], device=device), dtype=wide).tolist() == 1 + 0j


def test_the_order_of_a_result(device):
    x = ks.array(np.arange(6.0).reshape(2, 3), device=device)
    for order in "CFAK":
        for result in (ks.add(x, 1, order=order), ks.sqrt(x, order=order), ks.clip(x, 1, 2, order=order)):
            assert result.flags.f_contiguous == (order == "F")
        np.testing.assert_array_equal(ks.add(x, x, order=order).numpy(), x.numpy() * 2)
        square = ks.matmul(x, x.T, order=order)
        assert square.flags.f_contiguous == (order == "F")
        np.testing.assert_array_equal(square.numpy(), x.numpy() @ x.numpy().T)
    with pytest.raises(ValueError, match="order must be"):
        ks.add(x, 1, order="Q")


def test_array_has_as_many_axes_as_are_asked_for_and_copies_as_it_is_told(device):
    x = np.arange(6.0).reshape(2, 3)
    for ndmin in range(5):
        for order in "CF":
            ours = ks.array(x, device=device, ndmin=ndmin, order=order)
            want = np.array(x, ndmin=ndmin, order=order)
            assert ours.shape == want.shape and ours.tolist() == want.tolist()
            assert ours.flags.f_contiguous == want.flags.f_contiguous
    assert ks.array(3, ndmin=2, device=device).tolist() == [[3]]
    y = ks.array(x, device=device)
    for copy_, is_same in ((True, False), (None, True), (False, True)):
        z = ks.array(y, copy=copy_)
        z[0, 0] += 1
        assert (y[0, 0] == z[0, 0]) == is_same
    with pytest.raises(ValueError, match="copy=False"):
        ks.array([1, 2], copy=False, device=device)
    with pytest.raises(ValueError, match="copy=False"):
        ks.array(y, "float32", copy=False)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 2.0, True])
def test_the_operators_power_of_truth_values(exponent, device):
    for values in ([True, False], [], [[True]]):
        same(lambda m, x=values: m.asarray(x, dtype=bool) ** exponent, device)
    same(lambda m: m.power(m.asarray([True, False]), exponent), device)


@pytest.mark.parametrize("shift", [2**63, -(2**70) - 1, 2**64 + 3, [2**65, 1]])
def test_elements_roll_by_any_number(shift, device):
    axes = (0, 1) if isinstance(shift, list) else 1
    same(lambda m: m.roll(m.arange(15).reshape(3, 5), shift, axes), device)
    if not isinstance(shift, list):
        same(lambda m: m.roll(m.arange(15).reshape(3, 5), shift), device)
        same(lambda m: m.roll(m.zeros((0, 5)), shift), device)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", [0, 1, 2, 3, -1])
def test_overlaps_have_numbers(name, mode, device):
    same(lambda m: getattr(m, name)(m.arange(4.0), m.arange(3.0), mode), device)


def test_gradients_have_the_dtype_of_the_values(device):
    for dtype in ("float32", "complex64", "int16", "float64"):
        same(lambda m, of=dtype: m.gradient(m.asarray([1, 2, 4], dtype=of), m.asarray([0.0, 1.0, 3.0])), device)


def test_a_number_beside_an_array_leaves_the_dtype_of_logaddexp2(device):
    for dtype in ("int8", "float16", "float32", "int64", "bool"):
        for number in (1, 2.0, True):
            for turned in (False, True):

                def dtype_of(m, of=dtype, pair=number, turned=turned):
                    operands = (m.asarray([0, 1], dtype=of), pair)
                    return m.logaddexp2(*(operands[::-1] if turned else operands)).dtype.name

                with ks.default_device(device):
                    assert dtype_of(ks) == dtype_of(np)


def test_scans_of_a_number_are_of_one_element(device):
    for name in ("cumulative_sum", "cumulative_prod"):
        for options in ({}, {"axis": 0}, {"axis": -1, "include_initial": True}, {"axis": 1}):
            same(lambda m, f=name, o=options: getattr(m, f)(m.asarray(3.0), **o), device)


def test_what_a_ufunc_joins_wraps_in_its_array(device):
    for dtype in ("uint32", "int8", "uint8", "int16"):
        for name in ("add", "multiply", "subtract", "bitwise_or"):

            def joined(m, f=name, of=dtype):
                x = m.asarray([3, 100, 7], dtype=of)
                getattr(m, f).at(x, m.asarray([0, 1, 1, 2]), m.asarray([-2, 100, 60, 300]))
                return x

            same(joined, device)


def test_a_view_of_a_read_only_array_stays_so(device):
    def kept(m):
        x = m.arange(4.0)
        x.flags.writeable = False
        view = x[1:]
        view.setflags(write=True)

    def freed(m):
        x = m.arange(4.0)
        x.flags.writeable = False
        x.flags.writeable = True
        view = x[1:]
        view.flags.writeable = False
        view.flags.writeable = True
        view[0] = 5
        return x

    same(kept, device)
    same(freed, device)


def test_an_array_that_was_not_made_has_no_elements():
    class Forgetful(ks.Array):
        def __init__(self):
            pass

    for x in (ks.Array.__new__(ks.Array), Forgetful()):
        assert (x.shape, (x + 1).shape, float(ks.sum(x)), len(x)) == ((0,), (0,), 0.0, 0)
        with pytest.raises(IndexError):
            x[0]
    made = ks.Array.__new__(ks.Array)
    made.__init__((2, 3), "int16")
    assert made.shape == (2, 3) and made.dtype == np.int16


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "bool"])
def test_i0_gives_the_dtype_of_its_floats(dtype, device):
    x = np.array([0, 1, 3], dtype=dtype)
    mine, theirs = ks.i0(ks.array(x, device=device)), np.i0(x)
    assert mine.dtype == theirs.dtype
    np.testing.assert_allclose(mine.numpy(), theirs, rtol=1e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("coefficients", [np.array([2 + 1j]), np.array([2, 0], "float32"), np.array([3], "float32")])
def test_no_roots_and_roots_of_0_have_the_dtype_of_numpys(coefficients):
    assert ks.roots(coefficients).dtype == np.roots(coefficients).dtype


def test_exponents_of_ldexp_may_be_bools(device):
    x, n = np.array([1.5, 2.0]), np.array([True, False])
    np.testing.assert_array_equal(
        ks.ldexp(ks.array(x, device=device), ks.array(n, device=device)).numpy(), np.ldexp(x, n)
    )


@pytest.mark.parametrize("axis", [0, -1, (0,), ()])
@pytest.mark.parametrize("name", ["median", "percentile", "quantile", "nanmedian", "nanpercentile"])
def test_an_array_without_axes_has_none_to_find_the_middle_of(device, name, axis):
    share = () if name.endswith("median") else (0.5,)
    same(lambda xp: getattr(xp, name)(xp.asarray(3.0), *share, axis=axis), device)


@pytest.mark.parametrize("values", DTYPES)
@pytest.mark.parametrize("to", DTYPES)
def test_place_stores_what_its_array_safely_holds(device, to, values):
    def placed(xp, mask):
        x = xp.asarray([1, 0, 1, 0]).astype(to)
        xp.place(x, xp.asarray(mask), xp.asarray([3, 4]).astype(values))
        return x

    for mask in ([True, False, False, True], [False] * 4):
        same(lambda xp, mask=mask: placed(xp, mask), device)


def test_bools_have_no_differences(device):
    same(lambda xp: xp.ediff1d(xp.asarray([True, False])), device)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("to", DTYPES)
def test_positions_go_where_each_element_fits_in_them(device, to, name):
    for axis, shape in [(None, ()), (0, (3,)), (0, (2,)), (1, (2,))]:
        same(
            lambda xp, axis=axis, shape=shape: getattr(xp, name)(
                xp.asarray([[3, 7, 0], [4, 1, 9]]), axis=axis, out=xp.zeros(shape, dtype=to)
            ),
            device,
        )


@pytest.mark.parametrize("to", [t for t in DTYPES if np.dtype(t).kind in "iu"])
@pytest.mark.parametrize("of", ["int64", "float64", "float32", "complex128", "bool"])
def test_a_variance_in_integers_cuts_its_mean_and_its_squares(device, of, to):
    x = np.array([1.5, 2.7, 9.1, 4]).astype(of)
    for name, axis, ddof in [("var", None, 0), ("var", 1, 0), ("var", 1, 1), ("std", None, 0), ("std", 1, 0)]:
        same(
            lambda xp, name=name, axis=axis, ddof=ddof: getattr(xp, name)(
                xp.asarray(x.reshape(1, 4)), axis=axis, ddof=ddof, dtype=to
            ),
            device,
        )


@pytest.mark.parametrize("name, more", [("ldexp", (2,)), ("logaddexp2", (2.0,)), ("spacing", ())])
@pytest.mark.parametrize("casting", ["same_kind", "unsafe"])
@pytest.mark.parametrize("to", ["float64", "float32", "int32"])
def test_elementwise_functions_of_several_operations_store_where_a_mask_holds(device, name, more, casting, to):
    def stored(xp):
        out = xp.full(3, 7).astype(to)
        mask = xp.asarray([True, False, True])
        return getattr(xp, name)(xp.asarray([1.0, 2.0, 3.0]), *more, out=out, where=mask, casting=casting)

    same(stored, device)


@pytest.mark.parametrize("name", ["divmod", "modf", "frexp"])
def test_pairs_are_stored_where_a_mask_holds(device, name):
    def stored(xp):
        out = xp.full(3, 7.0), xp.full(3, 7) if name == "frexp" else xp.full(3, 7.0)
        x = (xp.asarray([5.5, 2.0, -3.0]),) + (2,) * (name == "divmod")
        getattr(xp, name)(*x, out=out, where=xp.asarray([True, False, True]), casting="unsafe")
        return xp.stack([out[0], out[1].astype("float64")])

    same(stored, device)


@pytest.mark.parametrize("n", [1, 3000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_parts_and_distances_of_the_ends_of_floats_have_numpys_bits(dtype, n, device):
    of = np.finfo(dtype)
    ends = [0, of.max, np.inf, np.nan, of.tiny, of.tiny - of.smallest_subnormal, of.smallest_subnormal, 0.5, 1, 1.75, 2]
    x = np.tile(np.array([ends, np.negative(ends)], dtype), (n, 1))
    for name in ("frexp", "modf") if dtype == "float16" else ("frexp", "modf", "spacing"):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(x)
        got = getattr(ks, name)(ks.array(x, device=device))
        for ours, numpys in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
            assert ours.dtype == numpys.dtype
            np.testing.assert_array_equal(ours.numpy(), numpys)
            is_number = ~np.isnan(numpys)
            assert np.array_equal(np.signbit(ours.numpy())[is_number], np.signbit(numpys)[is_number])


def test_a_sum_of_powers_of_2_knows_infinities_and_joins_many(device):
    ends = np.array([-np.inf, np.inf, np.nan, -1e308, 1e308, 0, 3, 3.5])
    x, y = np.meshgrid(ends, ends)
    with np.errstate(all="ignore"):
        want = np.logaddexp2(x, y)
    np.testing.assert_allclose(
        ks.logaddexp2(ks.array(x, device=device), ks.array(y, device=device)).numpy(), want, 1e-15
    )
    numbers = np.random.default_rng(0).normal(size=(7, 30))
    got = ks.logaddexp2.reduce(ks.array(numbers, device=device), axis=1).numpy()
    np.testing.assert_allclose(got, np.logaddexp2.reduce(numbers, axis=1), 1e-13)
    assert ks.logaddexp2.identity == np.logaddexp2.identity
