"""pycuda.driver's enumerations."""

import enum


class ctx_flags(enum.IntFlag):
    SCHED_AUTO = 0
    SCHED_SPIN = 1
    SCHED_YIELD = 2
    SCHED_BLOCKING_SYNC = BLOCKING_SYNC = 4
    MAP_HOST = 8
    LMEM_RESIZE_TO_MAX = 16
    SCHED_MASK = 7
    FLAGS_MASK = 31


class event_flags(enum.IntFlag):
    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class stream_flags(enum.IntFlag):
    DEFAULT = 0
    NON_BLOCKING = 1


class func_cache(enum.IntEnum):
    PREFER_NONE = 0
    PREFER_SHARED = 1
    PREFER_L1 = 2
    PREFER_EQUAL = 3


class shared_config(enum.IntEnum):
    DEFAULT_BANK_SIZE = 0
    FOUR_BYTE_BANK_SIZE = 1
    EIGHT_BYTE_BANK_SIZE = 2


class limit(enum.IntEnum):
    STACK_SIZE = 0
    PRINTF_FIFO_SIZE = 1
    MALLOC_HEAP_SIZE = 2
    DEV_RUNTIME_SYNC_DEPTH = 3
    DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4


class host_alloc_flags(enum.IntFlag):
    PORTABLE = 1
    DEVICEMAP = 2
    WRITECOMBINED = 4


class mem_host_register_flags(enum.IntFlag):
    PORTABLE = 1
    DEVICEMAP = 2


class mem_attach_flags(enum.IntFlag):
    GLOBAL = 1
    HOST = 2
    SINGLE = 4


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
