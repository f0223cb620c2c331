"""cupy._core.internal: helpers of shapes and numbers (kasoku_testing)."""

import warnings

import numpy as np

from ... import tests_of as _tests_of

__getattr__, __dir__ = _tests_of(__name__, "cupy.internal")


def get_size(size):
    if size is None:
        warnings.warn("the size of None is (): give () itself", DeprecationWarning, stacklevel=2)
        return ()
    sizes = (size,) if np.ndim(size) == 0 else tuple(size)
    if any(isinstance(n, bool) or getattr(n, "dtype", None) == np.bool_ for n in sizes):
        raise TypeError(f"a size is an integer or integers, not {size!r}")
    return tuple(n.item() if isinstance(n, np.ndarray) else n for n in sizes)
