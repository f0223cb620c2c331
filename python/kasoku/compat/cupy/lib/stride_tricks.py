"""cupy.lib.stride_tricks: views with any strides."""

import kasoku as ks
from kasoku.lib.stride_tricks import as_strided as _as_strided, sliding_window_view  # noqa: F401

from .._util import in_face as _in_face


def as_strided(x, shape=None, strides=None):
    """A view of the memory of x by shape and strides in bytes; what would leave the memory is refused."""
    if not isinstance(x, ks.Array):
        raise TypeError(f"as_strided needs a cupy.ndarray, not a {type(x).__name__}")
    return _as_strided(x, shape, strides)


_in_face(globals())
