"""cupy.fft: the engine's (kasoku/fft.py), whose names and arguments are NumPy's too."""

from kasoku.fft import *  # noqa: F403

from ... import tests_of as _tests_of
from ..._face.table import modules as _modules
from . import config  # noqa: F401

_modules(__name__, {"_fft": ("the few of CuPy's inner names that tests import (kasoku_testing).",
    {"_fft": fft, "_fftn": fftn, **_tests_of(f"{__name__}._fft", "cupy.internal")})})  # noqa: F405  # fmt: skip
