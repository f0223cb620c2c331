"""cupy.testing: assertions that take arrays of cupy and of NumPy. What makes arrays to test with, and runs a test for many
dtypes, is CuPy's own tests' need (kasoku_testing)."""

from ... import tests_of as _tests_of
from ._arrays import *  # noqa: F403

globals().update(_tests_of(__name__, "cupy"))
