"""cupy.linalg._util: helpers of shapes that tests import (kasoku_testing)."""

from ... import tests_of as _tests_of

__getattr__, __dir__ = _tests_of(__name__, "cupy.internal")
