"""pycuda.reduction: reductions from text; the result is a 0-d GPUArray."""

import numpy as np

import kasoku as ks

from . import driver as _driver
from .gpuarray import GPUArray


class ReductionKernel(ks.ReductionKernel):
    """See ks.ReductionKernel; the result does not depend on the grid."""

    def __init__(self, dtype_out, neutral, reduce_expr, map_expr=None, arguments=None,
                 name="reduce_kernel", keep=False, options=None, preamble="", allocator=None):  # fmt: skip
        super().__init__(
            dtype_out=dtype_out, neutral=str(neutral), reduce_expr=reduce_expr, map_expr=map_expr, arguments=arguments,
            name=name, options=options or [], preamble=preamble, device=_driver._device(),
        )  # fmt: skip
        self.dtype_out, self.allocator = np.dtype(dtype_out), allocator

    def __call__(self, *args, **kwargs):
        allocator = kwargs.pop("allocator", None) or self.allocator
        kwargs.pop("return_alloc", None)
        out = kwargs.pop("out", None)
        if out is None:
            out = GPUArray((), self.dtype_out, allocator=allocator)
        super().__call__(*args, out=out, **kwargs)
        return out
