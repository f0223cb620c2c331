"""torch's names beyond arithmetic and cutting: factorisations by their old names, integrals, counts,
types by their old names, and switches."""

import itertools

import numpy as np

import kasoku as ks

from . import _creation, _ops, _promotion, _rearrange, _types, linalg
from ._engine import by_engine
from ._host import on_host
from ._tensor import Tensor, array_of, held
from ._types import as_dtype
from .return_types import return_type

functions = {}
methods = ("det", "logdet", "slogdet", "inverse", "pinverse", "cholesky", "matrix_power", "mode", "nanmedian", "argwhere",
           "bucketize", "isin", "msort", "ger", "vdot", "sinc", "xlogy", "clamp_min", "clamp_max", "sgn", "aminmax", "svd", "qr",
           "logcumsumexp", "cov", "square", "dist", "renorm", "fliplr", "take_along_dim", "unique_consecutive")  # fmt: skip
_f = _ops.functions


def _function(f):
    functions[f.__name__.rstrip("_")] = _ops.named(f)
    return f


def _host(f):
    return _function(on_host(f))


# ── factorisations ────────────────────────────────────────────────────────────────────────────

for _name, _its in {"det": "det", "slogdet": "slogdet", "inverse": "inv", "pinverse": "pinv", "qr": "qr",
                    "cholesky": "cholesky", "matrix_power": "matrix_power"}.items():  # fmt: skip
    functions[_name] = getattr(linalg, _its)


@_function
@by_engine
def logdet(x):
    sign, log = ks.linalg.slogdet(x)
    return ks.where(sign < 0, ks.full_like(log, np.nan), log) if x.dtype.kind == "f" else log


@_function
def svd(x, some=True, compute_uv=True):
    """U, S, V with x = U diag(S) V^H: linalg.svd gives V^H."""
    u, s, vh = linalg.svd(x, full_matrices=not some)
    return linalg._Svd3(u, s, vh.mT.conj() if vh.dtype.is_complex else vh.mT)


def _product(factor, upper):
    return ks.conjugate(factor.mT) @ factor if upper else factor @ ks.conjugate(factor.mT)


@_function
@by_engine
def cholesky_solve(b, factor, upper=False):
    return ks.linalg.solve(_product(factor, upper), b)


@_function
@by_engine
def cholesky_inverse(factor, upper=False):
    return ks.linalg.inv(_product(factor, upper))


@_function
def ger(a, b):
    return Tensor(ks.outer(a._a, b._a))


@_function
def vdot(a, b):
    return Tensor(ks.vecdot(a._a, b._a))


@_host
def vander(x, N=None, increasing=False):  # noqa: N803
    return np.vander(x, N, increasing)


@_host
def block_diag(*tensors):
    blocks = [np.atleast_2d(t) for t in tensors]
    out = np.zeros(np.sum([b.shape for b in blocks], axis=0), np.result_type(*blocks))
    at = np.zeros(2, int)
    for b in blocks:
        out[at[0] : at[0] + b.shape[0], at[1] : at[1] + b.shape[1]] = b
        at += b.shape
    return out


@_function
def chain_matmul(*matrices):
    return linalg.multi_dot(matrices)


@_function
def dist(x, y, p=2):
    return _f["norm"](x - y, p)


# ── integrals, running and counting ───────────────────────────────────────────────────────────


@_function
def trapezoid(y, x=None, *, dx=1.0, dim=-1):
    return on_host(lambda a, at: np.trapezoid(a, at, dx, dim))(y, x)


functions["trapz"] = functions["trapezoid"]


@_function
def cumulative_trapezoid(y, x=None, *, dx=1.0, dim=-1):
    def host(a, at):
        a = np.moveaxis(a, dim, -1)
        steps = dx if at is None else np.diff(at if at.ndim == 1 else np.moveaxis(at, dim, -1))
        return np.moveaxis(np.cumsum((a[..., 1:] + a[..., :-1]) / 2 * steps, -1), -1, dim)

    return on_host(host)(y, x)


