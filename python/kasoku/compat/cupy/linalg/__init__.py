"""cupy.linalg: the engine's (kasoku/linalg.py), whose names and arguments are NumPy's too."""

import sys as _sys

from kasoku.linalg import *  # noqa: F403

from ... import Face as _Face
from .._util import in_face as _in_face
from . import _util  # noqa: F401

_in_face(globals())

_sys.modules[__name__].__class__ = _Face
