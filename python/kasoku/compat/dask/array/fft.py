"""dask.array.fft: transforms along axes that one chunk covers, as in Dask; each chunk's by kasoku."""

import functools
import numbers

import numpy as np

import kasoku as ks

from ..._face.table import Table as _Table, plain as _plain
from ._array import axis_in, made
from ._chunks import numpys, ours
from ._create import arange
from ._sources import asanyarray
from ._table import functions as _f, of_an_array as _of_an_array

_one_axis = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_halves = {"rfft", "ihfft", "rfft2", "rfftn"}  # what gives half a spectrum, and what takes one
_doubles = {"irfft", "hfft", "irfft2", "irfftn"}


def _transformed(x, function, sizes, axes, norm):
    words = {"n": sizes[0], "axis": axes[0]} if function in _one_axis else {"s": sizes, "axes": axes}
    if isinstance(x, ks.Array) and hasattr(ks.fft, function):
        return getattr(ks.fft, function)(x, **words, norm=norm)
    return ours(getattr(np.fft, function)(numpys(x), **words, norm=norm))


def _transform(function, a, sizes, axes, norm):
    axes = tuple(axis_in(k, a.ndim) for k in axes)
    if len(set(axes)) < len(axes):
        raise ValueError("Duplicate axes not allowed.")
    if cut := [k for k in axes if len(a.chunks[k]) > 1]:
        raise ValueError(
            f"dask.array.fft.{function}: axis {cut[0]} lies in {len(a.chunks[cut[0]])} chunks, a transform needs all of it in "
            f"one\n  fix  x.rechunk({{{cut[0]}: -1}})"
        )
    last = axes[-1]
    if sizes is None:
        sizes = [a.shape[k] for k in axes]
        sizes[-1] = 2 * (a.shape[last] - 1) if function in _doubles else sizes[-1]
    sizes = tuple(int(n) for n in sizes)
    length = dict(zip(axes, sizes))
    if function in _halves:
        length[last] = length[last] // 2 + 1
    chunks = tuple((length[k],) if k in length else c for k, c in enumerate(a.chunks))
    words = {} if function in _one_axis else {"axes": tuple(range(len(axes)))}
    dtype = getattr(np.fft, function)(np.ones((2,) * len(axes), a.dtype), **words).dtype
    return made(function, chunks, dtype, (_transformed, a, function, sizes, axes, norm))


def _along(function):
    return lambda a, n=None, axis=-1, norm=None: _transform(function, a, None if n is None else (n,), (axis,), norm)


def _over(function, usual):
    def transform(a, s=None, axes=usual, norm=None):
        if axes is None:
            axes = range(a.ndim) if s is None else range(a.ndim - len(s), a.ndim)
        return _transform(function, a, s, tuple(axes), norm)

    return transform


_functions = _Table({"array": _of_an_array})
_functions.rows("array", {
    **{name: (_along(name), f"numpy.fft.{name} along an axis that lies in one chunk.") for name in _one_axis},
    **{name + end: (_over(name + end, usual), f"numpy.fft.{name + end} over axes that lie in one chunk each.")
       for name in ("fft", "ifft", "rfft", "irfft") for end, usual in (("2", (-2, -1)), ("n", None))},
})  # fmt: skip
globals().update(_functions)


def fft_wrap(fft_func, kind=None, dtype=None, allow_fftpack=False):
    """The transform here that is NumPy's or SciPy's function of that name."""
    name = kind or fft_func.__name__
    if name not in _functions:
        raise ValueError(f"Given unknown `kind` {name}.")
    return _functions[name]


def _shifted(x, axes, sign):
    x = asanyarray(x)
    axes = range(x.ndim) if axes is None else [axes] if isinstance(axes, numbers.Integral) else axes
    half = [x.shape[k] // 2 if sign > 0 else -(x.shape[k] // 2) for k in axes]
    made_ = functools.reduce(lambda y, at: _f.roll(y, *at), zip(half, axes), x)
    return made_.rechunk({k: -1 for k, c in enumerate(x.chunks) if len(c) == 1})


_plain(globals(), {
    "fftfreq": lambda n, d=1.0, chunks="auto": (lambda k: (k - n * (k > (n - 1) // 2)) / (n * d))(arange(n, chunks=chunks)),
    "rfftfreq": lambda n, d=1.0, chunks="auto": arange(n // 2 + 1, chunks=chunks) / (n * d),
    "fftshift": lambda x, axes=None: _shifted(x, axes, 1),
    "ifftshift": lambda x, axes=None: _shifted(x, axes, -1),
})  # fmt: skip
