"""cupy._core._routines_math: the running sum under the name that CuPy's tests use."""

import kasoku as ks


@ks._core._in_face
def _scan_for_test(a, out=None):
    """The running sum of the elements."""
    if not isinstance(a, ks.Array):
        raise TypeError("a running sum is of an array")
    if a.ndim != 1:
        raise TypeError(f"a running sum is of an array with one axis, not {a.ndim}")
    return ks.cumsum(a, dtype=a.dtype, out=out)