@_host
def logcumsumexp(x, dim):
    return np.logaddexp.accumulate(x, dim)


@_function
def mode(x, dim=-1, keepdim=False):
    """The most frequent value, the least of several; a last place where it stands."""

    def host(a):
        a = np.moveaxis(a, dim, -1)
        rows = a.reshape(-1, a.shape[-1])
        values, at = np.empty(len(rows), a.dtype), np.empty(len(rows), np.int64)
        for i, row in enumerate(rows):
            found, counts = np.unique(row, return_counts=True)
            values[i] = found[counts.argmax()]
            at[i] = np.flatnonzero(row == values[i])[-1]
        shaped = [
            np.expand_dims(r.reshape(a.shape[:-1]), dim) if keepdim else r.reshape(a.shape[:-1]) for r in (values, at)
        ]
        return return_type("mode", "values indices")(*shaped)

    return on_host(host)(x)


@_function
def nanmedian(x):
    """The lower of the two in the middle."""
    return held(Tensor(ks.nanquantile(x._a, 0.5, method="lower")))[0]


@_function
def aminmax(x, *, dim=None, keepdim=False):
    return return_type("aminmax", "min max")(*held(_f["amin"](x, dim, keepdim), _f["amax"](x, dim, keepdim)))


@_function
def argwhere(x):
    return _f["nonzero"](x)


@_function
def bucketize(x, boundaries, *, right=False, out_int32=False):
    at = on_host(lambda v, edges: np.searchsorted(edges, v, "right" if right else "left"))(x, boundaries)
    return at.to(_types.names["int32"]) if out_int32 else at


@_host
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    return np.isin(elements, test_elements, invert=invert)


@_function
def msort(x):
    return _rearrange.functions["sort"](x, 0).values


@_function
def unique_consecutive(x, return_inverse=False, return_counts=False):
    def host(a):
        a = a.ravel()
        starts = np.flatnonzero(np.r_[a.size > 0, a[1:] != a[:-1]])[: a.size]
        parts = [a[starts]]
        if return_inverse:
            parts.append(np.cumsum(np.isin(np.arange(a.size), starts)) - 1)
        if return_counts:
            parts.append(np.diff(np.r_[starts, a.size]))
        return parts[0] if len(parts) == 1 else tuple(parts)

    return on_host(host)(x)


@_host
def take_along_dim(x, indices, dim=None):
    return np.take_along_axis(x, indices, dim) if dim is not None else np.take(x, indices)


@_host
def histogram(x, bins, *, range=None, weight=None, density=False):  # noqa: A002
    edges = bins if isinstance(bins, np.ndarray) else int(bins)
    counts, edges = np.histogram(x, edges, range, density=density, weights=weight)
    return return_type("histogram", "hist bin_edges")(counts.astype(x.dtype), edges)


# ── arithmetic ────────────────────────────────────────────────────────────────────────────────


@_function
def clamp_min(x, min):  # noqa: A002
    return _f["clamp"](x, min=min)


@_function
def clamp_max(x, max):  # noqa: A002
    return _f["clamp"](x, max=max)


@_function
def sgn(x):
    return on_host(np.sign)(x) if x.dtype.is_complex else _f["sign"](x)


@_host
def sinc(x):
    return np.sinc(x)


@_host
def xlogy(x, y):
    x, y = np.broadcast_arrays(x, y)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))


@_function
def renorm(x, p, dim, maxnorm):
    others = tuple(d for d in range(x.ndim) if d != dim % x.ndim)
    norms = _f["norm"](x, p, others, True)
    return x * _f["where"](norms > maxnorm, maxnorm / (norms + 1e-7), _creation.ones_like(norms))


# ── combinations, joins and windows ───────────────────────────────────────────────────────────


