"""ks.random: arrays of random numbers, the same on every device and with any number of threads.

The module has NumPy's Generator and the functions of numpy.random. A number depends on the seed, on how many draws came
before it, on its place in the array and on the distribution's parameters, which are numbers or arrays. `device=` chooses
where the array lies. A distribution that is a formula of uniform or normal numbers is fused with the operations that
follow; one that accepts and rejects numbers is a kernel of its own.

>>> ks.random.seed(1)
>>> x = ks.random.normal(size=1000)
>>> bool(abs(x.mean()) < 0.2)
True
"""

import functools
import inspect
import math
import operator

import numpy as _np

from . import _core

Generator = _core._random.Generator
default_rng, seed = _core._random.default_rng, _core._random.seed
_Array = _core.Array


def _given(x, device):
    """A parameter: a number, or an array on the device."""
    if isinstance(x, (_Array, bool, int, float)):
        return x
    x = _np.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("parameters of a distribution are real numbers, not complex ones")
    return x.item() if x.ndim == 0 else _core.asarray(x, device=device)


def _must_hold(dtype, low, high, endpoint):
    """Raises unless integers of the dtype reach from `low` to `high`."""
    dtype = _np.dtype(dtype)
    if dtype.kind not in "bui":
        return
    least, most = (0, 1) if dtype.kind == "b" else (_np.iinfo(dtype).min, _np.iinfo(dtype).max)
    for name, x, outside in (("low", low, lambda x: x < least), ("high", high, lambda x: x > most + (not endpoint))):
        is_outside = outside(x)
        if bool(is_outside.any()) if isinstance(is_outside, _Array) else is_outside:
            raise ValueError(f"{name} is out of bounds for {dtype}")


def _bound(x):
    """A bound of integers: what floats have before the point. Raises OverflowError or ValueError for infinity and NaN."""
    if isinstance(x, float):
        return int(x)
    if isinstance(x, _Array) and x.dtype.kind not in "bui":
        if not bool(_core.isfinite(x).all()):
            raise ValueError("bounds of integers are finite")
        return _whole(x)
    return x


def _is_integer(x):
    """Whether it is one; NumPy's arrays may be an index too."""
    return hasattr(x, "__index__") and not getattr(x, "shape", ())


def _shape(size, parameters):
    """The shape of what is drawn: `size`, or that of the parameters."""
    shape = _np.broadcast_shapes(*(x.shape for x in parameters if isinstance(x, _Array)))
    if size is None:
        return shape
    size = (operator.index(size),) if _is_integer(size) else tuple(map(operator.index, size))
    if shape and _np.broadcast_shapes(shape, size) != size:
        raise ValueError(f"Output size {size} is not compatible with broadcast dimensions of inputs {shape}.")
    return size


_MOST = 2.0**63 - 10 * 2.0**31.5  # of what is expected: what is drawn is an int64, ten deviations above it too


def _has_no_sign(x):
    """Neither below zero nor -0.0. NaN has none, whatever its sign bit says."""
    if isinstance(x, float):
        return x != x or math.copysign(1, x) > 0
    if isinstance(x, _Array) and x.dtype.kind == "f":
        return (x != x) | (_core.signbit(x) == 0)
    return x >= 0


# The laws of real numbers let NaN pass, as NumPy's do: what is drawn is NaN.
_MUST_OR_NAN = {">= 0": _has_no_sign, "> 0": lambda x: (x <= 0) == 0}
_MUST = {
    ">= 0": lambda x: x >= 0,
    "> 0": lambda x: x > 0,
    "> 1": lambda x: x > 1,
    "in [0, 1]": lambda x: (x >= 0) & (x <= 1),
    "in (0, 1]": lambda x: (x > 0) & (x <= 1),
    "in [0, 1)": lambda x: (x >= 0) & (x < 1),
    "in [0, 9.2e18]": lambda x: (x >= 0) & (x <= _MOST),
}


def _must(condition, conditions=_MUST, **parameters):
    """Numbers are looked at, and of arrays whether all elements are so."""
    for name, x in parameters.items():
        holds = conditions[condition](x)
        if not (bool(holds.all()) if isinstance(holds, _Array) else holds):
            wrong = x[holds == 0].ravel()[0].item() if isinstance(holds, _Array) else x
            raise ValueError(f"{name} has to be {condition}, not {wrong}")


def _must_or_nan(condition, **parameters):
    _must(condition, _MUST_OR_NAN, **parameters)


def _floating(x, dtype):
    return x if dtype is None or x.dtype == _np.dtype(dtype) else x.astype(dtype)


