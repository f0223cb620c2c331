"""cupy_backends.cuda."""

from ...cupy.cuda import stream  # noqa: F401
