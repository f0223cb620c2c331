"""torch.special: functions of mathematical physics and statistics."""

import functools

from .._special import special as _special
from . import _maths, _more, _ops, _types
from ._tensor import Tensor

_f = {**_ops.functions, **_maths.functions, **_more.functions}
erf, erfc, erfinv, i0 = _f["erf"], _f["erfc"], _f["erfinv"], _f["i0"]
expit, logit, gammaln, xlogy, sinc = _f["sigmoid"], _f["logit"], _f["lgamma"], _f["xlogy"], _f["sinc"]
exp2, expm1, log1p, logsumexp, softmax, log_softmax = (
    _f[name] for name in ("exp2", "expm1", "log1p", "logsumexp", "softmax", "log_softmax")
)


def _of_each(name, x):
    return Tensor(_special(name, x._a, _types.default_float.numpy))


i1, erfcx, ndtr, ndtri, bessel_j0, bessel_j1, bessel_y0, bessel_y1 = (
    functools.partial(_of_each, name) for name in ("i1", "erfcx", "ndtr", "ndtri", "j0", "j1", "y0", "y1")
)
