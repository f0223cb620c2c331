"""torch's ways to cut, gather, sort and count; and running sums."""

import numpy as np

import kasoku as ks

from . import _types
from ._host import on_host
from ._ops import named
from ._tensor import Tensor, held
from .return_types import return_type

functions = {}


def _function(f):
    functions[f.__name__.rstrip("_")] = named(f)
    return f


def _host(f):
    functions[f.__name__.rstrip("_")] = named(on_host(f))
    return f


_Sorted, _Top, _Middle, _Running = (
    return_type(name, "values indices") for name in ("sort", "topk", "median", "cummax")
)


# ── cutting ───────────────────────────────────────────────────────────────────────────────


@_function
def narrow(x, dim, start, length):
    """A view of `length` places along an axis."""
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, start + length),)]


@_function
def select(x, dim, index):
    return x[(slice(None),) * (dim % x.ndim) + (index,)]


@_function
def unbind(x, dim=0):
    return held(*(select(x, dim, i) for i in range(x.shape[dim])))


@_function
def split(x, split_size_or_sections, dim=0):
    """Views of so many places each, or of the sizes given."""
    n = x.shape[dim]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        sizes = [min(size, n - at) for at in range(0, n, size)] or [0]
    else:
        sizes = list(split_size_or_sections)
        if sum(sizes) != n:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n}, got {sizes}")
    starts = np.cumsum([0, *sizes])
    return held(*(narrow(x, dim, int(at), size) for at, size in zip(starts, sizes)))


