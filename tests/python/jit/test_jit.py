"""Compiled functions give what Python gives."""

import math
import random

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core, prange


def both(function, *args, **options):
    """The function's answer as Python gives it and as compiled, on equal copies of the arguments."""
    copy = lambda: [a.copy() if isinstance(a, np.ndarray) else a for a in args]  # noqa: E731
    mine, theirs = copy(), copy()
    want = function(*theirs)
    got = ks.njit(function, **options)(*mine)
    for a, b in zip(mine, theirs, strict=True):
        if isinstance(a, np.ndarray):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    return got, want


def agree(function, *args, **options):
    got, want = both(function, *args, **options)
    if isinstance(want, np.ndarray):
        assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12)


def floor_and_modulo(a, b):
    return a // b, a % b


@pytest.mark.parametrize("a", [7, -7, 7.5, -7.5, 0, 2**62])
@pytest.mark.parametrize("b", [2, -2, 2.5, -0.5, 3])
def test_floor_division_and_modulo_have_the_divisors_sign(a, b):
    agree(floor_and_modulo, a, b)


def powers(x, n):
    return x**2, x**3, x**-1, x**0.5, 2**n


def test_powers():
    agree(powers, 3.0, 5)


def chained(a, b, c):
    return (a < b < c, a < b > c, a == b != c, not a, a and b, a or b)


@pytest.mark.parametrize("args", [(1, 2, 3), (3, 2, 1), (0, 5, 5), (2, 2, 2)])
def test_comparisons_chain_and_logic_gives_values(args):
    agree(chained, *args)


def conditional(x):
    y = x if x > 0 else -x
    return y + (1 if y > 10 else 2)


def test_conditional_expressions():
    for x in (-20, 3, 0):
        agree(conditional, x)


