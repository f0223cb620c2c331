"""Streams, events, devices and contexts under Numba's names."""

import contextlib
import threading
import uuid

from .. import _core, errors
from ._facts import cuda_attributes


class Stream:
    """A queue of launches and copies on the default device."""

    def __init__(self, native):
        self._native = native

    handle = property(lambda self: self._native.handle)
    external = False

    def synchronize(self):
        """Waits for what was queued so far."""
        self._native.synchronize()

    @contextlib.contextmanager
    def auto_synchronize(self):
        """Waits at the end of a `with` block."""
        yield self
        self.synchronize()

    def __enter__(self):
        self._native.__enter__()
        return self

    def __exit__(self, *raised):
        return self._native.__exit__(*raised)

    def add_callback(self, callback, arg=None):
        """Calls callback(stream, 0, arg) from another thread when what was queued so far is done."""
        event = _core.Event()
        event.record(self._native)

        def wait():
            event.synchronize()
            callback(self, 0, arg)

        threading.Thread(target=wait, daemon=True).start()

    def async_done(self):
        """A future of the running asyncio loop, done when the work queued so far is."""
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def resolve():
            if not future.done():
                future.set_result(self)

        self.add_callback(lambda stream, status, arg: loop.call_soon_threadsafe(resolve))
        return future

    def __int__(self):
        return int(self.handle or 0)

    def __repr__(self):
        return f"<CUDA stream {int(self)}>"


class _DefaultStream(Stream):
    def __init__(self, name):
        super().__init__(None)
        self._name = name

    handle = 0

    def synchronize(self):
        _core.synchronize()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return None

    def __repr__(self):
        return f"<{self._name} CUDA stream>"


def stream():
    """A new stream; on a CPU launches are done when they return."""
    return Stream(_core.Stream())


_default, _legacy, _own = map(_DefaultStream, ("Default", "Legacy default", "Per-thread default"))


def default_stream():
    """The stream of launches that name none."""
    return _default


def legacy_default_stream():
    """The stream of launches that name none, under the name that CUDA gives the one that waits for all others."""
    return _legacy


def per_thread_default_stream():
    """The stream of launches that name none, under the name that CUDA gives a thread's own."""
    return _own


class _ExternalStream(Stream):
    external = True

    def __repr__(self):
        return f"<External CUDA stream {int(self)}>"


def external_stream(ptr):
    """The stream of another library, by its address."""
    return _ExternalStream(_core._foreign_stream(int(ptr)))


class Event:
    """A moment in a stream."""

    def __init__(self, timing=True):
        self._native = _core.Event()

    def record(self, stream=0):
        native = getattr(stream, "_native", None)
        self._native.record(native) if native is not None else self._native.record()

    def synchronize(self):
        self._native.synchronize()

    def query(self):
        """Whether it is over."""
        done = self._native.is_done
        return done() if callable(done) else done

    def wait(self, stream=0):
        """Makes further work of the stream wait for this."""
        native = getattr(stream, "_native", None)
        native.wait(self._native) if native is not None else self.synchronize()

    def elapsed_time(self, end):
        """Milliseconds from this event to `end`."""
        return event_elapsed_time(self, end)


def event(timing=True):
    """A new Event. Times are measured in any case."""
    return Event(timing)


def event_elapsed_time(start, end):
    """Milliseconds between two recorded events."""
    end.synchronize()
    return end._native.milliseconds_since(start._native)


class Device:
    """A device under Numba's names; `with` makes it the thread's current one."""

    def __init__(self, native):
        self._native, self._scopes = native, []

    id = property(lambda self: self._native.index)

    @property
    def name(self):
        return self._native.name.encode()

    @property
    def compute_capability(self):
        """The compute capability; on a CPU that of the architecture whose kernels it runs."""
        return tuple(self._native.properties["compute_capability"])

    @property
    def uuid(self):
        return f"GPU-{self._native.properties.get('uuid') or uuid.UUID(int=self._native.index)}"

    supports_float16 = True

    def reset(self):
        _core.synchronize()

    def get_primary_context(self):
        return current_context()

    def __getattr__(self, name):
        properties = self._native.properties
        if name in properties:
            return properties[name]
        if name.isupper():  # Numba has another spelling of one of them
            attributes = cuda_attributes(self._native)
            if (known := name.replace("MULTI_PROCESSOR", "MULTIPROCESSOR")) in attributes:
                return attributes[known]
        return getattr(self._native, name)

    def __enter__(self):
        self._scopes.append(_core._device_scope(self._native))
        self._scopes[-1].__enter__()
        return self

    def __exit__(self, *raised):
        self._scopes.pop().__exit__(*raised)

    def __eq__(self, other):
        return isinstance(other, Device) and (self._native.kind, self.id) == (other._native.kind, other.id)

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA device {self.id} '{self.name}'>"


