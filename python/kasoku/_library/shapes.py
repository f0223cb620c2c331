"""New shapes: joined, cut, turned, repeated arrays."""

import numpy as np

from . import calls
from .axes import axis_of
from .engine import call, few, reaches, strided, with_axes


def exchange(x, i, j):
    """Two items of a list or rows of an array, each in the other's place."""
    if isinstance(x, list) or x.ndim == 1:
        x[i], x[j] = x[j], x[i]
    else:
        row = x[i].copy()
        x[i] = x[j]
        x[j] = row


def as_new_sequence(x):
    """The numbers below an integer, or a copy of a sequence."""
    return np.arange(x) if isinstance(x, int) else x.copy()


def concatenate(arrays, axis=0):
    return _joined(arrays, arrays[0], axis)


def _joined(arrays, first, axis):
    at_axis = axis_of(axis, first.ndim)
    if first.ndim == 1:
        n = 0
        for x in arrays:
            n += x.size
        out = np.empty(n, np.result_type(arrays))
        at = 0
        for x in arrays:
            out[at : at + x.size] = x
            at += x.size
        return out
    n = 0
    for x in arrays:
        for k in range(first.ndim):
            if k != at_axis and x.shape[k] != first.shape[k]:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        n += x.shape[at_axis]
    at = 0
    if first.ndim == 2:
        rows, columns = first.shape
        out = np.empty((n, columns) if at_axis == 0 else (rows, n), np.result_type(arrays))
        for x in arrays:
            if at_axis == 0:
                out[at : at + x.shape[0], :] = x
                at += x.shape[0]
            else:
                out[:, at : at + x.shape[1]] = x
                at += x.shape[1]
        return out
    a, b, c = first.shape
    out = np.empty((n, b, c) if at_axis == 0 else (a, n, c) if at_axis == 1 else (a, b, n), np.result_type(arrays))
    for x in arrays:
        if at_axis == 0:
            out[at : at + x.shape[0], :, :] = x
            at += x.shape[0]
        elif at_axis == 1:
            out[:, at : at + x.shape[1], :] = x
            at += x.shape[1]
        else:
            out[:, :, at : at + x.shape[2]] = x
            at += x.shape[2]
    return out


def stack(arrays, axis=0):
    return _stacked(arrays, arrays[0], axis)


def _stacked(arrays, first, axis):
    for x in arrays:
        if x.shape != first.shape:
            raise ValueError("all input arrays must have the same shape")
    count = len(arrays)
    k = 0
    at_axis = axis_of(axis, first.ndim + 1)
    if first.ndim == 1:
        if at_axis == 0:
            out = np.empty((count, first.size), np.result_type(arrays))
            for x in arrays:
                out[k, :] = x
                k += 1
            return out
        out = np.empty((first.size, count), np.result_type(arrays))
        for x in arrays:
            out[:, k] = x
            k += 1
        return out
    n, m = first.shape
    if at_axis == 0:
        out = np.empty((count, n, m), np.result_type(arrays))
        for x in arrays:
            out[k, :, :] = x
            k += 1
        return out
    if at_axis == 1:
        out = np.empty((n, count, m), np.result_type(arrays))
        for x in arrays:
            out[:, k, :] = x
            k += 1
        return out
    out = np.empty((n, m, count), np.result_type(arrays))
    for x in arrays:
        out[:, :, k] = x
        k += 1
    return out


def vstack(tup):
    return _lines_joined(tup, tup[0], 0)


def _lines_joined(arrays, first, axis):
    if first.ndim == 1:
        return _stacked(arrays, first, axis)
    return _joined(arrays, first, axis)


def hstack(tup):
    return _columns_joined(tup, tup[0])


def _columns_joined(arrays, first):
    if first.ndim == 1:
        return _joined(arrays, first, 0)
    return _joined(arrays, first, 1)


def column_stack(tup):
    return _lines_joined(tup, tup[0], 1)


def dstack(tup):
    return _in_depth(tup, tup[0])


def _in_depth(arrays, first):
    if first.ndim == 1:
        return _stacked(arrays, first, 1)[None, :, :]
    if first.ndim == 2:
        return _stacked(arrays, first, 2)
    return _joined(arrays, first, 2)


