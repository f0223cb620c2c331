"""torch.cuda: what there is, waiting for it, streams and events."""

import contextlib

import kasoku as ks
from kasoku import _core

from .._face.table import methods as _methods, plain as _plain
from . import _types
from .random import manual_seed  # noqa: F401

manual_seed_all = manual_seed


def _device(d=None):
    if isinstance(d, int):
        d = f"cuda:{d}"
    return _types.engine_device(d if d is not None else "cuda")


_memory = lambda device: _device(device).memory if is_available() else {"used": 0, "cached": 0}


def _limit(device, fraction):
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0 to 1")
    device.limit_memory(int(fraction * device.memory["total"]) if fraction < 1 else 0)


OutOfMemoryError = ks.errors.MemoryError
_functions = _plain(globals(), {
    "is_available": lambda: _types.cuda_is_available(),
    "is_initialized": lambda: is_available(),
    "device_count": lambda: sum(d.kind == "cuda" for d in ks.devices()) if is_available() else 0,
    "get_device_name": lambda device=None: _device(device).properties["name"],
    "get_device_capability": lambda device=None: tuple(_device(device).properties["compute_capability"]),
    "get_device_properties": lambda device=None: _Properties(_device(device).properties),
    "can_device_access_peer": lambda device, peer_device: _device(device).can_reach(_device(peer_device)),
    "memory_allocated": lambda device=None: _memory(device)["used"],
    "memory_reserved": lambda device=None: _memory(device)["used"] + _memory(device)["cached"],
    "mem_get_info": lambda device=None: (lambda m: (m["free"], m["total"]))(_device(device).memory),
    "set_per_process_memory_fraction": (lambda fraction, device=None: _limit(_device(device), fraction),
        "Lets tensors have that share of a GPU's memory; more is an OutOfMemoryError."),
    "init": (lambda: None, "Nothing is left to do."),
    "current_device": (lambda: _device().index, "The GPU that \"cuda\" means in this thread."),
    "set_device": (lambda d: setattr(_types.current, "index", _device(d).index),
        "Makes it the one that \"cuda\" means in this thread."),
    "synchronize": (lambda device=None: _device(device).synchronize() if is_available() else None,
        "Waits for the GPU; without one there is nothing to wait for."),
    "empty_cache": lambda: _device().trim() if is_available() else None,
    "is_bf16_supported": lambda including_emulation=True: is_available(),
    "ipc_collect": (lambda: None, "No other process has this one's memory."),
    "reset_peak_memory_stats": (lambda device=None: None, "max_memory_allocated() is what is used now."),
    "stream": lambda s: s if s is not None else contextlib.nullcontext(),
    "current_stream": lambda device=None: Stream(device),
}, max_memory_allocated="memory_allocated", max_memory_reserved="memory_reserved", default_stream="current_stream")  # fmt: skip
is_available, synchronize = _functions.is_available, _functions.synchronize


class _Properties:
    def __init__(self, properties):
        self.name, (self.major, self.minor) = properties["name"], properties["compute_capability"]
        self.total_memory, self.multi_processor_count = properties["total_memory"], properties["multiprocessors"]

    def __repr__(self):
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB, multi_processor_count={self.multi_processor_count})"
        )


def _current_stream():
    return _core._current_stream(_device() if is_available() else ks.Device("cpu"))


class Event:
    """A mark in the order of the thread's work."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._event, self._is_timed = None, enable_timing

    def record(self, stream=None):
        self._event = _current_stream().record()

    def wait(self, stream=None):
        """Makes the thread's further work on a GPU wait for the event."""
        if self._event:
            _current_stream().wait(self._event)

    def elapsed_time(self, end):
        """Milliseconds up to another event."""
        if not (self._is_timed and end._is_timed):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._event is None or end._event is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        try:
            return end._event.milliseconds_since(self._event)
        except ValueError as error:  # not done yet
            raise RuntimeError(str(error)) from None


_methods(Event, {
    "synchronize": lambda self: self._event and self._event.synchronize(),
    "query": lambda self: self._event is None or self._event.is_done(),
})  # fmt: skip


class Stream(contextlib.AbstractContextManager):
    """Work is ordered with the thread's own stream."""

    def __init__(self, device=None, priority=0):
        self.device = device

    __exit__ = staticmethod(lambda *_: None)
    synchronize, query = staticmethod(lambda: synchronize()), staticmethod(lambda: True)
    wait_stream = wait_event = staticmethod(lambda other: None)  # nothing to wait for: one order

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event


class device(contextlib.ContextDecorator):
    """`with torch.cuda.device(0):`"""

    def __init__(self, d):
        is_none = d is None or isinstance(d, int) and d < 0 or not is_available()
        self.idx = -1 if is_none else _device(d).index  # -1: it changes nothing
        self._before = []

    def __enter__(self):
        self._before.append(_types.current.index)
        if self.idx >= 0:
            _types.current.index = self.idx
        return self

    def __exit__(self, *_):
        _types.current.index = self._before.pop()
        return False
