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


def get_linear_combination_kernel(summand_descriptors, dtype_z):
    """A prepared function for z[i] = a0*x0[i] + a1*x1[i] + …, and the references of scalars in memory.

    summand_descriptors: (is_gpu_scalar, scalar_dtype, vector_dtype) of each summand. The function takes a
    scalar and an array for each, only the array if the scalar lies in device memory, then z and n.
    """
    import numpy as np

    from .compiler import SourceModule
    from .tools import ScalarArg, VectorArg, dtype_to_ctype

    arguments, references, terms, types = [], [], [], ""
    for i, (is_gpu_scalar, scalar_dtype, vector_dtype) in enumerate(summand_descriptors):
        if is_gpu_scalar:
            references.append((f"tex_a{i}", dtype_to_ctype(scalar_dtype)))
            terms.append(f"tex1Dfetch(tex_a{i}, 0) * x{i}[i]")
        else:
            arguments.append(ScalarArg(scalar_dtype, f"a{i}"))
            types += np.dtype(scalar_dtype).char
            terms.append(f"a{i} * x{i}[i]")
        arguments.append(VectorArg(vector_dtype, f"x{i}"))
        types += "P"
    arguments.append(VectorArg(dtype_z, "z"))
    parameters = ", ".join([argument.declarator() for argument in arguments] + ["unsigned long n"])
    module = SourceModule(
        "#include <pycuda-complex.hpp>\n"
        + "".join(f"texture<{kind}, 1, cudaReadModeElementType> {name};\n" for name, kind in references)
        + f"""extern "C" __global__ void linear_combination({parameters}) {{
  for (unsigned long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    z[i] = {" + ".join(terms)};
}}""",
        no_extern_c=True,
    )
    function = module.get_function("linear_combination")
    found = [module.get_texref(name) for name, _ in references]
    function.prepare(types + "PL")
    return function, found
