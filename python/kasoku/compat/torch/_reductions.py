"""torch's reductions. They are methods too."""

import math

import kasoku as ks

from ._ops import _float, _function, add_methods, functions
from ._tensor import Tensor, held
from ._types import as_dtype, scalar_name
from .return_types import return_type

_max_result = return_type("max", "values indices")
_min_result = return_type("min", "values indices")


def dims(x, dim):
    """The axes to reduce; a tensor without axes counts as one of one axis."""
    if isinstance(dim, (list, tuple)):
        return tuple(dim) if x.ndim or any(d not in (0, -1) for d in dim) else ()
    return dim if x.ndim or dim not in (0, -1) else None


@_function
def sum_(x, dim=None, keepdim=False, *, dtype=None):
    wanted = as_dtype(dtype).numpy if dtype is not None else "int64" if x.dtype.category < 2 else None
    return Tensor(x._a.sum(axis=dims(x, dim), dtype=wanted, keepdims=keepdim))


@_function
def prod(x, dim=None, keepdim=False, *, dtype=None):
    wanted = as_dtype(dtype).numpy if dtype is not None else "int64" if x.dtype.category < 2 else None
    return Tensor(x._a.prod(axis=dims(x, dim), dtype=wanted, keepdims=keepdim))


def _needs_float(x, name):
    if x.dtype.category < 2:
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point "
            f"or complex dtype. Got: {scalar_name(x.dtype)}"
        )


@_function
def mean(x, dim=None, keepdim=False, *, dtype=None):
    if dtype is None:
        _needs_float(x, "mean")
    wanted = as_dtype(dtype).numpy if dtype is not None else None
    return Tensor(x._a.mean(axis=dims(x, dim), dtype=wanted, keepdims=keepdim))


def _spread(name):
    def function(x, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        _needs_float(x, name)
        ddof = correction if correction is not None else int(unbiased)
        return Tensor(getattr(x._a, name)(axis=dims(x, dim), ddof=ddof, keepdims=keepdim))

    function.__name__ = name
    _function(function)


_spread("std")
_spread("var")


def _extreme(name, result):
    def function(x, dim=None, keepdim=False):
        if isinstance(dim, Tensor):
            return functions[name + "imum"](x, dim)
        if dim is None:
            return Tensor(getattr(x._a, name)())
        if isinstance(dim, (list, tuple)):
            raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
        axis = dims(x, dim)
        at = getattr(x._a, "arg" + name)(axis=axis, keepdims=keepdim)
        values = getattr(x._a, name)(axis=axis, keepdims=keepdim)
        return result(*held(Tensor(values), Tensor(at)))

    def values(x, dim=None, keepdim=False):
        return Tensor(getattr(x._a, name)(axis=dims(x, dim), keepdims=keepdim))

    def places(x, dim=None, keepdim=False):
        return Tensor(getattr(x._a, "arg" + name)(axis=dims(x, dim), keepdims=keepdim))

    for named_one, f in ((name, function), ("a" + name, values), ("arg" + name, places)):
        f.__name__ = named_one
        _function(f)


_extreme("max", _max_result)
_extreme("min", _min_result)


def _truth(name):
    def function(x, dim=None, keepdim=False):
        truth = getattr(x._a, name)(axis=dims(x, dim), keepdims=keepdim)
        return Tensor(truth.astype("uint8") if x.dtype.name == "uint8" else truth)

    function.__name__ = name
    _function(function)


_truth("any")
_truth("all")


@_function
def count_nonzero(x, dim=None):
    return Tensor(x._a.count_nonzero(axis=dims(x, dim)))


@_function
def norm(x, p=2, dim=None, keepdim=False, *, dtype=None):
    """Of the elements along axes, whatever their shape: linalg.norm knows norms of matrices."""
    a = ks.absolute(_float(x if dtype is None else x.to(dtype)))
    along = {"axis": dims(x, dim), "keepdims": keepdim}
    if p in ("fro", 2, 2.0, None):
        return Tensor(ks.sqrt((a * a).sum(**along)))
    if p == "nuc":
        from .linalg import matrix_norm

        return matrix_norm(x, "nuc", dim if dim is not None else (-2, -1), keepdim)
    if p == 0:
        return Tensor((a != 0).sum(**along).astype(a.dtype))
    if p in (math.inf, -math.inf):
        return Tensor(a.max(**along) if p > 0 else a.min(**along))
    return Tensor((a**p).sum(**along) ** (1 / p))


add_methods()
