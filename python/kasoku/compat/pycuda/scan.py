"""pycuda.scan: prefix results from text."""

import kasoku as ks

from .gpuarray import empty_like


def _call(of):
    def __call__(self, input_ary, output_ary=None, allocator=None, stream=None, queue=None):
        if output_ary is None:
            output_ary = input_ary
        elif isinstance(output_ary, str) and output_ary == "new":
            output_ary = empty_like(input_ary)
        of.__call__(self, input_ary, output_ary, stream=stream)
        return output_ary

    return __call__


class InclusiveScanKernel(ks.InclusiveScanKernel):
    """y[i] = x[0] op … op x[i]; in place unless an output is given."""

    __call__ = _call(ks.InclusiveScanKernel)


class ExclusiveScanKernel(ks.ExclusiveScanKernel):
    """y[i] = neutral op x[0] op … op x[i-1]."""

    __call__ = _call(ks.ExclusiveScanKernel)
