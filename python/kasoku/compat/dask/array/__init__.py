"""dask.array: arrays in chunks, which are kasoku's arrays; each operation makes tasks, a chunk each."""

import functools as _functools

import numpy as _np

from . import fft, image, linalg, random, utils
from ._blockwise import blockwise
from ._chunks import normalize_chunks
from ._core import (
    Array, array, asanyarray, asarray, elementwise as _elementwise, from_array, from_delayed, map_blocks, reshape,
    unify_chunks as _unify_chunks,
)  # fmt: skip
from ._gufunc import apply_gufunc, as_gufunc, gufunc
from ._index import getitem as _getitem
from ._linear import dot, einsum, matmul, outer, tensordot, vdot
from ._more import *  # noqa: F403
from ._more import __dict__ as _more
from ._reductions import moments as _moments
from ._reductions import places as _places
from ._reductions import reduction
from ._reductions import running as _running
from ._reductions import simple as _simple

for _name in (
    "round", "full", "arange", "where", "concatenate", "stack", "store", "overlap", "map_overlap", "sort",
):  # fmt: skip
    globals()[_name] = _more[_name]
from ._rest import *  # noqa: E402, F403 - some of these are better than those above
from ._rest import _as_methods  # noqa: E402
from ._ufunc import ufunc as _ufunc  # noqa: E402
from .utils import assert_eq  # noqa: E402

_as_methods(globals())

for _name in (
    "abs absolute add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_not bitwise_or bitwise_xor "
    "cbrt ceil clip conj copysign cos cosh deg2rad degrees divide equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin "
    "fmod greater greater_equal hypot i0 imag invert isclose iscomplex isfinite isinf isnan isneginf isposinf isreal ldexp left_shift "
    "less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod "
    "multiply negative nextafter not_equal positive power rad2deg radians real reciprocal remainder right_shift rint sign signbit sin "
    "sinc sinh spacing sqrt square subtract tan tanh true_divide trunc fix"
).split():
    globals()[_name] = _ufunc(_name)
for _name in ("sum", "prod", "min", "max", "any", "all"):
    globals()[_name] = _functools.partial(_simple, _name)
for _name in ("mean", "std", "var"):
    globals()[_name] = _functools.partial(_moments, _name)
    globals()["nan" + _name] = _functools.partial(_moments, _name, skips_nan=True)
for _name in ("argmin", "argmax"):
    globals()[_name] = _functools.partial(_places, _name)
for _name in ("cumsum", "cumprod"):
    globals()[_name] = _functools.partial(_running, _name)
amin, amax = min, max  # noqa: F821


def _filled_in(x, value):
    x = asarray(x)
    return _elementwise("where", _elementwise("isnan", x), x.dtype.type(value), x) if x.dtype.kind in "fc" else x


def nansum(a, axis=None, **words):
    return _simple("sum", _filled_in(a, 0), axis, **words)


def nanprod(a, axis=None, **words):
    return _simple("prod", _filled_in(a, 1), axis, **words)


def nanmin(a, axis=None, **words):
    return _simple("min", _filled_in(a, _np.inf), axis, **words)


def nanmax(a, axis=None, **words):
    return _simple("max", _filled_in(a, -_np.inf), axis, **words)


def nanargmin(a, axis=None, **words):
    return _places("argmin", _filled_in(a, _np.inf), axis, **words)


def nanargmax(a, axis=None, **words):
    return _places("argmax", _filled_in(a, -_np.inf), axis, **words)


def ptp(a, axis=None):
    return _simple("max", a, axis) - _simple("min", a, axis)


def rechunk(x, chunks="auto", **words):
    return x.rechunk(chunks, **words)


def unify_chunks(*args, **options):
    """Pairs of an array and its index, as blockwise takes them, in chunks that fit."""
    arrays = list(args[::2])
    common, fitted = _unify_chunks(*arrays)
    return dict(enumerate(common)), fitted


def compute(*args, **options):
    from ..base import compute as run

    return run(*args, **options)


def isin(element, test_elements, assume_unique=False, invert=False):
    return map_blocks(_np.isin, asarray(element), test_elements=_np.asarray(test_elements), invert=invert, dtype=bool)


def shape(a):
    return asarray(a).shape


def ndim(a):
    return asarray(a).ndim


def result_type(*args):
    return _np.result_type(*(a.dtype if isinstance(a, Array) else a for a in args))


pi, e, inf, nan, newaxis = _np.pi, _np.e, _np.inf, _np.nan, None
for _name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
              "complex64", "complex128"):  # fmt: skip
    globals()[_name] = getattr(_np, _name)
del _name


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from kasoku.compat import missing

    raise AttributeError(missing(f"dask.array.{name}"))