def append(arr, values, axis=None):
    if axis is not None:
        return concatenate((arr, values), axis)
    x = arr.ravel()
    out = np.empty(x.size + np.size(values), np.result_type(arr, values))
    out[: x.size] = x
    if isinstance(values, (int, float, complex)):
        out[x.size] = values
    else:
        out[x.size :] = values.ravel()
    return out


def delete(arr, obj, axis=None):
    if axis is not None and arr.ndim > 1:
        return calls.delete(arr, obj, axis)
    if axis is not None:
        axis_of(axis, 1)
    x = arr.ravel()
    n = x.size
    keep = np.ones(n, np.bool_)
    if isinstance(obj, int):
        if obj < -n or obj >= n:
            raise IndexError("index is out of bounds for axis 0")
        keep[obj] = False
    else:
        for i in range(len(obj)):
            if obj[i] < -n or obj[i] >= n:
                raise IndexError("index is out of bounds for axis 0")
            keep[obj[i]] = False
    return x[keep]


def reshape(a, shape):
    return a.reshape(shape)


def ravel(a):
    return a.ravel()


def transpose(a, axes):
    if a.ndim == 1:
        return a
    if a.ndim == 2:
        return transpose_2(a, axes[0], axes[1])
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    named = 0
    for axis in axes:
        named |= 1 << axis_of(axis, a.ndim)
    if named != (1 << a.ndim) - 1:
        raise ValueError("repeated axis in transpose")
    view = with_axes(a, 0, 0)
    for k in range(a.ndim):
        at = axis_of(axes[k], a.ndim)
        while at < k:  # it was moved when that place got its own
            at = axis_of(axes[at], a.ndim)
        view = with_axes(view, k, at)
    return view


def transpose_2(a, first, second):
    if a.ndim != 2:
        return transpose(a, (first, second))
    at = axis_of(first, 2)
    if at == axis_of(second, 2):
        raise ValueError("repeated axis in transpose")
    return a.T if at == 1 else a[:, :]


def swapaxes(a, axis1, axis2):
    return with_axes(a, axis_of(axis1, a.ndim), axis_of(axis2, a.ndim))


def moveaxis(a, source, destination):
    view, at, end = with_axes(a, 0, 0), axis_of(source, a.ndim), axis_of(destination, a.ndim)
    while at != end:
        step = 1 if at < end else -1
        view = with_axes(view, at, at + step)
        at += step
    return view


def rollaxis(a, axis, start=0):
    at, end = axis_of(axis, a.ndim), start if start >= 0 else start + a.ndim
    if end < 0 or end > a.ndim:
        raise ValueError("start is out of bounds")
    return moveaxis(a, at, end - 1 if at < end else end)


def transpose_3(a, first, second, third):
    return transpose(a, (first, second, third))


def transpose_4(a, first, second, third, fourth):
    return transpose(a, (first, second, third, fourth))


def expand_dims(a, axis):
    if a.ndim > 2:
        return moveaxis(a[None], 0, axis)
    at = axis_of(axis, a.ndim + 1)
    if a.ndim == 1:
        return a[None, :] if at == 0 else a[:, None]
    if at == 0:
        return a[None, :, :]
    if at == 1:
        return a[:, None, :]
    return a[:, :, None]


def atleast_1d(a):
    if isinstance(a, (int, float, complex)):
        out = np.empty(1, np.result_type(a))
        out[0] = a
        return out
    return a.reshape(1) if a.ndim == 0 else a


def atleast_2d(a):
    if isinstance(a, (int, float, complex)):
        out = np.empty((1, 1), np.result_type(a))
        out[0, 0] = a
        return out
    if a.ndim == 0:
        return a.reshape((1, 1))
    if a.ndim == 1:
        return a[None, :]
    return a


def atleast_3d(a):
    if isinstance(a, (int, float, complex)):
        return np.full((1, 1, 1), a)
    if a.ndim == 1:
        return a[None, :, None]
    return a[:, :, None] if a.ndim == 2 else a


def asfortranarray(a):
    return a if a.ndim == 1 else a.T.copy().T


def asarray_chkfinite(a):
    if not np.isfinite(a).all():
        raise ValueError("array must not contain infs or NaNs")
    return np.asarray(a)


