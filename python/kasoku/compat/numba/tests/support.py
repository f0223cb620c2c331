"""numba.tests.support is numba.testing."""

from ..testing import MemoryLeakMixin, TestCase, captured_stdout, override_config  # noqa: F401
