"""numba.tests.support is numba.testing."""

from ..testing import __dir__, __getattr__  # noqa: F401
