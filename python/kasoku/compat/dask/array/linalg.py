"""dask.array.linalg: norms chunk by chunk, factorisations over the whole array by NumPy."""

import numpy as np

from ._core import asarray
from ._more import array_of, on_whole


def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
    x = asarray(x)
    if ord in (None, "fro", 2) and (
        axis is None and (ord is None or x.ndim == 1) or isinstance(axis, int) or ord == "fro"
    ):
        square = abs(x) ** 2
        return (square.sum(axis=axis, keepdims=keepdims)) ** 0.5
    if (x.ndim == 1 or isinstance(axis, int)) and ord == 1:
        return abs(x).sum(axis=axis, keepdims=keepdims)
    if (x.ndim == 1 or isinstance(axis, int)) and ord in (np.inf, -np.inf):
        return getattr(abs(x), "max" if ord > 0 else "min")(axis=axis, keepdims=keepdims)
    sample = np.linalg.norm(np.ones((2,) * x.ndim), ord, axis, keepdims)
    if np.ndim(sample) and not keepdims:
        kept = tuple(n for k, n in enumerate(x.shape) if k not in {a % x.ndim for a in np.atleast_1d(axis)})
    else:
        kept = (1,) * x.ndim if keepdims else ()
    return array_of(on_whole(np.linalg.norm, x, ord=ord, axis=axis, keepdims=keepdims), kept, float)


def _kind(*arrays):
    return np.result_type(float, *(x.dtype for x in arrays))


def inv(a):
    a = asarray(a)
    return array_of(on_whole(np.linalg.inv, a), a.shape, _kind(a))


def solve(a, b, **ignored):
    a, b = asarray(a), asarray(b)
    return array_of(on_whole(np.linalg.solve, a, b), b.shape, _kind(a, b))


def cholesky(a, lower=False):
    a = asarray(a)
    made = array_of(on_whole(np.linalg.cholesky, a), a.shape, _kind(a))
    return made if lower else made.T.conj()


def qr(a):
    a = asarray(a)
    m, n = a.shape
    made = on_whole(np.linalg.qr, a)
    return array_of(made, (m, min(m, n)), _kind(a), 0), array_of(made, (min(m, n), n), _kind(a), 1)


tsqr = qr


def svd(a, coerce_signs=True):
    a = asarray(a)
    m, n = a.shape
    k, made = min(m, n), on_whole(np.linalg.svd, a, full_matrices=False)
    return array_of(made, (m, k), _kind(a), 0), array_of(made, (k,), float, 1), array_of(made, (k, n), _kind(a), 2)


def lstsq(a, b):
    a, b = asarray(a), asarray(b)
    made = on_whole(np.linalg.lstsq, a, b)
    n = a.shape[1]
    return (array_of(made, (n, *b.shape[1:]), _kind(a, b), 0), array_of(made, (np.nan,), float, 1),
            array_of(made, (), np.int64, 2), array_of(made, (min(a.shape),), float, 3))  # fmt: skip
