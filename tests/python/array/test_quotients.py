"""x // y, x % y and fmod of every number against NumPy: these are vector code, quotients of integers through floats."""

import numpy as np
import pytest

import kasoku as ks

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
OPERATIONS = ["floor_divide", "remainder", "fmod"]


def same(name, a, b, device):
    with np.errstate(all="ignore"):
        want = getattr(np, name)(a, b)
        if name == "floor_divide" and want.dtype.kind == "f":  # as the array API has it where one is infinite
            want = np.where(np.isinf(a) | np.isinf(b), a / b, want)
    got = getattr(ks, name)(ks.array(a, device=device), ks.array(b, device=device)).numpy()
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)
    if want.dtype.kind == "f":
        known = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(want)[known])


def of_all_sizes(g, dtype, n):
    i = np.iinfo(dtype)
    return g.integers(i.min, i.max, n, dtype=dtype, endpoint=True) >> g.integers(0, i.bits, n).astype(dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_integers(name, dtype, device):
    """Zero and -1 as divisors, the ends of the type, and the neighbours of multiples, where a quotient could round up."""
    g, i = np.random.default_rng(1), np.iinfo(dtype)
    ends = np.array([0, 1, 2, 3, 7, 10, i.max, i.max - 1, i.max // 2, i.max // 3, i.min, i.min + 1], dtype)
    if i.min < 0:
        ends = np.concatenate([ends, -ends[1:6]])
    a, b = (x.ravel() for x in np.meshgrid(ends, ends))
    same(name, a, b, device)
    same(name, a[:5], b[:5], device)
    a, b = of_all_sizes(g, dtype, 1 << 14), of_all_sizes(g, dtype, 1 << 14)
    same(name, a, b, device)
    multiples = a * b
    one = np.array(1, dtype)
    for near in (multiples, multiples - one, multiples + one):
        same(name, near.astype(dtype), b, device)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_integers_by_a_number(name, dtype, device):
    """A CPU's kernels multiply by what they find out about the number first: each way to do so, each end, 0 and -1."""
    g, i = np.random.default_rng(1), np.iinfo(dtype)
    few = i.bits == 8
    divisors = (
        range(i.min, i.max + 1)
        if few
        else {0, i.max, i.max - 1, i.min, i.min + 1, i.max // 2, i.max // 2 + 1, *range(1, 18), 37, 100, 641, 1000}
    )
    divisors = set(divisors) | {x for k in range(i.bits - 1) for x in ((1 << k) - 1, 1 << k, (1 << k) + 1)}
    if i.min < 0:
        divisors |= {-x for x in divisors}
    a = np.arange(i.min, i.max + 1).astype(dtype) if few else of_all_sizes(g, dtype, 60)
    x = ks.array(a, device=device)
    for divisor in sorted(d for d in divisors if i.min <= d <= i.max):
        near = np.array([], dtype)
        if not few and divisor:
            with np.errstate(all="ignore"):
                multiples = (a // np.array(divisor, dtype) * np.array(divisor, dtype)).astype(dtype)
            near = np.concatenate([multiples, multiples - np.array(1, dtype), np.array([i.min, i.max, 0], dtype)])
        values = np.concatenate([a, near])
        with np.errstate(all="ignore"):
            want = getattr(np, name)(values, divisor)
        got = getattr(ks, name)(x if few or not divisor else ks.array(values, device=device), divisor).numpy()
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want, err_msg=str(divisor))


def test_a_number_that_divides_in_fused_kernels(device):
    """The same number in two operations, of two widths, and before the ends of a group: reductions, scans, stores at indices."""
    a = np.random.default_rng(2).integers(-1000, 1000, (70, 50))
    x, narrow = ks.array(a, device=device), ks.array(a.astype(np.int8), device=device)
    d = -7
    want = (a // d) * 3 + a % d - a.astype(np.int8) % 5
    np.testing.assert_array_equal(((x // d) * 3 + x % d - narrow % 5).numpy(), want)
    np.testing.assert_array_equal((x % 7).sum(axis=0).numpy(), (a % 7).sum(axis=0))
    np.testing.assert_array_equal((x // 7).max(axis=1).numpy(), (a // 7).max(axis=1))
    np.testing.assert_array_equal(ks.cumsum(x // 3, axis=1).numpy(), np.cumsum(a // 3, axis=1))
    got, expected = ks.zeros(70, "int64", device=device), np.zeros(70, np.int64)
    got[x[:, 0] % 70], expected[a[:, 0] % 70] = 1, 1
    np.testing.assert_array_equal(got.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_floats(name, dtype, device):
    """Quotients too large for the type's whole numbers among others, in each lane; the remainder is exact all the same."""
    g, info = np.random.default_rng(1), np.finfo(dtype)
    ends = np.array([0, 1, 2, 3, 0.1, 0.3, 5.5, 2.0**22, 2.0**24, 2.0**53, 1e30, info.max, info.tiny,
                     info.smallest_subnormal, np.inf, np.nan], dtype)  # fmt: skip
    ends = np.concatenate([ends, -ends])
    a, b = (x.ravel() for x in np.meshgrid(ends, ends))
    same(name, a, b, device)
    same(name, a[:5], b[:5], device)
    n = 1 << 14
    whole = {4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
    bits = lambda: g.integers(0, np.iinfo(whole).max, n, whole).view(dtype)  # noqa: E731
    same(name, bits(), bits(), device)
    divisor = g.uniform(0.5, 2, n).astype(dtype)
    multiples = (divisor * g.integers(1, 1 << 26, n)).astype(dtype)
    for near in (multiples, np.nextafter(multiples, np.array(0, dtype)), -multiples):
        same(name, near, divisor, device)
    same(name, g.normal(0, 100, n).astype(dtype), g.integers(-50, 50, n).astype(dtype), device)
    for lane in range(33):
        a = np.full(80, 7.5, dtype)
        a[lane] = 1e30
        same(name, a, np.full(80, 0.7, dtype), device)


@ks.njit
def floor_quotient(a, b):
    return a // b


def test_two_numbers_of_a_compiled_function_are_divided_as_pythons():
    """Also where one is infinite, which is not so for arrays."""
    numbers = [1.0, -1.0, 0.5, -7.25, 3.0, float("inf"), float("-inf"), float("nan")]
    for a in numbers:
        for b in numbers:
            want, got = a // b, floor_quotient(a, b)
            assert got == want or (got != got and want != want), (a, b, got, want)
            assert np.signbit(got) == np.signbit(want) or want != want, (a, b, got, want)
