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

    def __init__(self, name, text):
        self._name = name
        self.__doc__ = f"{text}\n\nIt has a meaning inside a kernel only; elsewhere it raises TypingError."

    def __call__(self, *args, **kwargs):
        raise TypingError(f"cuda.{self._name} belongs in a kernel\n  fix  decorate the function with @cuda.jit")

    def __repr__(self):
        return f"cuda.{self._name}"


class _Words:
    def __init__(self, prefix, **texts):
        for name, text in texts.items():
            setattr(self, name, _Word(f"{prefix}.{name}", text))


def _axes(prefix, text):
    return _Words(prefix, **{axis: f"{text} along {axis}." for axis in "xyz"})


threadIdx = _axes("threadIdx", "The place of the thread in its block")
blockIdx = _axes("blockIdx", "The place of the block in the grid")
blockDim = _axes("blockDim", "How many threads a block has")
gridDim = _axes("gridDim", "How many blocks the grid has")
shared = _Words("shared", array="An array that the threads of a block share, of a shape and dtype that are constants.")
local = _Words("local", array="An array of this thread's own, of a shape and dtype that are constants.")
const = _Words("const", array_like="An array of the host's values that no thread changes.")
_shared_memory = _Word(
    "shared_memory",
    "An array that the threads of a block share, of a dtype and a length; None is what the launch says.",
)
cg = _Words("cg", this_grid="The grid as a group, whose sync() all its threads wait for.")
atomic = _Words(
    "atomic",
    add="array[index] += value, of which no other thread sees half. Returns what was there.",
    sub="array[index] -= value, of which no other thread sees half. Returns what was there.",
    max="array[index] becomes the greater of itself and value. Returns what was there.",
    min="array[index] becomes the lesser of itself and value. Returns what was there.",
    nanmax="array[index] becomes the greater of itself and value, not NaN if one is a number. Returns what was there.",
    nanmin="array[index] becomes the lesser of itself and value, not NaN if one is a number. Returns what was there.",
    and_="array[index] &= value, of which no other thread sees half. Returns what was there.",
    or_="array[index] |= value, of which no other thread sees half. Returns what was there.",
    xor="array[index] ^= value, of which no other thread sees half. Returns what was there.",
    inc="array[index] becomes one more, or 0 where it is value or above. Returns what was there.",
    dec="array[index] becomes one less, or value where it is 0 or above value. Returns what was there.",
    exch="array[index] becomes value. Returns what was there.",
    cas="array[index] becomes value if it is old. Returns what was there.",
    compare_and_swap="array[0] becomes value if it is old. Returns what was there.",
)
for _name, _text in {
    "grid": "grid(ndim): the place of the thread among all of the grid, an int or a tuple of ndim.",
    "gridsize": "gridsize(ndim): how many threads the grid has along its axes, an int or a tuple of ndim.",
    "syncthreads": "Waits until all threads of the block are here; what they wrote is seen by all.",
    "syncthreads_count": "syncthreads() that returns for how many threads the argument is true.",
    "syncthreads_and": "syncthreads() that returns whether the argument is true for all threads.",
    "syncthreads_or": "syncthreads() that returns whether the argument is true for a thread.",
    "syncwarp": "Waits until the threads of the warp that the mask names are here.",
    "threadfence": "What the thread wrote before, the device's threads see before what it writes afterwards.",
    "threadfence_block": "What the thread wrote before, its block's threads see before what it writes afterwards.",
    "threadfence_system": "What the thread wrote before, host and devices see before what it writes afterwards.",
    "nanosleep": "Lets the thread wait for about so many nanoseconds.",
    "match_any_sync": "match_any_sync(mask, value): the mask of the warp's threads that have the same value.",
    "match_all_sync": "match_all_sync(mask, value): the mask if all its threads have the same value, else 0; and whether they have.",
    "eq_sync": "eq_sync(mask, value): whether all threads of the mask have the same value.",
    "lanemask_lt": "The mask of the warp's threads before this one.",
    "shfl_sync": "shfl_sync(mask, value, lane): the value of the thread at a place of the warp.",
    "shfl_up_sync": "shfl_up_sync(mask, value, delta): the value of the thread delta places before.",
    "shfl_down_sync": "shfl_down_sync(mask, value, delta): the value of the thread delta places behind.",
    "shfl_xor_sync": "shfl_xor_sync(mask, value, lanes): the value of the thread whose place differs by these bits.",
    "ballot_sync": "ballot_sync(mask, predicate): the mask of the warp's threads for which it is true.",
    "any_sync": "any_sync(mask, predicate): whether it is true for a thread of the mask.",
    "all_sync": "all_sync(mask, predicate): whether it is true for all threads of the mask.",
    "activemask": "The mask of the warp's threads that run with this one.",
    "popc": "popc(x): how many bits are set.",
    "clz": "clz(x): how many bits above the highest one that is set.",
    "ffs": "ffs(x): the place of the lowest bit that is set, from 1; 0 where none is.",
    "brev": "brev(x): the bits in the opposite order.",
    "fma": "fma(a, b, c): a * b + c, rounded once.",
    "cbrt": "cbrt(x): the cube root.",
    "selp": "selp(condition, a, b): a where it holds, else b.",
    "laneid": "The place of the thread in its warp.",
    "warpsize": "How many threads a warp has: 32.",
}.items():
    globals()[_name] = _Word(_name, _text)
for _name in "fma fmaf=fma popc popcll=popc clz clzll=clz brev brevll=brev ffs ffsll=ffs".split():
    setattr(libdevice, _name.partition("=")[0], globals()[_name.rpartition("=")[2]])


def __getattr__(name):
    """The vectors: float4, int32x2 and the like."""
    from ._vectors import vectors

    if name in vectors:
        return vectors[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
