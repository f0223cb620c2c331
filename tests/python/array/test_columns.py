"""Columns of tables (a pandas Series, an Arrow array) are arguments as arrays are; stand-ins have what those have."""

import numpy as np
import pytest

import kasoku as ks
from kasoku import cuda


class Series:
    """Shows its memory, as a Series of numbers does."""

    ndim = 1

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class ArrowArray(Series):
    """Gives a view that nobody may write to, and says nothing of axes."""

    ndim = None
    del ndim

    def __array__(self, dtype=None, copy=None):
        view = np.asarray(self.values).view()
        view.flags.writeable = False
        return view


columns = pytest.mark.parametrize("kind", [Series, ArrowArray])


@columns
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "bool"])
def test_a_compiled_function_takes_a_column(kind, dtype):
    values = np.arange(5).astype(dtype)
    total = ks.njit(lambda x: x.sum())
    for _ in range(2):
        assert total(kind(values)) == values.sum()
    assert len(total.signatures) == 1
    np.testing.assert_array_equal(ks.njit(lambda x, y: x * 2 + y)(kind(values), values), values * 2 + values)


def test_what_is_written_is_in_the_column():
    @ks.njit
    def doubled(x):
        for i in ks.prange(len(x)):
            x[i] *= 2

    values = np.arange(4.0)
    doubled(Series(values))
    assert values.tolist() == [0, 2, 4, 6]
    with pytest.raises((TypeError, ValueError), match="read-only|not writeable"):
        doubled(ArrowArray(values))


def test_a_column_of_texts_is_the_interpreters():
    values = np.array(["a", "bc"], object)
    with pytest.warns(Warning, match="runs in the interpreter"):
        assert ks.jit(lambda x: len(x.values[1]))(Series(values)) == 2


@columns
def test_kernels_take_a_column(kind):
    source = 'extern "C" __global__ void add(const double *x, double *y) { y[threadIdx.x] += x[threadIdx.x]; }'
    add = ks.RawModule(code=source).get_function("add")
    y = np.ones(4)
    add((1,), (4,), (kind(np.arange(4.0)), Series(y)))
    assert y.tolist() == [1, 2, 3, 4]

    @cuda.jit
    def doubled(x, y):
        y[cuda.threadIdx.x] = 2 * x[cuda.threadIdx.x]

    doubled[1, 4](kind(np.arange(4.0)), y)
    assert y.tolist() == [0, 2, 4, 6]


def test_what_is_no_column_stays_what_it_is():
    class Table(Series):
        ndim = 2

    with pytest.raises(TypeError):
        ks.njit(lambda x: x.sum())(Table(np.ones((2, 2))))
