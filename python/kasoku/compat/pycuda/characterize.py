"""pycuda.characterize: what the device can do."""

import numpy as np

from .._face.table import plain as _plain


_plain(globals(), {
    "platform_bits": lambda: 64,
    "has_stack": lambda: True,
    "has_double_support": lambda: True,
})  # fmt: skip


def sizeof(type_name, preamble=""):
    from . import driver, gpuarray
    from .compiler import SourceModule

    module = SourceModule(f"{preamble}\n__global__ void ks_size(size_t *out) {{ *out = sizeof({type_name}); }}")
    out = gpuarray.zeros((), np.uint64)
    module.get_function("ks_size")(out, block=(1, 1, 1), grid=(1, 1))
    driver.Context.synchronize()
    return int(out.get())