class _Gpus:
    """The devices that kernels can run on: all GPUs, or the CPU alone."""

    @property
    def lst(self):
        kind = _core.default_device().kind
        return [Device(native) for native in _core.devices() if native.kind == kind]

    def __len__(self):
        return len(self.lst)

    def __getitem__(self, index):
        return self.lst[index]

    def __iter__(self):
        return iter(self.lst)

    @property
    def current(self):
        return get_current_device()

    def __str__(self):
        return f"<Managed Device {self.current.id}>"


gpus = _Gpus()


def list_devices():
    """The devices that kernels can run on: all GPUs, or the CPU alone."""
    return gpus


def get_current_device():
    """The calling thread's current device."""
    return Device(_core.default_device())


_selected = threading.local()


def select_device(device_id):
    """Makes it the calling thread's current device."""
    found = gpus.lst
    if not 0 <= device_id < len(found):
        raise errors.ValueError(
            f"there is no device {device_id}: kernels run on {', '.join(str(d._native) for d in found)}"
        )
    if before := getattr(_selected, "device", None):
        before.__exit__()
    _selected.device = found[device_id].__enter__()
    return get_current_device()


class MemoryInfo(tuple):
    """(free, total) bytes."""

    free = property(lambda self: self[0])
    total = property(lambda self: self[1])


class _Deallocations(list):
    def clear(self):
        _core.synchronize()


class Context:
    """The one context there is; memory is the engine's own pool."""

    deallocations = _Deallocations()

    @property
    def device(self):
        return get_current_device()

    def get_memory_info(self):
        memory = _core.default_device().memory
        memory = memory() if callable(memory) else memory
        free, total = (memory["free"], memory["total"]) if isinstance(memory, dict) else memory
        return MemoryInfo((free, total))

    def synchronize(self):
        _core.synchronize()

    def reset(self):
        _core.synchronize()

    def can_access_peer(self, peer):
        """Whether kernels here may use the memory of the GPU of that number."""
        return self.device._native.can_reach(gpus[peer]._native)

    def push(self):
        """It is always the current one."""

    pop = push

    def create_stream(self):
        return stream()

    def create_external_stream(self, ptr):
        return external_stream(ptr)

    def get_default_stream(self):
        return _default

    def get_legacy_default_stream(self):
        return _legacy

    def get_per_thread_default_stream(self):
        return _own

    def create_event(self, timing=True):
        return Event(timing)

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return None


_context = Context()


def current_context(devnum=None):
    """The one context there is."""
    return _context


def require_context(function):
    """The function itself: a context is always there."""
    return function


@contextlib.contextmanager
def defer_cleanup():
    """Memory is given back when nothing uses it, here as elsewhere."""
    yield


@contextlib.contextmanager
def profiling():
    """A region for a profiler."""
    yield


def profile_start():
    """Nothing to start: a profiler sees all launches."""


profile_stop = profile_start


def close():
    """Nothing to close."""


def synchronize():
    """Waits for all launches."""
    _core.synchronize()


def is_available():
    """Whether kernels run on a GPU. They run in any case: on the CPU where there is none."""
    return _core.default_device().kind == "cuda"


def is_float16_supported():
    """Whether arithmetic of float16 is Numba's: no."""
    return False


is_supported_version = is_available


def detect():
    """Prints the device that kernels run on. Returns True."""
    device = get_current_device()
    print(f"Found 1 CUDA devices\nid {device.id}    {device.name}    [SUPPORTED]")
    print("\tCompute Capability: %d.%d" % device.compute_capability)
    print(f"Summary:\n\t1/1 devices are supported: kernels run on {_core.default_device()}")
    return True
