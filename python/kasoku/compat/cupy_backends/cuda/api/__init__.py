"""cupy_backends.cuda.api."""

from ....cupy.cuda import driver, runtime  # noqa: F401
