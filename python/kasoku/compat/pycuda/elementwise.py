"""pycuda.elementwise: kernels from the text of one element."""

import kasoku as ks

from . import driver as _driver


class ElementwiseKernel(ks.ElementwiseKernel):
    """`ElementwiseKernel("float *x, float *y", "y[i] = 2*x[i]", "twice")`; see ks.ElementwiseKernel."""

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, **kwargs):
        super().__init__(
            arguments=arguments,
            operation=operation,
            name=name,
            options=options or [],
            device=_driver._device(),
            **kwargs,
        )


def get_elwise_kernel(arguments, operation, name="kernel", keep=False, options=None, **kwargs):
    return ElementwiseKernel(arguments, operation, name, keep, options, **kwargs)