def _uniform(self, shape, device):
    """Uniform numbers in (0, 1]."""
    return 1 - self.random(shape, device=device)


def _gamma(self, shape, size, device):
    return self._sampled("gamma", [shape], size, device)


def _whole(x):
    return x.astype("int64")


_random, _uniform_of, _normal_of = Generator.random, Generator.uniform, Generator.normal
_standard_normal, _integers = Generator.standard_normal, Generator.integers


def random(self, size=None, dtype=None, out=None, device=None):
    """Numbers in [0, 1), multiples of 2**-53; of float32 32 random bits, rounded.

    Philox 4x32-10 makes their bits (Salmon and others, 2011).

    >>> ks.random.default_rng(1).random(3)
    array([0.89025922, 0.58572612, 0.67199844])
    """
    return _stored(_random(self, _size_of(size, out), dtype, device), out)


def standard_normal(self, size=None, dtype=None, out=None, device=None):
    """Normal numbers of mean 0 and variance 1. By the transform of Box and Muller.

    >>> ks.random.default_rng(1).standard_normal(3)
    array([1.80455566, 1.07835396, 1.47561985])
    """
    return _stored(_standard_normal(self, _size_of(size, out), dtype, device), out)


def uniform(self, low=0.0, high=1.0, size=None, dtype=None, device=None):
    """Numbers in [low, high).

    >>> ks.random.default_rng(1).uniform(10, 20, 3)
    array([18.90259216, 15.85726123, 16.71998441])
    """
    low, high = _given(low, device), _given(high, device)
    _must_or_nan(">= 0", **{"high - low": high - low})
    return _of_range(self, low, high, size, dtype, device)


def _between(self, low=0.0, high=1.0, size=None, dtype=None, device=None):
    """Numbers in [low, high), or in (high, low] where `low` is the greater one, as numpy.random's function has them.

    >>> ks.random.seed(1)
    >>> ks.random.uniform(10, 20, 3)
    array([18.90259216, 15.85726123, 16.71998441])
    """
    return _of_range(self, _given(low, device), _given(high, device), size, dtype, device)


def _of_range(self, low, high, size, dtype, device):
    width = high - low
    if not (bool(_core.isfinite(width).all()) if isinstance(width, _Array) else math.isfinite(width)):
        raise OverflowError("the range of a uniform number has to be finite")
    return _uniform_of(self, low, high, _shape(size, [low, high]), dtype, device)


def normal(self, loc=0.0, scale=1.0, size=None, dtype=None, device=None):
    """Normal numbers of mean `loc` and standard deviation `scale`. By the transform of Box and Muller.

    >>> ks.random.default_rng(1).normal(5, 2, 3)
    array([8.60911133, 7.15670792, 7.95123969])
    """
    loc, scale = _given(loc, device), _given(scale, device)
    _must_or_nan(">= 0", scale=scale)
    return _normal_of(self, loc, scale, _shape(size, [loc, scale]), dtype, device)


def integers(self, low, high=None, size=None, dtype=None, endpoint=False, device=None):
    """Integers in [low, high), or with `endpoint` in [low, high]; from 0 if one number is given.
    int64 unless `dtype` says else.

    >>> ks.random.default_rng(1).integers(0, 10, 4)
    array([8, 5, 6, 4])
    """
    low, high = (0, low) if high is None else (low, high)
    low, high = _bound(_given(low, device)), _bound(_given(high, device))
    if dtype is not None:
        _must_hold(dtype, low, high, endpoint)
    if not isinstance(low, _Array) and not isinstance(high, _Array):
        return _integers(self, low, high, size, dtype, endpoint, device)
    width = high - low + (1 if endpoint else 0)
    if not bool((width > 0).all()):
        raise ValueError("low >= high")
    if bool((width > 2**53).any()):
        raise ValueError("integers between arrays are at most 2**53 apart")
    x = low + _whole(_core.floor(self.random(_shape(size, [low, high]), device=device) * width))
    return x if dtype is None else x.astype(dtype)


def exponential(self, scale=1.0, size=None, dtype=None, device=None):
    """Exponential numbers of mean `scale`. By -log of a uniform number.

    >>> ks.random.default_rng(1).exponential(2.0, 3)
    array([4.4192684 , 1.76245597, 2.22947383])
    """
    scale = _given(scale, device)
    _must_or_nan(">= 0", scale=scale)
    return _floating(scale * -_core.log(_uniform(self, _shape(size, [scale]), device)), dtype)


