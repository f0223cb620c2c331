"""numba.cuda.testing: what tests of kernels are written with (kasoku_testing)."""

from ... import tests_of as _tests_of

__getattr__, __dir__ = _tests_of(__name__, "numba.cuda")
