"""dask.array.linalg: norms chunk by chunk; QR, and what follows from it, of a matrix whose rows lie in chunks; other
factorisations over the whole array."""

import numpy as np

import kasoku as ks
from kasoku import _core

from ..._face.table import Table
from .._task_spec import List
from . import _chunks
from ._array import Each, made, several
from ._chunks import call, ours, starts
from ._sources import asanyarray
from ._table import of_an_array, of_arrays
from ._whole import whole, wholes


def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
    x = asanyarray(x)
    is_of_vectors, told = x.ndim == 1 or isinstance(axis, int), {"axis": axis, "keepdims": keepdims}
    if ord == "fro" or ord is None and axis is None or ord in (None, 2) and is_of_vectors:
        return (abs(x) ** 2).sum(**told) ** 0.5
    if is_of_vectors and ord == 1:
        return abs(x).sum(**told)
    if is_of_vectors and ord in (np.inf, -np.inf):
        return getattr(abs(x), "max" if ord > 0 else "min")(**told)
    sample = np.linalg.norm(np.ones((2,) * x.ndim), ord, **told)
    gone = {a % x.ndim for a in np.atleast_1d(axis)} if np.ndim(sample) and not keepdims else ()
    kept = tuple(1 if keepdims else n for k, n in enumerate(x.shape) if k not in gone) if np.ndim(sample) else ()
    return whole(kept, float, np.linalg.norm, x, ord=ord, **told)


def _kind(*arrays):
    """The dtype of what NumPy computes of matrices: floats stay what they are."""
    return np.result_type(*(x.dtype if x.dtype.kind in "fc" else float for x in arrays))


def _by_ours(name, *args, **words):
    """numpy.linalg's function by that of ours, whose library takes as many threads as the tasks beside this one leave.
    Computed here: what is only noted down would be computed by whichever task reads it."""
    found = getattr(ks.linalg, name)(*(ours(arg) for arg in args), **words)
    ks.eval(*(part for part in (found if isinstance(found, tuple) else (found,)) if isinstance(part, ks.Array)))
    return found


def _solved(a, b, lower):
    return np.linalg.solve(np.tril(a) if lower else np.triu(a), b)


def _square(a, what):
    """The array, if it is a square matrix: told where it is asked for, not where it is computed."""
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"Input must be a square matrix to perform {what} decomposition")
    return a


_functions = Table({"array": of_an_array, "arrays": of_arrays})
_functions.rows("array", {
    "inv": lambda a: whole(a.shape, _kind(a), _by_ours, "inv", _square(a, "lu")),
    "cholesky": lambda a, lower=False: (
        whole(a.shape, _kind(a), _by_ours, "cholesky", _square(a, "cholesky")) if lower
        else _functions.cholesky(a, lower=True).T.conj()),
})  # fmt: skip
_functions.rows("arrays", {
    "solve": lambda a, b, sym_pos=None, assume_a="gen": whole(
        b.shape, _kind(a, b), _by_ours, "solve", _square(a, "lu"), b),
    "solve_triangular": lambda a, b, lower=False: whole(b.shape, _kind(a, b), _solved, a, b, lower=lower),
})  # fmt: skip
_functions.into(globals())


def _factored(block):
    return _by_ours("qr", block)


def _stacked(blocks):
    return _factored(_chunks.joined(blocks, 0))


def _product(q, above, start, stop):
    return call("matmul", q, above[start:stop])


def qr(a):
    """Q and R of a matrix whose rows lie in chunks: each chunk is factored, then their R's one below the other."""
    a = asanyarray(a)
    if a.ndim != 2:
        raise ValueError("qr: the array has two dimensions")
    m, n = a.shape
    kind, a = _kind(a), a.rechunk({1: -1})
    heights = [min(rows, n) for rows in a.chunks[0]]
    if len(heights) == 1 or m < n:
        return tuple(wholes([((m, min(m, n)), kind), ((min(m, n), n), kind)], _by_ours, "qr", a))
    both, rows, square, ends = [((), kind)] * 2, (a.chunks[0], (n,)), ((n,), (n,)), starts(heights)
    own, parts = several("qr", rows, both, (_factored, a))
    above, r = several("qr-r", square, both, (_stacked, List._of([parts.ref((i, 0)) for i in range(len(heights))])), [parts])  # fmt: skip
    q = made("qr-q", rows, kind, (_product, own, above, Each(ends, 0), Each(ends[1:], 0)))
    return q, r


