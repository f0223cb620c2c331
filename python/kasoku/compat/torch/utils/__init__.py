"""torch.utils: exchange with other libraries."""

from . import dlpack  # noqa: F401

import sys as _sys  # noqa: E402

from ... import Face as _Face  # noqa: E402

_sys.modules[__name__].__class__ = _Face
