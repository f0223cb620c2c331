"""The face of CuPy: kasoku's arrays under CuPy's names, on a GPU if there is one.

Elementwise operations, reductions and views are the engine's; what it lacks and NumPy has is computed
on the host (_host.py has the list)."""

import sys as _sys

import numpy as _np

from kasoku import _core as _engine

from .. import Face

__version__ = "13.6.0"

# Operations, reductions, views: the engine's own.
for _name in dir(_engine):
    if not _name.startswith("_") and _name not in (
        "Array",
        "Device",
        "devices",
        "device",
        "synchronize",
        "eval",
        "eager",
    ):
        globals()[_name] = getattr(_engine, _name)

from . import cuda, exceptions  # noqa: E402
from ._arrays import (  # noqa: E402, F401
    arange,
    array,
    asanyarray,
    asarray,
    ascontiguousarray,
    asfortranarray,
    asnumpy,
    copy,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    identity,
    ndarray,
    ones,
    ones_like,
    require,
    zeros,
    zeros_like,
)
from . import _host, _methods, _reductions, _routines, _ufunc, _util, _views, random  # noqa: E402, F401
from ._kernels import ElementwiseKernel, RawKernel, RawModule, ReductionKernel  # noqa: E402, F401
from ._ufunc import ufunc  # noqa: E402, F401
from ._util import clear_memo, memoize  # noqa: E402, F401

for _name in dir(_routines):
    if not _name.startswith("_") and _name not in ("builtins", "math", "sys", "np", "ks", "cuda"):
        globals()[_name] = getattr(_routines, _name)
globals().update(_host.functions())
globals().update(_views.functions())
r_, c_ = _host.Joined(_np.r_), _host.Joined(_np.c_)
globals().update(_ufunc.functions())
globals().update(_reductions.functions)
_reductions.extend()
globals().update({t.__name__: t for t in (bool, int, float, complex)})
globals().update({n: getattr(_np, n) for n in ("False_", "True_", "e", "pi", "inf", "nan")})
del _name


class _Face(Face):
    """Modules that few programs ask for are imported then."""

    def __getattr__(self, name):
        if name == "vectorize":
            from ._vectorize import vectorize as value
        elif name in ("linalg", "fft", "testing", "_core", "lib"):
            import importlib

            value = importlib.import_module(f"{__name__}.{name}")
        else:
            return super().__getattr__(name)
        setattr(self, name, value)
        return value


_sys.modules[__name__].__class__ = _Face
