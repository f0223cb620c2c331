"""Stores of whole arrays and through index arrays: all of it or nothing, and the dtypes that NumPy lets in."""

import kasoku as ks
import numpy as np
import pytest


def at(a, i, v):
    a[i] = v


def at_two(a, i, j, v):
    a[i, j] = v


def columns(a, i, v):
    a[:, i] = v


def added_at(a, i, v):
    a[i] += v


def added_at_two(a, i, j, v):
    a[i, j] += v


def index(*numbers):
    return np.array(numbers, np.int64)


line, square = np.zeros(5), np.zeros((3, 4))


@pytest.mark.parametrize("bad", [9, -9])
@pytest.mark.parametrize(
    ("function", "a", "before", "after"),
    [
        (at, line, (), (1.0,)),
        (at, line, (), (np.ones(3),)),
        (at, square, (), (1.0,)),
        (at, square, (), (np.ones(4),)),
        (at, square, (), (np.ones((3, 4)),)),
        (columns, square, (), (1.0,)),
        (columns, square, (), (np.ones((3, 3)),)),
        (at_two, square, (index(0, 1, 1),), (1.0,)),
        (at_two, square, (index(0, 1, 1),), (np.ones(3),)),
        (at_two, square, (1,), (np.ones(3),)),
        (added_at, line, (), (1.0,)),
        (added_at, square, (), (1.0,)),
        (added_at_two, square, (index(0, 1, 1),), (1.0,)),
    ],
)
def test_an_index_that_is_not_there_stores_nothing(function, a, before, after, bad):
    for places in (index(0, 1, bad), index(bad, 0, 1)):
        got, want = a.copy(), a.copy()
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds"):
            ks.njit(function)(got, *before, places, *after)
        with pytest.raises(IndexError):
            function(want, *before, places, *after)
        assert np.array_equal(got, want) and not got.any()


def test_indices_at_the_edges_are_stored():
    for places in (index(), index(4), index(-5, 4, 0), index(2, 2)):
        got, want = line.copy(), line.copy()
        ks.njit(at)(got, places, 2.0), at(want, places, 2.0)
        assert np.array_equal(got, want)


def whole(a, v):
    a += v


def divided(a, v):
    a /= v


def part(a, v):
    a[1:] -= v


def where(a, v):
    a[a != 0] *= v


def element(a, v):
    a[0] += v
    a[-1] /= 2


def places(a, v):
    a[np.array([0, 1])] += v


def outcome(function, a, v):
    a = a.copy()
    try:
        function(a, v)
    except TypeError:  # NumPy's UFuncTypeError and our TypingError are both
        return "TypeError"
    return a.tolist()


dtypes = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float32", "float64", "complex128"]


@pytest.mark.parametrize("function", [whole, part, where, divided, places])
@pytest.mark.parametrize("dtype", dtypes)
def test_augmented_stores_take_the_dtypes_that_numpy_takes(function, dtype):
    a = np.ones(4, dtype)
    values = [1.5, 2, 1j, True] + [
        np.ones(3 if function is part else 4, d) for d in dtypes if function in (whole, part)
    ]
    for v in values:
        if function in (part,) and dtype == "bool":
            continue  # NumPy has no minus of booleans
        assert outcome(ks.njit(function), a, v) == outcome(function, a, v), v


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64"])
@pytest.mark.parametrize("v", [1.9, -1.9, 3])
def test_one_element_takes_what_is_cut_off(dtype, v):
    """Numba's rule, and NumPy's for an element."""
    assert outcome(ks.njit(element), np.full(3, 5, dtype), v) == outcome(element, np.full(3, 5, dtype), v)


def test_the_sentence_names_the_line():
    with pytest.raises(ks._jit.TypingError, match=r"(?s)array\(int64.* \+= float64 .*float64.*test_jit_stores"):
        ks.njit(whole)(np.ones(3, int), 1.5)
    a = np.ones(3, int)
    with pytest.warns(Warning, match="runs in the interpreter"), pytest.raises(TypeError, match="Cannot cast"):
        ks.jit(whole)(a, 1.5)


def permuted(x, i):
    x[:] = x[i]


def added_permuted(x, i):
    x += x[i]


def cleared_where_permuted(x, i):
    x[x[i] > 3] = 0.0


@pytest.mark.parametrize("function", [permuted, added_permuted, cleared_where_permuted])
def test_what_an_index_array_reads_is_read_before_the_first_store(function):
    expected, got = np.arange(9.0), np.arange(9.0)
    i = np.arange(9)[::-1].copy()
    function(expected, i)
    ks.njit(function)(got, i)
    np.testing.assert_array_equal(got, expected)


def cleared(pair):
    pair[0][pair[0] > 3] = 0.0


def test_arrays_of_tuples_that_are_not_contiguous_take_stores():
    expected, got = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
    cleared((expected.T, 1))
    ks.njit(cleared)((got.T, 1))
    np.testing.assert_array_equal(got, expected)


def underscores(_p_x, x, _n, _at, _s0_x):
    _j = x[::2] * _n + _at
    _total = x[1::2] * _j
    return _total + _p_x[::2] * _s0_x


def test_names_that_begin_with_an_underscore_are_the_users():
    x = np.arange(10.0)
    np.testing.assert_array_equal(ks.njit(underscores)(-x, x, 2.0, 3.0, 5.0), underscores(-x, x, 2.0, 3.0, 5.0))


def test_a_row_takes_a_tuple_or_a_list():
    def rows(a, x, kept):
        for i in range(len(a)):
            a[i] = i, x, 0.5
        a[0, 1:] = [7, x]
        a[1] = kept
        a[:, 0] = kept

    def wrong(a):
        a[0] = 1, 2

    got, want = np.zeros((3, 3)), np.zeros((3, 3))
    ks.njit(rows)(got, 2, (1, 2.5, 3)), rows(want, 2, (1, 2.5, 3))
    np.testing.assert_array_equal(got, want)
    whole = np.zeros((3, 3), np.int32)
    ks.njit(rows)(whole, 2, (1, 2.5, 3))
    np.testing.assert_array_equal(whole, want.astype(np.int32))
    with pytest.raises(ValueError):
        ks.njit(wrong)(got)


def test_a_tuple_of_many_items_has_no_compiled_form():
    # fmt: off
    def many(x):
        return (
            x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
            x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
            x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
            x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
            x,
        )
    # fmt: on

    with pytest.raises(TypeError, match=r"a tuple of 129 items cannot be compiled\n.*in many    return"):
        ks.njit(many)(1)


def _from_places(a, i, j):
    a[i] = a[j]


def _from_a_copy(a, i, j):
    rows = a[j]
    a[i] = rows


def _from_an_expression(a, i, j):
    a[i] = a[j] * 2 + a[i]


def _added(a, i, j):
    a[i] += a[j]


def _along_both_axes(a, i, j):
    a[i, 0] = a[j, 1]


def _of_columns(a, i, j):
    a[:, i] = a[:, j]


def _rows_swapped(a, i, j):
    a[[0, 2]] = a[[2, 0]]


@pytest.mark.parametrize(
    "store",
    [_from_places, _from_a_copy, _from_an_expression, _added, _along_both_axes, _of_columns, _rows_swapped],
)
def test_places_get_what_stands_at_other_places(store):
    a, b = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
    i, j = np.array([0, 2]), np.array([2, 1])
    ks.njit(store)(a, i, j)
    store(b, i, j)
    np.testing.assert_array_equal(a, b)