def indices(dimensions):
    if len(dimensions) == 1:
        return np.arange(dimensions[0]).reshape(1, dimensions[0])
    if len(dimensions) == 2:
        out = np.empty((2, dimensions[0], dimensions[1]), np.int64)
        out[0] = np.arange(dimensions[0])[:, None]
        out[1] = np.arange(dimensions[1])
        return out
    if len(dimensions) == 3:
        out = np.empty((3, dimensions[0], dimensions[1], dimensions[2]), np.int64)
        out[0] = np.arange(dimensions[0])[:, None, None]
        out[1] = np.arange(dimensions[1])[:, None]
        out[2] = np.arange(dimensions[2])
        return out
    return dimensions.indices_of_more_axes()  # which compiled code does not have, and says so


def meshgrid(x, y, indexing="xy"):
    if indexing == "xy":
        first, second = np.empty((y.size, x.size), x.dtype), np.empty((y.size, x.size), y.dtype)
        for i in range(y.size):
            first[i, :] = x
            second[i, :] = y[i]
        return first, second
    first, second = np.empty((x.size, y.size), x.dtype), np.empty((x.size, y.size), y.dtype)
    for i in range(x.size):
        first[i, :] = x[i]
        second[i, :] = y
    return first, second


def flip(m, axis=None):
    if m.ndim > 2:
        return m.flip_of_more_axes()
    at = 0 if axis is None else axis_of(axis, m.ndim)
    if m.ndim == 1:
        return m[::-1]
    if axis is None:
        return m[::-1, ::-1]
    return m[::-1, :] if at == 0 else m[:, ::-1]


def fliplr(m):
    return m[:, ::-1]


def flipud(m):
    return m[::-1]


def rot90(m, k=1):
    if m.ndim != 2:
        return m.rot90_of_more_axes()
    turns = k % 4
    if turns == 0:
        return m[:, :]
    if turns == 1:
        return m[:, ::-1].T
    if turns == 2:
        return m[::-1, ::-1]
    return m.T[:, ::-1]


def roll(a, shift, axis=None):
    if isinstance(shift, tuple) or (axis is not None and a.ndim > 1):
        return call("roll", a, a, shift, axis)
    if axis is not None:
        axis_of(axis, 1)
    if reaches(a.size >= 16 * few):
        return call("roll", a, a, shift, axis)
    x = a.ravel()
    out = np.empty(a.shape, a.dtype)
    flat = out.ravel()
    for i in range(x.size):
        flat[(i + shift) % x.size] = x[i]
    return out


def repeat(a, repeats, axis=None):
    if isinstance(a, (int, float, complex)):
        return np.full(repeats, a)
    if isinstance(repeats, (list, tuple)):
        return repeat(a, np.array(repeats), axis)
    if axis is not None and a.ndim > 1:
        return call("repeat", a, a, repeats, axis)
    if axis is not None:
        axis_of(axis, 1)
    x = a.ravel()
    if reaches(a.size >= 16 * few):
        return call("repeat", x, x, repeats, 0)
    if isinstance(repeats, int):
        out = np.empty(x.size * repeats, a.dtype)
        for i in range(x.size):
            for k in range(repeats):
                out[i * repeats + k] = x[i]
        return out
    if repeats.size != x.size:
        raise ValueError("operands could not be broadcast together")
    out = np.empty(repeats.sum(), a.dtype)
    at = 0
    for i in range(x.size):
        for _ in range(repeats[i]):
            out[at] = x[i]
            at += 1
    return out


def tile(A, reps):  # noqa: N803
    if isinstance(reps, int):
        return call("tile", A, A, reps)
    if len(reps) > A.ndim:
        return call("tile", np.empty(reps, A.dtype), A, reps)
    return call("tile", A, A, reps)


def pad(array, pad_width, mode="constant", constant_values=0):
    if isinstance(pad_width, int):
        return _padded(array, pad_width, pad_width, mode, constant_values)
    return _pad(array, pad_width, pad_width[0], mode, constant_values)


def _first(value):
    return value[0] if isinstance(value, tuple) else value


def _last(value):
    return value[1] if isinstance(value, tuple) else value


