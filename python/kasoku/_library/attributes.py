"""Attributes of attributes: x.flags.c_contiguous, np.finfo(x.dtype).eps."""

import numpy as np

_of_flags = {"c_contiguous": "c_contiguous", "contiguous": "c_contiguous", "f_contiguous": "f_contiguous"}
_of_floats = {each: f"float_{each}" for each in ("eps", "max", "min", "tiny", "bits")}
_of_integers = {each: f"integer_{each}" for each in ("max", "min", "bits")}


def of(node, resolve):
    """(the name of the function here that gives the attribute, what it is given); None of another attribute."""
    inside = node.value
    if getattr(inside, "attr", "") == "flags":
        return node.attr in _of_flags and (_of_flags[node.attr], inside.value) or None
    if type(inside).__name__ != "Call" or len(inside.args) != 1 or inside.keywords or node.attr not in _of_floats:
        return None
    names = {np.finfo: _of_floats, np.iinfo: _of_integers}.get(_hashed(resolve(inside.func)), {})
    return node.attr in names and (names[node.attr], inside.args[0]) or None


def _hashed(value):
    return value if isinstance(value, type) else None


def c_contiguous(x):
    step = x.itemsize
    for k in range(x.ndim - 1, -1, -1):
        if x.shape[k] != 1 and x.strides[k] != step:
            return x.size == 0
        step *= x.shape[k]
    return True


def f_contiguous(x):
    step = x.itemsize
    for k in range(x.ndim):
        if x.shape[k] != 1 and x.strides[k] != step:
            return x.size == 0
        step *= x.shape[k]
    return True


def float_eps(dtype):
    if dtype == np.float32:
        return np.finfo(np.float32).eps
    if dtype == np.float64:
        return np.finfo(np.float64).eps
    return dtype.limits()  # which compiled code does not have, and says so


def float_max(dtype):
    if dtype == np.float32:
        return np.finfo(np.float32).max
    if dtype == np.float64:
        return np.finfo(np.float64).max
    return dtype.limits()


def float_min(dtype):
    return -float_max(dtype)


def float_tiny(dtype):
    if dtype == np.float32:
        return np.finfo(np.float32).tiny
    if dtype == np.float64:
        return np.finfo(np.float64).tiny
    return dtype.limits()


def float_bits(dtype):
    if dtype == np.float32:
        return 32
    if dtype == np.float64:
        return 64
    return dtype.limits()


def integer_bits(dtype):
    if np.issubdtype(dtype, np.integer):
        return np.empty(0, dtype).itemsize * 8
    return dtype.limits()


def integer_max(dtype):
    if dtype == np.uint64:
        return np.iinfo(np.uint64).max
    if dtype == np.int64:
        return np.iinfo(np.int64).max
    if np.issubdtype(dtype, np.signedinteger):
        return (1 << (integer_bits(dtype) - 1)) - 1
    return (1 << integer_bits(dtype)) - 1


def integer_min(dtype):
    if np.issubdtype(dtype, np.signedinteger):
        return -integer_max(dtype) - 1
    return integer_bits(dtype) * 0
