import functools
import os
import sys

from timing import report, skip

try:
    import scipy.fft
except ImportError:
    skip("SciPy is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402

report(times(lambda name: functools.partial(getattr(scipy.fft, name), workers=-1), lambda x: x))
