"""Arguments: whatever an array can be made of."""

import operator

from .. import _core

Array = _core.Array


def given(x, like=None):
    """`x` as an array; what is none yet lies where `like` does."""
    if isinstance(x, Array):
        return x
    return _core.asarray(x, device=like.device if isinstance(like, Array) else None)


def together(*arrays):
    """All as arrays, on the device of the first that is one."""
    first = None
    for x in arrays:
        if isinstance(x, Array):
            first = x
            break
    return [x if isinstance(x, Array) else given(x, first) for x in arrays]


def floating(x):
    """`x` as an array of floats or complex numbers: integers and bools become float64."""
    x = given(x)
    return x if is_inexact(x.dtype) else x.astype("float64")


def floating_as_ufunc(x):
    """`x` as an array of floats or complex numbers, small integers in the small floats that NumPy's ufuncs take for them."""
    x = given(x)
    if is_inexact(x.dtype):
        return x
    return x.astype(_core.sqrt(_core.empty(0, dtype=x.dtype, device=x.device)).dtype, copy=False)


def is_inexact(dtype):
    return is_complex(dtype) or is_real_floating(dtype)


def is_real_floating(dtype):
    kind = getattr(dtype, "kind", "")  # asked for first: NumPy looks for a dtype of any name that one is compared with
    return kind == "f" or (not kind and dtype == "bfloat16")


def is_complex(dtype):
    return getattr(dtype, "kind", "") == "c"


def axis_of(axis, ndim):
    """The axis counted from the first one."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        from numpy.exceptions import AxisError

        raise AxisError(axis, ndim)
    return axis % ndim


def row_of(numbers):
    """An integer, NumPy's among them, as a row of one; a row as it is."""
    try:
        return (operator.index(numbers),)
    except TypeError:
        return numbers


def axes_of(axis, ndim):
    """The axes that an integer, a row of them or None (all) names, counted from the first one."""
    return tuple(range(ndim)) if axis is None else tuple(axis_of(one, ndim) for one in row_of(axis))


def stored(result, out, casting="same_kind", where=True):
    """The result, or the output with it where the mask holds. Without an output the mask only has a word on the shape."""
    if out is None:
        if where is not True:
            shape = _core.broadcast_shapes(result.shape, given(where, result).shape)
            result = result if shape == result.shape else _core.broadcast_to(result, shape).copy()
        return result
    _core.copyto(out, result, casting=casting, where=where)
    return out
