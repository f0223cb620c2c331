"""What NumPy does not let a program write, compiled code does not write either."""

import kasoku as ks
import kasoku.errors
import numpy as np
import pytest
from kasoku._jit import TypingError


def read_only(*shape):
    x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    x.flags.writeable = False
    return x


def element(x):
    x[0] = 7


def slice_(x):
    x[1:] = 7


def mask(x):
    x[x > 2] = 7


def element_in_place(x):
    x[1] += 1


def array_in_place(x):
    x += 1


def slice_in_place(x):
    x[1:3] *= 2


def mask_in_place(x):
    x[x > 2] += 1


def fill(x):
    x.fill(3)


def through_a_variable(x):
    y = x
    y[0] = 1


def through_a_view(x):
    y = x[1:]
    y[0] = 1


def through_reshape(x):
    x.reshape(2, 2)[0, 0] = 1


def through_ravel(x):
    y = x.ravel()
    y[0] = 1


def through_either(x):
    y = np.zeros(4)
    if x[0] > 1:
        y = x
    y[0] = 1


def in_prange(x):
    for i in ks.prange(len(x)):
        x[i] = i


@ks.njit
def writes(array):
    array[0] = 1


def in_another_function(x):
    writes(x)


stores = [element, slice_, mask, element_in_place, array_in_place, slice_in_place, mask_in_place, fill,
          through_a_variable, through_a_view, through_reshape, through_ravel, through_either, in_prange,
          in_another_function]  # fmt: skip


@pytest.mark.parametrize("function", stores, ids=lambda f: f.__name__)
def test_a_store_is_an_error_and_nothing_is_written(function):
    x = read_only(4)
    with pytest.raises(TypingError, match="is read-only"):
        ks.njit(function)(x)
    np.testing.assert_array_equal(x, [1, 2, 3, 4])


@pytest.mark.parametrize("function", stores, ids=lambda f: f.__name__)
def test_a_copy_is_written(function):
    compiled = ks.njit(function)
    with pytest.raises(TypingError):
        compiled(read_only(4))
    mine, theirs = read_only(4).copy(), read_only(4).copy()
    compiled(mine)
    function(theirs)
    np.testing.assert_array_equal(mine, theirs)


def test_the_message_has_the_name_the_fix_and_the_line():
    @ks.njit
    def f(values):
        total = values.sum()
        values[0] = total

    with pytest.raises(TypingError, match="'values' is read-only") as caught:
        f(read_only(3))
    line = f.py_func.__code__.co_firstlineno + 3
    assert "pass a copy" in str(caught.value) and f"{line}" in str(caught.value)


def rows(x):
    for row in x:
        row[0] = 1


def transposed(x):
    x.T[0, 0] = 1


def one_row(x):
    x[1][0] = 1


def unpacked(x):
    a, b = x
    a[0] = 1


@pytest.mark.parametrize("function", [rows, transposed, one_row, unpacked], ids=lambda f: f.__name__)
def test_rows_and_the_transposed_stay_read_only(function):
    with pytest.raises(TypingError, match="is read-only"):
        ks.njit(function)(read_only(2, 3))


def test_reading_works_and_what_is_computed_may_be_written():
    @ks.njit
    def f(x):
        y = x * 2
        y[0] = x[1]
        z = x.copy()
        z[1:] += y[1:]
        return y, z

    y, z = f(read_only(3))
    np.testing.assert_array_equal(y, [2, 4, 6])
    np.testing.assert_array_equal(z, [1, 6, 9])
    assert y.flags.writeable and z.flags.writeable
    np.testing.assert_array_equal(f(np.broadcast_to(np.float64(2), 3))[0], [2, 4, 4])


def test_a_returned_view_stays_read_only():
    @ks.njit
    def tail(x):
        return x[1:]

    x = read_only(4)
    assert not tail(x).flags.writeable and np.shares_memory(tail(x), x)
    assert tail(x.copy()).flags.writeable
    assert len(tail.signatures) == 2


def test_an_argument_that_turns_read_only_between_calls():
    compiled = ks.njit(element)
    x = np.zeros(3)
    compiled(x)
    assert x[0] == 7
    x.flags.writeable = False
    with pytest.raises(TypingError):
        compiled(x)


table = np.zeros(3)


def write_outside(i):
    table[i] += 1


def test_an_array_outside_that_turns_read_only():
    compiled = ks.njit(write_outside)
    compiled(1)
    table.flags.writeable = False
    with pytest.raises(TypingError, match="'table' is read-only"):
        compiled(1)
    table.flags.writeable = True
    compiled(1)
    np.testing.assert_array_equal(table, [0, 2, 0])


def test_an_array_of_kasoku_over_read_only_memory():
    array = ks.asarray(read_only(3))
    assert ks.njit(lambda a: a[0])(array) == 1
    with pytest.raises(TypingError, match="'x' is read-only"):
        ks.njit(element)(array)


def test_without_nopython_the_interpreter_says_it():
    with pytest.warns(Warning), pytest.raises(ValueError, match="read-only"):
        ks.jit(element)(read_only(3))


def test_a_kernel():
    @ks.cuda.jit
    def kernel(x, out):
        i = ks.cuda.grid(1)
        if i < x.size:
            out[i] = 2 * x[i]

    out = np.zeros(3)
    kernel[1, 32](read_only(3), out)
    np.testing.assert_array_equal(out, [2, 4, 6])
    with pytest.raises(ks.errors.TypeError, match="'out' is read-only"):
        kernel[1, 32](out, read_only(3))
