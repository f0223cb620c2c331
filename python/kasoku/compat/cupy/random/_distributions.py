"""Distributions: the engine's, under CuPy's arguments. Their rows of arguments, which the engine's have
but for the dtype, are those of the methods of both generators and of the module's functions."""

import functools
import inspect

import numpy as np

import kasoku as ks

from .. import _arrays, cuda

_integers = "binomial geometric hypergeometric logseries negative_binomial poisson zipf".split()
_floats = """
    beta chisquare dirichlet exponential f gamma gumbel laplace logistic lognormal noncentral_chisquare noncentral_f normal
    pareto power rayleigh standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform
    vonmises wald weibull
""".split()


def _row(name):
    """The engine's parameters and, as CuPy has it, a dtype."""
    given = inspect.signature(getattr(ks.random.Generator, name)).parameters
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    dtype = inspect.Parameter("dtype", kind, default=int if name in _integers else float)
    own = [p for key, p in given.items() if key not in ("self", "dtype", "method", "out", "device")]
    return inspect.Signature([*own, dtype])


def _several(mean, cov, size=None, check_valid="ignore", tol=1e-8, method="cholesky", dtype=float): ...


_rows = {name: _row(name) for name in _floats + _integers} | {"multivariate_normal": inspect.signature(_several)}

# What is drawn in the dtype that is asked for; of all others the numbers are converted. The newer interface takes only
# these dtypes of what it draws by the standard.
_in_dtype = ("normal", "standard_normal", "uniform")
_in_dtype_of_generator = ("standard_exponential", "standard_gamma")


def floating(dtype):
    """The dtype of numbers that are drawn as such: float32 or float64."""
    dtype = np.dtype(float if dtype is None else dtype)
    if dtype not in (np.float32, np.float64):
        raise TypeError(f"cupy.random: the dtype is float32 or float64, not {dtype}")
    return dtype


def _converted(name, result, dtype):
    if np.dtype(dtype).kind not in "biuf":
        raise TypeError(f"cupy.random.{name} gives no numbers of {np.dtype(dtype)}")
    return result.astype(dtype, copy=False)


def stored(name, result, size, out):
    """The numbers in an array that is given for them."""
    if out is None:
        return result
    if size is not None and tuple(np.atleast_1d(size)) != out.shape:
        raise ValueError(f"cupy.random.{name}: size is {size}, and the output has the shape {out.shape}")
    if out.dtype != result.dtype:
        raise TypeError(f"cupy.random.{name}: the output has the dtype {out.dtype}, not {result.dtype}")
    if not out.flags.c_contiguous:
        raise ValueError(f"cupy.random.{name}: the output lies in C order, without gaps")
    out[...] = result
    return out


def _parameter(value):
    return value if isinstance(value, ks.Array) or np.isscalar(value) or value is None else _arrays.asarray(value)


def method(name):
    """The method that draws from the engine's distribution of that name, as its row has the arguments."""
    row = _rows[name]
    engines = getattr(
        ks.random.Generator, "_between" if name == "uniform" else name
    )  # whose bounds may stand in any order

    def draw(self, *args, out=None, **kwargs):
        given = row.bind(*args, **kwargs)
        missing = [key for key, value in given.arguments.items() if value is None and key not in ("size", "dtype")]
        if missing and not self.takes_floats_alone:  # the newer interface has an error of its own
            raise ValueError(f"cupy.random.{name}: {missing[0]} is None, not numbers")
        given.apply_defaults()
        size, dtype = given.arguments.pop("size"), given.arguments.pop("dtype")
        if size is None and out is not None:
            size = out.shape
        of = {key: _parameter(value) for key, value in given.arguments.items()}
        if name == "logseries" and np.any((of["p"] <= 0) | (of["p"] >= 1)):
            raise ValueError("cupy.random.logseries: p is between 0 and 1")
        if name == "dirichlet" and np.ndim(of["alpha"]) == 0:
            of["alpha"] = _arrays.asarray([of["alpha"]])
        if name in _in_dtype_of_generator and self.takes_floats_alone:
            dtype = floating(dtype)
        if name in _in_dtype:
            of["dtype"] = floating(dtype)
        result = engines(self._g, **of, size=size, device=cuda._device.current())
        return stored(name, _converted(name, result, float if dtype is None else dtype), size, out)

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    draw.__name__, draw.__doc__ = name, engines.__doc__
    draw.__signature__ = row.replace(parameters=[itself, *row.parameters.values()])
    return draw


def of_state(name, method):
    """The function that asks the current device's RandomState."""

    @functools.wraps(method, assigned=("__doc__",))
    def function(*args, **kwargs):
        from ._generator import get_random_state

        return getattr(get_random_state(), name)(*args, **kwargs)

    _, *parameters = inspect.signature(method).parameters.values()
    function.__signature__, function.__name__, function.__qualname__ = inspect.Signature(parameters), name, name
    return function


methods = {name: method(name) for name in _rows}
functions = {name: of_state(name, of) for name, of in methods.items()}
globals().update(functions)
