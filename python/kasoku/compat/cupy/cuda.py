"""cupy.cuda: devices, streams and events, as far as programs that measure need them."""

import contextlib
import time

import kasoku as ks

from .. import preferred_device

_scopes = []


def current():
    """The engine's device that new arrays are made on."""
    return _scopes[-1] if _scopes else preferred_device()


def is_available():
    return ks.has_device("cuda")


class Device:
    """A GPU by its number; without one, the CPU."""

    def __init__(self, device=None):
        self.id = int(device or 0)
        self._device = ks.Device(f"cuda:{self.id}") if current().kind == "cuda" else current()

    def synchronize(self):
        ks.synchronize(self._device)

    def use(self):
        return self

    @property
    def compute_capability(self):
        return "".join(map(str, self._device.properties["compute_capability"]))

    @property
    def mem_info(self):
        m = self._device.memory
        return m["free"], m["total"]

    @property
    def attributes(self):
        return {"MultiProcessorCount": self._device.properties["multiprocessors"]}

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def __enter__(self):
        _scopes.append(self._device)
        return self

    def __exit__(self, *_):
        _scopes.pop()


class Stream:
    """Work is ordered with the thread's own stream."""

    def __init__(self, null=False, non_blocking=False, ptds=False):
        self.ptr = 0

    def synchronize(self):
        ks.synchronize(current())

    def use(self):
        return self

    @property
    def done(self):
        return True

    def record(self, event=None):
        event = event or Event()
        event.record()
        return event

    def wait_event(self, event):
        """Nothing to wait for: one order."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


Stream.null = Stream(null=True)
Stream.ptds = Stream.null


def get_current_stream():
    return Stream.null


class Event:
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._time = None

    def record(self, stream=None):
        ks.synchronize(current())
        self._time = time.perf_counter()

    def synchronize(self):
        ks.synchronize(current())

    @property
    def done(self):
        return True


def get_elapsed_time(start, end):
    """Milliseconds between two events."""
    return (end._time - start._time) * 1e3


class runtime:
    """The CUDA runtime's functions that programs ask."""

    @staticmethod
    def getDeviceCount():
        return sum(d.kind == "cuda" for d in ks.devices())

    @staticmethod
    def getDeviceProperties(index=0):
        p = current().properties
        return {
            "name": p["name"].encode(),
            "multiProcessorCount": p["multiprocessors"],
            "totalGlobalMem": p["total_memory"],
            "major": p["compute_capability"][0],
            "minor": p["compute_capability"][1],
            "maxThreadsPerBlock": p["max_threads_per_block"],
            "warpSize": p["warp_size"],
        }

    @staticmethod
    def deviceSynchronize():
        ks.synchronize(current())

    @staticmethod
    def getDevice():
        return 0

    @staticmethod
    def memGetInfo():
        m = current().memory
        return m["free"], m["total"]

    @staticmethod
    def runtimeGetVersion():
        return 13000


def synchronize():
    ks.synchronize(current())


class MemoryPool:
    def free_all_blocks(self):
        current().trim()

    def used_bytes(self):
        return current().memory["used"]

    def total_bytes(self):
        m = current().memory
        return m["used"] + m["cached"]


@contextlib.contextmanager
def using_allocator(allocator=None):
    yield


def set_allocator(allocator=None):
    """Accepted: the engine's pool allocates."""


class nvtx:
    @staticmethod
    def RangePush(name, color=0):
        """Accepted."""

    @staticmethod
    def RangePop():
        """Accepted."""
