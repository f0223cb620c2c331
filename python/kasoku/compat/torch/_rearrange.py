"""torch's ways to cut, gather, sort and count; and running results. Rows of tensors here give views."""

import itertools

import numpy as np

import kasoku as ks

from .._face.compositions import along, block_diagonal, diagonals, searched
from . import _types
from .._face.table import bound, each
from ._rows import list_of as _list_of
from ._table import functions
from ._tensor import Tensor, held, shaped
from .return_types import return_type

f = functions


def _integers(x):
    """x.tolist() of an array of places."""
    return x.tolist() if isinstance(x, ks.Array) else x


# ── cutting ───────────────────────────────────────────────────────────────────────────────────────


_at = lambda x, dim, where: x[(slice(None),) * (dim % x.ndim) + (where,)]


@functions.row("tensors")
def split(tensor, split_size_or_sections, dim=0):
    """Views of so many places each, or of the sizes given."""
    n = tensor.shape[dim]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        if size < (n > 0):
            raise RuntimeError(f"split expects split_size to be positive, got split_size={size}")
        sizes = [min(size, n - at) for at in range(0, n, size or 1)] or [0]
    else:
        sizes = list(split_size_or_sections)
        if sum(sizes) != n:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n}, got {sizes}")
    return f.tensor_split(tensor, [*itertools.accumulate(sizes)][:-1], dim)


def _split_along(input, indices_or_sections, *, dim, least):
    if input.ndim < least:
        raise RuntimeError(f"the tensor has {input.ndim} dimensions, at least {least} are needed")
    return f.tensor_split(input, indices_or_sections, dim if input.ndim > 1 else 0)


