"""numba.testing: a test case that compares values with their types, and small helpers of tests (kasoku_testing)."""

from .. import tests_of as _tests_of

__getattr__, __dir__ = _tests_of(__name__, "numba.testing")
