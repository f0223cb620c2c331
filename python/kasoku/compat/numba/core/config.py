"""numba.core.config: the settings that programs read."""

from .... import _core


class _Config:
    NUMBA_DEFAULT_NUM_THREADS = 0
    THREADING_LAYER = "default"
    DISABLE_JIT = 0
    ENABLE_CUDASIM = 0
    CUDA_LOW_OCCUPANCY_WARNINGS = 0

    @property
    def NUMBA_NUM_THREADS(self):  # noqa: N802
        return _core._worker_count()


config = _Config()


def __getattr__(name):
    return getattr(config, name)
