"""pycuda.driver's enumerations."""

import enum

from .._face.table import enumerations as _enumerations

globals().update(_enumerations(enum.IntFlag, {
    "ctx_flags": """
        SCHED_AUTO SCHED_SPIN SCHED_YIELD SCHED_BLOCKING_SYNC=4 BLOCKING_SYNC=4 MAP_HOST=8 LMEM_RESIZE_TO_MAX=16 SCHED_MASK=7
        FLAGS_MASK=31
    """,
    "event_flags": "DEFAULT BLOCKING_SYNC DISABLE_TIMING INTERPROCESS=4",
    "stream_flags": "DEFAULT NON_BLOCKING",
    "host_alloc_flags": "PORTABLE=1 DEVICEMAP WRITECOMBINED=4",
    "mem_host_register_flags": "PORTABLE=1 DEVICEMAP",
    "mem_attach_flags": "GLOBAL=1 HOST SINGLE=4",
    "array3d_flags": "ARRAY3D_LAYERED=1 SURFACE_LDST CUBEMAP=4 TEXTURE_GATHER=8",
}, __name__))  # fmt: skip
globals().update(_enumerations(enum.IntEnum, {
    "func_cache": "PREFER_NONE PREFER_SHARED PREFER_L1 PREFER_EQUAL",
    "shared_config": "DEFAULT_BANK_SIZE FOUR_BYTE_BANK_SIZE EIGHT_BYTE_BANK_SIZE",
    "limit": """
        STACK_SIZE PRINTF_FIFO_SIZE MALLOC_HEAP_SIZE DEV_RUNTIME_SYNC_DEPTH DEV_RUNTIME_PENDING_LAUNCH_COUNT
    """,
    "memory_type": "HOST=1 DEVICE ARRAY UNIFIED",
    "compute_mode": "DEFAULT PROHIBITED=2 EXCLUSIVE_PROCESS",
    "jit_option": """
        MAX_REGISTERS THREADS_PER_BLOCK WALL_TIME INFO_LOG_BUFFER INFO_LOG_BUFFER_SIZE_BYTES ERROR_LOG_BUFFER
        ERROR_LOG_BUFFER_SIZE_BYTES OPTIMIZATION_LEVEL TARGET_FROM_CUCONTEXT TARGET FALLBACK_STRATEGY
    """,
    "jit_fallback": "PREFER_PTX PREFER_BINARY",
    "array_format": """
        UNSIGNED_INT8=1 UNSIGNED_INT16 UNSIGNED_INT32 SIGNED_INT8=8 SIGNED_INT16 SIGNED_INT32 HALF=16 FLOAT=32
    """,
    "address_mode": "WRAP CLAMP MIRROR BORDER",
    "filter_mode": "POINT LINEAR",
}, __name__))  # fmt: skip
