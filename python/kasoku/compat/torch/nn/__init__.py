"""torch.nn has its functions here; modules need gradients."""

import sys as _sys

from ... import Face
from . import functional  # noqa: F401

_sys.modules[__name__].__class__ = Face
