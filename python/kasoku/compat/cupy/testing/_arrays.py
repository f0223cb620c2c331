"""Assertions that take arrays of cupy and of NumPy, and arrays to test with."""

import numpy as np

import kasoku.compat.cupy as cupy


def _of_hosts(name):
    check = getattr(np.testing, name)

    def function(actual, desired, *args, **kwargs):
        check(cupy.asnumpy(actual), cupy.asnumpy(desired), *args, **kwargs)

    function.__name__ = name
    function.__doc__ = f"numpy.testing.{name} of arrays on any device."
    return function


assert_allclose = _of_hosts("assert_allclose")
assert_array_almost_equal = _of_hosts("assert_array_almost_equal")
assert_array_almost_equal_nulp = _of_hosts("assert_array_almost_equal_nulp")
assert_array_less = _of_hosts("assert_array_less")
assert_array_max_ulp = _of_hosts("assert_array_max_ulp")


def assert_array_equal(x, y, err_msg="", verbose=True, strides_check=False, **kwargs):
    np.testing.assert_array_equal(cupy.asnumpy(x), cupy.asnumpy(y), err_msg=err_msg, verbose=verbose, **kwargs)
    if strides_check and x.strides != y.strides:
        raise AssertionError(f"the strides differ: {x.strides} and {y.strides}. {err_msg}")


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    if type(xlist) is not type(ylist) or not isinstance(xlist, (list, tuple)):
        raise AssertionError(f"two lists or two tuples, not {type(xlist)} and {type(ylist)}")
    if len(xlist) != len(ylist):
        raise AssertionError(f"{len(xlist)} arrays and {len(ylist)}")
    for x, y in zip(xlist, ylist):
        assert_array_equal(x, y, err_msg, verbose)


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


__all__ = [name for name, value in globals().items() if name[0] != "_" and getattr(value, "__module__", "") == __name__]
