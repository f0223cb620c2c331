"""Functions of C that a program has by ctypes: compiled code calls them at their addresses."""

import sys

import numpy as np

from .. import _core
from .engine import drawn

_made = {}  # address and dtypes -> the program's object, which keeps the code, and the function that calls it
_numbers = "?bBhHiIlLqQfd"  # ctypes' letters of what fits into a register as a number


def _dtype(of):
    return np.dtype(of).type if getattr(of, "_type_", None) in tuple(_numbers) else None


def _caller(name, result, parameters):
    def call_of_c(*given):
        return drawn(name, result, parameters, *given)

    return call_of_c


def function(object):
    """What stands for a function of C; None for anything else, and where its types are not declared or are no numbers."""
    ctypes = sys.modules.get("ctypes")
    if (
        ctypes is None
        or not isinstance(object, ctypes._CFuncPtr)
        or object.argtypes is None
        or object.errcheck is not None
    ):
        return None
    result, *parameters = map(_dtype, (object.restype, *object.argtypes))
    if result is None or None in parameters:
        return None
    key = ctypes.cast(object, ctypes.c_void_p).value, result, *parameters
    if key not in _made:
        name = f"ks_c_{len(_made)}"
        _core._register_function(name, key[0])
        _made[key] = object, _caller(name, result, tuple(parameters))
    return _made[key][1]
