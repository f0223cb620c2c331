"""Compiled functions whose arrays lie on a device: the host program and its kernels give the bits that
the same function gives on the CPU. `as_device` runs them with the CPU as that device, where every
machine can test them; `cuda` on a GPU."""

import math
import random

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core, prange


def same(a, b):
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return a == b or (a != a and b != b)


def check(place, function, *args, exactly=True, seed=None, **options):
    """The function on the CPU and there: results and what it writes into arrays, bit by bit."""
    copies = lambda: [x.copy() if isinstance(x, np.ndarray) else x for x in args]  # noqa: E731
    on_host, there = copies(), [place.put(x) for x in copies()]
    compiled = ks.jit(function, **options)
    if seed is not None:
        _core._jit_seed(seed)
    before = _core._jit_offload_to_cpu(False)
    try:
        want = compiled(*on_host)
    finally:
        _core._jit_offload_to_cpu(before)
    if seed is not None:
        _core._jit_seed(seed)
    with place:
        got = place.get(compiled(*there))
    pairs = [(want, got)] + [
        (a, place.get(b)) for a, b in zip(on_host, there, strict=True) if isinstance(a, np.ndarray)
    ]
    for a, b in pairs:
        if exactly:
            assert same(a, b), (a, b)
        else:
            np.testing.assert_allclose(b, a, rtol=1e-13)
    return got, compiled


rng = np.random.default_rng(3)
SIZES = [0, 1, 7, 1000, 70_001]


# --- parallel loops ---------------------------------------------------------------------------------


def scaled(x, y, a):
    for i in prange(len(x)):
        y[i] = a * x[i] + 1


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8"])
def test_an_iteration_is_a_thread(place, n, dtype):
    x = (rng.random(n) * 100).astype(dtype)
    check(place, scaled, x, np.zeros(n), 3)


def strided(x, y):
    for i in prange(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] += x[j, i] * 2


def test_strided_and_two_dimensional_arrays(place):
    check(place, strided, rng.random((30, 40)), rng.random((40, 30)))
    x = rng.random((60, 80))[::2, ::2]
    y = rng.random((40, 30))
    if place.name == "as_device":
        check(place, strided, x, y)


def sums(x):
    s, p, low, high, n, m = 0.0, 1.0, 1e9, -1e9, 0, 0
    for i in prange(x.size):
        s += x[i]
        p *= 1.0 + x[i] * 1e-6
        low = min(low, x[i])
        high = max(high, x[i])
        if x[i] > 0.5:
            n += 1
        m ^= i
    return s, p, low, high, n, m


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 1000, 70_001, 1_000_000])
def test_reductions_have_the_same_bits(place, n):
    got, _ = check(place, sums, rng.random(n))
    assert got[5] == (0 if n == 0 else [n - 1, 1, n, 0][(n - 1) % 4])


def sum32(x):
    s = np.float32(0)
    for i in prange(x.size):
        s += x[i]
    return s


def test_float32_sums(place):
    check(place, sum32, rng.random(100_000).astype(np.float32))


def last_value(x):
    last = 0.0
    for i in prange(x.size):
        last = x[i] * 2
    return last


def test_what_the_last_iteration_leaves(place):
    for n in (0, 1, 300, 5000):
        check(place, last_value, rng.random(n))


def nested(x):
    total = 0.0
    for i in prange(x.shape[0]):
        row = 0.0
        for j in range(x.shape[1]):
            row += x[i, j]
        if row > 10:
            continue
        total += row
    return total


def test_inner_loops_and_continue(place):
    check(place, nested, rng.random((500, 21)))


def starts_and_steps(x, a, b, c):
    for i in prange(a, b, c):
        x[i] = i
    return x


def test_starts_and_steps(place):
    check(place, starts_and_steps, np.zeros(100), 3, 90, 7)
    check(place, starts_and_steps, np.zeros(100), 90, 3, -7)
    check(place, starts_and_steps, np.zeros(100), 5, 5, 1)


