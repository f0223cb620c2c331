"""pycuda.scan: prefix results from text."""

import numpy as np

import kasoku as ks

from .gpuarray import empty_like


def _methods(of):
    def __init__(self, dtype, *args, **kwargs):
        of.__init__(self, dtype, *args, **kwargs)
        self.dtype = np.dtype(dtype)

    def seen(self, array):
        """The array's memory as the kernel's text has it: PyCUDA asks for no dtype."""
        has_its_size = array.dtype.itemsize == self.dtype.itemsize
        return array.view(self.dtype) if has_its_size and array.dtype != self.dtype else array

    def __call__(self, input_ary, output_ary=None, allocator=None, stream=None, queue=None):
        if output_ary is None:
            output_ary = input_ary
        elif isinstance(output_ary, str) and output_ary == "new":
            output_ary = empty_like(input_ary)
        of.__call__(self, seen(self, input_ary), seen(self, output_ary), stream=stream)
        return output_ary

    return __init__, __call__


class InclusiveScanKernel(ks.InclusiveScanKernel):
    """y[i] = x[0] op … op x[i]; in place unless an output is given."""

    __init__, __call__ = _methods(ks.InclusiveScanKernel)


class ExclusiveScanKernel(ks.ExclusiveScanKernel):
    """y[i] = neutral op x[0] op … op x[i-1]."""

    __init__, __call__ = _methods(ks.ExclusiveScanKernel)