def loops(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 50:
            break
        total += i
    else:
        total = -total
    k = 0
    while k * k < n:
        k += 1
    for i in range(n, 0, -2):
        total += i
    return total, k


@pytest.mark.parametrize("n", [0, 1, 10, 100])
def test_loops_with_continue_break_and_else(n):
    agree(loops, n)


def changes_type(x):
    y = 1
    y = y / 2
    x = x * 2
    x = x[1:]
    return y, x.sum()


def test_a_name_may_change_its_type():
    agree(changes_type, np.arange(5.0))


def stencil(x, y):
    for i in range(1, x.size - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def test_a_stencil():
    agree_none = both(stencil, np.random.rand(100), np.zeros(100))
    assert agree_none == (None, None)


def negative(x):
    return x[-1] + x[-x.size]


def test_negative_indices():
    agree(negative, np.arange(10.0))


def matrix_sum(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * (i + j)
    return total


@pytest.mark.parametrize("make", [lambda a: a, lambda a: a.T, lambda a: a[::2, 1:]])
def test_two_dimensional_arrays_of_any_layout(make):
    agree(matrix_sum, make(np.random.rand(7, 9)))


def reads_past(x):
    s = 0.0
    for i in range(x.size):
        s += x[i + 1]
    return s


def test_an_index_outside_is_an_error_that_names_array_index_and_line():
    with pytest.raises(
        IndexError,
        match=r"index 5 is out of bounds for axis 0 of 'x', which has 5 elements\n.*test_jit.py:\d+, in reads_past .*s \+= x\[i \+ 1\]",
    ):
        ks.jit(reads_past)(np.ones(5))


def guarded(x):
    s = 0.0
    for i in range(x.size + 3):
        if i + 1 < x.size:
            s += x[i + 1]
    return s


def test_an_index_that_a_condition_guards_is_no_error():
    agree(guarded, np.arange(6.0))


def divide(a, b):
    return a / b


def test_division_by_zero_by_error_model():
    with pytest.raises(ZeroDivisionError):
        ks.jit(divide)(1.0, 0.0)
    assert ks.jit(divide, error_model="numpy")(1.0, 0.0) == math.inf


def raises(n):
    if n < 0:
        raise ValueError("negative")
    assert n < 10, "too large"
    return n


def test_raise_and_assert():
    f = ks.jit(raises)
    assert f(3) == 3
    with pytest.raises(ValueError, match="negative"):
        f(-1)
    with pytest.raises(AssertionError, match="too large"):
        f(11)


def expressions(x, y):
    z = np.sqrt(x * x + y * y) + np.where(x > y, x, y) - 1
    return z[z > 0.2], z.mean(), np.sum(z), z.min(), z.max(), np.any(z > 1), np.all(z > -2), z.std()


def test_array_expressions():
    got, want = both(expressions, np.random.rand(1000), np.random.rand(1000))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def broadcasting(a, b):
    return a[:, None] * b + a.sum()


def test_broadcasting():
    agree(broadcasting, np.random.rand(4), np.random.rand(6))


def made(n):
    a = np.zeros((n, 2))
    a[:, 0] = np.arange(n)
    a[:, 1] = np.linspace(0.0, 1.0, n)
    b = np.ones_like(a)
    b += a * 2
    b[1:] = b[:-1]
    return a, b, np.full(3, 7), a.sum(axis=0), a.T @ b


def test_arrays_made_stored_and_returned():
    got, want = both(made, 5)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b)


def view(x):
    return x[1:3]


def test_a_view_of_an_argument_shares_its_memory():
    x = np.arange(5.0)
    y = ks.jit(view)(x)
    y[0] = 99
    assert x[1] == 99


def test_a_view_of_an_array_of_ours_keeps_it_and_no_reader_waits():
    tail = ks.jit(lambda x: x[1:])
    part = tail(ks.arange(1000) + 5)
    others = [ks.zeros(1000, dtype="int64").eval() for _ in range(8)]
    assert part[0] == 6 and len(others) == 8
    x = ks.arange(6) + 0
    part = tail(x)
    copied = x + 0
    np.asarray(part)[:] = 0
    assert copied.tolist() == [0, 1, 2, 3, 4, 5] and x.tolist() == [0] * 6


@ks.jit
def helper(a, b=2):
    return a * b


def calls(n):
    s = 0
    for i in range(n):
        s += helper(i) + helper(i, b=3)
    return s


def test_calls_of_other_functions_with_defaults_and_names():
    agree(calls, 10)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def test_recursion():
    agree(fib, 15)


scale = 3


def uses_global(x):
    return x * scale


def test_a_changed_global_is_seen():
    global scale
    f = ks.jit(uses_global)
    scale = 3
    assert f(2) == 6
    scale = 5
    assert f(2) == 10


def reads_declared(x):
    global scale, np
    total = 0.0
    for i in range(x.size):
        total += np.sqrt(x[i]) * scale
    return total


def test_a_global_that_is_only_read_may_be_declared():
    agree(reads_declared, np.arange(9.0))


def test_a_nonlocal_that_is_only_read_may_be_declared():
    step = 2.5

    def f(x):
        nonlocal step
        return x * step

    agree(f, 3.0)


@pytest.mark.parametrize("writes", ["scale = x", "scale += 1", "for scale in range(3): pass", "import numpy as scale"])
def test_a_global_that_is_written_is_refused(writes, tmp_path):
    names = {"ks": ks}
    text = f"def f(x):\n    global scale\n    {writes}\n    return x\n"
    file = tmp_path / "writes.py"
    file.write_text(text)
    exec(compile(text, str(file), "exec"), names)
    with pytest.raises(ks._jit.TypingError, match="global cannot be compiled yet|import cannot"):
        ks.njit(names["f"])(1)


def sum_in_parallel(x):
    s = 0.0
    biggest = x[0]
    count = 0
    for i in prange(x.size):
        s += x[i]
        biggest = max(biggest, x[i])
        if x[i] > 0.5:
            count += 1
    return s, biggest, count


@pytest.mark.parametrize("n", [1, 2, 1000, 300_000])
def test_reductions_of_prange(n):
    got, want = both(sum_in_parallel, np.random.default_rng(n).random(n))
    np.testing.assert_allclose(got, want, rtol=1e-9)


def joined_in_two_places(x, k):
    high, low, total, product = 5, 5, 0, 1
    for i in prange(x.size):
        high = max(high, x[i])
        low = min(k - i, low)
        total = total + x[i]
        if x[i] % 3 == 0:
            high = max(high, 2 * x[i])
            low = min(low, k + i)
        total = total - i
        product = product * (1 + x[i] % 2)
        product = (1 - 2 * (i % 2)) * product
    return high, low, total, product


def test_a_variable_joined_in_two_places_is_one_reduction():
    x = np.arange(-20, 20)[::-1].copy()
    compiled = ks.jit(joined_in_two_places)
    assert compiled(x, -7) == joined_in_two_places(x, -7)
    for name, kind in {"high": "max", "low": "min", "total": "sum", "product": "product"}.items():
        assert f"'{name}' is a {kind} reduction" in compiled.report()


def rows(a, out):
    for i in prange(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j]
        out[i] = s


def test_variables_of_a_parallel_body_are_its_own():
    both(rows, np.random.rand(50, 20), np.zeros(50))


def fails_in_parallel(x):
    for i in prange(x.size):
        x[i] = 1 // (i - 5)


def test_a_failure_inside_a_parallel_loop_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        ks.jit(fails_in_parallel)(np.zeros(10))


def estimate(n):
    inside = 0
    for _ in prange(n):
        x, y = random.random(), random.random()
        inside += x * x + y * y < 1.0
    return 4 * inside / n


def test_draws_are_right_and_concurrent_calls_differ():
    f = ks.jit(estimate)
    n = 1_000_000
    values = [f(n) for _ in range(4)]
    assert len(set(values)) > 1
    assert all(abs(v - math.pi) < 6 * math.sqrt(math.pi * (4 - math.pi) / n) for v in values)


@ks.jit
def float_draws(x, y, is_serial):
    if is_serial:
        for i in range(len(x)):
            x[i], y[i] = np.float32(random.random()), np.float32(random.random())
    else:
        for i in ks.prange(len(x)):
            x[i], y[i] = np.float32(random.random()), np.float32(random.random())


def test_draws_of_floats_are_even_and_independent():
    """Two of four words of a call are an iteration's, the other two those of the one 256 further on."""
    _core._jit_seed(11)
    n = 2**20
    x, y = np.zeros(n, np.float32), np.zeros(n, np.float32)
    float_draws(x, y, False)
    for u in (x, y):
        assert 0 <= u.min() and u.max() < 1
        chi_square = ((np.histogram(u, 1024, (0, 1))[0] - n / 1024) ** 2).sum() / (n / 1024)
        assert abs(chi_square - 1023) < 6 * math.sqrt(2 * 1023)
        assert len(np.unique(u)) > 0.9 * n
    # Beside each other, in the next iteration, and in the one that shares the call.
    for a, b in [
        (x, y),
        (x[1:], x[:-1]),
        (x[256:], x[:-256]),
        (y[256:], x[:-256]),
        (x[256:], y[:-256]),
        (y[256:], y[:-256]),
    ]:
        assert abs(np.corrcoef(a, b)[0, 1]) < 6 / math.sqrt(n)


@pytest.mark.parametrize("n", [1, 256, 257, 1000, 300_001])
def test_floats_of_serial_and_of_parallel_loops(n):
    """A loop's numbers are a function of its place in the program and of the iteration: the second loop has others."""
    _core._jit_seed(12)
    x, y = np.zeros(n, np.float32), np.zeros(n, np.float32)
    float_draws(x, y, False)
    want = ks.jit(float_draws.py_func, parallel=False)
    _core._jit_seed(12)
    again, other = np.zeros(n, np.float32), np.zeros(n, np.float32)
    want(again, other, False)
    np.testing.assert_array_equal(again, x)
    np.testing.assert_array_equal(other, y)
    _core._jit_seed(12)
    float_draws(again, other, True)
    assert n == 1 or not np.array_equal(again, x)


@ks.jit
def seeded(n):
    np.random.seed(42)
    s = 0.0
    for _ in range(n):
        s += random.random()
    return s


def first_hit(chance, limit):
    """How many draws there are before the first below the chance."""
    before = 0
    for _ in range(limit):
        if random.random() < chance:
            break
        before += 1
    return before


@pytest.mark.parametrize("options", [{}, {"fastmath": True}])
def test_a_loop_that_draws_may_break(options):
    f = ks.njit(**options)(first_hit)
    counts = [f(0.25, 10_000) for _ in range(4000)]
    assert abs(np.mean(counts) - 3) < 6 * math.sqrt(12 / 4000)  # a geometric law: mean 3, variance 12
    assert f(-1.0, 100) == 100


def test_a_seed_repeats_the_draws():
    assert seeded(100) == seeded(100)


@ks.jit
def set_seed():
    np.random.seed(5)


@ks.jit
def late_draws(first, out, others):
    for i in ks.prange(first + len(out)):
        if i >= first:
            out[i - first] = random.random()
    for i in range(first + len(out)):
        if i >= first:
            others[i - first] = random.random()


def test_the_draws_of_a_seed_stay_what_they_are():
    set_seed()
    out, others = np.zeros(2), np.zeros(2)
    late_draws(0, out, others)
    np.testing.assert_allclose(out, [0.8660515216956022, 0.01919801787531661], rtol=1e-15)
    np.testing.assert_allclose(others, [0.6370751006666042, 0.08361419874329412], rtol=1e-15)


@pytest.mark.slow
def test_iterations_beyond_2_to_the_32nd_have_draws_of_their_own():
    draws = []
    for first in (0, 2**32 - 2):
        set_seed()
        draws.append((np.zeros(4), np.zeros(4)))
        late_draws(first, *draws[-1])
    (early, _), (late, _) = draws
    assert len({*early, *late}) == 8
    np.testing.assert_allclose(late[2:], [0.638241160264696, 0.18320664027758382], rtol=1e-15)


@ks.jit
def moments(n):
    x = np.random.normal(1.0, 2.0, n)
    return x.mean(), x.std()


def test_normal_draws():
    mean, deviation = moments(200_000)
    assert abs(mean - 1) < 0.05 and abs(deviation - 2) < 0.05


def mandelbrot(c):
    z = 0j
    for i in range(100):
        z = z * z + c
        if abs(z) > 2:
            return i
    return 100


def test_complex_numbers():
    for c in (0j, 1 + 1j, -0.75 + 0.1j, 0.3 + 0.5j):
        agree(mandelbrot, c)


def test_what_has_no_compiled_form_names_the_line():
    def bad(x):
        return (yield x)

    reason = r"the generator bad has no compiled steps for a call from Python: what a yield gives back cannot be compiled\n.*, in bad"
    with pytest.raises(ks._jit.TypingError, match=reason):
        ks.njit(bad)(1)


def test_report_says_which_loops_are_vectorised():
    @ks.jit
    def f(x, y):
        for i in range(x.size):
            y[i] = x[i] * 2 + 1
        for i in range(1, x.size):
            y[i] = y[i - 1] * 0.5 + x[i]
        total = 0.0
        for i in prange(x.size):
            total += x[i] * y[i]
        k = 0
        while k < x.size and x[k] < 2:
            k += 1
        return np.sum(np.sqrt(x * x + y)) + total + k

    x = np.linspace(0, 1, 100)
    f(x, x.copy())
    first = f.py_func.__code__.co_firstlineno
    said = {}
    for line in f.report().splitlines()[1:]:
        where, text = line.strip().split("  ", 1)
        said.setdefault(int(where.rsplit(":", 1)[1]) - first, []).append(text)
    assert "vectorised" in said[2] and "vectorised" in said[7]
    assert "not vectorised: unsafe dependent memory operations in loop" in said[4]
    assert any(text.startswith("not vectorised: ") for text in said[10])


def test_report_and_text():
    f = ks.jit(sum_in_parallel)
    f(np.ones(10))
    assert "'s' is a sum reduction" in f.report() and "checked once" in f.report()
    assert "for (ks_i64" in next(iter(f.inspect_text().values()))
    assert f.signatures and f.py_func is sum_in_parallel


@ks.jit
def printing(x, y):
    print("x is", x, y, True)


def test_print(capsys):
    printing(1, 2.5)
    assert capsys.readouterr().out == "x is 1 2.5 True\n"
    for z in (5j, -2j, 1 + 2j, complex(-0.0, 3.0), complex(float("nan"), float("inf"))):
        printing(z, 0)
        assert capsys.readouterr().out == f"x is {z} 0 True\n"


def test_lists_and_tuples_are_printed_as_what_they_are(capsys):
    @ks.njit
    def f(n):
        print([1, 2], (1, n), [n], [[n], [2, 3]])

    f(7)
    assert capsys.readouterr().out == "[1, 2] (1, 7) [7] [[7], [2, 3]]\n"


def swap(x):
    for i in range(x.size // 2):
        x[i], x[x.size - 1 - i] = x[x.size - 1 - i], x[i]


def test_tuple_assignment_reads_before_it_writes():
    both(swap, np.arange(9.0))


def over_pairs(x, y):
    s = 0.0
    for k, (a, b) in enumerate(zip(x, y)):
        s += k * a * b
    for v in x:
        s += v
    return s


def test_enumerate_zip_and_arrays_are_looped_over():
    agree(over_pairs, np.random.rand(9), np.random.rand(9))


def over_elements(x):
    s = np.zeros(x.shape)
    t = 0.0
    for (i, j), v in np.ndenumerate(x):
        if v > 10:
            continue
        t += i * v - j
        s[i, j] = t
    for at in np.ndindex(x.shape):
        s[at] += at[0] - 2 * at[1]
        if x[at] == 7:
            break
    else:
        t = -1.0
    for i, j, k in np.ndindex(2, x.shape[0], 3):
        t += i * 100 + j * 10 + k
    for (i,), v in np.ndenumerate(x[0]):
        t -= i * v
    for (i,) in np.ndindex(x.shape[1]):
        t += i
    for at in np.ndindex(*x.shape):
        t += at[1] * 1000
    for _ in np.ndindex():
        t += 1e6
    return s + t


@pytest.mark.parametrize("of", [lambda x: x, lambda x: x.T, lambda x: x[::2, 1:], lambda x: x[:0]])
def test_places_of_elements_are_looped_over(of):
    x = of(np.arange(20.0).reshape(4, 5))
    if x.size:
        agree(over_elements, x)
    compiled = ks.jit(lambda x: [v for at, v in np.ndenumerate(x)])
    assert compiled(x) == x.ravel().tolist() and "interpreter" not in compiled.report()


def test_places_of_negative_lengths_are_refused():
    @ks.jit
    def count(n):
        k = 0
        for _ in np.ndindex(2, n):
            k += 1
        return k

    assert [count(3), count(0)] == [6, 0]
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        count(-1)


def integers(x):
    return x << 2, x >> 1, x & 6, x | 9, x ^ 5, ~x, -x, abs(x), round(2.5), int(3.9), float(x), divmod(x, 4)[1]


def test_integer_operations():
    agree(integers, 13), agree(integers, -13)


def test_methods_are_compiled():
    class A:
        @ks.jit
        def f(x, y):
            return y * 2

    assert ks.jit(lambda x: x + 1)(2) == 3


def empty_cases(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s, x.sum(), x[x > 0].size


def test_empty_arrays():
    agree(empty_cases, np.zeros(0))


@pytest.mark.parametrize("dtype", "bool int8 uint8 int16 int32 uint32 int64 uint64 float32 float64".split())
def test_every_dtype_comes_in(dtype):
    def total(x):
        s = 0
        for i in range(x.size):
            s += x[i]
        return s

    x = np.array([0, 1, 1, 0, 1]).astype(dtype)
    assert ks.jit(total)(x) == 3


def fused(x, y):
    a = x * 2
    b = a + y
    c = b * b - a
    return np.sum(c) + x[0]


def in_a_loop(x):
    s = 0.0
    for i in range(x.shape[0]):
        row = x[i] * 2
        s += np.sum(row * row) + x[i, 0]
    return s


def test_definitions_move_into_the_expression_that_reads_them():
    agree(fused, np.random.rand(50), np.random.rand(50))
    agree(in_a_loop, np.random.rand(5, 6))


@ks.jit
def same_draws(n):
    x = np.random.rand(n)
    return np.max(np.abs(x - x)), np.mean(np.random.rand(n) * np.random.rand(n))


def test_an_array_of_draws_is_drawn_once():
    zero, product = same_draws(100_000)
    assert zero == 0 and abs(product - 0.25) < 0.01


@pytest.mark.parametrize("parallel", [False, True])
def test_results_have_the_same_bits_with_and_without_the_pool(parallel):
    x = np.random.default_rng(5).random(1_000_003)

    def total(x):
        s = 0.0
        for i in prange(x.size):
            s += x[i] * 1.1
        return s, np.sum(x * 1.1)

    assert ks.jit(total, parallel=True)(x)[1] == ks.jit(total, parallel=parallel)(x)[1]


def test_branches_that_none_decides():
    def f(x, n=None, scale=None):
        if n is None:
            n = x.size
        if scale is not None and n > 0:
            x = x * scale
        k = 1 if scale is None else scale
        if not (scale is None or x is None):
            return x.sum() + k + n
        return x[:n].sum() + k

    x = np.arange(5.0)
    for more in [(), (3,), (None, 2.5), (3, 2.5)]:
        assert ks.njit(f)(x, *more) == f(x, *more)

    def late(n=None):
        for i in range(3):
            if n is None:
                n = i + 10
            else:
                n += 1
        return n

    assert ks.jit(late)(5) == late(5)
    assert ks.jit(late)() == late()


def odd(values, dtype="f8", **flags):
    """An array whose elements begin at odd addresses, as those of packed records and of messages do."""
    values = np.asarray(values, dtype)
    memory = np.zeros(values.nbytes + 1, "u1")
    placed = memory[1:].view(dtype)
    placed[...] = values.ravel()
    placed = placed.reshape(values.shape)
    placed.flags.writeable = flags.get("writeable", True)
    assert not placed.flags.aligned or values.itemsize == 1
    return placed


@pytest.mark.parametrize("dtype", ["i2", "f4", "f8", "c16", "u1"])
def test_arrays_at_odd_addresses_are_read_and_written(dtype):
    @ks.njit
    def swap(x, y):
        for i in range(len(x)):
            x[i], y[i] = y[i], x[i]
        return x[0]

    @ks.njit
    def total(x):
        s = x[0, 0] * 0
        for i in ks.prange(x.shape[0]):
            for j in range(x.shape[1]):
                s += x[i, j]
        return s

    x, y = odd([1, 2, 3], dtype), odd([4, 5, 6], dtype)
    assert swap(x, y) == 4 and x.tolist() == [4, 5, 6] and y.tolist() == [1, 2, 3]
    assert swap(x, x) == 4 and x.tolist() == [4, 5, 6]  # one array, one copy
    for matrix in (odd(np.arange(6).reshape(2, 3), dtype), odd(np.arange(6).reshape(3, 2), dtype, writeable=False).T):
        assert total(matrix) == 15
    assert total(odd(np.ones((1, 1)), dtype)) == 1


def test_fields_of_packed_records_and_what_is_written_before_an_error():
    records = np.zeros(3, [("flag", "u1"), ("value", "f8")])
    records["value"] = [1, 2, 3]

    @ks.njit
    def double(x, k):
        for i in range(len(x)):
            x[i] *= 2
        return 1 // k

    assert double(records["value"], 1) == 1 and records["value"].tolist() == [2, 4, 6]
    with pytest.raises(ZeroDivisionError):
        double(records["value"], 0)
    assert records["value"].tolist() == [4, 8, 12] and not records["flag"].any()
    with pytest.raises(TypeError, match="read-only|cannot be changed|not writ"):
        double(odd([1.0], writeable=False), 1)


def test_kernels_take_arrays_at_odd_addresses():
    @ks.cuda.jit
    def double(x, y):
        i = ks.cuda.grid(1)
        if i < x.size:
            y[i] = 2 * x[i]

    x, y = odd([1, 2, 3], writeable=False), odd([0, 0, 0])
    double[1, 4](x, y)
    assert y.tolist() == [2, 4, 6]


def test_an_option_that_is_none_is_an_error():
    with pytest.raises(TypeError, match=r"Unrecognized options: nopthon \(jit knows .*\); did you mean 'nopython'\?"):
        ks.jit(nopthon=True)
    assert ks.jit(lambda x: x + 1, looplift=False, no_rewrites=True)(1) == 2  # Numba's, of which nothing depends
