"""Numbers beside arrays of integers, masks and parts that overlap: what NumPy gives, or its exception."""

import math

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core

PLACES = [
    "cpu",
    "as_device",
    pytest.param("cuda", marks=[pytest.mark.cuda, pytest.mark.skipif(not ks.has_device("cuda"), reason="no GPU")]),
]
integers = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def outcome(function, place, *arguments):
    """What it gives and what it leaves in its arrays, or its exception."""
    held = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    if place == "cuda":
        held = [ks.asarray(x, device="cuda") if isinstance(x, np.ndarray) else x for x in held]
    before = _core._jit_offload_to_cpu(place == "as_device")
    try:
        result = function(*held)
    except (OverflowError, ValueError, IndexError, TypeError) as error:
        return next(c for c in (OverflowError, IndexError, ValueError, TypeError) if isinstance(error, c))
    finally:
        _core._jit_offload_to_cpu(before)
    return [result, *held]


def agree(function, *arguments, place="cpu"):
    want, have = outcome(function, "", *arguments), outcome(ks.njit(function), place, *arguments)
    if isinstance(want, type) or isinstance(have, type):
        assert want == have
        return
    for a, b in zip(want, have, strict=True):
        if isinstance(a, np.ndarray):
            b = np.asarray(b.numpy()) if isinstance(b, ks.Array) else b
            assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(b, a)


def added(a, n):
    return a + n


def added_before(a, n):
    return n - a


def augmented(a, n):
    a *= n


def augmented_where(a, n):
    a[a > 2] += n


def stored(a, n):
    a[1:] = n


def stored_where(a, n):
    a[a > 2] = n


def filled(a, n):
    a.fill(n)


def lowest(a, n):
    return np.minimum(a, n)


def chosen(a, n):
    return np.where(a > 2, a, n)


def full(a, n):
    return np.full_like(a, n)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("n", [0, -1, 127, 128, -129, 300, 2**31, -(2**33)])
@pytest.mark.parametrize("dtype", integers)
def test_a_number_that_an_array_cannot_hold(dtype, n, place):
    a = np.arange(5).astype(dtype)
    functions = [added, added_before, augmented, augmented_where, stored, stored_where, filled, lowest, full]
    for function in functions if place == "cpu" else functions[:1] + functions[4:6]:
        with np.errstate(all="ignore"):
            agree(function, a, n, place=place)
    info = np.iinfo(dtype)
    if info.min <= n <= info.max:
        agree(chosen, a, n, place=place)
    else:  # NumPy 2.4 and before it store what is left of the number
        assert outcome(ks.njit(chosen), place, a, n) is OverflowError


def test_constants_and_the_sentence():
    @ks.njit
    def f(a):
        a += 300

    with pytest.raises(OverflowError, match=r"(?s)Python integer 300 out of bounds for int8.*a \+= 300"):
        f(np.ones(3, np.int8))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("n", [0, -1, 3, 255, 256, -200, 2**40])
@pytest.mark.parametrize("dtype", integers)
def test_comparisons_take_numbers_as_they_are(dtype, n, place):
    def f(a, n):
        return a < n, a <= n, a > n, a >= n, a == n, a != n, n < a, n >= a

    def known(a, n):
        return a > -1, 300 > a, a == 256, a != -1

    a = np.array([0, 1, 3, 100]).astype(dtype)
    for f_ in (f, known):
        want, held = f_(a, n), ks.asarray(a, device="cuda") if place == "cuda" else a
        before = _core._jit_offload_to_cpu(place == "as_device")
        try:
            have = ks.njit(f_)(held, n)
        finally:
            _core._jit_offload_to_cpu(before)
        assert [np.asarray(x).tolist() for x in have] == [x.tolist() for x in want]


def test_signs_that_no_type_holds():
    def f(a, b):
        return a[0] < b[0], b[0] > a[0], a[0] == b[0], a < b, a >= b, b != a

    for a, b in ((-1, 2**64 - 1), (5, 5), (5, 2**63), (-5, 0), (2**62 + 1, 2**62)):
        x, y = np.array([a, 3]), np.array([b, 4], np.uint64)
        want = [a < b, b > a, a == b, [a < b, True], [a >= b, False], [a != b, True]]
        assert [np.asarray(v).tolist() for v in ks.njit(f)(x, y)] == want


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("low", "high"), [(-1, 3), (2, 300), (-5, 1000), (0, 1), (300, 400)])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64"])
def test_bounds_that_nothing_reaches(dtype, low, high, place):
    def clipped(a, low, high):
        return a.clip(low, high)

    agree(clipped, np.arange(6).astype(dtype), low, high, place=place)


