"""dask._compatibility: where we are."""

import sys

from ._installed import rest_of

__getattr__ = rest_of("_compatibility")
WINDOWS, MACOS, LINUX = False, False, sys.platform == "linux"
EMSCRIPTEN = False