def standard_exponential(self, size=None, dtype=None, method="zig", out=None, device=None):
    """Exponential numbers of mean 1. By -log of a uniform number.

    >>> ks.random.default_rng(1).standard_exponential(3)
    array([2.2096342 , 0.88122799, 1.11473692])
    """
    return _stored(self.exponential(1.0, _size_of(size, out), dtype, device), out)


def _size_of(size, out):
    return out.shape if size is None and out is not None else size


def _stored(x, out):
    if out is None:
        return x
    out[...] = x
    return out


def standard_gamma(self, shape, size=None, dtype=None, out=None, device=None):
    """Gamma numbers of a shape parameter and of scale 1. By the rejection of Marsaglia and Tsang (2000).

    >>> ks.random.default_rng(1).standard_gamma(2.0, 3)
    array([5.25039819, 4.38968138, 1.90027998])
    """
    shape = _given(shape, device)
    _must_or_nan(">= 0", shape=shape)
    size = _shape(_size_of(size, out), [shape])
    return _stored(_floating(_gamma(self, shape, size, device), dtype), out)


def gamma(self, shape, scale=1.0, size=None, device=None):
    """Gamma numbers of mean `shape * scale`. By the rejection of Marsaglia and Tsang (2000).

    >>> ks.random.default_rng(1).gamma(2.0, 3.0, 3)
    array([15.75119457, 13.16904414,  5.70083995])
    """
    shape, scale = _given(shape, device), _given(scale, device)
    _must_or_nan(">= 0", shape=shape, scale=scale)
    return scale * _gamma(self, shape, _shape(size, [shape, scale]), device)


def beta(self, a, b, size=None, device=None):
    """Beta numbers in [0, 1]. By two gamma numbers; for small parameters by Johnk's rejection.

    >>> ks.random.default_rng(1).beta(2.0, 3.0, 3)
    array([0.64997915, 0.60032899, 0.48784434])
    """
    a, b = _given(a, device), _given(b, device)
    _must_or_nan("> 0", a=a, b=b)
    return self._sampled("beta", [a, b], _shape(size, [a, b]), device)


def chisquare(self, df, size=None, device=None):
    """Sums of the squares of `df` normal numbers. By a gamma number of half the shape.

    >>> ks.random.default_rng(1).chisquare(2, 3)
    array([1.49722935, 5.48614424, 1.63645805])
    """
    df = _given(df, device)
    _must_or_nan("> 0", df=df)
    return 2.0 * _gamma(self, df / 2, _shape(size, [df]), device)


def noncentral_chisquare(self, df, nonc, size=None, device=None):
    """Sums of the squares of `df` normal numbers whose means have squares of sum `nonc`.

    >>> ks.random.default_rng(1).noncentral_chisquare(2, 1.0, 3)
    array([1.26885961, 0.89867766, 7.28153232])
    """
    df, nonc = _given(df, device), _given(nonc, device)
    _must_or_nan("> 0", df=df)
    _must_or_nan(">= 0", nonc=nonc)
    shape = _shape(size, [df, nonc])
    return self.chisquare(df + 2.0 * self._sampled("poisson", [nonc / 2], shape, device), shape, device)


def f(self, dfnum, dfden, size=None, device=None):
    """Ratios of two chi-square numbers by their degrees of freedom.

    >>> ks.random.default_rng(1).f(2, 5, 3)
    array([0.88777377, 3.91408709, 0.47090735])
    """
    dfnum, dfden = _given(dfnum, device), _given(dfden, device)
    shape = _shape(size, [dfnum, dfden])
    return (self.chisquare(dfnum, shape, device) / dfnum) / (self.chisquare(dfden, shape, device) / dfden)


def noncentral_f(self, dfnum, dfden, nonc, size=None, device=None):
    """Ratios of a noncentral chi-square number and a chi-square number by their degrees of freedom.

    >>> ks.random.default_rng(1).noncentral_f(2, 5, 1.0, 3)
    array([0.75828945, 0.46333606, 2.40606255])
    """
    dfnum, dfden, nonc = (_given(x, device) for x in (dfnum, dfden, nonc))
    shape = _shape(size, [dfnum, dfden, nonc])
    above = self.noncentral_chisquare(dfnum, nonc, shape, device) / dfnum
    return above / (self.chisquare(dfden, shape, device) / dfden)


