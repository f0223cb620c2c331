"""torch.special: functions of mathematical physics and statistics."""

from .._face.table import Table as _Table
from .._face.special import special as _special
from . import _more, _rows  # noqa: F401 - they fill the table
from ._table import functions as _f
from ._table import rules as _rules

_functions = _Table(_rules)


def _of_each(name):
    return lambda input: _special(name, input)


_functions.rows("floats", {
    ours: _of_each(name) for ours, name in {
        "i1": "i1", "erfcx": "erfcx", "ndtr": "ndtr", "ndtri": "ndtri", "bessel_j0": "j0", "bessel_j1": "j1",
        "bessel_y0": "y0", "bessel_y1": "y1",
    }.items()
})  # fmt: skip
globals().update(_functions)
globals().update(
    {
        name: _f[name]
        for name in """
    erf erfc erfinv i0 logit xlogy sinc exp2 expm1 log1p logsumexp softmax log_softmax digamma round
""".split()
    }
)
expit, gammaln, psi = _f.sigmoid, _f.lgamma, _f.digamma
