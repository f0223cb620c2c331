"""PyCUDA's interface on kasoku: the same programs, on a GPU if there is one, else on the CPU.

No nvcc, no toolkit and no current context are needed; any thread may call anything."""

VERSION = (2025, 1, 2)
VERSION_STATUS = ""
VERSION_TEXT = "2025.1.2"

import sys as _sys  # noqa: E402

from .. import Face as _Face  # noqa: E402

_sys.modules[__name__].__class__ = _Face
