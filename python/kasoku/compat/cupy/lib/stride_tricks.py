"""cupy.lib.stride_tricks: views with any strides."""

import kasoku as ks

from ... import _layout
from .._views import viewing


def as_strided(x, shape=None, strides=None):
    """A view of the memory of x by shape and strides in bytes; what would leave the memory is refused."""
    if not isinstance(x, ks.Array):
        raise TypeError(f"as_strided needs a cupy.ndarray, not a {type(x).__name__}")
    shape = x.shape if shape is None else _layout.shape_of(shape)
    strides = x.strides if strides is None else _layout.shape_of(strides)
    return _layout.strided(x, shape, strides)


sliding_window_view = viewing("sliding_window_view", "lib.stride_tricks.sliding_window_view")
