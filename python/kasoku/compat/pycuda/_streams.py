"""Streams and events of pycuda.driver."""

import kasoku as ks
from kasoku import _core

from .. import says_what_is_missing
from ._context import _device


@says_what_is_missing("pycuda.driver.Stream")
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


@says_what_is_missing("pycuda.driver.Event")
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
