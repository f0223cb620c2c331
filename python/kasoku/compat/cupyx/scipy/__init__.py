"""cupyx.scipy: get_array_module; SciPy's functions on arrays are not there."""

import sys as _sys

import kasoku as _ks


def get_array_module(*args):
    """This module if one of the arguments is an array of cupy's, else SciPy."""
    if any(isinstance(a, _ks.Array) for a in args):
        return _sys.modules[__name__]
    import scipy

    return scipy
