"""Streams and events of pycuda.driver."""

import kasoku as ks
from kasoku import _core

from .. import says_what_is_missing as _says_what_is_missing
from .._face.table import forwarding as _forwarding, methods as _methods
from ._context import _device


@_says_what_is_missing("pycuda.driver.Stream")
class Stream:
    """Work in order; on a CPU it is done when the call returns."""

    def __init__(self, flags=0):
        self.__kasoku_stream__ = ks.Stream(_device())

    synchronize, is_done = _forwarding("__kasoku_stream__.synchronize"), _forwarding("__kasoku_stream__.is_done")
    handle = property(lambda self: self.__kasoku_stream__.handle)

    def wait_for_event(self, event):
        self.__kasoku_stream__.wait(event._event)


@_says_what_is_missing("pycuda.driver.Event")
class Event:
    """A mark in a stream; time_since() is in milliseconds."""

    def __init__(self, flags=0):
        self._event = ks.Event(_device())

    query = _forwarding("_event.is_done")

    def record(self, stream=None):
        self._event.record(_stream(stream) or _core._current_stream(_device()))
        return self

    def synchronize(self):
        self._event.synchronize()
        return self


_methods(Event, {
    "time_since": lambda self, earlier: self._event.milliseconds_since(earlier._event),
    "time_till": lambda self, later: later.time_since(self),
})  # fmt: skip


def _stream(stream):
    if stream is None or (isinstance(stream, int) and stream == 0):
        return None
    return getattr(stream, "__kasoku_stream__", stream)
