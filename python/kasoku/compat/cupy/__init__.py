"""The face of CuPy: kasoku's arrays under CuPy's names, on a GPU if there is one.

Functions are ks's under the same names (_table.py); what CuPy has otherwise than ks is in the modules beside."""

import sys as _sys
from importlib import import_module as _import_module

import numpy as _np

from .. import Face
from .._face.table import modules as _modules, names_of as _names_of

__version__ = "13.6.0"

from . import cuda, _methods, _reductions, _routines, _table, _ufunc, _util, random
from ._arrays import (  # noqa: F401
    arange, array, asanyarray, asarray, ascontiguousarray, asfortranarray, asnumpy, copy, empty, empty_like, eye, full,
    full_like, ndarray, ones, ones_like, zeros, zeros_like,
)  # fmt: skip
from ._kernels import ElementwiseKernel, RawKernel, RawModule, ReductionKernel
from ._ufunc import ufunc
from ._util import clear_memo, memoize

_own = {name: value for name, value in globals().items() if not name.startswith("_")}
globals().update(_table.native)
globals().update(_own)
globals().update({name: value for name, value in vars(_routines).items() if _table.is_public(name, value)})
globals().update(_ufunc.functions())
globals().update(_reductions.functions)
_reductions.extend()
_util.in_face(globals())
globals().update({t.__name__: t for t in (bool, int, float, complex)})
globals().update({n: getattr(_np, n) for n in ("False_", "True_", "e", "pi", "inf", "nan")})
_exceptions = _names_of(_np.exceptions, "AxisError ComplexWarning ModuleDeprecationWarning TooHardError VisibleDeprecationWarning") | {
    "RankWarning": getattr(_np.exceptions, "RankWarning", getattr(_np, "RankWarning", UserWarning))}  # fmt: skip
globals().update(_exceptions)
_cupy = _sys.modules[__name__]
_modules(__name__, {
    "_creation": ("CuPy's inner modules of functions that make arrays; each is this package.",
        dict.fromkeys(("basic", "from_data", "matrix", "ranges"), _cupy)),
    "_indexing": ("CuPy's inner modules of indices; each is this package.",
        dict.fromkeys(("generate", "indexing", "insert"), _cupy)),
    "_environment": ("where libraries of CUDA's lie. None is used: compilers and algorithms are kasoku's own.", {
        f"get_{of}_path": (lambda: None, "None.") for of in ("cub", "cuda", "nvcc", "rocm", "hipcc")}),
    "exceptions": ("NumPy's own classes, so that `except` works with both.", _exceptions),
})  # fmt: skip


def _finished(name, names):
    """Functions of these modules give arrays of this package, as its own do."""
    if name.partition(".")[0] in ("cublas", "fft", "lib", "linalg", "polynomial"):
        _util.in_face(names)


_later = ("cublas", "linalg", "fft", "testing", "_core", "lib", "polynomial", "prof", "typing")


class _Face(Face):
    """Names that few programs ask for are looked up then."""

    def __getattr__(self, name):
        if name in ("vectorize", "poly1d"):
            value = getattr(_import_module(f"{__package__}._{name}"), name)
        elif name == "AxisConcatenator":
            from kasoku._namespace.grids import _Joined as value
        elif name in _table.later:
            value = _util.in_face({name: _table.of_ks(name)})[name]
        else:
            return super().__getattr__(name)
        setattr(self, name, value)
        return value

    __dir__ = lambda self: sorted({*vars(self), *_table.later})


__all__ = sorted(name for name in {*globals(), *_table.later} if not name.startswith("_") and name != "Face")
_sys.modules[__name__].__class__ = _Face
