"""cupy.cuda.pinned_memory."""

from .memory import (  # noqa: F401
    PinnedMemory, PinnedMemoryPointer, PinnedMemoryPool, alloc_pinned_memory, set_pinned_memory_allocator,
)  # fmt: skip
