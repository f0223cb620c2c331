"""Elements at points: x.vindex."""

import numpy as np

from ._array import Array
from ._whole import whole


class _Points:
    """x.vindex[rows, columns]: one element for each pair."""

    def __init__(self, array):
        self._array = array

    def __getitem__(self, index):
        index, x = index if isinstance(index, tuple) else (index,), self._array
        if any(i is None for i in index):
            raise IndexError(f"vindex does not support indexing with None (np.newaxis), got {index}")
        index = tuple(
            i if isinstance(i, (slice, Array)) else np.asarray(i, int if np.size(i) == 0 else None) for i in index
        )
        index += (slice(None),) * (x.ndim - len(index))
        arrays = [k for k, i in enumerate(index) if not isinstance(i, slice)]
        for k in arrays:
            i, n = index[k], x.shape[k]
            is_known = not isinstance(i, Array)  # what is yet to be computed is looked at then, by NumPy
            if i.dtype.kind not in "iu" or is_known and i.size and not -n <= i.min() <= i.max() < n:
                raise IndexError(f"vindex key has entries out of bounds for indexing along an axis of length {n}: {i}")
        if not arrays:
            return x[index]
        order = arrays + [k for k in range(x.ndim) if k not in arrays]  # the points' axes come first, as in Dask
        try:
            points = np.broadcast_shapes(*(index[k].shape for k in arrays))
        except ValueError as error:
            raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together: {error}") from None
        rest = x[tuple(i if isinstance(i, slice) else slice(None) for i in index)].transpose(order)
        shape = (*points, *rest.shape[len(arrays) :])
        return whole(shape, x.dtype, lambda values, *at: values[at], rest, *(index[k] for k in arrays))


Array.vindex = property(_Points)
