"""What a sparse matrix may be made of, or meet in an operation; and the formats by name."""

import numbers as _numbers
import operator as _operator

import numpy as _np

import kasoku as _ks

from ._parts import dtype_of as _dtype_of

formats = {}  # "csr": csr_matrix; the classes enter themselves


class SparseWarning(Warning):
    """What is said of sparse matrices."""


class SparseEfficiencyWarning(SparseWarning):
    """What would be faster in another format."""


def is_number(x):
    return isinstance(x, (_numbers.Number, _np.generic)) or (isinstance(x, (_ks.Array, _np.ndarray)) and x.ndim == 0)


def is_scipys(x):
    return type(x).__module__.startswith("scipy.sparse")


def is_dense(x):
    return isinstance(x, (_ks.Array, _np.ndarray, list))


def shape_of(shape):
    if not (isinstance(shape, tuple) and len(shape) == 2):
        raise ValueError(f"a sparse matrix has two lengths, not {shape!r}")
    shape = tuple(_operator.index(n) for n in shape)
    if min(shape) < 0:
        raise ValueError(f"invalid shape {shape}: a length is negative")
    return shape


def is_shape(x):
    return isinstance(x, tuple) and len(x) == 2 and all(isinstance(n, (int, _np.integer)) for n in x)


def given_dtype(data, dtype):
    return _dtype_of(data.dtype if dtype is None else dtype)


def axis_of(axis):
    if axis not in (-2, -1, 0, 1):
        raise ValueError(f"invalid axis {axis!r}: a matrix has axes 0 and 1")
    return axis % 2