@_function
def chunk(x, chunks, dim=0):
    return split(x, max(1, -(-x.shape[dim] // chunks)), dim)


@_function
def tensor_split(x, indices_or_sections, dim=0):
    n = x.shape[dim]
    if isinstance(indices_or_sections, int):
        k, more = divmod(n, indices_or_sections)
        edges = np.cumsum([0] + [k + (i < more) for i in range(indices_or_sections)])
    else:
        edges = [0, *indices_or_sections, n]
    return held(*(narrow(x, dim, int(a), int(b - a)) for a, b in zip(edges, edges[1:])))


@_function
def movedim(x, source, destination):
    return Tensor(ks.moveaxis(x._a, source, destination))


functions["moveaxis"] = movedim


# ── gathering ─────────────────────────────────────────────────────────────────────────────


def _along(x, dim, index):
    """An index that takes index[i, j, …] along `dim` and its own place along the other axes."""
    places = list(np.indices(index.shape, sparse=True)) if index.ndim else []
    places = [ks.asarray(p, device=x._a.device) for p in places]
    if places:
        places[dim % x.ndim] = index._a
    return tuple(places)


@_function
def gather(x, dim, index):
    """x's elements at positions `index` along an axis."""
    return Tensor(x._a[_along(x, dim, index)].copy()) if x.ndim else x.clone()


@_function
def index_select(x, dim, index):
    return Tensor(ks.take(x._a, index._a, dim))


@_function
def take(x, index):
    return Tensor(ks.take(x._a, index._a))


def _scatter(self, dim, index, src, reduce=None):
    if not self.ndim:
        return self.copy_(src) if isinstance(src, Tensor) else self.fill_(src)
    value = src[tuple(slice(n) for n in index.shape)]._a if isinstance(src, Tensor) else src
    if reduce is None:
        return self._write(value, _along(self, dim, index))
    host, at = self._a.numpy(), tuple(p.numpy() for p in _along(self, dim, index))
    {"add": np.add, "sum": np.add, "multiply": np.multiply, "prod": np.multiply,
     "amax": np.maximum, "amin": np.minimum}[reduce].at(host, at, value.numpy() if isinstance(value, ks.Array) else value)  # fmt: skip
    return self._write(ks.asarray(host, device=self._a.device))


def _index_add(self, dim, index, source, alpha=1):
    host = np.moveaxis(self._a.numpy(), dim, 0)
    np.add.at(host, index._a.numpy(), np.moveaxis(source._a.numpy(), dim, 0) * alpha)
    return self._write(ks.asarray(np.ascontiguousarray(np.moveaxis(host, 0, dim)), device=self._a.device))


def _index_fill(self, dim, index, value):
    return self._write(value, (slice(None),) * (dim % self.ndim) + (index._a,))


def _index_copy(self, dim, index, source):
    return self._write(source._a, (slice(None),) * (dim % self.ndim) + (index._a,))


def _masked_fill(self, mask, value):
    return self._write(value.item() if isinstance(value, Tensor) else value, mask.expand_as(self)._a)


in_place = {
    "scatter": _scatter,
    "scatter_add": lambda self, dim, index, src: _scatter(self, dim, index, src, "add"),
    "scatter_reduce": lambda self, dim, index, src, reduce, **_: _scatter(self, dim, index, src, reduce),
    "index_add": _index_add, "index_fill": _index_fill, "index_copy": _index_copy, "masked_fill": _masked_fill,
}  # fmt: skip


def _on_a_copy(method):
    return lambda x, *args, **kwargs: method(x.clone(), *args, **kwargs)


for _name, _method in in_place.items():
    functions[_name] = _on_a_copy(_method)


# ── sorting, counting, running ────────────────────────────────────────────────────────────


def _first(x, k, dim, largest):
    """The first k in order and where they stand; equal ones keep their order."""
    return held(*map(Tensor, ks.topk(x._a, k, dim, largest)))


@_function
def sort(x, dim=-1, descending=False, stable=False):
    if x.ndim == 0:
        return _Sorted(x, x.new_zeros((), dtype=_types.names["int64"]))
    return _Sorted(*_first(x, x.shape[dim], dim, descending))


@_function
def argsort(x, dim=-1, descending=False, stable=False):
    return sort(x, dim, descending).indices


@_function
def topk(x, k, dim=-1, largest=True, sorted=True):  # noqa: A002
    if k > x.shape[dim]:
        raise RuntimeError(f"selected index k out of range: {k} of {x.shape[dim]}")
    return _Top(*_first(x, k, dim, largest))


@_function
def kthvalue(x, k, dim=-1, keepdim=False):
    parts = [narrow(one, dim, k - 1, 1) if keepdim else select(one, dim, k - 1) for one in _first(x, k, dim, False)]
    return _Top(*held(*(one.clone() for one in parts)))


@_function
def median(x, dim=None, keepdim=False):
    """The lower of the two in the middle."""
    if dim is None or not x.ndim:
        if not x.numel():
            return x.new_full((), float("nan") if x.dtype.is_floating_point else 0)
        middle = kthvalue(x.flatten(), (x.numel() - 1) // 2 + 1).values
        return middle if dim is None else _Middle(middle, x.new_zeros((), dtype=_types.names["int64"]))
    return _Middle(*kthvalue(x, (x.shape[dim] - 1) // 2 + 1, dim, keepdim))


@_function
def unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None):  # noqa: A002
    found = ks.unique(x._a, return_inverse=return_inverse, return_counts=return_counts, axis=dim)
    return held(*map(Tensor, found)) if return_inverse or return_counts else held(Tensor(found))[0]


@_host
def bincount(x, weights=None, minlength=0):
    return np.bincount(x, weights, minlength)


def _summed(x, dtype):
    return x.astype(dtype or (np.int64 if x.dtype.kind in "bui" else x.dtype))


def _running(name, function):
    def f(x, dim, *, dtype=None):
        wanted = _types.as_dtype(dtype).numpy if dtype is not None else None
        return on_host(lambda a: function(_summed(np.atleast_1d(a), wanted), dim).reshape(a.shape))(x)

    f.__name__ = name
    functions[name] = named(f)


_running("cumsum", np.cumsum)
_running("cumprod", np.cumprod)


def _extreme(name, better):
    def f(x, dim):
        def host(a):
            if a.ndim == 0:
                return _Running(a, np.int64(0))
            values = better.accumulate(a, dim)
            at = np.expand_dims(np.arange(a.shape[dim]), [d for d in range(a.ndim) if d != dim % a.ndim])
            return _Running(values, np.maximum.accumulate(np.where(a == values, at, 0), dim))

        return on_host(host)(x)

    f.__name__ = name
    functions[name] = named(f)


_extreme("cummax", np.maximum)
_extreme("cummin", np.minimum)


@_host
def diff(x, n=1, dim=-1):
    return np.diff(x, n, dim)


@_host
def searchsorted(sorted_sequence, values, right=False):
    return np.searchsorted(sorted_sequence, values, "right" if right else "left")


@_host
def histc(x, bins=100, min=0, max=0):  # noqa: A002
    limits = (x.min(), x.max()) if min == max == 0 and x.size else (min, max)
    return np.histogram(x, bins, limits)[0].astype(x.dtype)


@_host
def tile(x, *dims):
    return np.tile(x, dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)


@_host
def repeat_interleave(x, repeats, dim=None):
    return np.repeat(x, repeats, dim)


@_function
def roll(x, shifts, dims=None):
    return Tensor(ks.roll(x._a, shifts, dims if dims != () else None))


@_host
def rot90(x, k=1, dims=(0, 1)):
    return np.rot90(x, k, dims)


@_host
def tril(x, diagonal=0):
    return np.tril(x, diagonal)


@_host
def triu(x, diagonal=0):
    return np.triu(x, diagonal)


@_host
def diag(x, diagonal=0):
    return np.diag(x, diagonal)


@_host
def fliplr(x):
    return np.fliplr(x)


@_host
def flipud(x):
    return np.flipud(x)
