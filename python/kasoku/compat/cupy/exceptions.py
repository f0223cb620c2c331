"""cupy.exceptions: NumPy's own classes, so that `except` works with both."""

import numpy as np
from numpy.exceptions import (  # noqa: F401
    AxisError, ComplexWarning, ModuleDeprecationWarning, TooHardError, VisibleDeprecationWarning,
)  # fmt: skip

RankWarning = getattr(np.exceptions, "RankWarning", getattr(np, "RankWarning", UserWarning))
