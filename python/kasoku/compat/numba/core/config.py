"""numba.core.config: the settings that programs read."""

from .... import _core


class _Config:
    NUMBA_DEFAULT_NUM_THREADS = 0
    THREADING_LAYER = "default"
    DISABLE_JIT = 0
    ENABLE_CUDASIM = 0
    CUDA_LOW_OCCUPANCY_WARNINGS = 0
    CUDA_WARN_ON_IMPLICIT_COPY = 0
    CUDA_USE_NVIDIA_BINDING = 0
    CUDA_DEBUGINFO_DEFAULT = 0
    CUDA_ARRAY_INTERFACE_SYNC = 1
    CUDA_ENABLE_PYNVJITLINK = 0
    OPT = 3
    BOUNDSCHECK = None

    NUMBA_NUM_THREADS = property(lambda self: _core._worker_count())


config = _Config()


def __getattr__(name):
    return getattr(config, name)
