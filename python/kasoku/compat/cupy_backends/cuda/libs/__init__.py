"""cupy_backends.cuda.libs."""

from ....cupy.cuda import nvrtc  # noqa: F401
