"""numba.core.types is numba.types."""

from ..types import *  # noqa: F401,F403