def _pad(array, widths, first, mode, value):
    if isinstance(first, int):
        return _padded(array, widths[0], widths[1], mode, value)
    if array.ndim == 1:
        return _padded(array, first[0], first[1], mode, value)
    if array.ndim == 2:
        second = widths[1]
        return call("pad", array, array, (first[0], first[1], second[0], second[1]), mode, _first(value), _last(value))
    if array.ndim == 3:
        (a, b), (c, d), (e, f) = widths
        return call("pad", array, array, (a, b, c, d, e, f), mode, _first(value), _last(value))
    return array.pad_of_more_axes()  # which compiled code does not have, and says so


def _padded(array, a, b, mode, value):
    if array.ndim == 1:
        return call("pad", array, array, (a, b), mode, _first(value), _last(value))
    if array.ndim == 2:
        return call("pad", array, array, (a, b, a, b), mode, _first(value), _last(value))
    if array.ndim == 3:
        return call("pad", array, array, (a, b, a, b, a, b), mode, _first(value), _last(value))
    return array.pad_of_more_axes()


def resize(a, new_shape):
    out = np.zeros(new_shape, a.dtype)
    x, flat = a.ravel(), out.ravel()
    if x.size > 0:
        for i in range(flat.size):
            flat[i] = x[i % x.size]
    return out


def _cut_at(ary, places):
    parts = []
    at = 0
    for end in places:
        parts.append(ary[at:end])
        at = end
    parts.append(ary[at:])
    return parts


def _cut(ary, where):
    if not isinstance(where, int):
        return _cut_at(ary, where)
    if where <= 0:
        raise ValueError("number sections must be larger than 0.")
    parts = []
    size, more = ary.shape[0] // where, ary.shape[0] % where
    at = 0
    for i in range(where):
        end = at + size + (1 if i < more else 0)
        parts.append(ary[at:end])
        at = end
    return parts


def _want_equal_parts(n, where):
    if isinstance(where, int):
        if n % where:
            raise ValueError("array split does not result in an equal division")


def array_split(ary, indices_or_sections, axis=None):
    if axis is None or ary.ndim == 1:
        return _cut(ary, indices_or_sections)
    return [swapaxes(part, 0, axis) for part in _cut(swapaxes(ary, 0, axis), indices_or_sections)]


def split(ary, indices_or_sections, axis=None):
    _want_equal_parts(ary.shape[0 if axis is None else axis_of(axis, ary.ndim)], indices_or_sections)
    return array_split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections) if ary.ndim == 1 else split(ary, indices_or_sections, 1)


def dsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 2)


def take(a, indices, axis=None, mode="raise"):
    if isinstance(indices, (list, tuple)):
        return take(a, np.array(indices), axis, mode)
    if mode != "raise" or (axis is not None and a.ndim > 1):
        return calls.take(a, indices, axis, mode)
    if axis is not None:
        axis_of(axis, 1)
    x = a.ravel()
    if isinstance(indices, int):
        return x[indices]
    if reaches(indices.size >= 16 * few):
        return calls.take(a, indices, axis, mode)
    out = np.empty(indices.shape, a.dtype)
    flat, at = out.ravel(), indices.ravel()
    for i in range(at.size):
        flat[i] = x[at[i]]
    return out


def put(a, ind, v, mode="raise"):
    if mode == "clip":
        _put(a, np.clip(np.array(ind) if isinstance(ind, list) else ind, 0, a.size - 1), v)
    elif mode == "wrap":
        _put(a, (np.array(ind) if isinstance(ind, list) else ind) % a.size, v)
    elif mode == "raise":
        _put(a, ind, v)
    else:
        raise ValueError("mode must be one of 'clip', 'raise', or 'wrap'")


def _put(a, ind, v):
    x = a.reshape(-1)
    if isinstance(ind, int):
        x[ind] = v if isinstance(v, (int, float, complex)) else v[0]
    else:
        for i in range(len(ind)):
            x[ind[i]] = v if isinstance(v, (int, float, complex)) else v[i % len(v)]


def place(arr, mask, vals):
    x, flags = arr.reshape(-1), mask.ravel()
    if x.size != flags.size:
        raise ValueError("place: mask and data must be the same size")
    if len(vals) == 0 and np.any(flags):
        raise ValueError("Cannot insert from an empty array!")
    n = 0
    for i in range(x.size):
        if flags[i]:
            x[i] = vals[n % len(vals)]
            n += 1


