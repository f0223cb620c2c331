"""Matrices of a form: ones, diagonals, triangles, powers."""

import numpy as np


def eye(N, M=None, k=0, dtype=np.float64):  # noqa: N803
    width = N if M is None else M
    out = np.zeros((N, width), dtype)
    for i in range(N):
        if 0 <= i + k < width:
            out[i, i + k] = 1
    return out


def identity(n, dtype=np.float64):
    return eye(n, n, 0, dtype)


def diag(v, k=0):
    if v.ndim == 1:
        n = v.size + abs(k)
        out = np.zeros((n, n), v.dtype)
        for i in range(v.size):
            out[i + max(-k, 0), i + max(k, 0)] = v[i]
        return out
    rows, columns = v.shape
    n = max(min(rows - max(-k, 0), columns - max(k, 0)), 0)
    found = np.empty(n, v.dtype)
    for i in range(n):
        found[i] = v[i + max(-k, 0), i + max(k, 0)]
    return found


def diagflat(v, k=0):
    return diag(v.ravel(), k)


def fill_diagonal(a, val):
    if a.ndim == 2:
        for i in range(min(a.shape[0], a.shape[1])):
            a[i, i] = val if isinstance(val, (int, float, complex)) else val[i % val.size]
    elif a.ndim == 3:
        if a.shape[1] != a.shape[0] or a.shape[2] != a.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
        for i in range(a.shape[0]):
            a[i, i, i] = val if isinstance(val, (int, float, complex)) else val[i % val.size]
    else:
        raise ValueError("array must be at least 2-d")


def tri(N, M=None, k=0, dtype=np.float64):  # noqa: N803
    width = max(N if M is None else M, 0)
    out = np.zeros((max(N, 0), width), dtype)
    for i in range(N):
        for j in range(min(max(i + k + 1, 0), width)):
            out[i, j] = 1
    return out


def _below(m, k):
    """Whether each place of the last two axes is on the diagonal k or to the left of it."""
    if m.ndim == 1:
        return tri(m.shape[0], m.shape[0], k, np.bool_)
    return tri(m.shape[-2], m.shape[-1], k, np.bool_)


def tril(m, k=0):
    return np.where(_below(m, k), m, m.dtype.type(0))


def triu(m, k=0):
    return np.where(_below(m, k - 1), m.dtype.type(0), m)


def tril_indices(n, k=0, m=None):
    width = n if m is None else m
    count = 0
    for i in range(n):
        count += min(max(i + k + 1, 0), width)
    rows, columns = np.empty(count, np.int64), np.empty(count, np.int64)
    at = 0
    for i in range(n):
        for j in range(min(max(i + k + 1, 0), width)):
            rows[at], columns[at] = i, j
            at += 1
    return rows, columns


def triu_indices(n, k=0, m=None):
    width = n if m is None else m
    count = 0
    for i in range(n):
        count += max(width - max(i + k, 0), 0)
    rows, columns = np.empty(count, np.int64), np.empty(count, np.int64)
    at = 0
    for i in range(n):
        for j in range(max(i + k, 0), width):
            rows[at], columns[at] = i, j
            at += 1
    return rows, columns


def tril_indices_from(arr, k=0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[0], k, arr.shape[1])


def diag_indices(n, ndim=2):
    at = np.arange(n)
    if ndim == 1:
        return (at,)
    if ndim == 2:
        return at, at
    if ndim == 3:
        return at, at, at
    return at.diag_indices_of_more_axes()  # which compiled code does not have, and says so


def diag_indices_from(arr):
    for length in arr.shape:
        if length != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    if arr.ndim == 2:
        return diag_indices(arr.shape[0], 2)
    return diag_indices(arr.shape[0], 3)


def vander(x, N=None, increasing=False):  # noqa: N803
    n = x.size if N is None else N
    out = np.empty((x.size, n), np.result_type(x, np.int64))
    for i in range(x.size):
        power = out[i, 0].dtype.type(1)
        for j in range(n):
            out[i, j if increasing else n - 1 - j] = power
            power *= x[i]
    return out