@ks.jit
def poly(x, a):
    return a * x * x + x


def calls(x, a):
    y = np.empty_like(x)
    for i in prange(len(x)):
        y[i] = poly(x[i], a) + math.sqrt(x[i])
    return y


def test_functions_called_in_a_loop(place):
    check(place, calls, rng.random(1000), 2.5)


def rows(x):
    out = np.zeros(x.shape[0])
    for i in prange(x.shape[0]):
        out[i] = np.sum(x[i]) + np.max(x[i, 1:]) + np.mean(x[i] * 2)
    return out


@pytest.mark.parametrize("width", [2, 3, 100, 3000])
def test_array_expressions_inside_an_iteration(place, width):
    check(place, rows, rng.random((20, width)))


outside = rng.random(50)


def reads_outside(x):
    for i in prange(x.size):
        x[i] += outside[i % 50]
    return x.sum()


def test_arrays_outside(place):
    if place.name == "cuda":
        with pytest.raises(ks.TypingError if hasattr(ks, "TypingError") else Exception, match="host memory"):
            check(place, reads_outside, rng.random(200))
    else:
        check(place, reads_outside, rng.random(200))


# --- draws ---------------------------------------------------------------------------------------------


def pi(n):
    count = 0
    for _ in prange(n):
        x, y = random.random(), random.random()
        count += x * x + y * y <= 1
    return 4 * count / n


def draws_into(x):
    for i in prange(x.size):
        x[i] = random.random() + random.gauss(0, 1) + random.randint(1, 6)
    return x


def draws_of_arrays(n):
    x = np.random.rand(n)
    y = np.random.normal(2.0, 3.0, n)
    z = np.random.randint(-5, 17, n)
    u = np.random.uniform(-1.0, 1.0, n)
    e = np.random.exponential(2.0, n)
    return x, y, z, u, e, np.random.rand(3, n)


def test_draws_are_the_same(place):
    for n in (1, 1000, 300_000):
        got, _ = check(place, pi, n, seed=7)
    assert abs(got - math.pi) < 0.02
    check(place, draws_into, np.zeros(5000), seed=8)
    check(place, draws_of_arrays, 4001, seed=9)


def pi_of_floats(n):
    count = 0
    for _ in prange(n):
        x, y = np.float32(random.random()), np.float32(random.random())
        if x * x + y * y < np.float32(1):
            count += 1
    return count


def sum_of_floats(n):
    total, last = np.float32(0), -1.0
    for i in prange(n):
        if i % 3 == 1:
            continue
        x = np.float32(np.random.rand())
        last = x
        total += x * np.float32(i % 7)
    return total, last


def floats_into(x):
    for i in prange(x.shape[0]):
        x[i, 0] = np.float32(random.random())
        x[i, 1] = np.float32(np.random.rand()) - 0.25
    return x


def floats_at_times(x):
    for i in prange(x.size):
        if i % 2:
            x[i] = np.float32(random.random())
        else:
            for _ in range(5):
                x[i] += np.float32(random.random())
    return x


@pytest.mark.parametrize("n", [1, 255, 257, 511, 5000, 262_143, 262_144, 262_144 + 777, 600_001, 2**20 + 2**19 + 3])
def test_floats_share_calls_and_are_the_same(place, n):
    """Pairs of rows, what is left of them, chunks that end between two iterations that share a call."""
    check(place, pi_of_floats, n, seed=n)
    check(place, sum_of_floats, n, seed=n + 1)
    check(place, floats_into, np.zeros((n % 9001 + 1, 2), np.float32), seed=n + 2)
    check(place, floats_at_times, np.zeros(n % 9001 + 1), seed=n + 3)


def mean_square(n):
    x = np.random.rand(n)
    y = np.random.rand(n)
    return 4 * np.mean(x * x + y * y < 1)


