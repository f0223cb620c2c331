"""cupy.fft.config: what programs set of cuFFT's plans. It is remembered; the engine plans its transforms itself."""

import collections as _collections
import threading as _threading

from ..._face.table import methods as _methods, plain as _plain
from ..cuda import get_device_id as _get_device_id

enable_nd_planning = True
use_multi_gpus = False
_devices = None


def set_cufft_gpus(gpus):
    """Refused of more than one GPU: a transform is computed by one device."""
    global _devices
    gpus = list(range(gpus)) if isinstance(gpus, int) else list(gpus)
    if len(gpus) > 1:
        raise NotImplementedError(f"a transform is computed by one device in kasoku, not by {len(gpus)}")
    _devices = gpus


class PlanCache:
    """Plans by keys, of which the least recently used goes where there are more than `size`, or where they take more than
    `memsize` bytes; -1 is no limit, and 0 keeps none. A program's own: the engine plans its transforms itself, and puts none here."""

    def __init__(self, size=16, memsize=-1, dev=-1):
        self._size, self._memsize, self._device = size, memsize, _get_device_id() if dev < 0 else dev
        self._plans, self._hits, self._misses = _collections.OrderedDict(), 0, 0

    def __getitem__(self, key):
        if key not in self._plans:
            self._misses += 1
            raise KeyError("plan not found for key: " + str(key))
        self._hits += 1
        self._plans.move_to_end(key)
        return self._plans[key]

    def __setitem__(self, key, plan):
        self._plans[key] = plan
        self._plans.move_to_end(key)
        self._limit()

    def _limit(self, **limits):
        vars(self).update(limits)
        while self._plans and (len(self._plans) > self._size >= 0 or not self._memsize):
            self._plans.popitem(last=False)

    def __repr__(self):
        size, memsize = ("(unlimited)" if n < 0 else n for n in (self._size, self._memsize))
        lines = [
            f"{f' cuFFT plan cache (device {self._device}) ':-^68}", f"cache enabled? {bool(self._size and self._memsize)}",
            f"current / max size   : {len(self._plans)} / {size} (counts)", f"current / max memsize: 0 / {memsize} (bytes)",
            f"hits / misses: {self._hits} / {self._misses} (counts)", "", "cached plans (most recently used first):",
            *(f"key: {key}, plan type: {type(plan).__name__}" for key, plan in reversed(self._plans.items())),
        ]  # fmt: skip
        return "\n".join(lines) + "\n"


_methods(PlanCache, {
    "get": lambda self, key, default=None: self[key] if key in self._plans else default,
    "get_size": lambda self: self._size,
    "set_size": lambda self, size: self._limit(_size=int(size)),
    "get_memsize": lambda self: self._memsize,
    "set_memsize": lambda self, memsize: self._limit(_memsize=int(memsize)),
    "get_curr_size": lambda self: len(self._plans),
    "get_curr_memsize": (lambda self: 0, "0: what a plan needs the engine has."),
    "clear": lambda self: self.__init__(self._size, self._memsize, self._device),
    "show_info": lambda self: print(self),
})  # fmt: skip
_of_thread = _threading.local()


def get_plan_cache():
    """The calling thread's for the current device."""
    caches, device = vars(_of_thread), _get_device_id()
    if device not in caches:
        caches[device] = PlanCache()
    return caches[device]


_plain(globals(), {
    "set_plan_cache_size": lambda size: get_plan_cache().set_size(size),
    "get_plan_cache_size": lambda: get_plan_cache().get_size(),
    "set_plan_cache_max_memsize": lambda size: get_plan_cache().set_memsize(size),
    "get_plan_cache_max_memsize": lambda: get_plan_cache().get_memsize(),
    "clear_plan_cache": lambda: get_plan_cache().clear(),
    "show_plan_cache_info": lambda: get_plan_cache().show_info(),
})  # fmt: skip
