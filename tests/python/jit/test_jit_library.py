"""NumPy and math functions that are compiled from Python: against the originals."""

import heapq
import math
import random

import kasoku as ks
import numpy as np
import pytest

rng = np.random.default_rng(5)
one_array = [np.cumsum, np.cumprod, np.diff, np.flatnonzero, np.sort, np.unique, np.median, np.ptp, np.shape, np.size,
             np.ndim, np.nansum, np.nanmean, np.nanmax, np.nanmin]  # fmt: skip
arrays = {
    "floats": rng.normal(size=40),
    "one": np.array([3.5]),
    "integers": rng.integers(-5, 5, 40),
    "int32": rng.integers(0, 9, 33).astype(np.int32),
    "float32": rng.random(20).astype(np.float32),
    "strided": rng.normal(size=30)[::-3],
    "nan": np.array([2.0, np.nan, -1.0, np.inf, np.nan, 0.0]),
}


@pytest.mark.parametrize("name", arrays)
@pytest.mark.parametrize("function", one_array, ids=lambda f: f.__name__)
def test_functions_of_an_array(function, name):
    x = arrays[name]
    if function is np.unique and name == "nan":
        pytest.skip("NumPy has one NaN, we have all")
    compiled = ks.jit(lambda a: function(a))
    got, want = compiled(x), function(x)
    if isinstance(want, np.ndarray):
        assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-6 if x.dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("name", arrays)
def test_sorting(name):
    x = arrays[name]

    @ks.jit
    def in_place(a):
        a.sort()
        return a.cumsum()

    copy = x.copy()
    in_place(copy)
    np.testing.assert_array_equal(copy, np.sort(x))
    np.testing.assert_array_equal(ks.jit(lambda a: np.argsort(a))(x), np.argsort(x, kind="stable"))


