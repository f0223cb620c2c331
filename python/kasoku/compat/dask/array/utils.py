"""dask.array.utils: arrays compared in tests."""

import numpy as np

from ..base import is_dask_collection


def _value(x, scheduler):
    return x.compute(scheduler=scheduler) if is_dask_collection(x) else x


def assert_eq(a, b, check_shape=True, check_graph=True, check_meta=True, check_chunks=True, check_ndim=True,
              check_type=True, check_dtype=True, equal_nan=True, scheduler="sync", **tolerances):  # fmt: skip
    """Raises AssertionError unless the arrays have the same dtype, shape and values, up to rounding. Returns True."""
    kinds = [getattr(x, "dtype", None) for x in (a, b)]
    a, b = (np.asarray(_value(x, scheduler)) for x in (a, b))
    if check_dtype and not any(kind is None for kind in kinds):  # a dtype equals None where that means float64
        assert kinds[0] == kinds[1], f"a and b have different dtypes: (a: {kinds[0]}, b: {kinds[1]})"
    if check_shape:
        assert a.shape == b.shape, f"a and b have different shapes (a: {a.shape}, b: {b.shape})"
    if a.dtype.kind in "fc" or b.dtype.kind in "fc":
        assert np.allclose(a, b, equal_nan=equal_nan, **tolerances), f"found values in a and b which differ: {a}, {b}"
    else:
        assert np.array_equal(a, b), f"found values in a and b which differ: {a}, {b}"
    return True
