"""Indices that are arrays, where an array has more axes than one: x[i], x[:, j], x[i, j], read and assigned.

None stands for a whole axis. Compiled code puts these calls in a subscript's place (infer_subscript.cpp).
"""

import numpy as np


def _places(i):
    """The positions where a mask holds; indices as they are."""
    if i.dtype == np.bool_:
        return np.flatnonzero(i)
    return i.astype(np.int64)


def _want_mask(i, length):
    if i.dtype == np.bool_ and i.size != length:
        raise IndexError("boolean index did not match the axis of the indexed array")


def _inside(at, length, axis):
    """The places of a store: if one is not there, nothing is stored."""
    if at.size > 0 and (at.min() < -length or at.max() >= length):
        for k in range(at.size):
            if at[k] < -length or at[k] >= length:
                raise IndexError(f"index {at[k]} is out of bounds for axis {axis} with size {length}")
    return at


def gather_1(a, i):
    if i.ndim != 1:
        return a.index_array_of_more_axes()  # which compiled code does not have, and says so
    _want_mask(i, a.shape[0])
    at = _places(i)
    if a.ndim == 2:
        out = np.empty((at.size, a.shape[1]), a.dtype)
    else:
        out = np.empty((at.size, a.shape[1], a.shape[2]), a.dtype)
    for k in range(at.size):
        out[k, :] = a[at[k]]
    return out


def gather_2(a, i, j):
    if a.ndim != 2:
        return a.index_arrays_of_more_axes()
    if j is None:
        return gather_1(a, i)
    if i is None:
        _want_mask(j, a.shape[1])
        at = _places(j)
        rows = np.empty((a.shape[0], at.size), a.dtype)
        for r in range(a.shape[0]):
            for k in range(at.size):
                rows[r, k] = a[r, at[k]]
        return rows
    if isinstance(i, int):
        return _picked(a[i], j)
    if isinstance(j, int):
        return _picked(a[:, j], i)
    _want_mask(i, a.shape[0])
    _want_mask(j, a.shape[1])
    at, to = _places(i), _places(j)
    out = np.empty(_common_count(at, to), a.dtype)
    for k in range(out.size):
        out[k] = a[at[k if at.size > 1 else 0], to[k if to.size > 1 else 0]]
    return out


def _picked(line, i):
    _want_mask(i, line.size)
    at = _places(i)
    out = np.empty(at.size, line.dtype)
    for k in range(at.size):
        out[k] = line[at[k]]
    return out


def _common_count(at, to):
    if at.size != to.size and at.size != 1 and to.size != 1:
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together")
    return max(at.size, to.size) if min(at.size, to.size) > 0 else 0


def _apart(v):
    """The values as they are before anything is stored: they may be a part of the array itself."""
    return v if isinstance(v, (int, float, complex)) else v.copy()


def _want_count(n, values):
    if values != n and values != 1:
        raise ValueError("shape mismatch: the values do not fit the places")


def scatter_1(a, i, v):
    _scatter_1(a, i, _apart(v), 0)


def _scatter_1(a, i, v, axis):
    if i.dtype == np.bool_ and i.ndim > 1:
        if i.ndim == 2:
            _scatter_mask(a, i, v)
        else:
            i.mask_of_more_axes()
        return
    if i.ndim != 1:
        i.index_array_of_more_axes()
    _want_mask(i, a.shape[0])
    at = _inside(_places(i), a.shape[0], axis)
    if isinstance(v, (int, float, complex)):
        for k in range(at.size):
            a[at[k]] = v
    elif a.ndim == 1:
        _want_count(at.size, v.size)
        for k in range(at.size):
            a[at[k]] = v[k if v.size > 1 else 0]
    elif v.ndim < a.ndim:
        for k in range(at.size):
            a[at[k]] = v
    else:
        _want_count(at.size, v.shape[0])
        for k in range(at.size):
            a[at[k]] = v[k if v.shape[0] > 1 else 0]


