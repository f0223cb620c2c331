"""cupyx.scipy: get_array_module, and SciPy's functions of arrays in the modules beside."""

import sys as _sys

import kasoku as _ks

from ... import tests_of as _tests_of

globals().update(_tests_of(__name__, "cupy.scipy"))
_later = ("fft", "fftpack", "linalg", "ndimage", "signal", "sparse", "spatial", "special", "stats")


def get_array_module(*args):
    """This module if one of the arguments is an array of cupy's, else SciPy."""
    if any(isinstance(a, _ks.Array) or type(a).__module__.startswith(__name__ + ".sparse") for a in args):
        return _sys.modules[__name__]
    import scipy

    return scipy
