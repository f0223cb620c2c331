"""The face of cupyx: what CuPy has beyond NumPy."""

import contextlib as _contextlib

import numpy as _np

import kasoku as _ks

from .. import cupy as _cupy
from .._face.table import bound as _bound, plain as _plain
from .._layout import shadow as _shadow, zeroed as _zeroed
from ..cupy._gufuncs import _GUFunc as GeneralizedUFunc  # noqa: F401


# ── what is kept for programs that set it ─────────────────────────────────────────────────────

_errors = {"divide": None, "over": None, "under": None, "invalid": None, "linalg": "ignore", "fallback_mode": "warn"}


def seterr(**kwargs):
    """Remembered; computations do not look at it."""
    old = dict(_errors)
    for name, value in kwargs.items():
        if name not in _errors:
            raise TypeError(f"cupyx.seterr() has no argument {name!r}")
        if name == "linalg" and value not in (None, "ignore", "raise"):
            raise NotImplementedError(f"cupyx.seterr(): linalg is 'ignore' or 'raise', not {value!r}")
    _errors.update({name: value for name, value in kwargs.items() if value is not None})
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


_plain(globals(), {
    "rsqrt": (lambda x, out=None: _cupy._arrays.stored(1 / _cupy.sqrt(x), out), "1 / sqrt(x)."),
    **{f"scatter_{name}": (_bound(lambda a, slices, value, *, of: getattr(_cupy, of).at(a, slices, value), of=of), f"a[slices] = {of}(a[slices], value), index by index.")
       for name, of in {"add": "add", "max": "maximum", "min": "minimum"}.items()},
    "zeros_pinned": (lambda shape, dtype=float, order="C": _zeroed(empty_pinned(shape, dtype, order)),
        "A NumPy array of zeros in memory that the device copies directly."),
    "zeros_like_pinned": (lambda a, dtype=None, order="K", subok=None, shape=None: _zeroed(
        empty_like_pinned(a, dtype, order, subok, shape)),
        "A NumPy array of zeros like another in memory that the device copies directly."),
    "geterr": lambda: dict(_errors),
    "get_runtime_info": (lambda *, full=False: _cupy._routines._runtime_info(), "What runs here, in lines."),
})  # fmt: skip


def empty_pinned(shape, dtype=float, order="C"):
    """A NumPy array in memory that the device copies directly."""
    shape = tuple(shape) if _np.iterable(shape) else (int(shape),)
    dtype = _np.dtype(dtype)
    memory = _cupy.cuda.alloc_pinned_memory(int(_np.prod(shape, dtype=_np.int64)) * dtype.itemsize)
    return _np.ndarray(shape, dtype, memory, order=order)


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A NumPy array like another in memory that the device copies directly."""
    options = _cupy._arrays._options_like(dtype, order, subok, shape)
    like = _np.empty_like(_shadow(a.shape, a.strides, a.dtype), **options)
    return _np.ndarray(like.shape, like.dtype, _cupy.cuda.alloc_pinned_memory(like.nbytes), strides=like.strides)


def _finished(name, names):
    """Functions of the modules give arrays of cupy's, but for those that are about kernels and time."""
    if name.partition(".")[0] not in ("jit", "profiler", "time"):
        _cupy._util.in_face(names)


_finished("", globals())