@pytest.mark.parametrize("n", [-1, -3, 0, 2])
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float64"])
def test_negative_powers(dtype, n):
    def power(a, n):
        return a**n

    def by_array(a, n):
        return a ** np.array([1, n, 2])

    def known(a, n):
        return a**-1

    def augmented(a, n):
        a[1:] **= n

    a = np.array([1, 2, 3]).astype(dtype)
    for function in (power, known, augmented) + (() if dtype == "uint8" else (by_array,)):
        agree(function, a, n)


@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan, 1e300, -1e19, 2.0**63, -(2.0**63), 7.9, -7.9])
def test_floats_that_become_integers(x):
    for function in (int, round, math.floor, math.ceil, math.trunc):

        def f(x):
            return function(x)  # noqa: B023

        try:
            want = function(x)
            if not -(2**63) <= want < 2**63:
                want = OverflowError
        except (ValueError, OverflowError) as error:
            want = type(error)
        try:
            have = ks.njit(f)(x)
        except (ValueError, OverflowError) as error:
            have = OverflowError if isinstance(error, OverflowError) else ValueError
        assert have == want, function


def test_complex_arrays_have_an_order_and_numbers_have_none():
    def f(z, w):
        return z < w, z <= w, z > w, z >= 1, z == w

    def stored(z):
        z[z >= 0] = 1

    def number(z):
        return z[0] < z[1]

    nan = math.nan
    z = np.array([0, 1 + 1j, 1 - 1j, complex(nan, 1), complex(1, nan), -2])
    for w in (z[::-1].copy(), np.ones(6, complex)):
        for want, have in zip(f(z, w), ks.njit(f)(z, w), strict=True):
            np.testing.assert_array_equal(have, want)
    agree(stored, z)
    with pytest.raises(ks._jit.TypingError, match="'<' of complex numbers has no meaning"):
        ks.njit(number)(z)


def stretched(a):
    a[:] = a[:1] * 2


def stretched_sum(a):
    a[1:] += a[1:2]


def shifted(a):
    a[1:] = a[:-1] + a[1:]


def mirrored(a):
    a[:] = a[::-1] - a


def mask_of_itself(a):
    a[a[::-1] > 3] += 10


def store_where_shifted(a):
    a[1:][a[:-1] > 2] = 0


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_parts_that_overlap(n):
    for function in (stretched, stretched_sum, shifted, mirrored, mask_of_itself, store_where_shifted):
        agree(function, np.arange(1, n + 1))
        agree(function, np.arange(1.0, 2 * n + 1)[::2])


def test_rows_that_overlap():
    def first_row(m):
        m[:] = m[:1] * 2 + m

    def first_column(m):
        m += m[:, :1]

    def turned(m):
        m += m.T

    for function in (first_row, first_column, turned):
        agree(function, np.arange(9.0).reshape(3, 3) + 1)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_mask_has_the_length_of_its_array(n):
    def read(a, k):
        return a[k]

    def store(a, k):
        a[k] = 3

    def augment(a, k):
        a[k] += 3

    def added(a, k):
        return (a + 1)[k].sum()

    for function in (read, store, augment, added):
        agree(function, np.arange(3), np.ones(n, bool))


@pytest.mark.parametrize("second", ["int8", "float32", "uint16", "complex64"])
@pytest.mark.parametrize("first", ["int8", "float32", "int64"])
def test_products_have_the_dtype_of_their_arrays(first, second):
    def f(a, b):
        return np.outer(a, b), np.convolve(a, b), np.kron(a.reshape(1, 3), b.reshape(1, 3))

    a, b = np.array([1, 2, 3]).astype(first), np.array([4, 5, 6]).astype(second)
    for want, have in zip(f(a, b), ks.njit(f)(a, b), strict=True):
        assert want.dtype == have.dtype
        np.testing.assert_array_equal(have, want)


def test_in_place_operators_as_functions():
    import operator

    def numbers(x, y):
        return (
            operator.iadd(x, y),
            operator.isub(x, 1),
            operator.ifloordiv(x, 2),
            operator.ior(x, 8),
            operator.ipow(x, 2),
        )

    def array(a):
        operator.imul(a, 3)
        a = operator.iadd(a, 1)
        return a

    assert ks.njit(numbers)(5, 2) == numbers(5, 2)
    agree(array, np.arange(4))
    agree(array, np.arange(4.0))


