"""torch's functions of elements and numbers that are kasoku's under torch's names: arithmetic, products by letters, sums
along axes, statistics, complex numbers. What a row is written for is its rule's (_table.py)."""

import math

import kasoku as ks

from .._face.compositions import log_softmax, log_sum, paired, xlogy
from .._face.special import special
from .._face.table import bound, each
from ._reductions import dims
from ._table import functions
from ._tensor import Tensor, held
from .return_types import return_type

f = functions


def list_of(operands):
    return operands[0] if len(operands) == 1 and type(operands[0]) in (list, tuple) else operands


def _distances(x, y, p):
    difference = ks.abs(ks.expand_dims(x, -2) - ks.expand_dims(y, -3))
    return difference.max(axis=-1) if math.isinf(p) else (difference**p).sum(axis=-1) ** (1 / p)


def _real(input, *, name):
    """One of the special functions of real numbers."""
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name} is not implemented for {input.dtype!r}")
    return special(name, input)


def _running_trapezoids(y, x=None, *, dx=1.0, dim=-1):
    """The running integral along an axis, by trapezoids."""
    y = ks.moveaxis(y, dim, -1)
    steps = dx if x is None else ks.diff(x if x.ndim == 1 else ks.moveaxis(x, dim, -1))
    return ks.moveaxis(ks.cumsum((y[..., 1:] + y[..., :-1]) / 2 * steps, -1), -1, dim)


def _listed(result):
    return tuple(result) if isinstance(result, (list, tuple)) else (result,)


functions.rows("arrays", {
    "fill": lambda input, value: ks.full_like(input, value),
    "frac": lambda input: input - ks.trunc(input),
    "nan_to_num": lambda input, nan=0.0, posinf=None, neginf=None: ks.nan_to_num(
        input, nan=nan or 0.0, posinf=posinf, neginf=neginf),
    "sgn": lambda input: ks.sign(input) if input.dtype.kind == "c" else f.sign(Tensor(input))._a,
    "isposinf": lambda input: input == math.inf,
    "isneginf": lambda input: input == -math.inf,
    **each(ks, "trace isreal bitwise_count conj_physical=conj", "input"),
    **each(ks, "diff", "input, n=1, dim=-1, prepend=None, append=None"),
    **each(ks, "vander", "x, N=None, increasing=False"),
    **each(ks, "quantile nanquantile", lambda quantile: lambda input, q, dim=None, keepdim=False, *, interpolation="linear": (
        quantile(input, q, dim, keepdims=keepdim, method=interpolation))),
    "frexp": lambda input: return_type("frexp")(*ks.frexp(input)),
    "gradient": lambda input, *, spacing=1, dim=None, edge_order=1: _listed(ks.gradient(
        input, *(spacing if type(spacing) in (list, tuple) else (spacing,)), axis=dim, edge_order=edge_order)),
})  # fmt: skip

functions.rows("floats", {
    "logsumexp": lambda input, dim, keepdim=False: log_sum(input, dims(input, dim), keepdim),
    "_log_softmax": lambda input, dim: log_softmax(input, dims(input, dim)),
    "softplus": lambda input: ks.logaddexp(input, 0),
    "logit": lambda input, eps=None: (lambda a: ks.log(a / (1 - a)))(
        input if eps is None else ks.clip(input, eps, 1 - eps)),
    "pdist": lambda input, p=2.0: _distances(input, input, p)[ks.triu_indices(input.shape[0], 1, device=input.device)],
    "cdist": lambda x1, x2, p=2.0: _distances(x1, x2, p),
    "cov": lambda input, *, correction=1, fweights=None, aweights=None: ks.cov(
        input, ddof=correction, fweights=fweights, aweights=aweights),
    **each(ks, "corrcoef angle sinc", "input"), **each(ks, "logaddexp2", "input, other"),
    "polar": lambda abs, angle: paired(abs * ks.cos(angle), abs * ks.sin(angle)),
    "xlogy": lambda input, other: xlogy(input, other),
    "ldexp": lambda input, other: input * 2.0**other,
    "trapezoid": lambda y, x=None, *, dx=1.0, dim=-1: ks.trapezoid(y, x, dx, dim),
    "cumulative_trapezoid": _running_trapezoids,
    "logcumsumexp": lambda input, dim: ks.logaddexp.accumulate(input, dim),
    **{name: bound(_real, name=name) for name in ("erf", "erfc", "erfinv", "lgamma", "digamma", "i0")},
})  # fmt: skip

