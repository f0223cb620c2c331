"""cupy.cuda.Stream and Event. Work on arrays is ordered with the thread's own stream; a stream that
is passed to a kernel or made current runs it there."""

import kasoku as ks
from kasoku import _core

from ... import says_what_is_missing
from ..._face.table import forwarding as _forwarding, methods as _methods
from ._device import Device, Scopes, current

_scopes = Scopes()


@says_what_is_missing("cupy.cuda.Stream")
class _BaseStream:
    def __init__(self, stream, ptr, device):
        self.__kasoku_stream__, self.ptr, self.device_id = stream, ptr, device

    def synchronize(self):
        if self.__kasoku_stream__ is None:
            ks.synchronize(current())
        else:
            self.__kasoku_stream__.synchronize()

    done = property(lambda self: self._get().is_done())
    is_non_blocking = property(lambda self: getattr(self, "non_blocking", False))
    priority = 0

    def use(self):
        _scopes.used = self
        return self

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def add_callback(self, callback, arg):
        self.synchronize()
        callback(self, 0, arg)

    def launch_host_func(self, callback, arg):
        self.synchronize()
        callback(arg)

    def begin_capture(self, mode=None):
        raise ks.errors.UnsupportedError("cupy.cuda.Stream.begin_capture: use kasoku.record()")

    def __enter__(self):
        _scopes.stack.append(self)
        return self.use()

    def __exit__(self, *_):
        """The stream around is current again, or the null stream: what use() said is forgotten."""
        _scopes.stack.pop()
        _scopes.used = _scopes.stack[-1] if _scopes.stack else None


_methods(_BaseStream, {
    "_get": lambda self: self.__kasoku_stream__ or _core._current_stream(current()),
    "wait_event": lambda self, event: self._get().wait(event._event),
    "__eq__": lambda self, other: isinstance(other, _BaseStream) and self.ptr == other.ptr,
    "__hash__": lambda self: hash(self.ptr),
    "__repr__": lambda self: f"<{type(self).__name__} {self.ptr} (device {self.device_id})>",
})  # fmt: skip


class Stream(_BaseStream):
    """Work in order; on a CPU it is done when the call returns."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if null and ptds:
            raise ValueError("null and ptds are mutually exclusive.")
        self.null_, self.non_blocking = null, non_blocking
        if null or ptds:
            super().__init__(None, 2 if ptds else 0, -1)
            return
        stream = ks.Stream(current())
        super().__init__(stream, stream.handle or id(stream), Device().id)


class ExternalStream(_BaseStream):
    """A stream that somebody else made."""

    def __init__(self, ptr, device_id=-1):
        from . import runtime

        if ptr and ptr not in runtime._streams:
            raise ks.errors.UnsupportedError("cupy.cuda.ExternalStream: streams of others cannot be adopted")
        super().__init__(runtime._streams.get(ptr), ptr, device_id)


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


def get_current_stream(device_id=None):
    return _scopes.used or Stream.null


@says_what_is_missing("cupy.cuda.Event")
class Event:
    """A mark in a stream."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._event, self._has_time = ks.Event(current()), not disable_timing
        self.ptr = id(self._event)

    done, synchronize = property(_forwarding("_event.is_done")), _forwarding("_event.synchronize")

    def record(self, stream=None):
        self._event.record((stream or get_current_stream())._get())


def get_elapsed_time(start, end):
    """Milliseconds between two events."""
    for event in (start, end):
        if not event._has_time:
            raise ValueError("an event with disable_timing=True has no time")
    return end._event.milliseconds_since(start._event)


def synchronize():
    ks.synchronize(current())
