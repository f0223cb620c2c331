"""cupy.exceptions: NumPy's own classes, so that `except` works with both."""

import numpy as np

_from = getattr(np, "exceptions", np)
AxisError = _from.AxisError
ComplexWarning = _from.ComplexWarning
ModuleDeprecationWarning = getattr(_from, "ModuleDeprecationWarning", DeprecationWarning)
TooHardError = getattr(_from, "TooHardError", RuntimeError)
VisibleDeprecationWarning = _from.VisibleDeprecationWarning
RankWarning = getattr(_from, "RankWarning", getattr(np, "RankWarning", UserWarning))
