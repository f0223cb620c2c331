"""pycuda.elementwise: kernels from the text of one element."""

import numpy as np

import kasoku as ks

from .._face.table import bound as _bound, plain as _plain
from . import driver as _driver
from .compiler import SourceModule
from .tools import ScalarArg, VectorArg, context_dependent_memoize, dtype_to_ctype, parse_c_arg  # noqa: F401

# `operation` for each i of a thread: every element, or start, start + step, … before stop. The names are
# PyCUDA's: the texts of users may read them.
_over_elements = """
  for (size_t i = cta_start + tid; i < n; i += total_threads) { %s; }"""
_over_range = """
  if (step < 0)
    for (long i = start + (long)(cta_start + tid) * step; i > stop; i += (long)total_threads * step) { %s; }
  else
    for (long i = start + (long)(cta_start + tid) * step; i < stop; i += (long)total_threads * step) { %s; }"""


class ElementwiseKernel(ks.ElementwiseKernel):
    """`ElementwiseKernel("float *x, float *y", "y[i] = 2*x[i]", "twice")`; see ks.ElementwiseKernel."""

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, **kwargs):
        told = {"arguments": arguments, "operation": operation, "name": name, "options": options or []}
        super().__init__(**told, device=_driver._device(), **kwargs)


def _module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop="", *,
            loop):  # fmt: skip
    parameters = ", ".join(argument.declarator() for argument in arguments)
    text = f"""#include <pycuda-complex.hpp>
{preamble}
extern "C" __global__ void {name}({parameters}) {{
  const size_t tid = threadIdx.x, total_threads = (size_t)gridDim.x * blockDim.x;
  const size_t cta_start = (size_t)blockDim.x * blockIdx.x;
  {loop_prep};
  {loop.replace("%s", operation)}
  {after_loop};
}}"""
    return SourceModule(text, options=options, keep=keep, no_extern_c=True)


_made = _plain(globals(), {
    "get_elwise_module": (_bound(_module, loop=_over_elements),
        "A module whose kernel `name` does `operation` for each i below its argument n."),
    "get_elwise_range_module": (_bound(_module, loop=_over_range),
        "A module whose kernel `name` does `operation` for each i of its arguments start, stop and step."),
    "get_elwise_kernel": (lambda arguments, operation, name="kernel", keep=False, options=None, **kwargs: (
        get_elwise_kernel_and_types(arguments, operation, name, keep, options, **kwargs)[1]),
        "The prepared function alone: prepared_call(grid, block, *arguments, n)."),
})  # fmt: skip


def get_elwise_kernel_and_types(arguments, operation, name="kernel", keep=False, options=None,
                                use_range=False, **kwargs):  # fmt: skip
    """The module, its prepared function, and the arguments with those of the loop at the end."""
    if isinstance(arguments, str):
        arguments = [parse_c_arg(one) for one in arguments.split(",")]
    bounds = [ScalarArg(np.intp, b) for b in ("start", "stop", "step")] if use_range else [ScalarArg(np.uintp, "n")]
    build, arguments = _made[f"get_elwise_{'range_' * use_range}module"], [*arguments, *bounds]
    module = build(arguments, operation, name, keep, options, **kwargs)
    function = module.get_function(name)
    function.prepare("".join(argument.struct_char for argument in arguments))
    return module, function, arguments


def get_linear_combination_kernel(summand_descriptors, dtype_z):
    """A prepared function for z[i] = a0*x0[i] + a1*x1[i] + …, and the references of scalars in memory.

    summand_descriptors: (is_gpu_scalar, scalar_dtype, vector_dtype) of each summand. The function takes a
    scalar and an array for each, only the array if the scalar lies in device memory, then z and n.
    """
    arguments, references, terms = [], [], []
    for i, (is_gpu_scalar, scalar_dtype, vector_dtype) in enumerate(summand_descriptors):
        if is_gpu_scalar:
            references.append((f"tex_a{i}", dtype_to_ctype(scalar_dtype)))
            terms.append(f"tex1Dfetch(tex_a{i}, 0) * x{i}[i]")
        else:
            arguments.append(ScalarArg(scalar_dtype, f"a{i}"))
            terms.append(f"a{i} * x{i}[i]")
        arguments.append(VectorArg(vector_dtype, f"x{i}"))
    module, function, _ = get_elwise_kernel_and_types(
        [*arguments, VectorArg(dtype_z, "z")],
        f"z[i] = {' + '.join(terms)}",
        "linear_combination",
        preamble="".join(f"texture<{kind}, 1, cudaReadModeElementType> {name};\n" for name, kind in references),
    )
    return function, [module.get_texref(name) for name, _ in references]
