"""cupy.cuda.memory_hooks: functions that are called when memory is taken and given back, of arrays and of what the engine
computes them with. While a thread has hooks, statements run at their place, so that they are called where memory is asked for."""

import functools
import json
import os
import sys
import threading
import traceback

import kasoku as ks
from kasoku import _core

_ours = os.path.dirname(ks.__file__) + os.sep


class _Registered(threading.local):
    """The calling thread's hooks by their names, and what the pool held before memory was taken."""

    def __init__(self):
        self.hooks, self.before = {}, 0


_registered = _Registered()
_lock, _counts = threading.Lock(), {"entered": 0}


def get_memory_hooks():
    return _registered.hooks


class MemoryHook:
    """What is called within `with hook:` before and after memory is taken from the pool (malloc_), the pool takes some from
    the device (alloc_), and memory is given back to the pool (free_). All get device_id= and mem_size=; malloc_ gets size=,
    and what comes after mem_ptr=, which is 0 if there was no memory, and pmem_id=."""

    name = "MemoryHook"

    def __enter__(self):
        if self.name in _registered.hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        _registered.hooks[self.name] = self
        self._at_once = ks.eager()
        self._at_once.__enter__()
        _count(1)
        return self

    def __exit__(self, *error):
        _count(-1)
        self._at_once.__exit__(*error)
        del _registered.hooks[self.name]

    malloc_preprocess = alloc_preprocess = free_preprocess = lambda self, **kwargs: None
    malloc_postprocess = alloc_postprocess = free_postprocess = lambda self, **kwargs: None


def _count(by):
    with _lock:
        _counts["entered"] += by
        _core._tell_of_memory(_told if _counts["entered"] else None)


def _call(method, device, **told):
    for hook in list(_registered.hooks.values()):
        getattr(hook, method)(device_id=device.index or 0, **told)


def _told(event, device, address, size):
    if not _registered.hooks:
        return
    held = device.memory["used"] + device.memory["cached"]
    if event == 0:
        _registered.before = held
        _call("malloc_preprocess", device, size=size, mem_size=size)
    elif event == 1:
        if (grown := held - _registered.before) > 0:
            _call("alloc_preprocess", device, mem_size=grown)
            _call("alloc_postprocess", device, mem_size=grown, mem_ptr=address)
        _call("malloc_postprocess", device, size=size, mem_size=size, mem_ptr=address, pmem_id=address)
    else:
        _call(
            ("free_preprocess", "free_postprocess")[event - 2], device, mem_size=size, mem_ptr=address, pmem_id=address
        )


class DebugPrintHook(MemoryHook):
    """Prints a line of JSON for what was taken and given back."""

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file, self.flush = file, flush

    def _print(self, *, hook, **told):
        if "pmem_id" in told:
            told["pmem_id"] = hex(told["pmem_id"])
        print(json.dumps({"hook": hook, **told}, separators=(",", ":")), file=self.file or sys.stdout, flush=self.flush)

    malloc_postprocess = functools.partialmethod(_print, hook="malloc")
    alloc_postprocess = functools.partialmethod(_print, hook="alloc")
    free_postprocess = functools.partialmethod(_print, hook="free")


class _Frame:
    """A line that was called, with the bytes that were taken below it."""

    def __init__(self, said="_root"):
        self.said, self.used, self.acquired, self.below = said, 0, 0, {}

    def lines(self, indent=""):
        yield f"{indent}{self.said} ({_sized(self.used)}, {_sized(self.acquired)})\n"
        for frame in self.below.values():
            yield from frame.lines(indent + "  ")


def _sized(n):
    power = max(0, min(6, (max(n, 1).bit_length() - 1) // 10))
    return f"{n / 1024**power:.2f}{'KMGTPE'[power - 1] if power else ''}B"


class LineProfileHook(MemoryHook):
    """How many bytes each line of a program took from the pool, and how many the pool took from the device for it. print_report()
    writes `file:line:function (used, acquired)` of each, below the line that called it. max_depth: how many levels there are,
    with the root; 0 for all."""

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self._max_depth, self._root = max_depth, _Frame()

    def _note(self, what, mem_size):
        frame, lines = self._root, [f for f in traceback.extract_stack() if not f.filename.startswith(_ours)]
        for line in [None, *lines][: self._max_depth or None]:
            said = line and f"{line.filename}:{line.lineno}:{line.name}"
            frame = frame.below.setdefault(said, _Frame(said)) if said else frame
            setattr(frame, what, getattr(frame, what) + mem_size)

    malloc_preprocess = lambda self, *, mem_size, **told: self._note("used", mem_size)
    alloc_preprocess = lambda self, *, mem_size, **told: self._note("acquired", mem_size)

    def print_report(self, file=None):
        (file or sys.stdout).writelines(self._root.lines())
