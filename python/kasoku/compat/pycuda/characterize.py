"""pycuda.characterize: what the device can do."""

import numpy as np


def platform_bits():
    return 64


def has_stack():
    return True


def has_double_support():
    return True


def sizeof(type_name, preamble=""):
    from . import driver, gpuarray
    from .compiler import SourceModule

    module = SourceModule(f"{preamble}\n__global__ void ks_size(size_t *out) {{ *out = sizeof({type_name}); }}")
    out = gpuarray.zeros((), np.uint64)
    module.get_function("ks_size")(out, block=(1, 1, 1), grid=(1, 1))
    driver.Context.synchronize()
    return int(out.get())
