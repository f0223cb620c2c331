"""cupyx.scipy.special: functions of each element, where the arrays lie."""

import math

import numpy as np

import kasoku as ks

from ...cupy._arrays import stored as _stored
from ...cupy._util import in_face as _in_face
from ..._face import compositions as _compositions
from ..._face.special import special as _special, special_of as _special_of
from ..._face.table import Table as _Table, each as _each


def _floats(*args):
    """The arguments as arrays of the dtype in which they meet, float32 at least, as SciPy has it."""
    has_array = any(not np.isscalar(x) for x in args)
    args = [x if has_array and type(x) in (int, float, complex) else ks.asarray(x) for x in args]
    dtype = ks.result_type(*args, np.float32)
    device = next((x.device for x in args if isinstance(x, ks.Array)), None)
    return [
        x.astype(dtype, copy=False) if isinstance(x, ks.Array) else ks.asarray(x, dtype, device=device) for x in args
    ]


def _of_arrays(f):
    """A row of arrays, with `out` to write to."""
    return lambda *args, out=None, **kwargs: _stored(f(*_floats(*args), **kwargs), out)


def _of_one(f):
    """A row of an array along axes."""
    return lambda a, *args, out=None, **kwargs: _stored(f(ks.asarray(a), *args, **kwargs), out)


def _multigammaln(a, d):
    (a,) = _floats(a)
    if not np.isscalar(d) or d != int(d):
        raise ValueError("d should be a positive integer (dimension)")
    if bool((a <= 0.5 * (d - 1)).any()):
        raise ValueError(f"condition a > 0.5 * (d-1) not met: {d} dimensions")
    return sum(_special("lgamma", a - 0.5 * j) for j in range(int(d))) + d * (d - 1) * 0.25 * math.log(math.pi)


_functions = _Table({"arrays": _of_arrays, "one": _of_one})
_functions.rows("arrays", {
    **_each(_special_of, """
        erf erfc erfcx erfinv erfcinv gamma digamma ndtr ndtri i0 i1 j0 j1 y0 y1 gammaln=lgamma psi=digamma""", "x"),
    **_each(ks, "exp2 expm1 log1p cbrt sinc round=rint", "x"),
    "expit": lambda x: 1 / (1 + ks.exp(-x)),
    "logit": lambda x: ks.log(x / (1 - x)),
    "log_expit": lambda x: -ks.logaddexp(-x, 0),
    "log_ndtr": lambda x: ks.log(_special("ndtr", x)),
    "exp10": lambda x: 10.0**x,
    "radian": lambda d, m, s: ks.radians(d + m / 60 + s / 3600),
    "xlogy": lambda x, y: _compositions.xlogy(x, y),
    "xlog1py": lambda x, y: _compositions.xlogy(x, 1 + y),
    "entr": lambda x: ks.where(x < 0, -ks.inf, -_compositions.xlogy(x, ks.where(x < 0, 1, x))),
    "rel_entr": lambda x, y: _compositions.xlogy(x, x / y),
    "kl_div": lambda x, y: _compositions.xlogy(x, x / y) - x + y,
    "huber": lambda delta, r: ks.where(ks.abs(r) <= delta, r * r / 2, delta * (ks.abs(r) - delta / 2)),
    "pseudo_huber": lambda delta, r: delta * delta * (ks.sqrt(1 + (r / delta) ** 2) - 1),
    "boxcox": lambda x, lmbda: ks.where(lmbda == 0, ks.log(x), (x**lmbda - 1) / ks.where(lmbda == 0, 1, lmbda)),
})  # fmt: skip
_functions.rows("one", {
    "multigammaln": (_multigammaln, "The logarithm of the gamma function of d dimensions."),
    "logsumexp": lambda a, axis=None, b=None, keepdims=False: _compositions.log_sum(
        a if b is None else a + ks.log(b), axis, keepdims),
    "softmax": lambda x, axis=None: _compositions.softmax(x, axis),
    "log_softmax": lambda x, axis=None: _compositions.log_softmax(x, axis),
})  # fmt: skip
globals().update(_functions)
_in_face(globals())
