"""cupy.cuda: devices, streams, events, memory, on whichever device there is."""

import contextlib
import os
import shutil

import kasoku as ks

from ..._face.table import plain as _plain
from ._device import Device, current, get_cublas_handle, get_device_id  # noqa: F401
from ._stream import (  # noqa: F401
    Event, ExternalStream, Graph, Stream, get_current_stream, get_elapsed_time, synchronize,
)  # fmt: skip
from .memory import (  # noqa: F401
    ArrayMemory, BaseMemory, Memory, MemoryAsyncPool, MemoryPointer, MemoryPool, PinnedMemory, PinnedMemoryPointer,
    PinnedMemoryPool, PythonFunctionAllocator, UnownedMemory, alloc, alloc_pinned_memory, get_allocator, malloc_managed,
    set_allocator, set_pinned_memory_allocator, using_allocator,
)  # fmt: skip
from .memory_hooks import MemoryHook  # noqa: F401
from . import _modules, cufft, memory, memory_hooks, runtime, texture  # noqa: F401


@contextlib.contextmanager
def profile():
    """Calls profiler.start() and profiler.stop(), which are accepted: no profiler is started."""
    profiler.start()  # noqa: F821
    try:
        yield
    finally:
        profiler.stop()  # noqa: F821


_plain(globals(), {
    "is_available": lambda: ks.has_device("cuda"),
    "get_local_runtime_version": lambda: runtime.runtimeGetVersion(),
    "get_cuda_path": (lambda: os.environ.get("CUDA_PATH"), "The toolkit that CUDA_PATH names, or None. None is used here."),
    "get_nvcc_path": (lambda: shutil.which("nvcc"), "The nvcc that PATH has, or None. None is used here."),
    "get_rocm_path": (lambda: None, "None: it is another company's."),
}, get_hipcc_path="get_rocm_path")  # fmt: skip
