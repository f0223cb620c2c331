"""pycuda.driver's enumerations."""

import enum


class ctx_flags(enum.IntFlag):
    SCHED_AUTO, SCHED_SPIN, SCHED_YIELD, SCHED_BLOCKING_SYNC, BLOCKING_SYNC = 0, 1, 2, 4, 4
    MAP_HOST, LMEM_RESIZE_TO_MAX, SCHED_MASK, FLAGS_MASK = 8, 16, 7, 31


class event_flags(enum.IntFlag):
    DEFAULT, BLOCKING_SYNC, DISABLE_TIMING, INTERPROCESS = 0, 1, 2, 4


class stream_flags(enum.IntFlag):
    DEFAULT, NON_BLOCKING = 0, 1


class func_cache(enum.IntEnum):
    PREFER_NONE, PREFER_SHARED, PREFER_L1, PREFER_EQUAL = range(4)


class shared_config(enum.IntEnum):
    DEFAULT_BANK_SIZE, FOUR_BYTE_BANK_SIZE, EIGHT_BYTE_BANK_SIZE = range(3)


class limit(enum.IntEnum):
    STACK_SIZE, PRINTF_FIFO_SIZE, MALLOC_HEAP_SIZE, DEV_RUNTIME_SYNC_DEPTH = range(4)
    DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4


class host_alloc_flags(enum.IntFlag):
    PORTABLE, DEVICEMAP, WRITECOMBINED = 1, 2, 4


class mem_host_register_flags(enum.IntFlag):
    PORTABLE, DEVICEMAP = 1, 2


class mem_attach_flags(enum.IntFlag):
    GLOBAL, HOST, SINGLE = 1, 2, 4


class memory_type(enum.IntEnum):
    HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4


class compute_mode(enum.IntEnum):
    DEFAULT, PROHIBITED, EXCLUSIVE_PROCESS = 0, 2, 3


class jit_option(enum.IntEnum):
    MAX_REGISTERS, THREADS_PER_BLOCK, WALL_TIME = 0, 1, 2
    INFO_LOG_BUFFER, INFO_LOG_BUFFER_SIZE_BYTES = 3, 4
    ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES = 5, 6
    OPTIMIZATION_LEVEL, TARGET_FROM_CUCONTEXT, TARGET, FALLBACK_STRATEGY = 7, 8, 9, 10


class jit_fallback(enum.IntEnum):
    PREFER_PTX, PREFER_BINARY = 0, 1