def test_functions_of_several():
    a, b = rng.random(6), rng.random(4)
    cases = [
        (lambda a, b: np.outer(a, b), a, b),
        (lambda a, b: np.convolve(a, b), a, b),
        (lambda a, b: np.searchsorted(a, b), np.sort(a), b),
        (lambda a, b: np.searchsorted(a, b, side="right"), np.sort(a), a),
        (lambda a, b: np.interp(b, a, a * a), np.sort(a), np.array([-1.0, 0.3, 0.5, 2.0])),
        (lambda a, b: np.cross(a[:3], b[:3]), a, b),
        (lambda a, b: np.roll(a, b), a, -2),
        (lambda a, b: np.repeat(a, b), a, 3),
        (lambda a, b: np.trace(a), a.reshape(2, 3), 0),
        (lambda a, b: np.diag(a), a, 0),
        (lambda a, b: np.eye(b), a, 3),
        (lambda a, b: np.bincount(b), a, np.array([1, 1, 3])),
        (lambda a, b: np.linalg.norm(a), a, 0),
        (lambda a, b: np.around(a, b), a, 2),
        (lambda a, b: np.allclose(a, a + b), a, 1e-12),
        (lambda a, b: np.array_equal(a, b), a, b),
        (lambda a, b: np.histogram(a, b), a, 5),
    ]
    for function, x, y in cases:
        got, want = ks.jit(function)(x, y), function(x, y)
        for one, other in zip(*((got, want) if isinstance(want, tuple) else ([got], [want])), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (math.gcd, [(12, 18), (0, 5), (-4, 6), (0, 0)]),
        (math.factorial, [(0,), (5,), (20,)]),
        (math.comb, [(5, 2), (3, 7), (30, 15), (4, 0)]),
        (math.isqrt, [(0,), (15,), (16,), (10**18,), (2**62 - 1,), (2**63 - 1,)]),
        (math.modf, [(2.5,), (-2.5,), (0.0,), (-2.0,), (1e300,), (math.inf,), (-math.inf,), (7,)]),
        (math.isclose, [(1.0, 1.0 + 1e-10), (1.0, 1.1), (math.inf, math.inf), (math.inf, 1.0)]),
        (math.frexp, [(0.0,), (1.0,), (-3.25,), (1e300,), (5e-324,)]),
        (math.ldexp, [(0.5, 3), (-1.5, -1070), (1.0, 2000)]),
        (math.nextafter, [(1.0, 2.0), (0.0, -1.0)]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_math(function, values):
    one = lambda a: function(a)  # noqa: E731
    two = lambda a, b: function(a, b)  # noqa: E731
    compiled = ks.jit(one if len(values[0]) == 1 else two)
    for args in values:
        try:
            want = function(*args)
        except OverflowError:
            want = math.inf
        assert str(compiled(*args)) == str(want), args  # signs of zeros too


@ks.jit
def twice(x):
    return x + x


@ks.jit
def apply(f, x):
    return f(x)


def test_functions_are_values_in_compiled_code():
    @ks.jit
    def chosen(x):
        f = twice
        g = math.sqrt
        return apply(f, x) + apply(g, x) + apply(np.float32, x)

    assert chosen(4.0) == 14

    @ks.jit
    def from_tuple(x):
        all_of_them = (twice, math.sqrt)
        return all_of_them[0](x) + all_of_them[1](x)

    assert from_tuple(4.0) == 10

    @ks.njit
    def two(x):
        return twice

    with pytest.raises(
        ks.TypingError if hasattr(ks, "TypingError") else TypeError, match="function cannot be returned"
    ):
        two(1)

    @ks.njit
    def either(x):
        f = twice
        if x > 0:
            f = apply
        return f(x)

    with pytest.raises(TypeError, match="'f' is function here and function elsewhere"):
        either(1)


@ks.jit
def by_name(x, how):
    if how == "double":
        return x * 2
    return x


def test_texts_are_known_by_their_value_where_they_have_one():
    @ks.jit
    def f(x):
        way = "double"
        return by_name(x, "double") + 10 * by_name(x, "single") + 100 * by_name(x, way)

    assert f(1) == 212

    @ks.njit
    def g(x):
        way = "double"
        if x > 0:
            way = "single"
        return by_name(x, way)

    assert [g(x) for x in (1, -1)] == [g.py_func(x) for x in (1, -1)]  # a text chosen at run time


@pytest.mark.parametrize("dtype", [np.float32, np.uint64, np.int16])
def test_views_of_another_dtype(dtype):
    x = rng.random((3, 4))
    view = ks.njit(lambda a: a.view(dtype))
    np.testing.assert_array_equal(view(x), x.view(dtype))
    if np.dtype(dtype).itemsize == 8:
        np.testing.assert_array_equal(view(x[:, ::2]), x[:, ::2].view(dtype))
    else:
        with pytest.raises(TypeError, match="needs an array in C order"):
            view(x[:, ::2])


def test_calls_without_their_arguments_are_errors():
    for function in (
        lambda x: np.arange(stop=x),
        lambda x: np.arange(step=x),
        lambda x: np.full(x),
        lambda x: np.zeros(),
        lambda x: np.linspace(x),
        lambda x: np.where(x),
        lambda x: x.reshape(),
        lambda x: np.array(),
    ):
        with pytest.raises(TypeError):
            ks.njit(function)(3)


@pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")
def test_rounding_is_numpys():
    for value in (
        1234,
        -25,
        15,
        1234.567,
        -2.5,
        0.5,
        1.55 + 2.45j,
        np.array([15, 25, -5]),
        np.array([1.25, -0.5, np.nan]),
    ):
        for digits in (-2, -1, 0, 1):
            for function in (np.round, np.around):
                np.testing.assert_array_equal(
                    ks.jit(lambda x, d: function(x, d))(value, digits),  # noqa: B023
                    function(value, digits),
                )
            np.testing.assert_array_equal(ks.jit(lambda x: np.round(x, decimals=-1))(value), np.round(value, -1))
        np.testing.assert_array_equal(ks.jit(lambda x: np.around(x))(value), np.around(value))
    for digits in (-1, 0, 1):
        assert ks.jit(lambda x, d: round(x, d))(1235, digits) == round(1235, digits)


@pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")
def test_identity_of_arrays():
    x = np.ones(3)
    for compiled in (ks.jit(lambda a, b: a is b), ks.jit(lambda a, b: not (a is not b))):
        assert compiled(x, x) is True and compiled(x, x.copy()) is False
    assert ks.jit(lambda a: a is None)(x) is False


def test_axes_nan_and_shapes_as_numpy_has_them():
    a = np.arange(12.0).reshape(3, 4) ** 2
    np.testing.assert_array_equal(ks.njit(lambda a: np.diff(a))(a), np.diff(a))
    np.testing.assert_array_equal(ks.njit(lambda: np.eye(2, 4, 1))(), np.eye(2, 4, 1))
    sorted_nan, v = np.array([1.0, 2.0, np.nan, np.nan]), np.array([np.nan, 0.0, 2.0, 3.0])

    @ks.njit
    def left(a, v):
        return np.searchsorted(a, v)

    @ks.njit
    def right(a, v):
        return np.searchsorted(a, v, side="right")

    np.testing.assert_array_equal(left(sorted_nan, v), np.searchsorted(sorted_nan, v))
    np.testing.assert_array_equal(right(sorted_nan, v), np.searchsorted(sorted_nan, v, side="right"))

    @ks.njit
    def interp(x, xp, fp):
        return np.interp(x, xp, fp)

    x, xp = np.array([0.5, 1.5, 2.5]), np.arange(4.0)
    for fp in (np.array([1.0, -np.inf, 2.0, 3.0]), np.array([np.inf, np.inf, np.inf, 1.0])):
        np.testing.assert_array_equal(interp(x, xp, fp), np.interp(x, xp, fp))


def test_integer_powers_of_complex_numbers_are_products():
    def powers(z, n):
        return z**2, z**3, z**0, z**-2, z**n, z**2.0

    for z in (1j, 1 + 1j, -1 + 0j, 0.1 + 0.3j):
        assert ks.njit(powers)(z, 5) == powers(z, 5)


def test_texts_are_results():
    @ks.njit
    def name():
        return "abc"

    @ks.njit
    def f(n):
        return n, name(), "b"

    assert f(2) == (2, "abc", "b") and name() == "abc"


along_axes = {
    "cumsum": lambda a, k: np.cumsum(a, axis=k), "sort": lambda a, k: np.sort(a, axis=k), "argsort": lambda a, k: np.argsort(a, axis=k),
    "partition": lambda a, k: np.sort(np.partition(a, 1, axis=k)), "diff": lambda a, k: np.diff(a, axis=k), "flip": lambda a, k: np.flip(a, k),
    "expand_dims": lambda a, k: np.expand_dims(a, k), "stack": lambda a, k: np.stack((a, a), axis=k), "swapaxes": lambda a, k: np.swapaxes(a, 0, k),
    "transpose": lambda a, k: np.transpose(a, (k, 0)), "trace": lambda a, k: np.trace(a, 0, 0, k), "append": lambda a, k: np.append(a, a, axis=k),
    "concatenate": lambda a, k: np.concatenate((a, a), axis=k), "take": lambda a, k: np.take(a, np.array([0]), axis=k), "trapezoid": lambda a, k: np.trapezoid(a, axis=k),
    "compress": lambda a, k: np.compress(np.array([True]), a, axis=k), "delete": lambda a, k: np.delete(a, 0, axis=k), "repeat": lambda a, k: np.repeat(a, 2, axis=k),
    "roll": lambda a, k: np.roll(a, 1, axis=k),
}  # fmt: skip


@pytest.mark.parametrize("name", along_axes)
@pytest.mark.parametrize("shape", [(5,), (3, 4)])
def test_an_axis_that_an_array_does_not_have_is_an_error(shape, name):
    function, a = along_axes[name], np.arange(np.prod(shape) * 1.0).reshape(shape)[::-1]
    if len(shape) == 1 and name in ("swapaxes", "transpose", "trace"):
        pytest.skip("of two axes")
    compiled = ks.njit(function)
    for axis in range(-5, 5):
        try:
            want = function(a, axis)
        except (ValueError, IndexError):
            with pytest.raises(ValueError, match="out of bounds|repeated|the same"):
                compiled(a, axis)
        else:
            np.testing.assert_array_equal(compiled(a, axis), want)


@pytest.mark.parametrize("function", [np.partition, np.argpartition], ids=lambda f: f.__name__)
def test_places_of_a_partition_are_those_of_the_array(function):
    compiled, a = ks.njit(lambda a, k: function(a, k)), np.array([3.0, 1.0, 2.0])
    for k in (-4, 3, np.array([0, 5])):
        with pytest.raises(ValueError):
            function(a, k)
        with pytest.raises(ValueError, match="out of bounds"):
            compiled(a, k)
    np.testing.assert_array_equal(
        a[compiled(a, -1)] if function is np.argpartition else compiled(a, (0, -1)), np.sort(a)
    )


@pytest.mark.parametrize("shapes", [((5, 1), (4,)), ((1,), (3,)), ((2, 3), (1, 3)), ((3,), (2, 3))])
@pytest.mark.parametrize("function", [np.isclose, np.allclose], ids=lambda f: f.__name__)
def test_closeness_of_arrays_of_two_shapes(function, shapes):
    a, b = (np.arange(np.prod(shape) * 1.0).reshape(shape) for shape in shapes)
    got, want = ks.njit(lambda a, b: function(a, b))(a, b), function(a, b)
    np.testing.assert_array_equal(got, want)
    assert np.shape(got) == np.shape(want)
    with pytest.raises(ValueError):
        ks.njit(lambda a, b: function(a, b))(np.ones(3), np.ones(4))


@pytest.mark.parametrize("x", [3, True, 2.5, np.nan, -np.inf, np.float32(np.inf), np.float32(np.nan)])
def test_nan_to_num_of_numbers(x):
    got, want = ks.njit(lambda x: np.nan_to_num(x))(x), np.nan_to_num(x)
    assert (
        got == want
        and isinstance(got, bool) == isinstance(x, bool)
        and isinstance(got, float) == isinstance(x, (float, np.floating))
    )


@pytest.mark.parametrize("function", [divmod, np.divmod], ids=["builtin", "numpy"])
def test_divmod_of_arrays(function):
    a, compiled = np.array([-7, 7, 5]), ks.njit(lambda x, y: function(x, y))
    for x, y in ((a, 2), (a, -a), (9, a), (a * 1.5, 2)):
        for got, want in zip(compiled(x, y), function(x, y), strict=True):
            np.testing.assert_array_equal(got, want)
    if function is divmod:
        with pytest.raises(ZeroDivisionError):
            compiled(7, 0)


@pytest.mark.parametrize("shape", [-2, (3, -2), (-3, -2)])
def test_lengths_below_zero(shape):
    for made in (ks.njit(lambda s: np.zeros(s)), ks.njit(lambda s: np.empty(s))):
        with pytest.raises(ValueError, match="negative dimensions"):
            made(shape)
    for made in (lambda n: np.eye(n), lambda n: np.eye(3, n), lambda n: np.identity(n)):
        with pytest.raises(ValueError):
            made(-2)
        with pytest.raises(ValueError, match="negative dimensions"):
            ks.njit(made)(-2)


def test_a_histogram_has_a_bin():
    for bins in (0, -1):
        with pytest.raises(ValueError):
            np.histogram(np.ones(3), bins)
        with pytest.raises(ValueError, match="positive"):
            ks.njit(lambda a, n: np.histogram(a, n))(np.ones(3), bins)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.float64])
