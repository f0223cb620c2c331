"""cupy._core._routines_math: the running sum under the name that CuPy's tests use."""

from .. import _host


def _scan_for_test(a, out=None):
    """The running sum of the elements in a row."""
    import numpy as np

    return _host.on_host(np.cumsum)(a.ravel(), dtype=a.dtype, out=out)