def _scatter_mask(a, mask, v):
    if mask.shape != a.shape:
        raise IndexError("boolean index did not match indexed array")
    _want_count(np.count_nonzero(mask), v.size)
    n = 0
    for r in range(a.shape[0]):
        for c in range(a.shape[1]):
            if mask[r, c]:
                a[r, c] = v[n if v.size > 1 else 0]
                n += 1


def scatter_2(a, i, j, v):
    _scatter_2(a, i, j, _apart(v))


def _scatter_2(a, i, j, v):
    if a.ndim != 2:
        a.index_arrays_of_more_axes()
    if j is None:
        _scatter_1(a, i, v, 0)
    elif i is None:
        _scatter_columns(a, j, v)
    elif isinstance(i, int):
        _scatter_1(a[i], j, v, 1)
    elif isinstance(j, int):
        _scatter_1(a[:, j], i, v, 0)
    else:
        _want_mask(i, a.shape[0])
        _want_mask(j, a.shape[1])
        at, to = _inside(_places(i), a.shape[0], 0), _inside(_places(j), a.shape[1], 1)
        n = _common_count(at, to)
        if not isinstance(v, (int, float, complex)):
            _want_count(n, v.size)
        for k in range(n):
            row, column = at[k if at.size > 1 else 0], to[k if to.size > 1 else 0]
            a[row, column] = v if isinstance(v, (int, float, complex)) else v[k if v.size > 1 else 0]


def _scatter_columns(a, j, v):
    if isinstance(v, (int, float, complex)):
        _scatter_1(a.T, j, v, 1)
    elif v.ndim == 1:  # each row's
        _scatter_1(a.T, j, v[:, None], 1)
    else:
        _scatter_1(a.T, j, v.T, 1)


def augment_1(a, i, op, v):
    _scatter_1(a, i, _result(op, a[i], v), 0)


def augment_2(a, i, j, op, v):
    _scatter_2(a, i, j, _result(op, gather_2(a, i, j), v))


def _result(op, old, v):
    if op == "+":
        return old + v
    elif op == "-":
        return old - v
    elif op == "*":
        return old * v
    elif op == "/":
        return old / v
    elif op == "//":
        return old // v
    elif op == "%":
        return old % v
    elif op == "**":
        return old**v
    elif op == "&":
        return old & v
    elif op == "|":
        return old | v
    elif op == "^":
        return old ^ v
    elif op == "<<":
        return old << v
    elif op == ">>":
        return old >> v
    return old.this_operator()  # which compiled code does not have, and says so


def _end(at, n, least, most):
    """A slice's end, counted from the front."""
    if at < 0:
        at += n
    return min(max(at, least), most)


def _range_of(start, stop, step, n):
    """The places of a slice of a list of n, from a step that is not 0."""
    least, most = (0, n) if step > 0 else (-1, n - 1)
    first, last = (least, most) if step > 0 else (most, least)
    if start is not None:
        first = _end(start, n, least, most)
    if stop is not None:
        last = _end(stop, n, least, most)
    return first, last


def _step_of(step):
    if step is None:
        return 1
    if step == 0:
        raise ValueError("slice step cannot be zero")
    return int(step)


def store_slice(a, start, stop, step, values):
    given = list(values)
    by = _step_of(step)
    first, last = _range_of(start, stop, by, len(a))
    if by == 1:
        behind = a[max(first, last) :]
        while len(a) > first:
            a.pop()
        a.extend(given)
        a.extend(behind)
        return
    n = len(range(first, last, by))
    if n != len(given):
        raise ValueError(f"attempt to assign sequence of size {len(given)} to extended slice of size {n}")
    for k in range(n):
        a[first + k * by] = given[k]


def delete_slice(a, start, stop, step):
    by = _step_of(step)
    first, last = _range_of(start, stop, by, len(a))
    n = len(range(first, last, by))
    if n == 0:
        return
    if by < 0:
        first, by = first + (n - 1) * by, -by
    end, to = first + (n - 1) * by, first
    for k in range(first, len(a)):
        if k > end or (k - first) % by != 0:
            a[to] = a[k]
            to += 1
    for _ in range(n):
        a.pop()