def test_unwrap_of_small_integers_wraps_nothing_around(dtype):
    x = np.array([-128, 127, 5, 3, 100]).astype(dtype)
    np.testing.assert_allclose(ks.njit(lambda x: np.unwrap(x))(x), np.unwrap(x.astype(float)))


@pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")
@pytest.mark.parametrize("function", [np.tril_indices_from, np.triu_indices_from], ids=lambda f: f.__name__)
def test_triangles_are_of_two_axes(function):
    with pytest.raises(ValueError):
        ks.jit(lambda a: function(a))(np.ones((2, 3, 4)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float64, np.complex128])
def test_an_average_of_small_integers_wraps_nothing_around(dtype):
    a = np.array([100, 120, 27]).astype(dtype)
    np.testing.assert_allclose(ks.njit(lambda a: np.average(a, weights=a))(a), np.average(a, weights=a))


def test_the_smallest_the_largest_bits_attributes_and_hashes_of_tuples():
    def few(a):
        return (
            heapq.nsmallest(2, a),
            heapq.nlargest(3, a),
            heapq.nlargest(0, a),
            heapq.nsmallest(9, a, key=lambda x: -x),
        )

    def attributes(z):
        return getattr(z, "real"), getattr(z, "imag")  # noqa: B009

    def hashes(x, y):
        return hash((x, y)), hash(()), hash((x, (y, -1), True))

    for function, given in [
        (few, ([3, 1, 2, 1],)),
        (few, ([2.5, -1.0],)),
        (attributes, (1 + 2j,)),
        (hashes, (3, 2.5)),
        (hashes, (-(2**40), -1)),
    ]:
        assert ks.njit(function)(*given) == function(*given)
    bits = ks.njit(lambda k: random.getrandbits(k))
    assert {bits(2) for _ in range(200)} == {0, 1, 2, 3} and bits(0) == 0
    with pytest.raises(OverflowError):
        bits(-1)
