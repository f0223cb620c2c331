"""Kernels written in Python, with Numba's names: `@cuda.jit`, `kernel[grid, block](...)`.

They run on the default device: an NVIDIA GPU, or the CPU's cores.
"""

from .. import _core
from .._jit import TypingError
from .._signature import Signature, Type  # noqa: F401
from . import fp16, libdevice, random  # noqa: F401
from ._arrays import (  # noqa: F401
    DeviceNDArray,
    In,
    InOut,
    Out,
    as_cuda_array,
    device_array,
    device_array_like,
    from_cuda_array_interface,
    is_cuda_array,
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
    to_device,
)
from ._driver import (  # noqa: F401
    Event,
    MemoryInfo,
    Stream,
    close,
    current_context,
    default_stream,
    defer_cleanup,
    detect,
    event,
    event_elapsed_time,
    external_stream,
    get_current_device,
    gpus,
    is_available,
    is_float16_supported,
    is_supported_version,
    legacy_default_stream,
    list_devices,
    per_thread_default_stream,
    profile_start,
    profile_stop,
    profiling,
    require_context,
    select_device,
    stream,
    synchronize,
)
from ._kernel import Kernel, jit  # noqa: F401
from ._reduce import Reduce, reduce  # noqa: F401


class _Word:
    """A name that has a meaning inside a kernel only."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *args, **kwargs):
        raise TypingError(f"cuda.{self._name} belongs in a kernel\n  fix  decorate the function with @cuda.jit")

    def __repr__(self):
        return f"cuda.{self._name}"


class _Words:
    def __init__(self, prefix, names):
        for name in names.split():
            setattr(self, name, _Word(f"{prefix}.{name}"))


threadIdx = _Words("threadIdx", "x y z")
blockIdx = _Words("blockIdx", "x y z")
blockDim = _Words("blockDim", "x y z")
gridDim = _Words("gridDim", "x y z")
shared = _Words("shared", "array")
local = _Words("local", "array")
const = _Words("const", "array_like")
cg = _Words("cg", "this_grid")
atomic = _Words("atomic", "add sub max min nanmax nanmin and_ or_ xor inc dec exch cas compare_and_swap")
for _name in (
    "grid gridsize syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp threadfence "
    "threadfence_block threadfence_system nanosleep match_any_sync match_all_sync eq_sync lanemask_lt "
    "shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync ballot_sync any_sync all_sync activemask "
    "popc clz ffs brev fma cbrt selp laneid warpsize"
).split():
    globals()[_name] = _Word(_name)
