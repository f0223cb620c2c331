"""Arrays to test with."""

import numpy as np

import kasoku.compat.cupy as cupy
from kasoku.compat.cupy.testing._arrays import *  # noqa: F403 - the assertions stand in one module with these in CuPy


def _ramp(values, dtype, shape, xp, order="C"):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        values = values % 2 == 0
    elif dtype.kind == "c":
        values = values + 1j * values
    return xp.array(values.astype(dtype).reshape(shape), order=order)


def shaped_arange(shape, xp=cupy, dtype=np.float32, order="C"):
    """1, 2, 3, … in a shape; for bool whether they are even."""
    return _ramp(np.arange(1, np.prod(shape, dtype=int) + 1), dtype, shape, xp, order)


def shaped_reverse_arange(shape, xp=cupy, dtype=np.float32):
    """…, 3, 2, 1 in a shape."""
    return _ramp(np.arange(np.prod(shape, dtype=int), 0, -1), dtype, shape, xp)


def shaped_linspace(start, stop, shape, xp=cupy, dtype=np.float32):
    dtype = np.dtype(dtype)
    if dtype.kind in "bu":
        start = max(start, 0)
    if dtype.kind == "b":
        stop = min(stop, 1)
    values = np.linspace(start, stop, int(np.prod(shape)))
    return xp.array(values.astype(dtype).reshape(shape))


def shaped_random(shape, xp=cupy, dtype=np.float32, scale=10, seed=0, order="C"):
    """Uniform numbers below `scale`, the same for NumPy and cupy."""
    np.random.seed(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        values = np.random.randint(2, size=shape)
    else:
        values = np.random.rand(*shape) * scale
        if dtype.kind == "c":
            values = values + 1j * scale * np.random.rand(*shape)
    return xp.asarray(values, dtype=dtype, order=order)


def generate_matrix(shape, xp=cupy, dtype=np.float32, *, singular_values=None):
    """A random matrix, or a stack of them, with these singular values."""
    if len(shape) < 2:
        raise ValueError(f"a matrix has two axes at least, not the shape {shape}")
    if singular_values is None:
        raise TypeError("singular_values are missing")
    dtype, values = np.dtype(dtype), np.asarray(cupy.asnumpy(singular_values))
    if dtype.kind not in "fc" or values.dtype.kind == "c":
        raise TypeError("a floating or complex dtype and real singular values")
    if (values < 0).any():
        raise ValueError("a singular value is never negative")
    matrix = np.random.randn(*shape)
    if dtype.kind == "c":
        matrix = matrix + 1j * np.random.randn(*shape)
    u, s, vh = np.linalg.svd(matrix, full_matrices=False)
    result = np.einsum("...ik,...k,...kj->...ij", u, np.broadcast_to(values, s.shape), vh)
    return xp.asarray(result.astype(dtype))
