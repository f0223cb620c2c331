"""tf.experimental: NumPy's interface."""

from . import numpy  # noqa: F401
