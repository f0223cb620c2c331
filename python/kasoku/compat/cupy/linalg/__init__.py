"""cupy.linalg: the engine's (kasoku/linalg.py), whose names and arguments are NumPy's too."""

from kasoku.linalg import *  # noqa: F403

from .._util import in_face as _in_face
from . import _util  # noqa: F401

_in_face(globals())
