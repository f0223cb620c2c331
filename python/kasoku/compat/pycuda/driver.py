"""pycuda.driver: devices, memory, copies, streams, events, functions."""

import builtins
import enum

import numpy as np

import kasoku as ks
from kasoku import _core
from kasoku.compat import missing, preferred_device

Error = ks.errors.Error
CompileError = ks.errors.CompileError
LogicError = ks.errors.ValueError
LaunchError = ks.errors.DeviceError
RuntimeError = ks.errors.DeviceError
MemoryError = ks.errors.MemoryError

_current = None


def _device():
    """The device of this face: KASOKU_DEVICE, else a GPU if there is one, else the CPU."""
    global _current
    if _current is None:
        _current = preferred_device()
    return _current


def init(flags=0):
    """Nothing is to be initialised."""


def get_version():
    return (13, 0, 0)


def get_driver_version():
    return 13000


def was_context_created():
    return True


# ── devices and contexts ──────────────────────────────────────────────────────────────────────


def _devices():
    kind = _device().kind
    return [d for d in ks.devices() if d.kind == kind]


class _Attributes(str):
    """An attribute by name, as device_attribute.WARP_SIZE."""


class _Names(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Attributes(name)


class device_attribute(metaclass=_Names):
    """Names of Device.get_attribute()."""


class function_attribute(metaclass=_Names):
    """Names of Function.get_attribute()."""


class pointer_attribute(metaclass=_Names):
    pass


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


class Device:
    """A device by number; `Device.count()` says how many there are."""

    def __init__(self, number):
        if isinstance(number, str):
            number = 0
        found = _devices()
        if not 0 <= number < len(found):
            raise LogicError(f"there is no device {number}; there are {len(found)}")
        self._device = found[number]
        self._number = int(number)

    @staticmethod
    def count():
        return len(_devices())

    def name(self):
        return self._device.properties["name"]

    def compute_capability(self):
        return tuple(self._device.properties["compute_capability"])

    def total_memory(self):
        return self._device.properties["total_memory"]

    def pci_bus_id(self):
        return f"0000:{self._number:02x}:00.0"

    def can_access_peer(self, other):
        return False

    def get_attributes(self):
        p = self._device.properties
        block, grid = p["max_block"], p["max_grid"]
        major, minor = p["compute_capability"]
        return {
            _Attributes(name): value
            for name, value in {
                "MAX_THREADS_PER_BLOCK": p["max_threads_per_block"],
                "MAX_BLOCK_DIM_X": block[0],
                "MAX_BLOCK_DIM_Y": block[1],
                "MAX_BLOCK_DIM_Z": block[2],
                "MAX_GRID_DIM_X": grid[0],
                "MAX_GRID_DIM_Y": grid[1],
                "MAX_GRID_DIM_Z": grid[2],
                "MAX_SHARED_MEMORY_PER_BLOCK": p["max_shared_bytes_per_block"],
                "SHARED_MEMORY_PER_BLOCK": p["max_shared_bytes_per_block"],
                "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": p["max_shared_bytes_opt_in"],
                "MAX_THREADS_PER_MULTIPROCESSOR": 2048,
                "MAX_REGISTERS_PER_BLOCK": 65536,
                "REGISTERS_PER_BLOCK": 65536,
                "TOTAL_CONSTANT_MEMORY": 65536,
                "WARP_SIZE": p["warp_size"],
                "MULTIPROCESSOR_COUNT": p["multiprocessors"],
                "COMPUTE_CAPABILITY_MAJOR": major,
                "COMPUTE_CAPABILITY_MINOR": minor,
                "UNIFIED_ADDRESSING": 1,
                "CONCURRENT_KERNELS": 1,
                "CAN_MAP_HOST_MEMORY": int(self._device.kind == "cpu"),
                "INTEGRATED": int(self._device.kind == "cpu"),
                "MANAGED_MEMORY": int(self._device.kind == "cpu"),
                "COMPUTE_MODE": 0,
                "ECC_ENABLED": 0,
                "GPU_OVERLAP": 1,
                "ASYNC_ENGINE_COUNT": 1,
                "KERNEL_EXEC_TIMEOUT": 0,
                "PCI_DEVICE_ID": 0,
                "PCI_BUS_ID": self._number,
                "MAX_PITCH": 2**31 - 1,
                "TEXTURE_ALIGNMENT": 512,
            }.items()
        }

    def get_attribute(self, name):
        attributes = self.get_attributes()
        if str(name) not in attributes:
            raise LogicError(f"the device attribute {name} is not known here")
        return attributes[str(name)]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.get_attribute(name.upper())
        except LogicError:
            raise AttributeError(f"a Device has no attribute {name!r}") from None

    def make_context(self, flags=0):
        return Context(self)

    def retain_primary_context(self):
        return Context(self)

    def __eq__(self, other):
        return isinstance(other, Device) and self._number == other._number

    def __hash__(self):
        return hash(self._number)

    def __repr__(self):
        return f"<pycuda.driver.Device {self._number}: {self.name()}>"


class Context:
    """Kept for programs that handle contexts: every thread may use every device."""

    def __init__(self, device):
        self._of = device

    def push(self):
        pass

    def detach(self):
        pass

    def attach(self, flags=0):
        return self

    @staticmethod
    def pop():
        pass

    @staticmethod
    def get_current():
        return Context(Device(0))

    @staticmethod
    def get_device():
        return Device(min(_device().index, Device.count() - 1) if _device().kind == "cuda" else 0)

    @staticmethod
    def synchronize():
        _device().synchronize()

    @staticmethod
    def set_limit(which, value):
        pass

    @staticmethod
    def get_limit(which):
        return 0

    @staticmethod
    def set_cache_config(config):
        pass

    @staticmethod
    def get_cache_config():
        return func_cache.PREFER_NONE

    @staticmethod
    def set_shared_config(config):
        pass

    @staticmethod
    def enable_peer_access(peer, flags=0):
        raise LogicError("peer access between devices is not supported")

    def get_api_version(self):
        return 13000


# ── streams and events ────────────────────────────────────────────────────────────────────────


class Stream:
    """Work in order; on a CPU it is done when the call returns."""

    def __init__(self, flags=0):
        self.__kasoku_stream__ = ks.Stream(_device())

    def synchronize(self):
        self.__kasoku_stream__.synchronize()

    def is_done(self):
        return self.__kasoku_stream__.is_done()

    def wait_for_event(self, event):
        self.__kasoku_stream__.wait(event._event)

    @property
    def handle(self):
        return self.__kasoku_stream__.handle


class Event:
    """A mark in a stream; time_since() is in milliseconds."""

    def __init__(self, flags=0):
        self._event = ks.Event(_device())

    def record(self, stream=None):
        self._event.record(_stream(stream) or _core._current_stream(_device()))
        return self

    def synchronize(self):
        self._event.synchronize()
        return self

    def query(self):
        return self._event.is_done()

    def time_since(self, earlier):
        return self._event.milliseconds_since(earlier._event)

    def time_till(self, later):
        return later._event.milliseconds_since(self._event)


def _stream(stream):
    if stream is None or (isinstance(stream, int) and stream == 0):
        return None
    return getattr(stream, "__kasoku_stream__", stream)


# ── memory ────────────────────────────────────────────────────────────────────────────────────


class DeviceAllocation(_core._Memory):
    """Device memory; int() is its address. It is freed with the object, or by free()."""

    def __init__(self, bytes):
        super().__init__(int(bytes), _device())

    def __eq__(self, other):
        try:
            return int(self) == int(other)
        except builtins.TypeError:
            return NotImplemented

    __hash__ = _core._Memory.__hash__


class PointerHolderBase:
    """Base of objects that hold memory of their own: get_pointer() is its address."""

    def get_pointer(self):
        raise NotImplementedError

    def __int__(self):
        return int(self.get_pointer())

    __index__ = __int__


def mem_alloc(bytes):
    if bytes < 0:
        raise LogicError(f"memory of {bytes} bytes cannot be allocated")
    return DeviceAllocation(bytes)


def mem_alloc_like(ary):
    return mem_alloc(ary.nbytes)


def mem_alloc_pitch(width, height, access_size):
    pitch = -(-int(width) // 512) * 512
    return DeviceAllocation(pitch * int(height)), pitch


def mem_get_info():
    memory = _device().memory
    return memory["free"], memory["total"]


def _nbytes(buffer):
    return memoryview(buffer).nbytes


def _host(buffer):
    return buffer if not isinstance(buffer, np.generic) else np.asarray(buffer)


def memcpy_htod(dest, src):
    _core._htod(dest, _host(src), _device(), None)


def memcpy_htod_async(dest, src, stream=None):
    _core._htod(dest, _host(src), _device(), _stream(stream))


def memcpy_dtoh(dest, src):
    _core._dtoh(dest, src, _device(), None)


def memcpy_dtoh_async(dest, src, stream=None):
    _core._dtoh(dest, src, _device(), _stream(stream))


def memcpy_dtod(dest, src, size):
    _core._dtod(dest, src, int(size), _device(), None)


def memcpy_dtod_async(dest, src, size, stream=None):
    _core._dtod(dest, src, int(size), _device(), _stream(stream))


def memcpy_peer(dest, src, size, dest_context=None, src_context=None):
    memcpy_dtod(dest, src, size)


def memcpy_peer_async(dest, src, size, dest_context=None, src_context=None, stream=None):
    memcpy_dtod_async(dest, src, size, stream)


def _memset(size):
    def memset(dest, data, count, stream=None):
        _core._fill(dest, int(data) % (1 << 8 * size), size, int(count), _device(), _stream(stream))

    memset.__name__ = f"memset_d{8 * size}"
    memset.__doc__ = f"Fills `count` elements of {size} bytes with `data`."
    return memset


memset_d8 = memset_d8_async = _memset(1)
memset_d16 = memset_d16_async = _memset(2)
memset_d32 = memset_d32_async = _memset(4)


def to_device(bf_obj):
    """A new allocation with a copy of the host array."""
    host = np.asarray(bf_obj)
    allocation = mem_alloc(host.nbytes)
    memcpy_htod(allocation, host if host.flags.forc else np.ascontiguousarray(host))
    return allocation


def from_device(devptr, shape, dtype, order="C"):
    """A new host array with a copy of device memory."""
    host = np.empty(shape, dtype, order)
    memcpy_dtoh(host, devptr)
    return host


def from_device_like(devptr, other_ary):
    host = np.empty_like(other_ary)
    memcpy_dtoh(host, devptr)
    return host


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """A host array in memory that the device copies directly."""
    shape = (shape,) if np.isscalar(shape) else tuple(shape)
    flat = _core._pinned(int(np.prod(shape, dtype=np.int64)), np.dtype(dtype), _device())
    return flat.reshape(shape, order=order)


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    result = pagelocked_empty(shape, dtype, order, mem_flags)
    result.fill(0)
    return result


def pagelocked_empty_like(array, mem_flags=0):
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return pagelocked_empty(array.shape, array.dtype, order, mem_flags)


def pagelocked_zeros_like(array, mem_flags=0):
    result = pagelocked_empty_like(array, mem_flags)
    result.fill(0)
    return result


def aligned_empty(shape, dtype, order="C", alignment=4096):
    return pagelocked_empty(shape, dtype, order)


def aligned_zeros(shape, dtype, order="C", alignment=4096):
    return pagelocked_zeros(shape, dtype, order)


def aligned_empty_like(array, alignment=4096):
    return pagelocked_empty_like(array)


def aligned_zeros_like(array, alignment=4096):
    return pagelocked_zeros_like(array)


def register_host_memory(ary, flags=0):
    return ary


def _managed(make):
    def managed(*args, **kwargs):
        if _device().kind != "cpu":
            raise ks.errors.UnsupportedError("managed memory is not supported on a GPU")
        kwargs.pop("mem_flags", None)
        return make(*args, **kwargs)

    return managed


managed_empty = _managed(pagelocked_empty)
managed_zeros = _managed(pagelocked_zeros)
managed_empty_like = _managed(pagelocked_empty_like)
managed_zeros_like = _managed(pagelocked_zeros_like)


def _host_array(array):
    if isinstance(array, np.generic):
        return np.asarray(array)
    return array


def In(array):
    """A host array that is copied to the device before the launch."""
    return _core._HostArgument(_host_array(array), True, False)


def Out(array):
    """A host array that gets the device's result after the launch."""
    return _core._HostArgument(array, False, True)


def InOut(array):
    """A host array that is copied to the device before, and back after the launch."""
    return _core._HostArgument(array, True, True)


ArgumentHandler = _core._HostArgument

# ── modules ───────────────────────────────────────────────────────────────────────────────────

Function = ks.RawKernel
Module = ks.SourceModule


def module_from_buffer(buffer, options=(), message_handler=None):
    """A module from text; machine code of nvcc's is not loaded."""
    text = bytes(buffer) if not isinstance(buffer, str) else buffer
    if isinstance(text, bytes):
        if text[:4] == b"\x7fELF" or b".version" in text[:4096]:
            raise ks.errors.UnsupportedError(
                "PTX and machine code cannot be loaded: give the text of the kernels"
            )
        text = text.decode()
    return ks.SourceModule(text, device=_device())


def module_from_file(filename):
    with open(filename, "rb") as file:
        return module_from_buffer(file.read())


def start_profiler():
    pass


stop_profiler = start_profiler


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(missing(f"pycuda.driver.{name}"))
