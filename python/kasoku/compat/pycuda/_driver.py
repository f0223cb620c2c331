"""pycuda._driver: what C++ has in PyCUDA."""

from .driver import *  # noqa: F403
from .driver import _device  # noqa: F401
