"""cupy.cuda.driver: the error, and the version."""

import kasoku as ks

CUDADriverError = ks.errors.DeviceError


class _NotFound(CUDADriverError, ks.errors.ValueError):
    """A module has no kernel or variable of that name."""


class _FileNotFound(CUDADriverError, ks.errors.OSError):
    """A module's file cannot be read."""


def _named(error):
    """The engine's error as CUDA's drivers name it: the class is both CUDADriverError and the engine's."""
    kind, name = {
        ks.errors.ValueError: (_NotFound, "CUDA_ERROR_NOT_FOUND: named symbol not found"),
        ks.errors.OSError: (_FileNotFound, "CUDA_ERROR_FILE_NOT_FOUND: file not found"),
    }[type(error)]
    first, *rest = str(error).split("\n")
    return kind("\n".join([f"{first} ({name})", *rest]))


def get_build_version():
    return 13000


def _is_cuda_python():
    return False