def test_arrays_of_draws_that_are_never_stored(place):
    got, _ = check(place, mean_square, 200_000, seed=3)
    assert abs(got - math.pi) < 0.02


# --- array expressions -------------------------------------------------------------------------------


def fused(x, y, a):
    return np.sqrt(x * x + y) * a - np.where(x > 0.5, x, -y)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("n", SIZES)
def test_expressions(place, dtype, n):
    x, y = (rng.random(n) * 9).astype(dtype), (rng.random(n) * 9).astype(dtype)
    check(place, fused, x, y, 2)


def broadcasts(x, row, column):
    return x + row * column, np.maximum(x, row), np.clip(x, 0.25, 0.75)


def test_broadcasting(place):
    check(place, broadcasts, rng.random((30, 20)), rng.random(20), rng.random((30, 1)))


def all_reductions(x):
    return (np.sum(x), np.mean(x), np.min(x), np.max(x), np.std(x), np.var(x), np.argmin(x), np.argmax(x),
            np.any(x > 0.9), np.all(x >= 0), np.count_nonzero(x > 0.3), np.prod(1 + x * 1e-7))  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 1023, 1025, 8192, 8193, 300_000])
def test_reductions_of_arrays(place, n):
    x = rng.random(n)
    got, _ = check(place, all_reductions, x)
    np.testing.assert_allclose(got[:6], [x.sum(), x.mean(), x.min(), x.max(), x.std(), x.var()], rtol=1e-12)


