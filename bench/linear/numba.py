import importlib.util
import os
import sys

from timing import report, skip

if not all(importlib.util.find_spec(name) for name in ("numba", "scipy")):
    skip("numba or scipy, whose BLAS it calls, is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402
from numba import njit

report(times(njit))
