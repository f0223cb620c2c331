"""Axes, which count from either end."""


def axis_of(axis, n):
    """The axis, counted from the front, of an array of n."""
    if axis < -n or axis >= n:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {n}")
    return axis if axis >= 0 else axis + n