def complex_reductions(z):
    return (
        np.sum(z),
        np.mean(z),
        np.std(z),
        np.var(z[z.size // 2 :]),
        np.mean(z[np.abs(z) > 0.5]),
        np.linspace(z[0], 2.0, 9),
    )


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("n", [2, 1025, 8193])
def test_reductions_of_complex_arrays(place, n, dtype):
    z = (rng.random(n) + 1j * rng.random(n)).astype(dtype)
    got, _ = check(place, complex_reductions, z)
    np.testing.assert_allclose(got[:3], [z.sum(), z.mean(), z.std()], rtol=1e-5 if dtype == "complex64" else 1e-12)
    assert isinstance(got[2], float)


def complex_elements(z, w):
    return z * w, z / w, np.square(z), np.reciprocal(w), w**3, np.abs(z * w)


def complex_functions(z, w):
    return z**w, np.sqrt(z), np.exp(z), np.arctan(w)


def complex_loops(z, w):
    out = np.empty((4, z.size), z.dtype)
    for i in range(z.size):
        out[0, i], out[1, i] = z[i] * w[i], z[i] / w[i]
        out[2, i], out[3, i] = z[i] * z[i], z.dtype.type(1) / w[i]
    return out


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_complex_numbers_are_the_same_everywhere(place, dtype):
    """In loops, in array expressions and in arrays: one formula of each operation, and one library of functions."""
    parts = np.array([0.0, -0.0, 0.1, -1.7, 3e-5, 1e30, np.inf, -np.inf, np.nan])
    z, w = (x.ravel() for x in np.meshgrid(*[(parts[:, None] + 1j * parts).ravel()] * 2))
    z, w = z.astype(dtype), w.astype(dtype)
    got, _ = check(place, complex_elements, z, w)
    a, b = ks.asarray(z), ks.asarray(w)
    arrays = (a * b, a / b, ks.square(a), ks.reciprocal(b), b**3, ks.abs(a * b))
    assert same(got, tuple(x.numpy() for x in arrays))
    looped = ks.njit(error_model="numpy")(complex_loops)(z, w)  # where zero divides
    for mine, theirs in zip(looped, got[:4], strict=True):
        assert same(mine, theirs)
    if place.name == "cuda":  # the functions are those of each device's library
        keep = np.isfinite(z) & np.isfinite(w) & (np.abs(z) < 9) & (np.abs(w) < 9)
        z, w = z[keep], w[keep]
        with place:
            got = place.get(ks.njit(complex_functions)(place.put(z), place.put(w)))
        for mine, theirs in zip(got, ks.njit(complex_functions)(z, w), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-5 if dtype == "complex64" else 1e-13)
        return
    got, _ = check(place, complex_functions, z, w)
    assert same(got, tuple(x.numpy() for x in (a**b, ks.sqrt(a), ks.exp(a), ks.arctan(b))))


def of_arrays(x):
    return np.sum(x), np.mean(x), np.sum(x, axis=0), np.max(x, axis=1), np.mean(x, axis=-1)


def test_sums_are_those_of_arrays(place):
    x = rng.random((300, 200))
    got, _ = check(place, of_arrays, x)
    a = ks.asarray(x)
    want = (
        ks.sum(a).item(),
        ks.mean(a).item(),
        ks.sum(a, axis=0).numpy(),
        ks.max(a, axis=1).numpy(),
        ks.mean(a, axis=-1).numpy(),
    )
    for mine, theirs in zip(got, want, strict=True):
        assert np.array_equal(mine, theirs)


def masks(x):
    big = x[x > 0.5]
    x[x < 0.1] = 0.0
    x[x > 0.9] *= 2
    return big, np.sum(x[x > 0.5]), len(x[x > 0.2]), np.mean(x[x > 0.25])


def test_masks(place):
    check(place, masks, rng.random(5000))


def stores(x, y):
    x[1:] = y[:-1] * 2
    x[:10] = 1
    x += y
    x[::3] -= 0.5
    x[1:-1] = x[2:] + x[:-2]
    return x


def test_stores_into_parts(place):
    check(place, stores, rng.random(1000), rng.random(1000))


def made(n):
    return np.zeros(n), np.ones((n, 2)), np.full(n, 7), np.arange(n), np.arange(0.0, 1.0, 0.1), np.linspace(0, 1, n)


def test_arrays_made_inside(place):
    check(place, made, 11)


def test_products(place):
    a, b, v = rng.random((20, 30)), rng.random((30, 25)), rng.random(30)
    with place:
        got = place.get(ks.jit(lambda a, b: a @ b)(place.put(a), place.put(b)))
        np.testing.assert_allclose(got, a @ b, rtol=1e-12)
        np.testing.assert_allclose(
            place.get(ks.jit(lambda a, v: np.dot(a, v))(place.put(a), place.put(v))), a @ v, rtol=1e-12
        )


def views(x):
    y = x.reshape(20, 50).T
    return y[3:7, ::2].copy(), y.ravel()[:5], x[10]


def test_views(place):
    check(place, views, rng.random(1000))


def returns_argument(x):
    x[0] = 5
    return x


def test_an_argument_comes_back_as_itself(place):
    x = place.put(np.zeros(3))
    with place:
        assert ks.jit(returns_argument)(x) is x


# --- loops in order -------------------------------------------------------------------------------------


def prefix(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        x[i] = total
    return total


def search(x, wanted):
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return -1


def newton(x):
    steps = 0
    error = 1.0
    while error > 1e-9:
        error = 0.0
        for i in range(len(x)):
            new = 0.5 * (x[i] + 2.0 / x[i])
            error = max(error, abs(new - x[i]))
            x[i] = new
        steps += 1
    return steps


def test_serial_loops(place):
    got, compiled = check(place, prefix, rng.random(1000))
    if place.name == "as_device":
        with place:
            compiled(rng.random(3))
    assert "one thread" in compiled.report()
    check(place, search, np.arange(100), 42)
    check(place, search, np.arange(100), 1000)
    check(place, newton, rng.random(50) + 0.5)


def relax(u, n_steps):
    v = u.copy()
    for _ in range(n_steps):
        for i in prange(1, u.size - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
    return u, np.max(np.abs(u - v))


def until_converged(u, tolerance):
    n = 0
    change = 1.0
    while change > tolerance:
        v = u.copy()
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        change = np.max(np.abs(v - u))
        u = v
        n += 1
    return n, u


def test_a_host_loop_around_kernels(place):
    u = np.zeros(200)
    u[0] = 1
    check(place, relax, u, 25)
    check(place, until_converged, u, 1e-3)


def elements(x):
    x[0] = x[1] + x[-1]
    x[2] += 4
    return x[0] * 2, int(x[2]), x[1:2].item()


def test_single_elements(place):
    check(place, elements, rng.random(10))


# --- errors --------------------------------------------------------------------------------------------


def out_of_range(x, y):
    for i in prange(len(x)):
        y[i + 5] = x[i]


def divides(x, y):
    total = 0
    for i in prange(len(x)):
        total += x[i] // y[i]
    return total


def raises(x):
    for i in prange(len(x)):
        if x[i] < 0:
            raise ValueError("a negative number")
    return 1


def test_errors_reach_the_caller(place):
    with place:
        with pytest.raises(
            IndexError, match=r"index \d+ is out of bounds for axis 0 of 'y', which has 10 elements\n.*out_of_range"
        ):
            ks.jit(out_of_range)(place.put(np.ones(10)), place.put(np.ones(10)))
        with pytest.raises(ZeroDivisionError, match="division by zero\n.*divides"):
            ks.jit(divides)(place.put(np.arange(10)), place.put(np.arange(10) - 3))
        with pytest.raises(ValueError, match="a negative number\n.*raises"):
            ks.jit(raises)(place.put(np.arange(10.0) - 3))
        with pytest.raises(IndexError, match="'x'"):
            ks.jit(prefix_too_far)(place.put(np.arange(10.0)))
        with pytest.raises(ValueError, match="(?s)broadcast.*does_not_fit"):
            ks.jit(does_not_fit)(place.put(np.arange(10.0)), place.put(np.arange(9.0)))
        # and the next call is as ever
        assert place.get(ks.jit(raises)(place.put(np.arange(10.0)))) == 1


def prefix_too_far(x):
    total = 0.0
    for i in range(len(x) + 1):
        total += x[i]
    return total


def does_not_fit(x, y):
    return x + y


def fails_then_writes(x, y):
    for i in prange(len(x)):
        x[i + 1] = 1.0
    y[:] = 2.0
    for i in prange(len(y)):
        y[i] = 3.0


def test_nothing_happens_after_a_failure(place):
    x, y = place.put(np.zeros(4)), place.put(np.zeros(4))
    with place:
        with pytest.raises(IndexError):
            ks.jit(fails_then_writes)(x, y)
    assert np.array_equal(place.get(y), np.zeros(4))


def test_report_says_where(place):
    with place:
        f = ks.jit(relax)
        f(place.put(np.zeros(20)), 2)
        assert "parallel, on the device" in f.report() and " on c" in f.report()


def test_arrays_of_two_places_are_refused():
    if not ks.has_device("cuda"):
        pytest.skip("no GPU")
    with pytest.raises(Exception, match="host memory"):
        ks.jit(fused)(ks.asarray(np.ones(3), device="cuda"), np.ones(3), 1)


def test_try_is_refused(place):
    def f(a):
        try:
            return a[10]
        except IndexError:
            return -1.0

    with (
        place,
        pytest.raises(ks._jit.TypingError, match="(?s)try cannot be compiled for arrays that lie on a device.*NumPy's"),
    ):
        ks.njit(f)(place.put(np.arange(3.0)))


def test_a_function_of_a_dict_that_has_no_form_there_runs_in_the_interpreter_each_time():
    def f(d, key):
        return d.get(key, 0) + 1

    before = _core._jit_offload_to_cpu(True)
    try:
        compiled = ks.jit(f)
        with pytest.warns(ks._jit.InterpretedWarning, match="on a device"):
            assert compiled({1: 2}, 1) == 3
        assert compiled({1: 2}, 7) == 1
    finally:
        _core._jit_offload_to_cpu(before)