def standard_t(self, df, size=None, device=None):
    """Numbers of Student's t distribution of `df` degrees of freedom.

    >>> ks.random.default_rng(1).standard_t(5, 3)
    array([1.96513445, 1.28812487, 1.11945021])
    """
    df = _given(df, device)
    _must_or_nan("> 0", df=df)
    shape = _shape(size, [df])
    return self.standard_normal(shape, device=device) / _core.sqrt(self.chisquare(df, shape, device) / df)


def lognormal(self, mean=0.0, sigma=1.0, size=None, device=None):
    """Numbers whose logarithms are normal, of mean `mean` and standard deviation `sigma`.

    >>> ks.random.default_rng(1).lognormal(0, 1, 3)
    array([6.07727049, 2.93983647, 4.37374598])
    """
    mean, sigma = _given(mean, device), _given(sigma, device)
    _must_or_nan(">= 0", sigma=sigma)
    return _core.exp(mean + sigma * self.standard_normal(_shape(size, [mean, sigma]), device=device))


def laplace(self, loc=0.0, scale=1.0, size=None, device=None):
    """Laplace's double exponential numbers around `loc`. By inversion.

    >>> ks.random.default_rng(1).laplace(0, 1, 3)
    array([-1.51648702, -0.18808081, -0.42158974])
    """
    loc, scale = _given(loc, device), _given(scale, device)
    _must_or_nan(">= 0", scale=scale)
    u = _uniform(self, _shape(size, [loc, scale]), device)
    below = _core.log(2 * u)
    above = -_core.log(_core.maximum(2 - 2 * u, 2.0**-53))
    return loc + scale * _core.where(u < 0.5, below, above)


def logistic(self, loc=0.0, scale=1.0, size=None, device=None):
    """Logistic numbers around `loc`. By inversion.

    >>> ks.random.default_rng(1).logistic(0, 1, 3)
    array([-2.0933916 , -0.34632502, -0.71723766])
    """
    loc, scale = _given(loc, device), _given(scale, device)
    _must_or_nan(">= 0", scale=scale)
    u = _uniform(self, _shape(size, [loc, scale]), device)
    return loc + scale * (_core.log(u) - _core.log(_core.maximum(1 - u, 2.0**-54)))


def gumbel(self, loc=0.0, scale=1.0, size=None, device=None):
    """Gumbel's numbers, of greatest values. By inversion.

    >>> ks.random.default_rng(1).gumbel(0, 1, 3)
    array([-0.79282698,  0.12643891, -0.10861843])
    """
    loc, scale = _given(loc, device), _given(scale, device)
    _must_or_nan(">= 0", scale=scale)
    u = _uniform(self, _shape(size, [loc, scale]), device)
    return loc - scale * _core.log(_core.maximum(-_core.log(u), 2.0**-54))


def rayleigh(self, scale=1.0, size=None, device=None):
    """Lengths of vectors of two normal numbers of standard deviation `scale`. By inversion.

    >>> ks.random.default_rng(1).rayleigh(1.0, 3)
    array([2.1022056 , 1.32757522, 1.49314227])
    """
    scale = _given(scale, device)
    _must_or_nan(">= 0", scale=scale)
    return scale * _core.sqrt(-2 * _core.log(_uniform(self, _shape(size, [scale]), device)))


def weibull(self, a, size=None, device=None):
    """Weibull's numbers of shape `a` and scale 1. By inversion.

    >>> ks.random.default_rng(1).weibull(2.0, 3)
    array([1.48648384, 0.93873744, 1.05581102])
    """
    a = _given(a, device)
    _must_or_nan(">= 0", a=a)
    e = -_core.log(_uniform(self, _shape(size, [a]), device))
    if isinstance(a, _Array):
        return _core.where(a == 0, 0.0, _core.power(e, 1.0 / a))
    return _core.power(e, 1.0 / a) if a else 0.0 * e


def pareto(self, a, size=None, device=None):
    """Pareto's numbers of shape `a`, less 1 (Lomax). By inversion.

    >>> ks.random.default_rng(1).pareto(3.0, 3)
    array([1.088706  , 0.34143866, 0.45002235])
    """
    a = _given(a, device)
    _must_or_nan("> 0", a=a)
    return _core.expm1(-_core.log(_uniform(self, _shape(size, [a]), device)) / a)


def power(self, a, size=None, device=None):
    """Numbers in [0, 1] whose density is a power, `a - 1`. By inversion.

    >>> ks.random.default_rng(1).power(3.0, 3)
    array([0.47876532, 0.7454683 , 0.68964454])
    """
    a = _given(a, device)
    _must_or_nan("> 0", a=a)
    return _core.power(_uniform(self, _shape(size, [a]), device), 1.0 / a)