sfqr = qr


def tsqr(data, compute_svd=False, _max_vchunk_size=None):
    return svd(data, coerce_signs=False) if compute_svd else qr(data)


def svd(a, coerce_signs=True, full_matrices=False):
    """U, the singular values, and V, by way of R. coerce_signs: no row of V has a negative sum."""
    if full_matrices:
        raise NotImplementedError("dask.array.linalg.svd: full_matrices=True is not there")
    a = asanyarray(a)
    if a.ndim != 2:
        raise ValueError(f"Array must be 2D.\nInput array has {a.ndim} dimensions")
    m, n = a.shape
    if m < n:
        v, s, u = (part.T for part in svd(a.T, coerce_signs=False))
    elif len(a.chunks[0]) > 1:
        q, r = qr(a)
        u, s, v = svd(r, coerce_signs=False)
        u = q @ u
    else:
        kind = _kind(a)
        u, s, v = wholes([((m, n), kind), ((n,), kind), ((n, n), kind)], _by_ours, "svd", a, full_matrices=False)
        s = s.real
    if coerce_signs:
        signs = (2 * (v.real.sum(axis=1) >= 0) - 1).astype(v.dtype)
        u, v = u * signs, v * signs[:, None]
    return u, s, v


def lstsq(a, b):
    """x with the least |b - a x|, the sums of its squares, the rank and the singular values, by way of R."""
    a, b = asanyarray(a), asanyarray(b)
    q, r = qr(a)
    kind, n = _kind(a, b), a.shape[1]
    least = np.finfo(_kind(a)).eps * max(a.shape)
    kinds = [((n, *b.shape[1:]), kind), ((np.nan,), kind), ((), np.int64), ((min(a.shape),), kind)]
    x, _, rank, s = wholes(kinds, _by_ours, "lstsq", r, q.T.conj() @ b, rcond=least)
    residuals = (abs(b - a @ x) ** 2).sum(axis=0, keepdims=b.ndim == 1)
    return x, residuals, rank, s.real


def lu(a):
    """P, L and U with P L U = a: rows are exchanged for the greatest element of a column."""
    a = asanyarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"Dimension must be {'square matrix' if a.ndim == 2 else '2 to perform lu decomposition'}")
    return tuple(wholes([(a.shape, _kind(a))] * 3, _lu, a))


def _lu(a):
    factors, pivots = map(_chunks.numpys, _core._linalg._lu(ours(np.asarray(a, np.result_type(float, a.dtype)))))
    rows, one = np.arange(len(a)), np.eye(len(a), dtype=factors.dtype)
    for k, best in enumerate(pivots):
        rows[[k, best]] = rows[[best, k]]
    return one[rows].T, np.tril(factors, -1) + one, np.triu(factors)


def svd_compressed(
    a, k, iterator="power", n_power_iter=0, n_oversamples=10, seed=None, compute=False, coerce_signs=True
):
    """The k greatest singular values and their vectors, of a product with random columns."""
    from .random import RandomState

    a = asanyarray(a)
    m, n = a.shape
    width = min(max(20, k + n_oversamples), m, n)  # as Dask: more columns than these few cost little
    drawn = seed if isinstance(seed, RandomState) else RandomState(seed)
    y = a @ drawn.normal(size=(n, width), chunks=(a.chunks[1], (width,)))
    for _ in range(n_power_iter):
        q, _unused = qr(y)
        y = a @ (a.T.conj() @ q)
    q, _unused = qr(y)
    u, s, v = svd(q.T.conj() @ a)
    return (q @ u)[:, :k], s[:k], v[:k]
