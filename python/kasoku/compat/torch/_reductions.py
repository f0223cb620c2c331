"""torch's reductions. They are methods too."""

import math

import kasoku as ks

from . import _types
from ._table import functions
from ._tensor import Tensor, held
from ._types import as_dtype, scalar_name
from .return_types import return_type


def dims(x, dim):
    """The axes to reduce; a tensor without axes counts as one of one axis."""
    if isinstance(dim, (list, tuple)):
        return tuple(dim) if x.ndim or any(d not in (0, -1) for d in dim) else ()
    return dim if x.ndim or dim not in (0, -1) else None


@functions.row("tensors")
def sum_(input, dim=None, keepdim=False, *, dtype=None):
    wanted = as_dtype(dtype).numpy if dtype is not None else "int64" if input.dtype.category < 2 else None
    return Tensor(input._a.sum(axis=dims(input, dim), dtype=wanted, keepdims=keepdim))


@functions.row("tensors")
def prod(input, dim=None, keepdim=False, *, dtype=None):
    wanted = as_dtype(dtype).numpy if dtype is not None else "int64" if input.dtype.category < 2 else None
    return Tensor(input._a.prod(axis=dims(input, dim), dtype=wanted, keepdims=keepdim))


def _needs_float(x, name):
    if x.dtype.category < 2:
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point "
            f"or complex dtype. Got: {scalar_name(x.dtype)}"
        )


@functions.row("tensors")
def mean(input, dim=None, keepdim=False, *, dtype=None):
    if dtype is None:
        _needs_float(input, "mean")
    wanted = as_dtype(dtype).numpy if dtype is not None else None
    return Tensor(input._a.mean(axis=dims(input, dim), dtype=wanted, keepdims=keepdim))


def _spread(name):
    def function(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        _needs_float(input, name)
        ddof = correction if correction is not None else int(unbiased)
        return Tensor(getattr(input._a, name)(axis=dims(input, dim), ddof=ddof, keepdims=keepdim))

    function.__name__ = name
    functions.rows("tensors", {function.__name__: function})


_spread("std")
_spread("var")


def _extreme(name):
    def function(input, dim=None, keepdim=False):
        if isinstance(dim, Tensor):
            return functions[name + "imum"](input, dim)
        if dim is None:
            return Tensor(getattr(input._a, name)())
        if isinstance(dim, (list, tuple)):
            raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
        axis = dims(input, dim)
        at = getattr(input._a, "arg" + name)(axis=axis, keepdims=keepdim)
        values = getattr(input._a, name)(axis=axis, keepdims=keepdim)
        return return_type(name)(*held(Tensor(values), Tensor(at)))

    def values(input, dim=None, keepdim=False):
        return Tensor(getattr(input._a, name)(axis=dims(input, dim), keepdims=keepdim))

    def places(input, dim=None, keepdim=False):
        return Tensor(getattr(input._a, "arg" + name)(axis=dims(input, dim), keepdims=keepdim))

    for named_one, f in ((name, function), ("a" + name, values), ("arg" + name, places)):
        functions.rows("tensors", {named_one: f})


_extreme("max")
_extreme("min")


def _truth(name):
    def function(input, dim=None, keepdim=False):
        truth = getattr(input._a, name)(axis=dims(input, dim), keepdims=keepdim)
        return Tensor(truth.astype("uint8") if input.dtype.name == "uint8" else truth)

    function.__name__ = name
    functions.rows("tensors", {function.__name__: function})


_truth("any")
_truth("all")


@functions.row("tensors")
def count_nonzero(input, dim=None):
    return Tensor(input._a.count_nonzero(axis=dims(input, dim)))


@functions.row("tensors")
def norm(input, p=2, dim=None, keepdim=False, *, dtype=None):
    """Of the elements along axes, whatever their shape: linalg.norm knows norms of matrices."""
    input = input if dtype is None else input.to(dtype)
    a = ks.absolute(input._a if input.dtype.category >= 2 else input._a.astype(_types.default_float.numpy))
    along = {"axis": dims(input, dim), "keepdims": keepdim}
    if p in ("fro", 2, 2.0, None):
        return Tensor(ks.sqrt((a * a).sum(**along)))
    if p == "nuc":
        from .linalg import matrix_norm

        return matrix_norm(input, "nuc", dim if dim is not None else (-2, -1), keepdim)
    if p == 0:
        return Tensor((a != 0).sum(**along).astype(a.dtype))
    if p in (math.inf, -math.inf):
        return Tensor(a.max(**along) if p > 0 else a.min(**along))
    return Tensor((a**p).sum(**along) ** (1 / p))