@pytest.mark.parametrize("name", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
def test_functions_compare_numbers_of_both_signs_by_their_values(name):
    compare = getattr(np, name)
    compiled = ks.njit(lambda a, b: compare(a, b))
    signed, unsigned = np.array([-1, -1, 0, 1, -(2**63)]), np.array([0, 2**64 - 1, 0, 0, 2**63], np.uint64)
    for a, b in ((signed, unsigned), (unsigned, signed), *zip(signed, unsigned, strict=True)):
        np.testing.assert_array_equal(compiled(a, b), compare(a, b))


@pytest.mark.parametrize("name", ["log2", "log1p", "expm1", "sign", "maximum", "minimum", "fmax", "fmin", "power"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_functions_of_complex_numbers(name, dtype):
    function = getattr(np, name)
    x, y = np.array([1 + 2j, -0.5 + 0.25j, 2 - 3j], dtype), np.array([1 + 1j, 2 - 1j, 2 + 1j], dtype)
    if function.nin == 1:
        want, have = function(x), ks.njit(lambda a: function(a[0]))(x)
    else:
        want, have = function(x, y), ks.njit(lambda a, b: function(a[0], b[0]))(x, y)
    np.testing.assert_allclose(have, want[0], rtol=8 * np.finfo(dtype).eps)


def test_the_inverse_of_a_truth_value_is_a_truth_value():
    def inverses(a):
        return ~a[0], ~(a[1] == a[0]), ~a.any(), ~(~a[0])

    a = np.array([True, False])
    assert ks.njit(inverses)(a) == inverses(a) and all(isinstance(each, bool) for each in ks.njit(inverses)(a))
    assert ks.njit(lambda n: ~n)(5) == -6


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_complex_number_is_not_divided_by_zero(dtype):
    def quotient(a, b):
        return a / b

    one = np.dtype(dtype).type(1 + 2j)
    for zero in (0j, 0, 0.0, False):
        with pytest.raises(ZeroDivisionError):
            ks.njit(quotient)(one, zero)
    assert ks.njit(quotient)(one, one) == 1
    assert not np.isfinite(ks.njit(error_model="numpy")(quotient)(one, 0j))


def test_a_product_of_matrices_in_place_runs_in_the_interpreter():
    def product(a, b):
        a @= b
        return a

    a, b = np.arange(4.0).reshape(2, 2), np.ones((2, 2))
    with pytest.raises(TypeError, match="@= cannot be compiled"):
        ks.njit(product)(a, b)
    with pytest.warns(ks.Warning):
        np.testing.assert_array_equal(ks.jit(product)(a.copy(), b), a @ b)


largest = np.uint64(2**64 - 1)


def test_unsigned_numbers_of_numpy_outside_of_a_function_keep_all_bits():
    def store(out):
        out[0] = largest
        return largest >> np.uint64(1)

    out = np.zeros(1, np.uint64)
    assert ks.njit(store)(out) == 2**63 - 1 and out[0] == largest


def test_the_hash_of_a_number_is_pythons():
    hashed = ks.njit(lambda x: hash(x))
    powers = [2**k + d for k in (0, 1, 31, 52, 53, 60, 61, 62) for d in (-2, -1, 0, 1)]
    numbers = [*powers, *(-x for x in powers), 2**63 - 1, -(2**63), True, False]
    floats = [
        0.0,
        -0.0,
        0.5,
        -1.0,
        1e-320,
        5e-324,
        1e308,
        -1.7e308,
        math.pi,
        2.0**61 - 1,
        2.0**61,
        2.0**-61,
        math.inf,
        -math.inf,
        1e22,
    ]
    floats += np.random.default_rng(3).standard_cauchy(200).tolist() + [float(x) for x in powers]
    numbers += (
        floats + [complex(a, b) for a, b in zip(floats, reversed(floats), strict=True)] + [complex(-1, 0), 1j, -1j]
    )
    numbers += [of(x) for of in (np.float32, np.float16, np.complex64) for x in (-1.0, 0.1, 2.5, 1000.0)]
    numbers += [of(x) for of in (np.int8, np.uint8, np.int32, np.uint32, np.uint64) for x in (0, 1, 127)]
    numbers += [np.uint64(2**64 - 1), np.uint64(2**61 - 1), np.uint64(2**63 + 5), np.int8(-1)]
    for x in numbers:
        assert hashed(x) == hash(x), repr(x)
    assert hashed(math.nan) == 0  # Python's is another one for each object
    with pytest.raises(ks._jit.TypingError):
        hashed(np.ones(2))