def putmask(a, mask, values):
    x, flags = a.reshape(-1), mask.ravel()
    if x.size != flags.size:
        raise ValueError("putmask: mask and data must be the same size")
    for i in range(x.size):
        if flags[i]:
            x[i] = values if isinstance(values, (int, float, complex)) else values.ravel()[i % values.size]


def copyto(dst, src, where=True):
    if isinstance(where, bool):
        if where:
            dst[...] = src
    else:
        dst[...] = np.where(where, src, dst)


def choose(a, choices):
    n = len(choices)
    if a.size > 0 and (a.min() < 0 or a.max() >= n):
        raise ValueError("invalid entry in choice array")
    out = np.zeros(a.shape, np.result_type(choices))
    k = 0
    for each in choices:
        out = np.where(a == k, each, out)
        k += 1
    return out


def select(condlist, choicelist, default=0):
    out = np.full(condlist[0].shape, default, np.result_type(choicelist[0], default))
    is_open = np.ones(condlist[0].shape, np.bool_)
    for condition, choice in zip(condlist, choicelist):  # noqa: B905
        out = np.where(is_open & condition, choice, out)
        is_open &= ~condition
    return out


def extract(condition, arr):
    return arr.ravel()[np.nonzero(condition.ravel())[0]]


def shape(a):
    return a.shape


def size(a, axis=None):
    if isinstance(a, (int, float, complex)):
        return 1
    return a.size if axis is None else a.shape[axis_of(axis, a.ndim)]


def ndim(a):
    return a.ndim


def _shape(x):
    if isinstance(x, int):
        return (x,)
    return x


def _length_of_both(n, m):
    if n != m and n != 1 and m != 1:
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return m if n == 1 else n


def _shape_of_both(a, b):
    if len(b) == 0:
        return a
    if len(a) == 0:
        return b
    return _shape_of_both(a[:-1], b[:-1]) + (_length_of_both(a[-1], b[-1]),)  # noqa: RUF005


def broadcast_shapes(first, second=(), third=(), fourth=()):
    return _shape_of_both(_shape_of_both(_shape(first), _shape(second)), _shape_of_both(_shape(third), _shape(fourth)))


def broadcast_arrays(a, b):
    shape = _shape_of_both(a.shape, b.shape)
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape)


def broadcast_arrays_3(a, b, c):
    shape = _shape_of_both(_shape_of_both(a.shape, b.shape), c.shape)
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape), np.broadcast_to(c, shape)


def as_strided(x, shape, strides=None):
    if strides is None:
        return strided(x, shape, x.strides)
    return strided(x, shape, strides)


def _windows(n, width):
    if width < 0:
        raise ValueError("`window_shape` cannot contain negative values")
    if width > n:
        raise ValueError("window shape cannot be larger than input array shape")
    return n - width + 1


def sliding_window_view(x, window_shape, axis=None):
    if x.ndim == 1:
        (width,) = _shape(window_shape)
        if axis is not None:
            axis_of(axis, 1)
        shape = (_windows(x.shape[0], width), width)
        return np.broadcast_to(strided(x, shape, (x.strides[0], x.strides[0])), shape)
    n, m = x.shape
    if axis is not None:
        (width,) = _shape(window_shape)
        at = axis_of(axis, 2)
        along = (_windows(n, width), m, width) if at == 0 else (n, _windows(m, width), width)
        return np.broadcast_to(strided(x, along, (x.strides[0], x.strides[1], x.strides[at])), along)
    height, width = window_shape
    both = (_windows(n, height), _windows(m, width), height, width)
    return np.broadcast_to(strided(x, both, (x.strides[0], x.strides[1], x.strides[0], x.strides[1])), both)


def frombuffer(buffer, dtype=np.float64, count=-1, offset=0):
    data, size = buffer.view(np.uint8), np.empty(0, dtype).itemsize
    if offset < 0 or offset >= data.size:
        raise ValueError("offset must be non-negative and no greater than buffer length")
    part = data[offset:]
    if count < 0:
        if part.size % size != 0:
            raise ValueError("buffer size must be a multiple of element size")
        return part.view(dtype)
    if part.size < count * size:
        raise ValueError("buffer is smaller than requested size")
    return part[: count * size].view(dtype)
