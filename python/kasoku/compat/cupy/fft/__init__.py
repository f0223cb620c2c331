"""cupy.fft: the engine's (kasoku/fft.py), whose names and arguments are NumPy's too."""

from kasoku.fft import *  # noqa: F403

from .._util import in_face as _in_face
from . import _fft, config  # noqa: F401

_in_face(globals())
