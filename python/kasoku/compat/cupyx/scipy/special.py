"""cupyx.scipy.special: functions of each element, where the arrays lie."""

import math

import numpy as np

import kasoku as ks

from ...cupy._arrays import stored as _stored
from ..._face import compositions as _compositions
from ..._face.special import special as _special, special_of as _special_of
from ..._face.table import Table as _Table, each as _each


def _floats(*args):
    """The arguments as arrays of the dtype in which they meet, float32 at least, as SciPy has it."""
    has_array = any(not np.isscalar(x) for x in args)
    device = next((x.device for x in args if isinstance(x, ks.Array)), None)
    args = [x if has_array and type(x) in (int, float, complex) else ks.asarray(x, device=device) for x in args]
    dtype = ks.result_type(*args, np.float32)
    return [
        x.astype(dtype, copy=False) if isinstance(x, ks.Array) else ks.asarray(x, dtype, device=device) for x in args
    ]


def _multigammaln(a, d):
    (a,) = _floats(a)
    if not np.isscalar(d) or d != int(d):
        raise ValueError("d should be a positive integer (dimension)")
    if bool((a <= 0.5 * (d - 1)).any()):
        raise ValueError(f"condition a > 0.5 * (d-1) not met: {d} dimensions")
    return sum(_special("lgamma", a - 0.5 * j) for j in range(int(d))) + d * (d - 1) * 0.25 * math.log(math.pi)


def _legendre(m, v, x):
    """Associated Legendre functions, of whole orders m and whole degrees v that are not negative."""
    if bool(((m != ks.floor(m)) | (v != ks.floor(v)) | (v < 0)).any()):
        raise NotImplementedError("cupyx.scipy.special.lpmv is here of whole orders and of degrees 0, 1, 2, …")
    return _special("lpmv", m, v, x)


def _spherical_harmonic(m, n, theta, phi):
    of = _legendre(m, n, ks.cos(phi)) * ks.sqrt((2 * n + 1) / (4 * math.pi) * _special("poch", n + m + 1, -2 * m))
    return _compositions.paired(of * ks.cos(m * theta), of * ks.sin(m * theta))


def _elliptic(u, m):
    phase = _special("ellipj_phase", u, m)
    sn, cn = ks.sin(phase), ks.cos(phase)
    return sn, cn, ks.sqrt(cn * cn + (1 - m) * sn * sn), phase


def _logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    if b is None and not return_sign:
        return _compositions.log_sum(a, axis, keepdims)
    b = ks.ones_like(a) if b is None else ks.asarray(b, device=a.device)
    a, b = ks.broadcast_arrays(a, b)
    top = ks.where(b == 0, -ks.inf, a).max(axis=axis, keepdims=True)
    top = ks.where(ks.isfinite(top), top, 0)
    total = (b * ks.exp(ks.where(b == 0, -ks.inf, a) - top)).sum(axis=axis, keepdims=True)
    sign, log = ks.sign(total), ks.log(abs(total) if return_sign else total) + top
    sign, log = (sign, log) if keepdims else (ks.squeeze(sign, axis), ks.squeeze(log, axis))
    return (log, sign) if return_sign else log


# Rows of arrays, with `out` to write to; of one array along axes; of arrays that give several.
_functions = _Table({
    "arrays": lambda f: lambda *args, out=None, **kwargs: _stored(f(*_floats(*args), **kwargs), out),
    "one": lambda f: lambda a, *args, out=None, **kwargs: _stored(f(ks.asarray(a), *args, **kwargs), out),
    "parts": lambda f: lambda *args: f(*_floats(*args)),
})  # fmt: skip
_functions.rows("arrays", {
    **_each(_special_of, """
        erf erfc erfcx erfinv erfcinv gamma rgamma digamma zetac ndtr ndtri log_ndtr i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1
        gammaln=lgamma psi=digamma loggamma gammasgn exp1 expi dawsn erfi ellipk ellipkm1 entr logit log_expit sindg cosdg tandg
        cotdg cosm1 exprel""", "x"),
    **_each(ks, "exp2 expm1 log1p cbrt sinc round=rint", "x"),
    **_each(_special_of, "beta betaln", "a, b"), **_each(_special_of, "betainc betaincc btdtr", "a, b, x"),
    **_each(_special_of, "betaincinv betainccinv btdtri", "a, b, y"),
    **_each(_special_of, "gammainc gammaincc", "a, x"), **_each(_special_of, "gammaincinv gammainccinv", "a, y"),
    **_each(_special_of, "bdtr bdtrc nbdtr nbdtrc", "k, n, p"), **_each(_special_of, "bdtri nbdtri", "k, n, y"),
    **_each(_special_of, "fdtr fdtrc", "dfn, dfd, x"), **_each(_special_of, "fdtri", "dfn, dfd, p"),
    **_each(_special_of, "gdtr gdtrc", "a, b, x"), **_each(_special_of, "chdtr chdtrc", "v, x"), **_each(_special_of, "chdtri", "v, p"),
    **_each(_special_of, "pdtr pdtrc", "k, m"), **_each(_special_of, "pdtri", "k, y"),
    **_each(_special_of, "zeta", "x, q=1.0"), **_each(_special_of, "polygamma yn=bessel_y spherical_yn expn", "n, x"),
    **_each(_special_of, "poch", "a, m"), **_each(_special_of, "binom", "n, k"),
    **_each(_special_of, "xlog1py rel_entr kl_div", "x, y"), **_each(_special_of, "huber pseudo_huber", "delta, r"),
    **_each(_special_of, "boxcox boxcox1p", "x, lmbda"), **_each(_special_of, "inv_boxcox inv_boxcox1p", "y, lmbda"),
    "xlogy": (lambda x, y: (_compositions.xlogy if x.dtype.kind == "c" else _special_of("xlogy"))(x, y), "x log y, and 0 where x is 0."),
    "expit": lambda x: 1 / (1 + ks.exp(-x)),
    "exp10": lambda x: 10.0**x,
    "radian": lambda d, m, s: ks.radians(d + m / 60 + s / 3600),
    "lpmv": _legendre,
    "sph_harm_y": (lambda n, m, theta, phi: _spherical_harmonic(m, n, phi, theta),
        "Spherical harmonics of degree n and order m, at the colatitude theta and the longitude phi."),
    "sph_harm": (_spherical_harmonic, "Spherical harmonics of order m and degree n, at the longitude theta and the colatitude phi."),
})  # fmt: skip
_functions.rows("parts", {
    "ellipj": (_elliptic, "Jacobi's elliptic functions sn, cn and dn, and the amplitude, of the parameter m."),
    "sici": (lambda x: (_special("sine_integral", x), _special("cosine_integral", x)), "The sine and the cosine integral."),
    "shichi": (lambda x: (_special("hyperbolic_sine_integral", x), _special("hyperbolic_cosine_integral", x)),
        "The hyperbolic sine and cosine integrals."),
})  # fmt: skip
_functions.rows("one", {
    "multigammaln": (_multigammaln, "The logarithm of the gamma function of d dimensions."),
    "logsumexp": (_logsumexp, "log(sum(b * exp(a))) along axes, without a power that is too large."),
    "softmax": lambda x, axis=None: _compositions.softmax(x, axis),
    "log_softmax": lambda x, axis=None: _compositions.log_softmax(x, axis),
})  # fmt: skip
globals().update(_functions)
