"""numba.experimental: jitclass."""

from .jitclass import jitclass  # noqa: F401
