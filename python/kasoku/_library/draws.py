"""Random draws that NumPy has, made of uniform and normal ones. The numbers are kasoku's, not NumPy's."""

import math

import numpy as np

from .shapes import as_new_sequence, exchange


def shuffle(x):
    for i in range(len(x) - 1, 0, -1):
        exchange(x, i, np.random.randint(0, i + 1))


def permutation(x):
    out = as_new_sequence(x)
    shuffle(out)
    return out


def choice(a, size=None, replace=True):
    if isinstance(a, int):
        return _chosen(np.arange(a), size, replace)
    return _chosen(a, size, replace)


def _chosen(a, size, replace):
    if a.size == 0:
        raise ValueError("a must be non-empty")
    if size is None:
        return a[np.random.randint(0, a.size)]
    out = np.empty(size, a.dtype)
    flat = out.ravel()
    if replace:
        for i in range(flat.size):
            flat[i] = a[np.random.randint(0, a.size)]
        return out
    if flat.size > a.size:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    rest = a.copy()
    for i in range(flat.size):
        j = np.random.randint(i, a.size)
        rest[i], rest[j] = rest[j], rest[i]
        flat[i] = rest[i]
    return out


def choice_of(seq):
    if len(seq) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[np.random.randint(0, len(seq))]


def getrandbits(k):
    if k < 0 or k > 62:
        raise OverflowError("compiled code draws from 0 to 62 bits")
    return np.random.randint(0, 1 << k)


def _filled(size, draw, a, b):
    return _drawn(np.empty(size), draw, a, b)


def _counted(size, draw, a, b):
    return _drawn(np.empty(size, np.int64), draw, a, b)


def _drawn(out, draw, a, b):
    flat = out.ravel()
    for i in range(flat.size):
        flat[i] = draw(a, b)
    return out


def _gamma(shape, scale):
    """Marsaglia's and Tsang's way."""
    if shape == 0.0:
        return 0.0
    boost = 1.0
    k = shape * 1.0
    if k < 1.0:
        boost = (1.0 - np.random.random()) ** (1.0 / k)
        k += 1.0
    d = k - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = np.random.standard_normal()
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = 1.0 - np.random.random()
            if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v * boost * scale


def gamma(shape, scale=1.0, size=None):
    if shape < 0.0 or scale < 0.0:
        raise ValueError("shape < 0")
    return _gamma(shape, scale) if size is None else _filled(size, _gamma, shape, scale)


def standard_gamma(shape, size=None):
    return gamma(shape, 1.0, size)


def gammavariate(alpha, beta):
    return _gamma(alpha, beta)


def _beta(a, b):
    x, y = _gamma(a, 1.0), _gamma(b, 1.0)
    return x / (x + y)


def beta(a, b, size=None):
    return _beta(a, b) if size is None else _filled(size, _beta, a, b)


def betavariate(alpha, beta):
    return _beta(alpha, beta)


def _chisquare(df, _):
    return _gamma(df / 2.0, 2.0)


def chisquare(df, size=None):
    return _chisquare(df, 0) if size is None else _filled(size, _chisquare, df, 0)


def _lognormal(mean, sigma):
    return math.exp(np.random.normal(mean, sigma))


def lognormal(mean=0.0, sigma=1.0, size=None):
    return _lognormal(mean, sigma) if size is None else _filled(size, _lognormal, mean, sigma)


def lognormvariate(mu, sigma):
    return _lognormal(mu, sigma)


def _cauchy(a, b):
    return math.tan(math.pi * (np.random.random() - 0.5))


def standard_cauchy(size=None):
    return _cauchy(0, 0) if size is None else _filled(size, _cauchy, 0, 0)


def _exponential(scale, _):
    return -math.log(1.0 - np.random.random()) * scale


def standard_exponential(size=None):
    return _exponential(1.0, 0) if size is None else _filled(size, _exponential, 1.0, 0)


def _logistic(loc, scale):
    u = np.random.random()
    while u == 0.0:
        u = np.random.random()
    return loc + scale * math.log(u / (1.0 - u))


def logistic(loc=0.0, scale=1.0, size=None):
    return _logistic(loc, scale) if size is None else _filled(size, _logistic, loc, scale)


def _gumbel(loc, scale):
    u = 1.0 - np.random.random()
    while u == 1.0:
        u = 1.0 - np.random.random()
    return loc - scale * math.log(-math.log(u))


def gumbel(loc=0.0, scale=1.0, size=None):
    return _gumbel(loc, scale) if size is None else _filled(size, _gumbel, loc, scale)


def _laplace(loc, scale):
    u = np.random.random() - 0.5
    return loc - scale * math.copysign(1.0, u) * math.log(1.0 - 2.0 * abs(u))


def laplace(loc=0.0, scale=1.0, size=None):
    return _laplace(loc, scale) if size is None else _filled(size, _laplace, loc, scale)


def _weibull(a, _):
    return _exponential(1.0, 0) ** (1.0 / a)


def weibull(a, size=None):
    return _weibull(a, 0) if size is None else _filled(size, _weibull, a, 0)


def weibullvariate(alpha, beta):
    return alpha * _weibull(beta, 0)