def standard_cauchy(self, size=None, device=None):
    """Cauchy's numbers around 0, of scale 1.

    >>> ks.random.default_rng(1).standard_cauchy(3)
    array([2.78472009, 0.27602249, 0.59990418])
    """
    return _core.tan(math.pi * (self.random(() if size is None else size, device=device) - 0.5))


def triangular(self, left, mode, right, size=None, device=None):
    """Numbers in [left, right] with a density that rises to `mode` and falls behind it. By inversion.

    >>> ks.random.default_rng(1).triangular(0, 1, 4, 3)
    array([2.85244198, 1.7703618 , 2.0160598 ])
    """
    left, mode, right = (_given(x, device) for x in (left, mode, right))
    _must_or_nan(">= 0", **{"mode - left": mode - left + 0.0, "right - mode": right - mode + 0.0})
    _must_or_nan("> 0", **{"right - left": right - left})
    u = self.random(_shape(size, [left, mode, right]), device=device)
    width, rise = right - left, mode - left
    below = left + _core.sqrt(u * (width * rise))
    return _core.where(u * width <= rise, below, right - _core.sqrt((1 - u) * (width * (right - mode))))


def wald(self, mean, scale, size=None, device=None):
    """Inverse Gaussian numbers of mean `mean`. By the transform of Michael, Schucany and Haas (1976).

    >>> ks.random.default_rng(1).wald(1.0, 2.0, 3)
    array([0.30050759, 0.47466219, 0.36747837])
    """
    mean, scale = _given(mean, device), _given(scale, device)
    _must_or_nan("> 0", mean=mean, scale=scale)
    shape = _shape(size, [mean, scale])
    z = self.standard_normal(shape, device=device)
    y = mean * z * z / (2 * scale)
    # The lesser root of two that have the product mean^2, without a difference of large numbers.
    x = mean / (1 + y + _core.sqrt(y * (2 + y)))
    return _core.where(self.random(shape, device=device) * (mean + x) <= mean, x, mean * mean / x)


def vonmises(self, mu, kappa, size=None, device=None):
    """Angles in radians, in [-pi, pi], around `mu`, the closer the greater `kappa` is.

    By the rejection of Best and Fisher (1979).

    >>> ks.random.default_rng(1).vonmises(0, 2.0, 3)
    array([0.12202513, 0.39223703, 1.41701569])
    """
    mu, kappa = _given(mu, device), _given(kappa, device)
    _must_or_nan(">= 0", kappa=kappa)
    return self._sampled("vonmises", [mu, kappa], _shape(size, [mu, kappa]), device)


def poisson(self, lam=1.0, size=None, device=None):
    """Numbers of events (int64) of which `lam` are expected.

    Below 10 by products of uniform numbers, above by Hörmann's PTRS (1993).

    >>> ks.random.default_rng(1).poisson(4.0, 4)
    array([5, 7, 5, 3])
    """
    lam = _given(lam, device)
    _must("in [0, 9.2e18]", lam=lam)
    return _whole(self._sampled("poisson", [lam], _shape(size, [lam]), device))


def binomial(self, n, p, size=None, device=None):
    """Numbers of successes (int64) of `n` trials, each with probability `p`.

    Few by inversion, many by Hörmann's BTRS (1993).

    >>> ks.random.default_rng(1).binomial(10, 0.5, 4)
    array([3, 4, 6, 4])
    """
    n, p = _given(n, device), _given(p, device)
    _must("in [0, 9.2e18]", n=n)
    _must("in [0, 1]", p=p)
    return _whole(self._sampled("binomial", [n, p], _shape(size, [n, p]), device))


def negative_binomial(self, n, p, size=None, device=None):
    """Numbers of failures (int64) before `n` successes of probability `p`. By a Poisson number of a gamma number.

    >>> ks.random.default_rng(1).negative_binomial(3, 0.5, 4)
    array([12,  4,  4,  1])
    """
    n, p = _given(n, device), _given(p, device)
    _must("> 0", n=n)
    _must("in (0, 1]", p=p)
    _must("in [0, 9.2e18]", **{"n * (1 - p) / p": (n + 10 * n**0.5) * ((1 - p) / p)})
    shape = _shape(size, [n, p])
    return _whole(self._sampled("poisson", [_gamma(self, n, shape, device) * ((1 - p) / p)], shape, device))


