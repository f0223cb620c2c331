"""Arrays of consecutive numbers, and cupy's beside NumPy's."""

import numpy as np
from kasoku.compat import cupy


def ramp(shape, dtype):
    values = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape)
    return (values + 2j * values if np.dtype(dtype).kind == "c" else values).astype(dtype)


def same(ours, numpys, **tolerance):
    host = cupy.asnumpy(ours)
    assert host.dtype == numpys.dtype and host.shape == numpys.shape
    np.testing.assert_allclose(host, numpys, **tolerance) if tolerance else np.testing.assert_array_equal(host, numpys)
