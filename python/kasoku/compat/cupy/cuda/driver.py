"""cupy.cuda.driver: the error, and the version."""

import contextlib

import kasoku as ks

CUDADriverError = ks.errors.DeviceError


class _NotFound(CUDADriverError, ks.errors.ValueError):
    """A module has no kernel or variable of that name."""


class _FileNotFound(CUDADriverError, ks.errors.OSError):
    """A module's file cannot be read."""


_names = {
    ks.errors.ValueError: (_NotFound, "CUDA_ERROR_NOT_FOUND: named symbol not found"),
    ks.errors.OSError: (_FileNotFound, "CUDA_ERROR_FILE_NOT_FOUND: file not found"),
}


@contextlib.contextmanager
def _named(of):
    """Errors of the engine's as CUDA's drivers name them: the class is both CUDADriverError and the engine's."""
    try:
        yield
    except of as error:
        kind, name = _names[of]
        first, *rest = str(error).split("\n")
        raise kind("\n".join([f"{first} ({name})", *rest])) from None


def get_build_version():
    return 13000


def _is_cuda_python():
    return False
