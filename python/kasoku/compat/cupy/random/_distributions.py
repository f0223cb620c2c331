"""Distributions that NumPy draws on the host: name -> how many arguments come before the size."""

import numpy as np

from .. import _host

distributions = {
    "beta": 2, "binomial": 2, "chisquare": 1, "dirichlet": 1, "f": 2, "gamma": 2, "geometric": 1,
    "gumbel": 2, "hypergeometric": 3, "laplace": 2, "logistic": 2, "lognormal": 2, "logseries": 1,
    "multinomial": 2, "multivariate_normal": 2, "negative_binomial": 2, "noncentral_chisquare": 2,
    "noncentral_f": 3, "pareto": 1, "poisson": 1, "power": 1, "rayleigh": 1, "standard_cauchy": 0,
    "standard_exponential": 0, "standard_gamma": 1, "standard_t": 1, "triangular": 3, "vonmises": 2,
    "wald": 2, "weibull": 1, "zipf": 1,
}  # fmt: skip


def drawing(name):
    """A method that draws from NumPy's distribution of that name."""

    def method(self, *args, dtype=None, **kwargs):
        rng = np.random.default_rng(self._host_seed())
        args, kwargs = _host.to_host(args), _host.to_host(kwargs)
        out = kwargs.pop("out", None)
        result = np.asarray(getattr(rng, name)(*args, **kwargs))
        if dtype is not None:
            wanted = np.dtype(dtype)
            if wanted.kind not in ("iu" if result.dtype.kind in "iu" else "f"):
                raise TypeError(f"cupy.random.{name} gives no numbers of {wanted}")
            result = result.astype(wanted)
        if out is None:
            return _host.to_device(result)
        out[...] = _host.to_device(result)
        return out

    method.__name__ = name
    method.__doc__ = f"Numbers of numpy.random's {name}, drawn on the host."
    return method