@_host
def cartesian_prod(*tensors):
    if len(tensors) == 1:
        return tensors[0]
    return np.stack([g.ravel() for g in np.meshgrid(*tensors, indexing="ij")], -1)


@_host
def combinations(x, r=2, with_replacement=False):
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    at = np.array(list(choose(range(len(x)), r)), np.int64).reshape(-1, r)
    return x[at]


def _list_of(tensors):
    return tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors


@_function
def broadcast_tensors(*tensors):
    tensors = _list_of(tensors)
    shape = np.broadcast_shapes(*(tuple(t.shape) for t in tensors))
    return tuple(t.expand(*shape) for t in tensors)


def _at_least(name):
    def f(*tensors):
        made = [Tensor(t) if not isinstance(t, Tensor) else t for t in _list_of(tensors)]
        made = [t.reshape(getattr(np, name)(np.empty(tuple(t.shape), bool)).shape) for t in made]
        return made[0] if len(made) == 1 and isinstance(tensors[0], Tensor) else tuple(made)

    functions[name] = f


for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    _at_least(_name)


@_function
def dstack(tensors):
    return on_host(np.dstack)(list(tensors))


@_function
def column_stack(tensors):
    return on_host(np.column_stack)(list(tensors))


@_function
def tril_indices(row, col, offset=0, **_):
    return Tensor(ks.asarray(np.stack(np.tril_indices(row, offset, col))))


@_function
def triu_indices(row, col, offset=0, **_):
    return Tensor(ks.asarray(np.stack(np.triu_indices(row, offset, col))))


def _window(name, *terms):
    def f(window_length, periodic=True, *, dtype=None, device=None):
        n = window_length + periodic
        at = 2 * np.pi * np.arange(window_length) / max(n - 1, 1)
        values = sum(c * np.cos(k * at) for k, c in enumerate(terms))
        return Tensor(array_of(values, dtype or _types.default_float, device))

    functions[name + "_window"] = f


_window("hann", 0.5, -0.5)
_window("hamming", 0.54, -0.46)
_window("blackman", 0.42, -0.5, 0.08)


# ── what tensors are ──────────────────────────────────────────────────────────────────────────


class _Legacy:
    """torch.FloatTensor and the like: they make tensors, and name their dtype and device."""

    def __init__(self, dtype, where="cpu"):
        self.legacy_dtype, self._where = dtype, where
        self.__name__ = _types.legacy[dtype.name] + "Tensor"

    def __call__(self, *args):
        sizes = not args or all(isinstance(a, int) for a in args) or isinstance(args[0], _types.Size)
        if sizes:
            return _creation.zeros(*args, dtype=self.legacy_dtype, device=self._where)
        return Tensor(array_of(args[0], self.legacy_dtype, self._where))

    def __instancecheck__(self, x):
        return isinstance(x, Tensor) and x.dtype is self.legacy_dtype

    def __repr__(self):
        return f"<class 'torch.{self.__name__}'>"


legacy = {name + "Tensor": _Legacy(_types.names[d]) for d, name in _types.legacy.items()}


@_function
def set_default_tensor_type(t):
    _promotion.set_default_dtype(as_dtype(t))


@_function
def is_complex(x):
    return x.dtype.is_complex


@_function
def is_nonzero(x):
    return bool(x)


@_function
def is_same_size(x, y):
    return x.shape == y.shape


@_function
def can_cast(from_, to):
    return as_dtype(from_).category <= as_dtype(to).category


@_function
def typename(x):
    return x.type() if isinstance(x, Tensor) else type(x).__name__


@_function
def get_default_device():
    return _creation.empty(0).device


class jit:
    """torch.jit: functions are compiled as they run, with or without it."""

    @staticmethod
    def script(f=None, *_, **__):
        return f if f is not None else (lambda g: g)

    @staticmethod
    def trace(f, *_, **__):
        return f

    ignore = unused = export = staticmethod(lambda f: f)
