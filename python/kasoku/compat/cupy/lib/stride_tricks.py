"""cupy.lib.stride_tricks: views with any strides."""

import kasoku as ks
from kasoku.lib.stride_tricks import as_strided as _as_strided, sliding_window_view as _windows

from .._arrays import asarray
from .._methods import _viewing


def as_strided(x, shape=None, strides=None):
    """A view of the memory of x by shape and strides in bytes; what would leave the memory is refused."""
    if not isinstance(x, ks.Array):
        raise TypeError(f"as_strided needs a cupy.ndarray, not a {type(x).__name__}")
    x = asarray(x)
    return _viewing(x, _as_strided(x, shape, strides))


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    if writeable:
        raise NotImplementedError("sliding_window_view: windows that may be written to are not there")
    x = asarray(x)
    return _viewing(x, _windows(x, window_shape, axis))


sliding_window_view.__doc__ = _windows.__doc__.partition("\n")[0]
