"""cupy.random: kasoku's generators, on CuPy's current device."""

import kasoku as ks

from . import cuda


def _here(f):
    def function(*args, **kwargs):
        if kwargs.get("device") is None:
            kwargs["device"] = cuda.current()
        return f(*args, **kwargs)

    function.__name__ = getattr(f, "__name__", "function")
    return function


for _name in (
    "rand", "randn", "random", "random_sample", "ranf", "sample", "uniform", "normal",
    "standard_normal", "randint", "exponential", "choice", "permutation",
):  # fmt: skip
    globals()[_name] = _here(getattr(ks.random, _name))
seed = ks.random.seed


def random_integers(low, high=None, size=None):
    low, high = (1, low) if high is None else (low, high)
    return randint(low, high + 1, size=size)  # noqa: F821


class Generator:
    """cupy.random.Generator on the current device."""

    def __init__(self, generator):
        self._g = generator

    def __getattr__(self, name):
        return _here(getattr(self._g, name))


RandomState = Generator


def default_rng(seed=None):
    return Generator(ks.random.default_rng(seed))


def RandomState(seed=None):  # noqa: F811
    g = default_rng(seed)
    return _State(g._g)


class _State(Generator):
    def rand(self, *shape, dtype=float):
        return self._g.random(shape, dtype=dtype, device=cuda.current())

    def randn(self, *shape, dtype=float):
        return self._g.standard_normal(shape, dtype=dtype, device=cuda.current())

    def randint(self, low, high=None, size=None, dtype=int):
        return self._g.integers(low, high, size, dtype=dtype, device=cuda.current())

    def random_sample(self, size=None, dtype=float):
        return self._g.random(size, dtype=dtype, device=cuda.current())
