"""cupyx.scipy.spatial.distance: distances of points, computed of all pairs at once."""

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray, floats as _floats, stored as _stored
from ...._face.special import special as _special
from ...._face.table import bound as _bound, plain as _plain


def _norm(x):
    return _ks.sqrt((x * x).sum(axis=-1))


def _cosine(u, v):
    return 1 - (u * v).sum(axis=-1) / (_norm(u) * _norm(v))


def _canberra(u, v):
    sizes = abs(u) + abs(v)
    return _ks.where(sizes == 0, 0, abs(u - v) / _ks.where(sizes == 0, 1, sizes)).sum(axis=-1)


def _jensenshannon(u, v):
    u, v = u / u.sum(axis=-1, keepdims=True), v / v.sum(axis=-1, keepdims=True)
    u, v = _ks.broadcast_arrays(u, v)
    between = (u + v) / 2
    return _ks.sqrt((_special("rel_entr", u, between) + _special("rel_entr", v, between)).sum(axis=-1) / 2)


def _centred(x):
    return x - x.mean(axis=-1, keepdims=True)


# name -> of points along the last axis
_metrics = {
    "braycurtis": lambda u, v: abs(u - v).sum(axis=-1) / abs(u + v).sum(axis=-1),
    "canberra": _canberra,
    "chebyshev": lambda u, v: abs(u - v).max(axis=-1),
    "cityblock": lambda u, v: abs(u - v).sum(axis=-1),
    "correlation": lambda u, v: _cosine(_centred(u), _centred(v)),
    "cosine": _cosine,
    "euclidean": lambda u, v: _norm(u - v),
    "hamming": lambda u, v: (u != v).mean(axis=-1),
    "hellinger": lambda u, v: _norm(_ks.sqrt(u) - _ks.sqrt(v)) / 2**0.5,
    "jensenshannon": _jensenshannon,
    "kl_divergence": lambda u, v: _special("rel_entr", *_ks.broadcast_arrays(u, v)).sum(axis=-1),
    "minkowski": lambda u, v, p=2: (abs(u - v) ** p).sum(axis=-1) ** (1 / p),
    "russellrao": lambda u, v: (u.shape[-1] - ((u != 0) & (v != 0)).sum(axis=-1)) / u.shape[-1],
    "sqeuclidean": lambda u, v: ((u - v) ** 2).sum(axis=-1),
}  # fmt: skip
_short = {"l1": "cityblock", "l2": "euclidean", "manhattan": "cityblock", "linf": "chebyshev"}


def _cdist(XA, XB, metric="euclidean", out=None, **kwargs):
    a, b = _floats(XA, "f"), _floats(XB, "f")
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(f"{'XA' if a.ndim != 2 else 'XB'} must be a 2-dimensional array.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    of = _metrics.get(_short.get(metric, metric) if isinstance(metric, str) else None)
    if of is None:
        raise ValueError(f"unknown metric {metric!r}: there are {', '.join(sorted({*_metrics, *_short}))}")
    a, b = a.astype(_ks.result_type(a, b), copy=False), b.astype(_ks.result_type(a, b), copy=False)
    return _stored(of(a[:, None], b[None], **kwargs), out)


def _pair(u, v, *, name, **kwargs):
    u, v = _floats(u, "f"), _floats(v, "f")
    if u.ndim != 1 or v.ndim != 1 or u.shape != v.shape:
        raise ValueError(f"{name}: u and v are vectors of one length, not of the shapes {u.shape} and {v.shape}")
    return _metrics[name](u, v, **kwargs)


def _squareform(X, force="no", checks=True):
    X = _asarray(X)
    if X.ndim == 2:
        return X[_ks.triu_indices(X.shape[0], 1)]
    n = int((1 + (1 + 8 * X.size) ** 0.5) / 2)
    if n * (n - 1) != 2 * X.size:
        raise ValueError(
            "Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2."
        )
    square = _ks.zeros((n, n), X.dtype, X.device)
    square[_ks.triu_indices(n, 1)] = X
    return square + square.T


_plain(globals(), {
    "cdist": (_cdist, "The distances of each of some points from each of others."),
    "distance_matrix": (lambda x, y, p=2.0: _cdist(x, y, "minkowski", p=p), "Minkowski's distances of each of some points from each of others."),
    "pdist": (lambda X, metric="euclidean", *, out=None, **kwargs: _stored(
        _cdist(X, X, metric, **kwargs)[_ks.triu_indices(_asarray(X).shape[0], 1)], out),
        "The distances of each two of some points, as one row."),
    "squareform": (_squareform, "A square of distances of the row of them, or that of the square."),
    **{name: (_bound(_pair, name=name), f"The {name} distance of two vectors.") for name in _metrics if name != "braycurtis"},
})  # fmt: skip