def geometric(self, p, size=None, device=None):
    """Numbers of trials (int64) up to the first success of probability `p`. By inversion.

    >>> ks.random.default_rng(1).geometric(0.5, 4)
    array([4, 2, 1, 3])
    """
    p = _given(p, device)
    _must("in (0, 1]", p=p)
    trials = self._sampled("geometric", [p], _shape(size, [p]), device)
    return _whole(_core.minimum(trials, 2.0**63 - 1024))  # more than an int64 holds


def hypergeometric(self, ngood, nbad, nsample, size=None, device=None):
    """Numbers of good ones (int64) among `nsample` that are drawn from good and bad ones without putting back.

    Few one by one, many by Stadlober's HRUA (1990).

    >>> ks.random.default_rng(1).hypergeometric(5, 5, 4, 4)
    array([2, 1, 2, 2])
    """
    ngood, nbad, nsample = (_given(x, device) for x in (ngood, nbad, nsample))
    _must(">= 0", ngood=ngood, nbad=nbad, nsample=nsample, **{"ngood + nbad - nsample": ngood + nbad - nsample})
    shape = _shape(size, [ngood, nbad, nsample])
    return _whole(self._sampled("hypergeometric", [ngood, nbad, nsample], shape, device))


def zipf(self, a, size=None, device=None):
    """Numbers k (int64) with probabilities that fall as k to the power of `-a`. By Devroye's rejection (1986).

    >>> ks.random.default_rng(1).zipf(2.0, 4)
    array([ 9,  3,  1, 87])
    """
    a = _given(a, device)
    _must("> 1", a=a)
    return _whole(self._sampled("zipf", [a], _shape(size, [a]), device))


def logseries(self, p, size=None, device=None):
    """Numbers k (int64) with probabilities that go as p to the power of k, by k. By Kemp's way (1981).

    >>> ks.random.default_rng(1).logseries(0.6, 4)
    array([2, 2, 1, 3])
    """
    p = _given(p, device)
    _must("in [0, 1)", p=p)
    return _whole(self._sampled("logseries", [p], _shape(size, [p]), device))


def dirichlet(self, alpha, size=None, device=None):
    """Rows of numbers of sum 1: gamma numbers by their sum. The last axis is alpha's.

    >>> ks.random.default_rng(1).dirichlet([1.0, 2.0, 3.0])
    array([0.09244729, 0.54208681, 0.3654659 ])
    """
    alpha = _core.asarray(alpha, dtype="float64", device=device)
    if alpha.ndim != 1:
        raise ValueError("alpha must be of one axis")
    _must_or_nan(">= 0", alpha=alpha + 0.0)
    shape = (*_shape(size, []), alpha.shape[0])
    if alpha.size and bool(
        (alpha < 0.1).all()
    ):  # so small ones' gamma numbers may all be 0, their logarithms are far apart
        logs = (
            _core.log(_gamma(self, alpha + 1, shape, alpha.device))
            + _core.log(_uniform(self, shape, alpha.device)) / alpha
        )
        x = _core.exp(logs - logs.max(axis=-1, keepdims=True))
    else:
        x = _gamma(self, alpha, shape, alpha.device)
    return x / x.sum(axis=-1, keepdims=True)


def multinomial(self, n, pvals, size=None, device=None):
    """How often (int64) each of several outcomes comes in `n` trials. The last axis is that of `pvals`.

    >>> ks.random.default_rng(1).multinomial(10, [0.2, 0.3, 0.5])
    array([1, 6, 3])
    """
    pvals = _core.asarray(pvals, dtype="float64", device=device)
    n = _given(n, pvals.device)
    _must(">= 0", n=n, pvals=pvals)
    if bool((pvals[..., :-1].sum(axis=-1) > 1.0 + 1e-12).any()):
        raise ValueError("sum(pvals[:-1]) > 1.0")
    shape = _shape(size, [n, pvals[..., 0]])
    left, rest, counts = _core.full(shape, n, device=pvals.device) if not isinstance(n, _Array) else n, 1.0, []
    for k in range(pvals.shape[-1] - 1):
        p = pvals[..., k]
        chance = _core.clip(_core.where(rest > 0, p / rest, 0.0), 0.0, 1.0)
        counts.append(_whole(self._sampled("binomial", [left, chance], shape, pvals.device)))
        left, rest = left - counts[-1], rest - p
    return _core.stack(
        [*counts, _core.broadcast_to(_core.asarray(left, device=pvals.device), shape).astype("int64")], axis=-1
    )


