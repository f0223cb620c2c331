"""numba.core.types: the names of numba.types."""

from ..types import *  # noqa: F401,F403
from .. import types as _types


def __getattr__(name):
    return getattr(_types, name)
