"""dask._compatibility: where we are."""

import sys

WINDOWS, MACOS, LINUX = False, False, sys.platform == "linux"
EMSCRIPTEN = False
PY_VERSION = sys.version_info
