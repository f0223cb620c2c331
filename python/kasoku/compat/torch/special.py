"""torch.special: functions of mathematical physics and statistics."""

import math as _math

import kasoku as _ks

from .._face import compositions as _compositions
from .._face.special import special as _special, special_of as _special_of
from .._face.table import each as _each, Table as _Table
from . import _more  # noqa: F401 - _more fills the table
from ._table import functions as _f, rules as _rules

_functions = _Table(_rules)


_functions.rows("floats", _each(
    _special_of, "i1 i0e i1e log_ndtr erfcx ndtr ndtri bessel_j0=j0 bessel_j1=j1 bessel_y0=y0 bessel_y1=y1", "input"))  # fmt: skip
_functions.rows("floats", {
    **_each(_special_of, "gammainc gammaincc", "input, other"),
    **_each(_special_of, "zeta", "input, other"),
    "polygamma": lambda n, input: _special("polygamma", _ks.full_like(input, n), input),
    "entr": lambda input: _ks.where(input < 0, -_math.inf, 0 - _compositions.xlogy(input, input)),
    "xlog1py": lambda input, other: _ks.where((input == 0) & ~_ks.isnan(other), 0, input * _ks.log1p(other)),
})  # fmt: skip
for _name in """
    erf erfc erfinv i0 logit xlogy sinc exp2 expm1 log1p logsumexp softmax log_softmax digamma round
""".split():
    _functions[_name] = _f[_name]
_functions.rows("composed", {
    "multigammaln": lambda input, p: sum((_f.lgamma(input - j / 2) for j in range(p)), p * (p - 1) / 4 * _math.log(_math.pi)),
})  # fmt: skip
_f.update(
    igamma=_functions.gammainc,
    igammac=_functions.gammaincc,
    polygamma=_functions.polygamma,
    mvlgamma=_functions.multigammaln,
)
globals().update(_functions)
expit, gammaln, psi = _f.sigmoid, _f.lgamma, _f.digamma