functions.rows("arrays", {
    "tensor_split": lambda input, indices_or_sections, dim=0: tuple(ks.array_split(input, _integers(indices_or_sections), dim)),
})  # fmt: skip
functions.rows("tensors", {
    "narrow": lambda input, dim, start, length: _at(input, dim, slice(int(start), int(start) + length)),
    "select": lambda input, dim, index: _at(input, dim, index),
    "unbind": lambda input, dim=0: held(*(_at(input, dim, i) for i in range(input.shape[dim]))),
    "chunk": lambda input, chunks, dim=0: f.split(input, max(1, -(-input.shape[dim] // chunks)), dim),
    "hsplit": bound(_split_along, dim=1, least=1), "vsplit": bound(_split_along, dim=0, least=2),
    "dsplit": bound(_split_along, dim=2, least=3),
    "movedim": lambda input, source, destination: Tensor(ks.moveaxis(input._a, source, destination)),
    "unflatten": lambda input, dim, sizes: input.unflatten(dim, sizes),
    "broadcast_tensors": lambda *tensors: tuple(
        t.expand(*np.broadcast_shapes(*(tuple(u.shape) for u in _list_of(tensors)))) for t in _list_of(tensors)),
})  # fmt: skip
functions.alias(moveaxis="movedim", split_with_sizes="split", unsafe_split="split", unsafe_chunk="chunk")


functions.rows("arrays", {
    **each(ks, "atleast_1d atleast_2d atleast_3d", lambda of: lambda *tensors: (
        tuple(map(of, tensors[0])) if type(tensors[0]) in (list, tuple) else of(*tensors))),
    "meshgrid": lambda *tensors, indexing="ij": tuple(
        ks.meshgrid(*_list_of(tensors), indexing=indexing, copy=False)),
})  # fmt: skip


# ── putting together ──────────────────────────────────────────────────────────────────────────────


def _chosen(input, r=2, with_replacement=False):
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    at = np.array(list(choose(range(len(input)), r)), np.int64).reshape(-1, r)
    return input[ks.asarray(at, device=input.device)]


functions.rows("meeting", {
    **each(ks, "stack cat=concatenate", "tensors, dim=0"),
    **each(ks, "vstack hstack dstack column_stack", "tensors"),
    "block_diag": lambda *tensors: block_diagonal(tensors),
    "cartesian_prod": lambda *tensors: tensors[0].copy() if len(tensors) == 1 else ks.stack(
        [g.ravel() for g in ks.meshgrid(*tensors, indexing="ij")], -1),
})  # fmt: skip
functions.alias(concat="cat", concatenate="cat", row_stack="vstack")

functions.rows("arrays", {
    "combinations": (_chosen, "Each choice of r elements, as a row."),
    "tile": lambda input, *dims: ks.tile(input, _list_of(dims)),
    "repeat_interleave": lambda input, repeats, dim=None, *, output_size=None: ks.repeat(input, repeats, dim),
    "roll": lambda input, shifts, dims=None: ks.roll(input, shifts, dims if dims != () else None),
    "flip": lambda input, *places, dims=None: ks.flip(
        input, dims if dims is not None else _list_of(places) if len(places) != 1 else places[0]).copy(),
    "rot90": lambda input, k=1, dims=(0, 1): ks.rot90(input, k, dims).copy(),
    "fliplr": lambda input: ks.fliplr(input).copy(), "flipud": lambda input: ks.flipud(input).copy(),
    **each(ks, "tril triu", "input, diagonal=0"),
    "diag": lambda input, diagonal=0: ks.diag(input, diagonal).copy(),
    **each(ks, "diagflat", "input, offset=0"),
    "diag_embed": lambda input, offset=0, dim1=-2, dim2=-1: ks.moveaxis(
        diagonals(input, offset), (-2, -1), (dim1, dim2)).copy(),
})  # fmt: skip


# ── gathering and scattering ──────────────────────────────────────────────────────────────────────


def _along(a, dim, index):
    """An index that takes index[i, j, …] along `dim` and its own place along the other axes."""
    dim %= max(a.ndim, 1)
    return tuple(index if k == dim else along(k, index.shape, a.device) for k in range(index.ndim))


def _scatter(self, dim, index, src, reduce=None, include_self=True):
    if not self.ndim:
        return self.copy_(src) if isinstance(src, Tensor) else self.fill_(src)
    value = src[tuple(slice(n) for n in index.shape)]._a if isinstance(src, Tensor) else src
    return _put(self, _along(self._a, dim, index._a), value, reduce, include_self)


_joins = {"add": ks.add, "sum": ks.add, "mean": ks.add, "multiply": ks.multiply, "prod": ks.multiply,
          "amax": ks.maximum, "amin": ks.minimum}  # fmt: skip


def _put(self, key, value, reduce=None, include_self=True):
    """Writes to places of a tensor, or joins what comes to one with what is there, or with itself alone."""
    if reduce is None:
        return self._write(value, key)
    if reduce not in _joins:
        raise RuntimeError(f"reduce argument must be one of {', '.join(_joins)}, got {reduce}")
    joined = self._a.copy()
    value = value.astype(joined.dtype) if isinstance(value, ks.Array) else value
    if not include_self:
        limits = {"multiply": 1, "prod": 1, "amax": _least(joined.dtype), "amin": _most(joined.dtype)}
        joined[key] = limits.get(reduce, 0)
    _joins[reduce].at(joined, key, value)
    if reduce == "mean":
        counts = ks.full(joined.shape, int(include_self), "int64", joined.device)
        ks.add.at(counts, key, 1)
        counts = ks.maximum(counts, 1)
        joined = (joined / counts).astype(joined.dtype) if joined.dtype.kind == "f" else joined // counts
    return self._write(joined)


_least = lambda d: -np.inf if np.dtype(d).kind == "f" else np.iinfo(d).min
_most = lambda d: np.inf if np.dtype(d).kind == "f" else np.iinfo(d).max
_front = lambda self, dim, index: (slice(None),) * (dim % max(self.ndim, 1)) + (index._a,)


def _flat_put(self, index, source, accumulate=False):
    _put(self.view(-1), (index._a.reshape(-1),), source._a.reshape(-1), "add" if accumulate else None)
    return self


in_place = {
    "scatter": _scatter,
    "scatter_add": lambda self, dim, index, src: _scatter(self, dim, index, src, "add"),
    "scatter_reduce": lambda self, dim, index, src, reduce, *, include_self=True: _scatter(
        self, dim, index, src, reduce, include_self),
    "index_add": lambda self, dim, index, source, *, alpha=1: _put(
        self, _front(self, dim, index), source._a if alpha == 1 else source._a * alpha, "add"),
    "index_reduce": lambda self, dim, index, source, reduce, *, include_self=True: _put(
        self, _front(self, dim, index), source._a, reduce, include_self),
    "index_fill": lambda self, dim, index, value: _put(
        self, _front(self, dim, index), value.item() if isinstance(value, Tensor) else value),
    "index_copy": lambda self, dim, index, source: _put(self, _front(self, dim, index), source._a),
    "index_put": lambda self, indices, values, accumulate=False: _put(
        self, tuple(i._a for i in indices), values._a, "add" if accumulate else None),
    "masked_fill": lambda self, mask, value: self._write(
        value.item() if isinstance(value, Tensor) else value, mask.expand_as(self)._a),
    "masked_scatter": lambda self, mask, source: (lambda mask: self._write(
        source._a.reshape(-1)[: int(mask.sum())], mask))(mask.expand_as(self)._a),
    "put": _flat_put,
}  # fmt: skip


_of_copy = lambda input, *args, method, **kwargs: method(input.clone(), *args, **kwargs)
functions.rows("tensors", {name: bound(_of_copy, method=method) for name, method in in_place.items()})

functions.rows("arrays", {
    "gather": lambda input, dim, index, *, sparse_grad=False: (
        input[_along(input, dim, index)] if input.ndim else input.copy()),
    "index_select": lambda input, dim, index: ks.take(input, index, dim),
    "take": lambda input, index: ks.take(input, index),
    "take_along_dim": lambda input, indices, dim=None: (
        ks.take(input, indices) if dim is None else ks.take_along_axis(input, indices, dim)),
    **each(ks, "argwhere", "input"),
    **each(ks, "unravel_index", "indices, shape"),
})  # fmt: skip


def _changed(input, src, *args, view, **kwargs):
    """A copy where the part that view(copy, …) shows is another tensor."""
    made = input.clone()
    view(made, *args, **kwargs)[...] = src
    return made


functions.rows("tensors", {
    f"{name}_copy": bound(lambda input, *args, of, **kwargs: getattr(input, of)(*args, **kwargs).clone(), of=name)
    for name in "narrow permute select diagonal squeeze unsqueeze view expand transpose t unfold as_strided".split()
})  # fmt: skip
functions.rows("tensors", {
    "select_scatter": bound(_changed, view=lambda input, dim, index: f.select(input, dim, index)),
    "slice_scatter": bound(_changed, view=lambda input, dim=0, start=None, end=None, step=1: _at(
        input, dim, slice(start, end, step))),
    "diagonal_scatter": bound(_changed, view=lambda input, offset=0, dim1=0, dim2=1: f.diagonal(input, offset, dim1, dim2)),
})  # fmt: skip


# ── sorting, counting, running ────────────────────────────────────────────────────────────────────


def _first(x, k, dim, largest):
    """The first k in order and where they stand; equal ones keep their order."""
    return held(*map(Tensor, shaped(ks.topk, x._a, k, dim, largest)))


_no_place = lambda x: x.new_zeros((), dtype=_types.names["int64"])


@functions.row("tensors")
def sort(input, dim=-1, descending=False, stable=False):
    if input.ndim == 0:
        return return_type("sort")(input, _no_place(input))
    return return_type("sort")(*_first(input, input.shape[dim], dim, descending))


@functions.row("tensors")
def topk(input, k, dim=-1, largest=True, sorted=True):
    if k > input.shape[dim]:
        raise RuntimeError(f"selected index k out of range: {k} of {input.shape[dim]}")
    return return_type("topk")(*_first(input, k, dim, largest))


@functions.row("tensors")
def median(input, dim=None, keepdim=False):
    """The lower of the two in the middle."""
    if dim is None or not input.ndim:
        if not input.numel():
            return input.new_full((), float("nan") if input.dtype.is_floating_point else 0)
        middle = f.kthvalue(input.flatten(), (input.numel() - 1) // 2 + 1).values
        return middle if dim is None else return_type("median")(middle, _no_place(input))
    return return_type("median")(*f.kthvalue(input, (input.shape[dim] - 1) // 2 + 1, dim, keepdim))


def _mode(input, dim=-1, keepdim=False):
    """The most frequent value, the least of several; the last place where it stands."""
    x = ks.moveaxis(input, dim, -1)
    places = ks.arange(x.shape[-1], device=x.device)
    ordered = ks.sort(x, -1)
    begins = ks.ones((*x.shape[:-1], 1), "bool", x.device)
    is_first = ks.concatenate((begins, ordered[..., 1:] != ordered[..., :-1]), -1)
    lengths = places - ks.maximum.accumulate(ks.where(is_first, places, 0), -1)
    values = ks.take_along_axis(ordered, ks.argmax(lengths, axis=-1, keepdims=True), -1)
    at = ks.where(x == values, places, -1).max(axis=-1)
    return return_type("mode")(*(ks.expand_dims(r, dim) if keepdim else r for r in (values[..., 0].copy(), at)))


def _runs(input, return_inverse=False, return_counts=False):
    x = input.reshape(-1)
    is_first = ks.concatenate((ks.ones((min(x.size, 1),), "bool", x.device), x[1:] != x[:-1]))
    starts = ks.flatnonzero(is_first)
    ends = ks.concatenate((starts[1:], ks.full((min(x.size, 1),), x.size, "int64", x.device)))
    more = [ks.cumsum(is_first) - 1] * return_inverse + [ends - starts] * return_counts
    return (x[starts], *more) if more else x[starts]


def _best_so_far(input, dim, *, name, join):
    if input.ndim == 0:
        return return_type(name)(input, ks.zeros((), "int64", input.device))
    values = join.accumulate(input, dim)
    at = along(dim % input.ndim, input.shape, input.device)
    return return_type(name)(values, ks.maximum.accumulate(ks.where(input == values, at, 0), dim))


def _running(input, dim, *, dtype=None, function):
    wanted = _types.as_dtype(dtype).numpy if dtype is not None else None
    wanted = wanted or ("int64" if input.dtype != "bfloat16" and input.dtype.kind in "bui" else None)
    return function(input if input.ndim else input.reshape(1), dim, wanted).reshape(input.shape)


functions.rows("arrays", {
    "unique": lambda input, sorted=True, return_inverse=False, return_counts=False, dim=None: ks.unique(
        input, return_inverse=return_inverse, return_counts=return_counts, axis=dim),
    "unique_consecutive": (_runs, "One of each run of equal elements, and if asked for the run of each and how long they are."),
    "mode": _mode,
    "cumsum": bound(_running, function=ks.cumsum), "cumprod": bound(_running, function=ks.cumprod),
    "cummax": bound(_best_so_far, name="cummax", join=ks.maximum),
    "cummin": bound(_best_so_far, name="cummin", join=ks.minimum),
    "searchsorted": lambda sorted_sequence, input, *, out_int32=False, right=False, side=None: searched(
        sorted_sequence, ks.asarray(input, device=sorted_sequence.device), right or side == "right").astype(
        "int32" if out_int32 else "int64"),
    "bucketize": lambda input, boundaries, *, out_int32=False, right=False: ks.searchsorted(
        boundaries, ks.asarray(input, device=boundaries.device), "right" if right else "left").astype(
        "int32" if out_int32 else "int64"),
    **each(ks, "isin", "elements, test_elements, *, assume_unique=False, invert=False"),
    "histc": lambda input, bins=100, min=0, max=0: ks.histogram(
        input, bins, (min, max) if min != max else None)[0].astype(input.dtype),
})  # fmt: skip
functions.rows("floats", {
    "histogram": lambda input, bins, *, range=None, weight=None, density=False: return_type("histogram")(*(part.astype(input.dtype) for part in ks.histogram(
            input, bins, range, density=density, weights=weight))),
    "_weighted": lambda input, weights, minlength: ks.bincount(input.astype("int64"), weights, minlength),
})  # fmt: skip
functions.rows("tensors", {
    "bincount": lambda input, weights=None, minlength=0: (
        Tensor(ks.bincount(input._a, None, minlength)) if weights is None else f._weighted(input, weights, minlength)),
    "argsort": lambda input, dim=-1, descending=False, stable=False: f.sort(input, dim, descending).indices,
    "msort": lambda input: f.sort(input, 0).values,
    "kthvalue": lambda input, k, dim=-1, keepdim=False: return_type("kthvalue")(*held(*(
        _at(one, dim, slice(k - 1, k) if keepdim else k - 1).clone() for one in _first(input, k, dim, False)))),
})  # fmt: skip


@functions.row("tensors")
def nanmedian(input, dim=None, keepdim=False):
    """The lower of the two in the middle of what are numbers."""
    middle = ks.nanquantile(input._a, 0.5, dim, method="lower", keepdims=dim is not None)
    if dim is None:
        return held(Tensor(middle))[0]
    at = ks.argmax(input._a == middle, axis=dim, keepdims=True)
    parts = [middle, at] if keepdim else [ks.squeeze(middle, dim), ks.squeeze(at, dim)]
    return return_type("nanmedian")(*held(*map(Tensor, parts)))
