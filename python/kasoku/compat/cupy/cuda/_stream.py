"""cupy.cuda.Stream and Event. Work on arrays is ordered with the thread's own stream; a stream that
is passed to a kernel or made current runs it there."""

import contextlib

import kasoku as ks
from kasoku import _core

from ... import says_what_is_missing
from ..._face.table import forwarding as _forwarding, methods as _methods
from ._device import CUDARuntimeError, Device, Scopes, current

_scopes = Scopes()
Scopes.capturing = None  # the stream of the calling thread that captures


def _capture_error(kind, text):
    numbers = {"Unsupported": 900, "Invalidated": 901, "Unmatched": 903, "Implicit": 906}
    return CUDARuntimeError(numbers[kind], f"cudaErrorStreamCapture{kind}: {text}")


@says_what_is_missing("cupy.cuda.Stream")
class _BaseStream:
    def __init__(self, stream, ptr, device):
        self.__kasoku_stream__, self.ptr, self.device_id = stream, ptr, device

    def synchronize(self):
        if self._capture:
            self._capture.is_valid = False
            raise _capture_error("Unsupported", "a stream that captures cannot be waited for")
        if self.__kasoku_stream__ is None:
            ks.synchronize(current())
        else:
            self.__kasoku_stream__.synchronize()

    @property
    def done(self):
        """Whether all work is done; nobody may ask while the stream captures."""
        if self._capture:
            self._capture.is_valid = False
            return False
        return self._get().is_done()

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

    _capture = _joined = None  # _joined: the stream whose capture this one waits for

    def begin_capture(self, mode=None):
        """Records the work that the thread gives to the device, without doing it, until end_capture() (kasoku.record)."""
        if self.__kasoku_stream__ is None:
            raise _capture_error("Unsupported", "the null stream cannot capture")
        if _scopes.capturing:
            raise _capture_error("Unmatched", "the thread captures already")
        capture = _Capture(current())
        self._capture, _scopes.capturing = capture, self

    def end_capture(self):
        """The Graph of what was taken down."""
        if not self._capture:
            if self._joined and self._joined is _scopes.capturing:
                self._joined._capture.is_valid = False
                raise _capture_error("Unmatched", "another stream began what this one captures")
            raise CUDARuntimeError(401, "cudaErrorIllegalState: the stream captures nothing")
        return self._end().graph()

    def _end(self):
        capture, self._capture, _scopes.capturing = self._capture, None, None
        return capture

    def wait_event(self, event):
        """Work that comes here later waits for the event."""
        self._joined = _scopes.capturing
        self._get().wait(event._event)

    def is_capturing(self):
        """Whether begin_capture() was called and end_capture() was not."""
        if self.__kasoku_stream__ is None and _scopes.capturing and not _scopes.capturing.is_non_blocking:
            raise _capture_error("Implicit", "a stream that waits for the null stream captures")
        return self._capture is not None

    def __enter__(self):
        _scopes.stack.append(self)
        return self.use()

    def __exit__(self, error=None, *_):
        """The stream around is current again, or the null stream: what use() said is forgotten, and what is captured by an error."""
        if error and self._capture:
            self._end().forget()
        _scopes.stack.pop()
        _scopes.used = _scopes.stack[-1] if _scopes.stack else None


_methods(_BaseStream, {
    "_get": lambda self: self.__kasoku_stream__ or _core._current_stream(current()),
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


class _Capture:
    """A recording under way."""

    def __init__(self, device):
        self.is_valid, self._replay = True, ks.record(device, run=False)
        self._replay.__enter__()

    def graph(self):
        if not self.is_valid:
            self.forget()
            raise _capture_error("Invalidated", "what was asked within cannot be captured")
        self._replay.__exit__(None, None, None)
        return Graph(self._replay)

    def forget(self):
        self._replay.__exit__(RuntimeError, None, None)


class Graph:
    """The work that a stream captured. launch() does it again, with the arrays and arguments of the capture."""

    def __init__(self, replay):
        self._replay = replay

    def launch(self, stream=None):
        """Does it in a stream, the current one by default."""
        with (stream or get_current_stream()).__kasoku_stream__ or contextlib.nullcontext():
            self._replay()

    def upload(self, stream=None):
        """Accepted: a graph is on the device when it is made."""


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