def _rayleigh(scale, _):
    return scale * math.sqrt(2.0 * _exponential(1.0, 0))


def rayleigh(scale=1.0, size=None):
    return _rayleigh(scale, 0) if size is None else _filled(size, _rayleigh, scale, 0)


def _pareto(a, _):
    return math.exp(_exponential(1.0, 0) / a) - 1.0


def pareto(a, size=None):
    return _pareto(a, 0) if size is None else _filled(size, _pareto, a, 0)


def paretovariate(alpha):
    return _pareto(alpha, 0) + 1.0


def _power(a, _):
    return (1.0 - np.random.random()) ** (1.0 / a)


def power(a, size=None):
    return _power(a, 0) if size is None else _filled(size, _power, a, 0)


def _standard_t(df, _):
    return np.random.standard_normal() / math.sqrt(_gamma(df / 2.0, 2.0) / df)


def standard_t(df, size=None):
    return _standard_t(df, 0) if size is None else _filled(size, _standard_t, df, 0)


def _triangular(low, middle, high):
    u = np.random.random()
    c = (middle - low) / (high - low)
    if u < c:
        return low + math.sqrt(u * (high - low) * (middle - low))
    return high - math.sqrt((1.0 - u) * (high - low) * (high - middle))


def triangular(left, mode, right, size=None):
    if not left <= mode <= right or left == right:
        raise ValueError("left <= mode <= right")
    if size is None:
        return _triangular(left, mode, right)
    out = np.empty(size)
    flat = out.ravel()
    for i in range(flat.size):
        flat[i] = _triangular(left, mode, right)
    return out


def _vonmises(mu, kappa):
    """Best's and Fisher's way."""
    if kappa < 1e-8:
        return math.pi * (2.0 * np.random.random() - 1.0)
    r = 1.0 + math.sqrt(1.0 + 4.0 * kappa * kappa)
    rho = (r - math.sqrt(2.0 * r)) / (2.0 * kappa)
    s = (1.0 + rho * rho) / (2.0 * rho)
    w = 0.0
    while True:
        z = math.cos(math.pi * np.random.random())
        w = (1.0 + s * z) / (s + z)
        y = kappa * (s - w)
        u = 1.0 - np.random.random()
        if y * (2.0 - y) - u >= 0.0 or math.log(y / u) + 1.0 - y >= 0.0:
            break
    turn = math.acos(min(max(w, -1.0), 1.0))
    if np.random.random() < 0.5:
        turn = -turn
    return (mu + turn + math.pi) % (2.0 * math.pi) - math.pi


def vonmises(mu, kappa, size=None):
    return _vonmises(mu, kappa) if size is None else _filled(size, _vonmises, mu, kappa)


def _poisson(lam, _):
    """Halves by the gamma law until products of uniforms are few."""
    count = 0
    rest = lam * 1.0
    while rest > 30.0:
        m = int(rest * 0.875)
        x = _gamma(m, 1.0)
        if x > rest:
            return count + _binomial(m - 1, rest / x)
        count += m
        rest -= x
    limit, product = math.exp(-rest), 1.0 - np.random.random()
    while product > limit:
        count += 1
        product *= 1.0 - np.random.random()
    return count


def poisson(lam=1.0, size=None):
    if lam < 0.0:
        raise ValueError("lam < 0")
    return _poisson(lam, 0) if size is None else _counted(size, _poisson, lam, 0)


def _binomial(n, p):
    """Halves by the beta law until single trials are few."""
    count, rest, chance = 0, n, p * 1.0
    while rest > 40:
        i = rest // 2 + 1
        x = _beta(i, rest + 1 - i)
        if x <= chance:
            count += i
            rest -= i
            chance = (chance - x) / (1.0 - x)
        else:
            rest = i - 1
            chance = chance / x
    for _ in range(rest):
        if np.random.random() < chance:
            count += 1
    return count


def binomial(n, p, size=None):
    if n < 0:
        raise ValueError("n < 0")
    if not 0.0 <= p <= 1.0:
        raise ValueError("p < 0, p > 1 or p contains NaNs")
    return _binomial(n, p) if size is None else _counted(size, _binomial, n, p)


def _geometric(p, _):
    if p == 1.0:
        return 1
    return int(math.floor(math.log(1.0 - np.random.random()) / math.log(1.0 - p))) + 1


def geometric(p, size=None):
    if not 0.0 < p <= 1.0:
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    return _geometric(p, 0) if size is None else _counted(size, _geometric, p, 0)


def negative_binomial(n, p):
    return _poisson(_gamma(n, (1.0 - p) / p), 0)


def multinomial(n, pvals):
    out = np.zeros(len(pvals), np.int64)
    rest, mass = n, 1.0
    for i in range(len(pvals) - 1):
        out[i] = _binomial(rest, min(pvals[i] / mass, 1.0)) if mass > 0.0 else 0
        rest -= out[i]
        mass -= pvals[i]
    out[len(pvals) - 1] = rest
    return out


def dirichlet(alpha):
    out = np.empty(len(alpha))
    total = 0.0
    for i in range(len(alpha)):
        out[i] = _gamma(alpha[i], 1.0)
        total += out[i]
    for i in range(len(alpha)):
        out[i] /= total
    return out
