"""torch's reductions. They are methods too."""

import kasoku as ks

from .._face.table import bound
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


def _needs_float(x, name):
    if x.dtype.category < 2:
        wanted = "Input dtype must be either a floating point or complex dtype"
        raise RuntimeError(f"{name}(): could not infer output dtype. {wanted}. Got: {scalar_name(x.dtype)}")


def _over(input, dim=None, keepdim=False, *, of):
    """The engine's reduction of that name, along axes that it keeps or not."""
    return Tensor(getattr(input._a, of)(axis=dims(input, dim), keepdims=keepdim))


def _summing(input, dim=None, keepdim=False, *, dtype=None, name):
    """One with a dtype: integers are added as int64, and have no mean."""
    if dtype is None and name == "mean":
        _needs_float(input, name)
    wanted = as_dtype(dtype).numpy if dtype is not None else "int64" if input.dtype.category < 2 else None
    return Tensor(getattr(input._a, name)(axis=dims(input, dim), dtype=wanted, keepdims=keepdim))


def _spread(input, dim=None, unbiased=True, keepdim=False, *, correction=None, name):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    _needs_float(input, name)
    ddof = correction if correction is not None else int(unbiased)
    return Tensor(getattr(input._a, name)(axis=dims(input, dim), ddof=ddof, keepdims=keepdim))


def _extreme(input, dim=None, keepdim=False, *, name):
    if isinstance(dim, Tensor):
        return functions[name + "imum"](input, dim)
    if dim is None:
        return Tensor(getattr(input._a, name)())
    if isinstance(dim, (list, tuple)):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
    return return_type(name)(*held(_over(input, dim, keepdim, of=name), _over(input, dim, keepdim, of="arg" + name)))


def _truth(input, dim=None, keepdim=False, *, name):
    truth = getattr(input._a, name)(axis=dims(input, dim), keepdims=keepdim)
    return Tensor(truth.astype("uint8") if input.dtype.name == "uint8" else truth)


functions.rows("tensors", {
    **{name: bound(_summing, name=name) for name in ("sum", "prod", "mean")},
    **{name: bound(_spread, name=name) for name in ("std", "var")},
    **{name: bound(_extreme, name=name) for name in ("max", "min")}, **{name: bound(_truth, name=name) for name in ("any", "all")},
    **{name: bound(_over, of=of) for name, of in {
        "amax": "max", "amin": "min", "argmax": "argmax", "argmin": "argmin"}.items()},
    "count_nonzero": lambda input, dim=None: Tensor(input._a.count_nonzero(axis=dims(input, dim))),
})  # fmt: skip


@functions.row("tensors")
def norm(input, p=2, dim=None, keepdim=False, *, dtype=None):
    """The norm of the elements along axes, whatever their shape; linalg.norm knows norms of matrices."""
    input = input if dtype is None else input.to(dtype)
    if p == "nuc":
        from .linalg import matrix_norm

        return matrix_norm(input, "nuc", dim if dim is not None else (-2, -1), keepdim)
    a = input._a if input.dtype.category >= 2 else input._a.astype(_types.default_float.numpy)
    return Tensor(ks.linalg.vector_norm(a, axis=dims(input, dim), keepdims=keepdim, ord=2 if p in ("fro", None) else p))
