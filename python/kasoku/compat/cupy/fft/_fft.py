"""cupy.fft._fft: the few of CuPy's inner names that tests import. Transforms of several axes are one of the engine's."""

from kasoku.fft import fft as _fft  # noqa: F401
from kasoku.fft import fftn as _fftn


def _default_fft_func(a, s=None, axes=None, plan=None, value_type="C2C"):
    """Which transforms several axes: always the one of all at once."""
    return _fftn


def _size_last_transform_axis(shape, s, axes):
    """The length that the last transformed axis has."""
    if s is not None:
        if s[-1] is not None:
            return s[-1]
    elif axes is None:
        return shape[-1]
    return shape[-1 if axes is None else axes[-1]]
