"""cupyx.scipy: get_array_module, and SciPy's functions of arrays in the modules beside."""

import sys as _sys

from ... import tests_of as _tests_of
from ...cupy._routines import _is_on_device

globals().update(_tests_of(__name__, "cupy.scipy"))
_later = ("fft", "fftpack", "interpolate", "linalg", "ndimage", "signal", "sparse", "spatial", "special", "stats")


def get_array_module(*args):
    """This module if one of the arguments is an array of cupy's, else SciPy."""
    if _is_on_device(*args):
        return _sys.modules[__name__]
    import scipy

    return scipy
