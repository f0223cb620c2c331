"""cupy.cuda.driver: the error, and the version."""

import kasoku as ks

CUDADriverError = ks.errors.DeviceError


def get_build_version():
    return 13000


def _is_cuda_python():
    return False
