"""numba.core: what programs import from there."""

from .. import types  # noqa: F401
from . import errors, utils  # noqa: F401
from .config import config  # noqa: F401
