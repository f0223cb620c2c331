"""numba.core.utils: versions."""

import sys
from inspect import signature as pysignature  # noqa: F401

PYVERSION = sys.version_info[:2]
