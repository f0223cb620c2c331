"""The face of cupyx: what CuPy has beyond NumPy."""

import contextlib as _contextlib

import numpy as _np

import kasoku as _ks

from .. import cupy as _cupy
from .._layout import order_of as _order_of


def rsqrt(x, out=None):
    """1 / sqrt(x)."""
    return _cupy._arrays.stored(1 / _cupy.sqrt(x), out)


def scatter_add(a, slices, value):
    """a[slices] += value, with the values of an index that comes again added up."""
    _cupy.add.at(a, slices, value)


def scatter_max(a, slices, value):
    """a[slices] = maximum(a[slices], value), index by index."""
    _cupy.maximum.at(a, slices, value)


def scatter_min(a, slices, value):
    """a[slices] = minimum(a[slices], value), index by index."""
    _cupy.minimum.at(a, slices, value)


# ── what is kept for programs that set it ─────────────────────────────────────────────────────

_errors = {"divide": None, "over": None, "under": None, "invalid": None, "linalg": "ignore", "fallback_mode": "warn"}


def geterr():
    return dict(_errors)


def seterr(**kwargs):
    """Remembered; computations do not look at it."""
    old = geterr()
    for name, value in kwargs.items():
        if name not in _errors:
            raise TypeError(f"cupyx.seterr() has no argument {name!r}")
        if value is not None:
            _errors[name] = value
    return old


@_contextlib.contextmanager
def errstate(**kwargs):
    old = seterr(**kwargs)
    try:
        yield
    finally:
        _errors.update(old)


DeviceSynchronized = _cupy._arrays.DeviceSynchronized


@_contextlib.contextmanager
def allow_synchronize(allow):
    """Whether values may be read within; where not, that is DeviceSynchronized."""
    token = _cupy._arrays._may_wait.set(bool(allow))
    try:
        yield
    finally:
        _cupy._arrays._may_wait.reset(token)


def get_runtime_info(*, full=False):
    """What runs here, in lines."""
    return _cupy._routines._runtime_info()


def empty_pinned(shape, dtype=float, order="C"):
    """A NumPy array in memory that the device copies directly."""
    shape = tuple(shape) if _np.iterable(shape) else (int(shape),)
    flat = _ks._core._pinned(int(_np.prod(shape, dtype=_np.int64)), _np.dtype(dtype), _cupy.cuda._device.current())
    return flat.reshape(shape, order=order)


def zeros_pinned(shape, dtype=float, order="C"):
    result = empty_pinned(shape, dtype, order)
    result.fill(0)
    return result


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    shape = a.shape if shape is None else shape
    return empty_pinned(shape, dtype or a.dtype, _order_of(a) if order in "KA" else order)


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    result = empty_like_pinned(a, dtype, order, subok, shape)
    result.fill(0)
    return result


_cupy._util.in_face(globals())
