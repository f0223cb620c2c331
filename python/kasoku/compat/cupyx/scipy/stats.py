"""cupyx.scipy.stats: scores, entropy and means without the ends."""

import kasoku as _ks

from ...cupy._arrays import asarray as _asarray, floats as _floats
from ..._face.special import special as _special
from ..._face.table import plain as _plain


def _trim_mean(a, proportiontocut, axis=0):
    a = _asarray(a)
    if not a.size:
        return _ks.asarray(_ks.nan, device=a.device)
    a, axis = (_ks.ravel(a), 0) if axis is None else (a, axis)
    cut = int(proportiontocut * a.shape[axis])
    if 2 * cut >= a.shape[axis]:
        raise ValueError("Proportion too big.")
    return _ks.moveaxis(_ks.sort(a, axis), axis, 0)[cut : a.shape[axis] - cut].mean(axis=0)


def _entropy(pk, qk=None, base=None, axis=0):
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number.")
    pk = _floats(pk)
    pk = pk / pk.sum(axis=axis, keepdims=True)
    if qk is None:
        terms = _special("entr", pk)
    else:
        qk = _floats(qk)
        pk, qk = _ks.broadcast_arrays(pk, qk / qk.sum(axis=axis, keepdims=True))
        terms = _special("rel_entr", pk, qk.astype(pk.dtype))
    total = terms.sum(axis=axis)
    return total if base is None else total / float(_ks.log(base))


def _zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    scores, a = _asarray(scores), _asarray(compare)
    if not a.size:
        return _ks.empty(a.shape, device=a.device)
    if nan_policy == "raise" and a.dtype.kind in "fc" and bool(_ks.isnan(a).any()):
        raise ValueError("The input contains nan values")
    mean, std = (_ks.nanmean, _ks.nanstd) if nan_policy == "omit" else (_ks.mean, _ks.std)
    middle, spread = mean(a, axis=axis, keepdims=True), std(a, axis=axis, ddof=ddof, keepdims=True)
    # What does not vary has no scores: a spread of 0 would be one of rounding.
    first = _ks.ravel(a)[:1] if axis is None else _ks.take(a, [0], axis)
    spread = _ks.where((a == first).all(axis=axis, keepdims=True), _ks.nan, spread)
    return (scores - middle) / spread


def _boxcox_llf(lmb, data):
    data = _asarray(data)
    n = data.shape[0] if data.ndim else 1
    if not n:
        return _ks.asarray(_ks.nan, device=data.device)
    logs = _ks.log(data)
    powers = logs if lmb == 0 else data**lmb / lmb
    return (lmb - 1) * logs.sum(axis=0) - n / 2 * _ks.log(powers.var(axis=0))


_plain(globals(), {
    "boxcox_llf": (_boxcox_llf, "The logarithm of the likelihood of a Box-Cox transform's exponent."),
    "entropy": (_entropy, "The entropy of a distribution, or its divergence from another."),
    "trim_mean": (_trim_mean, "The mean without a share of the least and of the greatest elements."),
    "zmap": (_zmap, "How many deviations of `compare` the scores are from its mean."),
    "zscore": (lambda a, axis=0, ddof=0, nan_policy="propagate": _zmap(a, a, axis, ddof, nan_policy),
        "How many deviations elements are from their mean."),
})  # fmt: skip
