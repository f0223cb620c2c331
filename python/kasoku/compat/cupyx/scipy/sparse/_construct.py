"""Matrices that are made: of diagonals, of blocks, by chance."""

import numpy as _np

from .... import cupy as _cupy
from ...._face.table import plain as _plain
from ._given import axis_of as _axis
from ._matrix import coo_matrix as _coo, dia_matrix as _dia, spmatrix as _spmatrix

__all__ = """eye identity diags spdiags random rand kron kronsum vstack hstack bmat block_diag find tril triu matrix_transpose
    permute_dims swapaxes""".split()


def eye(m, n=None, k=0, dtype="d", format=None):
    """Ones on a diagonal."""
    n = m if n is None else n
    m, n = int(m), int(n)
    return _dia((_cupy.ones((1, max(0, min(m + k, n))), dtype=dtype), k), shape=(m, n)).asformat(format)


def diags(diagonals, offsets=0, shape=None, format=None, dtype=None):
    """Diagonals that are given from their first element on; a number fills one."""
    if isinstance(offsets, (int, _np.integer)) or getattr(offsets, "ndim", 1) == 0:
        first = diagonals[0] if len(diagonals) else 0
        diagonals = [diagonals] if not hasattr(first, "__len__") or getattr(first, "ndim", 1) == 0 else diagonals
        offsets = [int(offsets)]
    diagonals = [_cupy.atleast_1d(_cupy.asarray(d)) for d in diagonals]
    offsets = [int(k) for k in offsets]
    if len(diagonals) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        shape = (diagonals[0].size + abs(offsets[0]),) * 2
    m, n = shape
    dtype = dtype or _np.result_type(*(d.dtype for d in diagonals))
    dtype = dtype if _np.dtype(dtype).char in "?fdFD" else "float64"
    columns = max([min(m + k, n) for k in offsets], default=0)
    data = _cupy.zeros((len(offsets), max(columns, 0)), dtype)
    for row, (diagonal, k) in enumerate(zip(diagonals, offsets)):
        length = min(m + min(k, 0), n - max(k, 0))
        if length < 0:
            raise ValueError(f"Offset {k} (index {row}) out of bounds")
        if diagonal.size not in (1, length):
            raise ValueError(
                f"Diagonal length (index {row}: {diagonal.size} at offset {k}) does not agree with matrix size ({m}, {n})."
            )
        data[row, max(k, 0) : max(k, 0) + length] = diagonal
    return _dia((data, offsets), shape=(m, n)).asformat(format)


def permute_dims(A, axes=None, copy=False):
    """The matrix with its axes in another order: itself, or the transposed one."""
    if not isinstance(A, _spmatrix):
        raise TypeError(f"a sparse matrix is needed, not a {type(A).__name__}")
    order = [1, 0] if axes is None else [_axis(axis) for axis in axes]
    if sorted(order) != [0, 1]:
        raise ValueError(f"axes {axes} are no order of the two axes of a matrix")
    return A.transpose(copy=copy) if order == [1, 0] else A.copy() if copy else A


def swapaxes(A, axis1, axis2):
    """The matrix with two axes swapped."""
    return permute_dims(A, (1, 0) if _axis(axis1) != _axis(axis2) else (0, 1))