functions.rows("meeting", {
    **each(ks, "isclose", "input, other, rtol=1e-5, atol=1e-8, equal_nan=False"),
    "einsum": lambda equation, *operands: ks.einsum(equation, *list_of(operands), optimize=True),
    "tensordot": lambda a, b, dims=2: ks.tensordot(a, b, dims),
    **each(ks, "inner kron vdot", "input, other"),
    **each(ks, "outer ger=outer", "input, vec2"),
    "cross": lambda input, other, dim=-1: ks.cross(input, other, axis=dim),
    "complex": lambda real, imag: paired(real, imag),
})  # fmt: skip


functions.rows("composed", {
    "lerp": lambda input, end, weight: input + weight * (end - input),
    "addcmul": lambda input, tensor1, tensor2, *, value=1: input + value * (tensor1 * tensor2),
    "addcdiv": lambda input, tensor1, tensor2, *, value=1: input + value * (tensor1 / tensor2),
    **each(f, "addmm=mm addmv=mv baddbmm=bmm addr=outer", lambda product: lambda input, a, b, *, beta=1, alpha=1: (
        beta * input + alpha * product(a, b))),
    "addbmm": lambda input, batch1, batch2, *, beta=1, alpha=1: beta * input + alpha * f.bmm(batch1, batch2).sum(0),
    "frobenius_norm": lambda input, dim, keepdim=False: f.norm(input, 2, dim, keepdim),
    "nuclear_norm": lambda input, dim=(-2, -1), keepdim=False: f.norm(input, "nuc", dim, keepdim),
    "rsub": lambda input, other, *, alpha=1: other - alpha * input,
    "dist": lambda input, other, p=2: f.norm(input - other, p),
    "clamp_min": lambda input, min: f.clamp(input, min=min),
    "clamp_max": lambda input, max: f.clamp(input, max=max),
})  # fmt: skip


def _ignoring_nan(input, dim=None, keepdim=False, *, dtype=None, name):
    input = input if dtype is None else input.to(dtype)
    if input.dtype.category < 2:
        return f[name](input, dim, keepdim)
    along = {"axis": dims(input, dim), "keepdims": keepdim}
    return Tensor(ks.nansum(input._a, **along) if name == "sum" else ks.nanmean(input._a, **along))


functions.rows("tensors", {
    "log_softmax": lambda input, dim, dtype=None: f._log_softmax(input if dtype is None else input.to(dtype), dim),
    **each(f, "std_mean=std var_mean=var", lambda of: lambda input, dim=None, *, keepdim=False, **options: held(
        of(input, dim, keepdim=keepdim, **options), f.mean(input, dim, keepdim))),
    "nansum": bound(_ignoring_nan, name="sum"), "nanmean": bound(_ignoring_nan, name="mean"),
    "conj": lambda input: Tensor(input._a.conj()) if input.dtype.is_complex else input,
    "resolve_conj": lambda input: input, "resolve_neg": lambda input: input,
    "is_conj": lambda input: False, "is_neg": lambda input: False,
    "aminmax": lambda input, *, dim=None, keepdim=False: return_type("aminmax")(
        *held(f.amin(input, dim, keepdim), f.amax(input, dim, keepdim))),
})  # fmt: skip


@functions.row("tensors")
def renorm(input, p, dim, maxnorm):
    others = tuple(d for d in range(input.ndim) if d != dim % input.ndim)
    norms = f.norm(input, p, others, True)
    return input * f.where(norms > maxnorm, maxnorm / (norms + 1e-7), norms * 0 + 1)


functions.alias(clip="clamp", trapz="trapezoid")