def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals", device=None):
    """How many of each color are among `nsample` that are drawn without putting back.

    >>> ks.random.default_rng(1).multivariate_hypergeometric([3, 4, 5], 6)
    array([1, 3, 2])
    """
    counts = [operator.index(c) for c in colors]
    _must(">= 0", nsample=nsample, colors=min(counts, default=0))
    if nsample > sum(counts):
        raise ValueError("nsample > sum(colors)")
    shape = _shape(size, [])
    left, rest, drawn = _core.full(shape, nsample, dtype="int64", device=device), sum(counts), []
    for c in counts[:-1]:
        rest -= c
        drawn.append(_whole(self._sampled("hypergeometric", [c, rest, left], shape, device)))
        left = left - drawn[-1]
    return _core.stack([*drawn, left], axis=-1)


def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd", device=None):
    """Rows of normal numbers with means and covariances.

    `mean`: n numbers; `cov`: n x n; `method`: "svd", "eigh" or "cholesky". Raises ValueError for other shapes, and with
    `check_valid="raise"` where `cov` is no covariance.

    >>> ks.random.default_rng(1).multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 1.0]]).shape
    (2,)
    """
    mean = _core.asarray(mean, dtype="float64", device=device)
    cov = _core.asarray(cov, dtype="float64", device=mean.device)
    if mean.ndim != 1 or cov.shape != (mean.size, mean.size):
        raise ValueError("mean and cov must have the shapes (n,) and (n, n)")
    if method not in ("svd", "eigh", "cholesky"):
        raise ValueError(f"method must be one of 'svd', 'eigh', 'cholesky', not {method!r}")
    if method == "cholesky":
        factor = _core._linalg.cholesky(cov).T
    else:
        values, vectors = _core._linalg.eigh(cov)
        if check_valid != "ignore" and bool((values < -tol * _core.absolute(values).max()).any()):
            if check_valid == "raise":
                raise ValueError("covariance is not symmetric positive-semidefinite.")
            import warnings

            warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=2)
        factor = (vectors * _core.sqrt(_core.maximum(values, 0.0))).T
    z = self.standard_normal((*_shape(size, []), mean.size), device=mean.device)
    return mean + z @ factor


def bytes(self, length):
    """A Python bytes object of `length` random bytes.

    >>> len(ks.random.default_rng(1).bytes(4))
    4
    """
    length = int(length) if isinstance(length, float) else operator.index(length)
    return self.integers(0, 256, max(length, 0), dtype="uint8", device="cpu").tobytes()


def spawn(self, n_children):
    """Generators whose seeds are drawn from this one.

    >>> ks.random.default_rng(1).spawn(2)[0].random(2)
    array([0.23692095, 0.67835691])
    """
    if n_children < 0:
        raise ValueError("n_children must be at least 0")
    return [default_rng(int(seed)) for seed in self.integers(0, 2**63 - 1, n_children, device="cpu").tolist()]


_choice, _permutation = Generator.choice, Generator.permutation


def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True, device=None):
    """Elements along an axis of `a`, or of 0 … a-1, taken at random.

    `p`: how likely each is; `replace=False` takes each once. Raises ValueError where there are too few, or `p` is no
    distribution over them.

    >>> ks.random.default_rng(1).choice(5, 3, replace=False)
    array([1, 2, 0])
    """
    if p is None and axis == 0:
        return _choice(self, a, size, replace, device)
    pool = None if _is_integer(a) else _core.asarray(a, device=device)
    where = device if pool is None else pool.device
    n = operator.index(a) if pool is None else pool.shape[axis]
    shape = _shape(size, [])
    if p is None:
        at = _choice(self, n, size, replace, where)
    else:
        p = _core.asarray(p, dtype="float64", device=where)
        if p.shape != (n,):
            raise ValueError("a and p must have same size")
        _must(">= 0", p=p)
        if abs(float(p.sum()) - 1) > 1e-8:
            raise ValueError("probabilities do not sum to 1")
        if replace:
            below = _core.cumsum(p)
            at = _core.searchsorted(below / below[-1], self.random(shape, device=where), side="right")
            at = _core.minimum(at, n - 1)
        else:
            if math.prod(shape) > int((p > 0).sum()):
                raise ValueError("Fewer non-zero entries in p than size")
            # The first of exponential numbers by their rates: one after the other drawn by what is left (Efraimidis).
            keys = -_core.log(_uniform(self, (n,), where)) / p
            at = _core.argsort(_core.where(p > 0, keys, math.inf))[: math.prod(shape)].reshape(shape)
    return at if pool is None else _core.take(pool, at, axis)


