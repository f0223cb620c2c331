"""Methods of NumPy's Generator in compiled functions: its own functions of C draw, so the numbers are NumPy's."""

import numpy as np

from .engine import drawn
from .shapes import as_new_sequence, exchange

# What numpy.random's extension has for C.
functions = [
    f"random_{name}"
    for name in """standard_uniform standard_normal normal uniform standard_exponential exponential standard_gamma gamma beta chisquare
    standard_cauchy standard_t lognormal laplace logistic gumbel rayleigh weibull pareto power poisson geometric
    binomial bounded_uint64 interval""".split()
]


def _draws(name, dtype, generator, size, *parameters):
    if size is None:
        return drawn(name, dtype, generator, *parameters)
    out = np.empty(size, dtype)
    flat = out.ravel()
    for i in range(flat.size):
        flat[i] = drawn(name, dtype, generator, *parameters)
    return out


def _want_positive(scale):
    if scale < 0:
        raise ValueError("scale < 0")


def random(generator, size=None):
    return _draws("random_standard_uniform", np.float64, generator, size)


def standard_normal(generator, size=None):
    return _draws("random_standard_normal", np.float64, generator, size)


def standard_exponential(generator, size=None):
    return _draws("random_standard_exponential", np.float64, generator, size)


def standard_cauchy(generator, size=None):
    return _draws("random_standard_cauchy", np.float64, generator, size)


def normal(generator, loc=0.0, scale=1.0, size=None):
    _want_positive(scale)
    return _draws("random_normal", np.float64, generator, size, float(loc), float(scale))


def uniform(generator, low=0.0, high=1.0, size=None):
    if not np.isfinite(high - low):
        raise OverflowError("high - low range exceeds valid bounds")
    if high < low:
        raise ValueError("high - low < 0")
    return _draws("random_uniform", np.float64, generator, size, float(low), float(high - low))


def exponential(generator, scale=1.0, size=None):
    _want_positive(scale)
    return _draws("random_exponential", np.float64, generator, size, float(scale))


def standard_gamma(generator, shape, size=None):
    if shape < 0:
        raise ValueError("shape < 0")
    return _draws("random_standard_gamma", np.float64, generator, size, float(shape))


def gamma(generator, shape, scale=1.0, size=None):
    if shape < 0:
        raise ValueError("shape < 0")
    _want_positive(scale)
    return _draws("random_gamma", np.float64, generator, size, float(shape), float(scale))


def beta(generator, a, b, size=None):
    if not (a > 0 and b > 0):
        raise ValueError("a <= 0" if not a > 0 else "b <= 0")
    return _draws("random_beta", np.float64, generator, size, float(a), float(b))


def chisquare(generator, df, size=None):
    if not df > 0:
        raise ValueError("df <= 0")
    return _draws("random_chisquare", np.float64, generator, size, float(df))


def standard_t(generator, df, size=None):
    if not df > 0:
        raise ValueError("df <= 0")
    return _draws("random_standard_t", np.float64, generator, size, float(df))


def lognormal(generator, mean=0.0, sigma=1.0, size=None):
    if sigma < 0:
        raise ValueError("sigma < 0")
    return _draws("random_lognormal", np.float64, generator, size, float(mean), float(sigma))


def laplace(generator, loc=0.0, scale=1.0, size=None):
    _want_positive(scale)
    return _draws("random_laplace", np.float64, generator, size, float(loc), float(scale))


def logistic(generator, loc=0.0, scale=1.0, size=None):
    _want_positive(scale)
    return _draws("random_logistic", np.float64, generator, size, float(loc), float(scale))


def gumbel(generator, loc=0.0, scale=1.0, size=None):
    _want_positive(scale)
    return _draws("random_gumbel", np.float64, generator, size, float(loc), float(scale))


def rayleigh(generator, scale=1.0, size=None):
    _want_positive(scale)
    return _draws("random_rayleigh", np.float64, generator, size, float(scale))


def weibull(generator, a, size=None):
    if a < 0:
        raise ValueError("a < 0")
    return _draws("random_weibull", np.float64, generator, size, float(a))


def pareto(generator, a, size=None):
    if not a > 0:
        raise ValueError("a <= 0")
    return _draws("random_pareto", np.float64, generator, size, float(a))


def power(generator, a, size=None):
    if not a > 0:
        raise ValueError("a <= 0")
    return _draws("random_power", np.float64, generator, size, float(a))


def poisson(generator, lam=1.0, size=None):
    if not lam >= 0:
        raise ValueError("lam < 0 or lam is NaN")
    if lam > 9.2233720064847708e18:
        raise ValueError("lam value too large")
    return _draws("random_poisson", np.int64, generator, size, float(lam))


def geometric(generator, p, size=None):
    if not 0 < p <= 1:
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    return _draws("random_geometric", np.int64, generator, size, float(p))


def binomial(generator, n, p, size=None):
    if n < 0:
        raise ValueError("n < 0")
    if not 0 <= p <= 1:
        raise ValueError("p < 0, p > 1 or p is NaN")
    return _draws("random_binomial", np.int64, generator, size, float(p), int(n), None)


def integers(generator, low, high=None, size=None, endpoint=False):
    if high is None:
        return _between(generator, 0, low, size, endpoint, "high <= 0")
    return _between(generator, low, high, size, endpoint, "low >= high")


def _between(generator, first, last, size, endpoint, complaint):
    span = last - first if endpoint else last - first - 1
    if first > last or (first == last and not endpoint):
        raise ValueError(complaint)
    return _draws("random_bounded_uint64", np.int64, generator, size, first, span, 0, False)


def shuffle(generator, x):
    for i in range(len(x) - 1, 0, -1):
        exchange(x, i, drawn("random_interval", np.int64, generator, i))


def permutation(generator, x):
    out = as_new_sequence(x)
    shuffle(generator, out)
    return out


methods = {
    each.__name__: each
    for each in (
        random, standard_normal, standard_exponential, standard_cauchy, normal, uniform, exponential, standard_gamma, gamma, beta,
        chisquare, standard_t, lognormal, laplace, logistic, gumbel, rayleigh, weibull, pareto, power, poisson, geometric, binomial,
        integers, shuffle, permutation,
    )
}  # fmt: skip