def random(m, n, density=0.01, format="coo", dtype=None, random_state=None, data_rvs=None):
    """Random places, all different, with random values."""
    if not 0 <= density <= 1:
        raise ValueError("density expected to be 0 <= density <= 1")
    dtype = _np.dtype("float64" if dtype is None else dtype)
    if dtype.char not in "fd":
        raise NotImplementedError(f"type {dtype} not supported")
    total = m * n
    k = int(density * total)
    is_seed = random_state is None or isinstance(random_state, (int, _np.integer))
    source = _cupy.random.RandomState(random_state) if is_seed else random_state
    at = _cupy.sort(_different(source, total, k))
    values = (source.rand if data_rvs is None else data_rvs)(k)
    return _coo((_cupy.asarray(values, dtype=dtype), (at // max(n, 1), at % max(n, 1))), shape=(m, n)).asformat(format)


def _different(source, total, k):
    """k of so many places; few among many are drawn until there are enough, instead of putting all in an order."""
    if k == 0 or total < 2**20 or k > total // 8:
        return source.permutation(total)[:k] if k else _cupy.zeros(0, "int64")
    drawn = _cupy.zeros(0, "int64")
    while drawn.size < k:
        drawn = _cupy.unique(_cupy.concatenate([drawn, source.randint(0, total, k + k // 8 + 8, dtype="int64")]))
    return drawn[source.permutation(drawn.size)[:k]]


def _sparse(x):
    return x if isinstance(x, _spmatrix) else _coo(x)


def kron(A, B, format=None):
    """The product of Kronecker."""
    a, b = _sparse(A), _sparse(B)
    (i, j, x), (k, m, y) = a._triples(), b._triples()
    row = (i[:, None] * b.shape[0] + k).ravel()
    column = (j[:, None] * b.shape[1] + m).ravel()
    shape = a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]
    return _coo(((x[:, None] * y).ravel(), (row, column)), shape=shape).asformat(format)


def kronsum(A, B, format=None):
    """The sum of Kronecker of two square matrices."""
    a, b = _sparse(A), _sparse(B)
    for x, name in (a, "A"), (b, "B"):
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"{name} is not square matrix")
    dtype = _np.result_type(a.dtype, b.dtype)
    left = kron(eye(b.shape[0], dtype=dtype), a, "coo")
    return (left + kron(b, eye(a.shape[0], dtype=dtype), "coo")).asformat(format)


def bmat(blocks, format=None, dtype=None):
    """A matrix of blocks; None is one of zeros."""
    rows = [[None if b is None else _sparse(b) for b in row] for row in blocks]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("Each row of blocks must have the same number of blocks")
    heights, widths = [None] * len(rows), [None] * len(rows[0])
    for i, row in enumerate(rows):
        for j, b in enumerate(row):
            if b is None:
                continue
            for lengths, at, n, kind in (heights, i, b.shape[0], "row"), (widths, j, b.shape[1], "column"):
                if lengths[at] is not None and lengths[at] != n:
                    raise ValueError(
                        f"blocks[{i},{j}] has incompatible {kind} dimensions: {n}, and {lengths[at]} expected"
                    )
                lengths[at] = n
    for lengths, kind in (heights, "blocks[{},:]"), (widths, "blocks[:,{}]"):
        if None in lengths:
            raise ValueError(kind.format(lengths.index(None)) + " are all None")
    down, right = _np.cumsum([0, *heights]), _np.cumsum([0, *widths])
    parts = [(b, int(down[i]), int(right[j])) for i, row in enumerate(rows) for j, b in enumerate(row) if b is not None]
    dtype = dtype or _np.result_type(*(b.dtype for b, _, _ in parts))
    triples = [(*b._triples(), y, x) for b, y, x in parts]
    row = _cupy.concatenate([t[0] + t[3] for t in triples])
    column = _cupy.concatenate([t[1] + t[4] for t in triples])
    data = _cupy.concatenate([t[2].astype(dtype) for t in triples])
    return _coo((data, (row, column)), shape=(int(down[-1]), int(right[-1]))).asformat(format)


def find(A):
    """Rows, columns and values of what is not 0."""
    a = _sparse(A).tocsr()
    a.eliminate_zeros()
    return a._triples()


def _triangle(A, format, kept):
    a = _sparse(A)
    row, column, data = a._triples()
    at = _cupy.flatnonzero(kept(column.astype("int64") - row))
    return _coo((data[at], (row[at], column[at])), shape=a.shape).asformat(format)


_plain(globals(), {
    "identity": (lambda n, dtype="d", format=None: eye(n, n, 0, dtype, format), "The square matrix with ones on its diagonal."),
    "spdiags": (lambda data, diags, m, n, format=None: _dia((data, diags), shape=(m, n)).asformat(format),
        "Diagonals whose elements stand at their columns."),
    "rand": (lambda m, n, density=0.01, format="coo", dtype=None, random_state=None: random(
        m, n, density, format, dtype, random_state), "Random places, all different, with numbers of [0, 1)."),
    "vstack": (lambda blocks, format=None, dtype=None: bmat([[b] for b in blocks], format, dtype), "Matrices below each other."),
    "hstack": (lambda blocks, format=None, dtype=None: bmat([blocks], format, dtype), "Matrices beside each other."),
    "block_diag": (lambda mats, format=None, dtype=None: bmat(
        [[m if i == j else None for j in range(len(mats))] for i, m in enumerate(mats)], format, dtype),
        "Matrices along the diagonal."),
    "matrix_transpose": (lambda A: permute_dims(A), "The transposed matrix."),
    "tril": (lambda A, k=0, format=None: _triangle(A, format, lambda d: d <= k), "What is on a diagonal and below it."),
    "triu": (lambda A, k=0, format=None: _triangle(A, format, lambda d: d >= k), "What is on a diagonal and above it."),
})  # fmt: skip