def permutation(self, x, axis=0, device=None):
    """The numbers 0 … x-1, or a copy of an array with its parts along an axis, in random order.

    >>> ks.random.default_rng(1).permutation(5)
    array([1, 2, 0, 4, 3])
    """
    if _is_integer(x):
        return _permutation(self, max(operator.index(x), 0), device)  # NumPy's order of less than none is empty
    if axis == 0:
        return _permutation(self, x, device)
    x = _core.asarray(x, device=device)
    return _core.take(x, _permutation(self, x.shape[axis], x.device), axis)


def permuted(self, x, axis=None, out=None, device=None):
    """A copy in which each row along an axis, or with None all elements, have a random order of their own.

    >>> ks.random.default_rng(1).permuted([[1, 2, 3], [4, 5, 6]], axis=1)
    array([[2, 3, 1],
           [5, 4, 6]])
    """
    x = _core.asarray(x, device=device)
    if axis is None:
        result = _core.take(x.ravel(), _permutation(self, x.size, x.device)).reshape(x.shape)
    else:
        order = _core.argsort(self.random(x.shape, device=x.device), axis=axis)
        result = _core.take_along_axis(x, order, axis)
    return _stored(result, out)


def shuffle(self, x, axis=0):
    """Puts an array's parts along an axis in random order, in place. Returns None.

    >>> x = ks.arange(5)
    >>> ks.random.default_rng(1).shuffle(x)
    >>> x
    array([1, 2, 0, 4, 3])
    """
    if isinstance(x, _Array):
        x[...] = self.permutation(x, axis)
        return
    order = _permutation(self, len(x), "cpu").tolist()
    x[:] = x[order] if isinstance(x, _np.ndarray) else [x[k] for k in order]


_methods = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric integers
    laplace logistic lognormal logseries multinomial multivariate_hypergeometric multivariate_normal
    negative_binomial noncentral_chisquare noncentral_f normal pareto permutation permuted poisson power random
    rayleigh shuffle spawn standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular
    uniform vonmises wald weibull zipf
""".split()


def _placed(method):
    """A method whose numbers lie where its parameters do, unless it is told where."""

    place = list(inspect.signature(method).parameters).index("device") - 1

    @functools.wraps(method)
    def placed(self, *args, **kwargs):
        if len(args) <= place and kwargs.get("device") is None:
            kwargs["device"] = next((x.device for x in (*args, *kwargs.values()) if isinstance(x, _Array)), None)
        return method(self, *args, **kwargs)

    return placed


def _of_process(name, method):
    """The function of the module: the method of the process's generator."""

    @functools.wraps(method)
    def function(*args, **kwargs):
        return method(_core._random._process_generator(), *args, **kwargs)

    signature = inspect.signature(method)
    function.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])
    function.__qualname__ = name
    return function


def _documented(method):
    """Adds the sentence that all distributions share, before the example."""
    sentences, prompt, example = (method.__doc__ or "").partition("\n\n    >>> ")
    if prompt and "size" in inspect.signature(method).parameters:
        method.__doc__ = f"""{sentences}

    `size` is a length or a tuple of them; without it the shape is that of the parameters, which are numbers or arrays that
    broadcast. Returns an array, of float64 unless something else is said; the numbers depend on the seed alone, not on
    the device. Raises ValueError for parameters outside of what the distribution has.{prompt}{example}"""


_documented(_between)
Generator._between = _between = _placed(_between)

for _name in _methods:
    _method = globals()[_name]
    _documented(_method)
    if "device" in inspect.signature(_method).parameters and _name not in ("random", "standard_normal"):
        _method = _placed(_method)
    _method.__module__, _method.__qualname__ = Generator.__module__, f"Generator.{_name}"
    setattr(Generator, _name, _method)
    if _name not in ("permuted", "spawn", "multivariate_hypergeometric"):
        globals()[_name] = _of_process(_name, _between if _name == "uniform" else _method)


def randint(low, high=None, size=None, dtype=None, device=None):
    """Integers in [low, high), or from 0 up to `low` if only that is given, of the process's generator.

    Returns an array of int64, or of `dtype`, which has to hold them. An empty range is a ValueError.

    >>> ks.random.seed(1)
    >>> ks.random.randint(0, 10, 4)
    array([8, 5, 6, 4])
    """
    return integers(low, high, size, dtype, device=device)


rand, randn = _core._random.rand, _core._random.randn
random_sample = ranf = sample = random  # the process's by now

__all__ = sorted(
    {*_methods, "Generator", "default_rng", "rand", "randint", "randn", "random_sample", "ranf", "sample", "seed"}
    - {"permuted", "spawn", "multivariate_hypergeometric"}
)
