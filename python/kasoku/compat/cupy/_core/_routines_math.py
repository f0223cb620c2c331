"""cupy._core._routines_math: the running sum under the name that CuPy's tests use (kasoku_testing)."""

from ... import tests_of

__getattr__, __dir__ = tests_of(__name__, "cupy.internal")
