"""cupy.cuda: devices, streams, events, memory, on whichever device there is."""

import contextlib

import kasoku as ks

from ..._face.table import plain as _plain
from ._device import Device, current, get_cublas_handle, get_device_id  # noqa: F401
from ._stream import (  # noqa: F401
    Event, ExternalStream, Stream, get_current_stream, get_elapsed_time, synchronize,
)  # fmt: skip
from .memory import (  # noqa: F401
    ArrayMemory, BaseMemory, Memory, MemoryAsyncPool, MemoryPointer, MemoryPool, PinnedMemory, PinnedMemoryPointer,
    PinnedMemoryPool, PythonFunctionAllocator, UnownedMemory, alloc, alloc_pinned_memory, get_allocator, malloc_managed,
    set_allocator, set_pinned_memory_allocator, using_allocator,
)  # fmt: skip
from . import _modules, cufft, memory, runtime, texture  # noqa: F401


_plain(globals(), {
    "is_available": lambda: ks.has_device("cuda"),
    "get_local_runtime_version": lambda: runtime.runtimeGetVersion(),
    "profile": (lambda: contextlib.nullcontext(), "Accepted: no profiler is started."),
    "get_cuda_path": (lambda: None, "None: no toolkit is used."),
}, get_nvcc_path="get_cuda_path", get_rocm_path="get_cuda_path", get_hipcc_path="get_cuda_path")  # fmt: skip
