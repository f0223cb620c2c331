import importlib.util
import os
import sys

from timing import report, skip

if importlib.util.find_spec("numba") is None:
    skip("numba is not installed")
import numba

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import _functions

_functions.prange = numba.prange
report(_functions.figures(lambda function, name: numba.njit(function, parallel="prange" in name)))
