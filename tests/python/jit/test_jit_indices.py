"""Indices that are data: the same element, or the same error at the same place, as in Python."""

import copy
import functools
import itertools
import re
import warnings

import kasoku as ks
import numpy as np
import pytest

integers = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def outcome(function, *args):
    """What it returns or raises, and what it left in its arrays."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    try:
        result = function(*copies)
    except IndexError as error:
        result = "IndexError: " + re.search(r"index (-?\d+)", str(error))[1]
    except OverflowError:  # what Python says of an index that C does not have
        result = "IndexError"
    return result, [a.tolist() for a in copies if isinstance(a, np.ndarray)]


compiled = functools.cache(ks.jit)  # reading a function takes longer than running it


def agree(function, *args, **options):
    (got, arrays), (want, expected) = outcome(compiled(function, **options), *args), outcome(function, *args)
    assert arrays == expected
    assert got == want or (want == "IndexError" and got.startswith(want))


def gather(y, x, index):
    for i in range(len(index)):
        y[i] = x[index[i]]


def scatter(y, index):
    for i in range(len(index)):
        y[index[i]] += i + 1


def two_axes(y, row, column):
    s = 0
    for i in range(len(row)):
        s += y[row[i], column[i]]
        y[row[i], column[i]] = s
    return s


@pytest.mark.parametrize("dtype", integers)
@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("where", [0, 6, 7, 18])
def test_one_index_at_the_edge(dtype, n, where):
    """All others are inside; loops are unrolled, so that it stands at several places of a turn."""
    limits = np.iinfo(dtype)
    for bad in {0, 1, n - 1, n, n + 1, -1, -n, -n - 1, limits.max, limits.min}:
        if limits.min <= bad <= limits.max:
            index = np.zeros(19, dtype)
            index[where] = bad
            agree(gather, np.full(19, -1), np.arange(10, 10 + n), index)
            agree(scatter, np.zeros(n, np.int64), index)
            if n:
                square = np.arange(n * (n + 1)).reshape(n, n + 1)
                agree(two_axes, square, index, np.zeros(19, dtype))
                agree(two_axes, square, np.zeros(19, dtype), index)


def test_views_with_gaps_and_backwards():
    x = np.arange(24)
    for view in (x[::3], x[::-2], x.reshape(4, 6)[:, 2]):
        f = ks.jit(gather)
        want, got = np.zeros(6, np.int64), np.zeros(6, np.int64)
        index = np.array([0, -1, 3, 2, -4, 1])
        gather(want, view, index), f(got, view, index)
        np.testing.assert_array_equal(got, want)
        with pytest.raises(IndexError, match=f"index {-len(view) - 1} is out"):
            f(got, view, np.array([0, -len(view) - 1]))


def sparse(y, start, column, value, x):
    for i in range(len(y)):
        s = 0.0
        for k in range(start[i], start[i + 1]):
            s += value[k] * x[column[k]]
        y[i] = s


@pytest.mark.parametrize("break_it", ["", "column", "low column", "negative column", "start", "empty", "backwards"])
def test_sparse_matrix_with_broken_parts(break_it):
    rng = np.random.default_rng(3)
    start = np.array([0, 3, 3, 10, 17])
    column, value, x = rng.integers(0, 6, 17), rng.integers(1, 9, 17).astype(float), np.arange(6.0)
    changes = {"column": (column, 12, 6), "low column": (column, 12, -7), "negative column": (column, 12, -6),
               "start": (start, 4, 19), "empty": (start, 3, 3), "backwards": (start, 1, -2)}  # fmt: skip
    if break_it:
        array, at, to = changes[break_it]
        array[at] = to
    agree(sparse, np.full(4, -1.0), start, column, value, x)


def parallel_scatter(y, index):
    for i in ks.prange(len(index)):
        y[index[i]] = i


def test_parallel_loops_find_one_of_the_bad_indices_and_write_nothing_outside():
    guard = np.full(3 * 1000, -1)
    y = guard[1000:2000]
    index = np.arange(1000)
    index[[17, 600]] = 1000, -1001
    with pytest.raises(IndexError, match=r"index (1000|-1001) is out of bounds for axis 0 of 'y'"):
        ks.jit(parallel_scatter)(y, index)
    assert (guard[:1000] == -1).all() and (guard[2000:] == -1).all()
    index[[17, 600]] = -1000, -1
    ks.jit(parallel_scatter)(y, index)
    assert y[-1] in (600, 999) and y[0] in (0, 17)


# --- what cannot be negative: the analysis may leave no real case out -------------------------------


def falls_below_zero(x):
    s, j = 0, 2
    for _ in range(5):
        s = 10 * s + x[j]
        j -= 1
    return s


def gets_it_from_another(x):
    s, j, k = 0, 2, 0
    for _ in range(4):
        s = 10 * s + x[k]
        k = j
        j = j - 2
    return s


def swaps(x, a):
    low, high = 0, a
    for _ in range(3):
        low, high = high, low
        x[low] += 1 + high
    return low


def by_condition(x, a):
    j = a if a < 2 else 1
    k = 3 if a > 0 else a
    return x[j] + 10 * x[k]


def widened(x, a):
    j = 1
    if a > 0:
        j = int(a - 2.5)
    return x[j]


def counts_down(x, a):
    s = 0
    for j in range(a, -1, -1):
        s = 10 * s + x[j]
    for j in range(a, -3, -1):
        s = 10 * s + x[j]
    return s


def by_steps(x, a, step):
    s = 0
    for j in range(a, 3, step):
        s = 10 * s + x[j]
    return s


def enumerated(x, a):
    s = 0
    for j, v in enumerate(x, a):
        s = 10 * s + x[j % 4] * v + x[max(j, -1)]
    return s


def walrus(x, a):
    s = 0
    while (j := a - 2) > -4:
        s = 10 * s + x[j]
        a -= 1
    return s


def arithmetic(x, a):
    b, c = a & 3, a % 4
    return [x[b], x[c], x[a % -4], x[b * c % 5], x[(b | c) % 5], x[-b], x[~b], x[b - c], x[min(a, 3)], x[b >> 1]][0]


def reused_name(x, a):
    s = 0
    for j in range(3):
        s += x[j]
    j = a
    return 10 * s + x[j]


def minus_one(x):
    s = 0
    for i in range(len(x)):
        s = 3 * s + x[i - 1] * x[i]
    return s


@pytest.mark.parametrize("n", [3, 4, 5])
def test_indices_that_fall_below_zero(n):
    x = np.arange(1, n + 1)
    for function in (falls_below_zero, gets_it_from_another, minus_one):
        agree(function, x)
    for a in range(-n - 2, n + 3):
        for function in (swaps, by_condition, widened, counts_down, enumerated, walrus, arithmetic, reused_name):
            agree(function, x, a)


def test_steps_of_any_sign():
    for n, a, step in itertools.product([4, 7], range(-6, 9), [-3, -2, -1, 1, 2, 3]):
        agree(by_steps, np.arange(1, n + 1), a, step)


def far(x, start, stop, step):
    s = 0
    for j in range(start, stop, step):
        s += x[j]
    return s


def far_inside(x, a, b):
    s = 0
    for i in range(2):
        for j in range(2):
            s += x[i * a + j * b]
    return s


@pytest.mark.parametrize("far_out", [2**31, 2**52, 2**53 + 1, 2**61, 2**62, 2**63 - 1])
def test_numbers_near_the_end_of_64_bits(far_out):
    x = np.arange(1, 6)
    for start, stop, step in [(far_out - 1, far_out, 1), (-far_out, -far_out + 1, 1), (far_out, far_out - 1, -1),
                              (0, far_out, 2**40), (4, -far_out, -far_out)]:  # fmt: skip
        agree(far, x, start, stop, step)
    for a, b in [(far_out, 1), (1, far_out), (-far_out, 2), (2, -far_out)]:
        agree(far_inside, x, a, b)


@pytest.mark.parametrize("options", [{}, {"parallel": False}, {"fastmath": True}])
def test_the_error_names_array_index_size_and_line(options):
    with pytest.raises(
        IndexError,
        match=r"index 9 is out of bounds for axis 0 of 'x', which has 4 elements\n.*test_jit_indices.py:\d+, in gather .*y\[i\] = x\[index\[i\]\]",
    ):
        ks.jit(gather, **options)(np.zeros(3), np.arange(4), np.array([0, 1, 9]))


def test_flat_is_the_elements_in_a_row_and_what_is_written_there_is_the_arrays():
    def f(x, y):
        total = 0.0
        for v in x.flat:
            total += v
        for i in range(y.size):
            y.flat[i] = x.flat[y.size - 1 - i] + i
        return total, x.flat[-2]

    for shape in [(4, 5), (2, 3, 4), (7,)]:
        x, y = np.arange(np.prod(shape), dtype=float).reshape(shape), np.zeros(shape)
        wanted = y.copy()
        result = f(x, wanted)
        assert ks.njit(f)(x, y) == result and (y == wanted).all()
    z = np.zeros(20)
    ks.njit(f)(np.arange(20.0)[::-2], z[::2])  # one axis may have gaps
    assert z[::2].tolist() == [2 * k + 1 + k for k in range(10)] and not z[1::2].any()
    with pytest.raises(TypeError, match=r"do not lie one after the other\n(.|\n)*ravel"):
        ks.njit(f)(np.ones((4, 6))[:, ::2], np.ones((4, 3)))


of_lists = {
    "rows": lambda a: a[[0, 2]], "one row": lambda a: a[[1]], "columns": lambda a: a[:, [0, -1]], "a row's": lambda a: a[1, [0, 2]],
    "pairs": lambda a: a[[0, 2], [1, 3]], "a column's": lambda a: a[[0, 2], 1],
}  # fmt: skip


@pytest.mark.parametrize("name", of_lists)
def test_a_list_among_indices_is_an_array(name):
    a, f = np.arange(24.0).reshape(4, 6), of_lists[name]
    np.testing.assert_array_equal(ks.njit(f)(a), f(a), strict=True)
    for index in ([9, 0], [0, -5]):
        with pytest.raises(IndexError):
            ks.njit(lambda a, i, j: a[[i, j]])(a, *index)


def test_a_list_among_indices_of_a_store():
    def stored(a, k):
        a[[0, 2]] = 7
        a[[0, k]] += 1
        a[:, [0, k]] = 3

    a, want = np.zeros((4, 6)), np.zeros((4, 6))
    ks.njit(stored)(a, 3), stored(want, 3)
    np.testing.assert_array_equal(a, want)


def test_slices_that_have_a_name():
    def named(a, n):
        s = slice(1, n)
        n = 2
        every = slice(None, None, n)
        total = a[s].sum() + a[every].sum() + a[slice(None)][0] + a[slice(3)][-1]
        a[s] += 1
        a[every] = a[every] * 2
        return total, s.start, s.stop, s.step is None

    def in_axes(a):
        rows, columns = a.shape
        inner = slice(1, rows - 1)
        a[inner, slice(1, columns)] = -1
        return a[inner, 0] + a[0, inner][:1]

    def moved(a):
        total = 0
        s = slice(0, 2)
        for _ in range(2):
            total = 10 * total + a[s].sum()
            s = slice(s.start + 1, s.stop + 2)
        return total

    def of_lists(n):
        s = slice(None, None, -1)
        return [i for i in range(n)][s], "abc"[s], (1, 2, 3)[slice(1, 3)]

    for function, args in [
        (named, (np.arange(10), 5)),
        (in_axes, (np.arange(12.0).reshape(3, 4),)),
        (moved, (np.arange(10),)),
        (of_lists, (4,)),
    ]:
        theirs, ours = copy.deepcopy(args), copy.deepcopy(args)
        want, got = function(*theirs), ks.njit(function)(*ours)
        np.testing.assert_equal(got, want)
        np.testing.assert_equal(ours, theirs)


def test_slices_that_are_more_than_an_index_stay_in_the_interpreter():
    def given(s, a):
        return a[s]

    def called(a):
        s = slice(1, 3)
        return given(s, a).sum()

    def of_two_kinds(a, n):
        s = slice(n)
        if n > 2:
            s = slice(1, n)
        return a[s].sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ks.jit(called)(np.arange(5)) == 3
        assert [ks.jit(of_two_kinds)(np.arange(5), n) for n in (2, 4)] == [1, 6]
