"""dask.array.random: each chunk has a generator of its own, which the seed and its place decide."""

import numbers

import numpy as np

import kasoku as ks

from ..._face.table import bound, methods
from ..base import tokenize
from ._array import made
from ._chunks import normalize_chunks, ours, shape_at, slices
from ._sources import asanyarray


def _drawn(entropy, place, method, size, args, words):
    seed = np.random.SeedSequence(entropy, spawn_key=place)
    if method in ("random", "standard_normal", "uniform", "normal") and not words:
        ours_ = getattr(ks.random.default_rng(int(seed.generate_state(1, np.uint64)[0] >> 1)), method)
        if all(isinstance(a, numbers.Real) for a in args):
            return ours_(*args, size=size)
    return ours(getattr(np.random.default_rng(seed), method)(*args, size=size, **words))


class Generator:
    """Distributions of NumPy's Generator, in chunks."""

    def __init__(self, seed=None):
        if isinstance(seed, type):  # a class of NumPy's generators
            seed = seed()
        if isinstance(seed, (np.random.BitGenerator, np.random.Generator)):
            seed = int(np.random.default_rng(seed).integers(2**63))
        self._entropy = np.random.SeedSequence(seed).entropy
        self._calls = 0

    def _draw(self, method, args, size, chunks, words, row=()):
        """row: the shape of what is drawn at each place, if that is no number."""
        args = tuple(np.asarray(asanyarray(a).compute()) if np.ndim(a) else a for a in args)
        if size is None:
            size = np.broadcast_shapes(*(() if row else np.shape(a) for a in args))
        size = (size,) if isinstance(size, numbers.Integral) else tuple(size)
        self._calls += 1
        one = None if any(map(np.ndim, args)) else 1
        sample = np.asarray(getattr(np.random.default_rng(0), method)(*args, size=one, **words))
        chunks = normalize_chunks(chunks, size, dtype=sample.dtype)
        entropy = [int(e) for e in np.atleast_1d(self._entropy)] + [self._calls]
        pieces = slices(chunks)

        def task_of(place):
            place = place[: len(size)]
            piece = tuple(part[i] for part, i in zip(pieces, place))
            own = tuple(np.broadcast_to(a, size)[piece] if np.ndim(a) and not row else a for a in args)
            return _drawn, entropy, place, method, shape_at(chunks, place), own, words

        chunks = (*chunks, *((n,) for n in row))
        return made(method, chunks, sample.dtype, task_of, token=[entropy, tokenize(args, words)])

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True, chunks="auto", **words):
        if np.ndim(a) > 1 or np.ndim(p) > 1 or axis:
            raise ValueError("da.random.choice: a and p have one axis, and axis= is 0")
        if not replace:
            size = (size,) if isinstance(size, numbers.Integral) else tuple(size or ())
            chunks = -1 if chunks == "auto" else chunks
            if any(len(c) > 1 for c in normalize_chunks(chunks, size, dtype=int)):
                raise NotImplementedError("replace=False is not currently supported for multi-chunk results of choice")
            words["replace"] = False
        a = a.compute() if hasattr(a, "compute") else a
        return self._draw("choice", (), size, chunks, {"a": a, "p": p, **words})

    def permutation(self, x):
        x = asanyarray(np.arange(x) if isinstance(x, numbers.Integral) else x)
        self._calls += 1
        seed = np.random.SeedSequence(self._entropy, spawn_key=(self._calls,))
        return x[np.random.default_rng(seed).permutation(len(x))]


def _distribution(self, *args, size=None, chunks="auto", name, count, **words):
    if "dtype" in words and name not in _with_dtype:
        raise TypeError(f"{name}() got an unexpected keyword argument 'dtype'")
    dtype = words.pop("dtype", None)
    if len(args) > count:  # the size is the last one
        args, size = args[:count], args[count]
    found = self._draw(name, args, size, chunks, words)
    return found if dtype is None else found.astype(dtype)


_with_dtype = {"random", "integers", "standard_normal", "standard_exponential", "standard_gamma"}  # as NumPy's
_arguments = {
    "random": 0, "uniform": 2, "normal": 2, "standard_normal": 0, "integers": 2, "exponential": 1, "poisson": 1,
    "binomial": 2, "beta": 2, "gamma": 2, "chisquare": 1, "geometric": 1, "gumbel": 2, "laplace": 2, "logistic": 2,
    "lognormal": 2, "standard_exponential": 0, "standard_gamma": 1, "standard_t": 1, "triangular": 3, "weibull": 1,
    "pareto": 1, "power": 1, "rayleigh": 1, "vonmises": 2, "wald": 2, "zipf": 1, "negative_binomial": 2,
    "hypergeometric": 3, "logseries": 1, "noncentral_chisquare": 2, "noncentral_f": 3, "f": 2, "standard_cauchy": 0,
}  # fmt: skip
methods(Generator, {name: (bound(_distribution, name=name, count=count), f"numpy.random.Generator.{name}, in chunks: of its arguments those that it is drawn by, then size.")
                    for name, count in _arguments.items()})  # fmt: skip
methods(Generator, {
    "multinomial": lambda self, n, pvals, size=None, chunks="auto", **words: self._draw(
        "multinomial", (n, np.asarray(pvals)), size, chunks, words, row=(len(pvals),)),
    "multivariate_hypergeometric": lambda self, colors, nsample, size=None, method="marginals", chunks="auto": self._draw(
        "multivariate_hypergeometric", (np.asarray(colors), nsample), size, chunks, {"method": method}, row=(len(colors),)),
})  # fmt: skip


class RandomState(Generator):
    """A Generator with the method names of NumPy's RandomState."""


methods(RandomState, {
    "seed": lambda self, seed=None: Generator.__init__(self, seed),
    "random_sample": lambda self, size=None, chunks="auto": self.random(size=size, chunks=chunks),
    "rand": lambda self, *shape, chunks="auto": self.random(size=shape, chunks=chunks),
    "randint": lambda self, low, high=None, size=None, chunks="auto", dtype=int: self._draw(
        "integers", (low,) if high is None else (low, high), size, chunks, {}).astype(dtype),
    "random_integers": lambda self, low, high=None, size=None, chunks="auto": self.randint(
        1 if high is None else low, (low if high is None else high) + 1, size, chunks),
    "tomaxint": lambda self, size=None, chunks="auto": self.randint(0, np.iinfo(np.int64).max, size, chunks),
})  # fmt: skip


def default_rng(seed=None):
    return seed if isinstance(seed, Generator) else Generator(seed)


_state = RandomState()


def __getattr__(name):
    if name.startswith("_") or not hasattr(_state, name):
        raise AttributeError(name)
    return getattr(_state, name)


for _name in (*_arguments, *"choice multinomial permutation seed random_sample randint random_integers".split()):
    globals()[_name] = getattr(_state, _name)
