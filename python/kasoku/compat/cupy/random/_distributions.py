"""Distributions that are those of the engine's generator, under CuPy's arguments."""

import numpy as np

from .. import cuda

distributions = """
    beta binomial chisquare dirichlet f gamma geometric gumbel hypergeometric laplace logistic lognormal logseries multinomial
    multivariate_normal negative_binomial noncentral_chisquare noncentral_f pareto poisson power rayleigh standard_cauchy
    standard_exponential standard_gamma standard_t triangular vonmises wald weibull zipf
""".split()


def drawing(name):
    """A method that draws from the engine's distribution of that name."""

    def method(self, *args, dtype=None, out=None, **kwargs):
        result = getattr(self._g, name)(*args, **kwargs, device=cuda._device.current())
        if dtype is not None:
            wanted = np.dtype(dtype)
            if wanted.kind not in ("iu" if result.dtype.kind in "iu" else "f"):
                raise TypeError(f"cupy.random.{name} gives no numbers of {wanted}")
            result = result.astype(wanted)
        if out is None:
            return result
        out[...] = result
        return out

    method.__name__ = name
    method.__doc__ = f"Numbers of numpy.random's {name}."
    return method
