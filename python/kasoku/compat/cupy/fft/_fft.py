"""cupy.fft._fft: the few of CuPy's inner names that tests import (kasoku_testing)."""

from kasoku.fft import fft as _fft  # noqa: F401
from kasoku.fft import fftn as _fftn  # noqa: F401

from ... import tests_of as _tests_of

__getattr__, __dir__ = _tests_of(__name__, "cupy.internal")
