"""Different elements, as the array API standard names them. Every NaN counts as one of its own."""

from typing import NamedTuple

from .. import _core
from .given import Array, given


class UniqueAllResult(NamedTuple):
    """The result of unique_all."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """The result of unique_counts."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The result of unique_inverse."""

    values: Array
    inverse_indices: Array


def unique_all(x, /) -> UniqueAllResult:
    """The different elements of an array of any shape in ascending order; where each stands first in the ravelled array;
    which one every element is, in the shape of `x`; how often each is there.

    >>> ks.unique_all(ks.array([3, 1, 3])).counts
    array([1, 2])
    """
    x = given(x)
    values, indices, inverse, counts = _core.unique(x, True, True, True, equal_nan=False)
    return UniqueAllResult(values, indices, _core.reshape(inverse, x.shape), counts)


def unique_counts(x, /) -> UniqueCountsResult:
    """The different elements of an array of any shape in ascending order, and how often each is there.

    >>> ks.unique_counts(ks.array([3, 1, 3])).values
    array([1, 3])
    """
    return UniqueCountsResult(*_core.unique(given(x), False, False, True, equal_nan=False))


def unique_inverse(x, /) -> UniqueInverseResult:
    """The different elements of an array of any shape in ascending order, and which one every element is.

    >>> ks.unique_inverse(ks.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    x = given(x)
    values, inverse = _core.unique(x, False, True, False, equal_nan=False)
    return UniqueInverseResult(values, _core.reshape(inverse, x.shape))


def unique_values(x, /) -> Array:
    """The different elements of an array of any shape in ascending order.

    >>> ks.unique_values(ks.array([3, 1, 3]))
    array([1, 3])
    """
    return _core.unique(given(x), equal_nan=False)
