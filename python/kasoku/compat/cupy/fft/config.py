"""cupy.fft.config: what programs set of cuFFT's plans. It is remembered; the engine plans its transforms itself."""

from ..._face.table import methods as _methods, plain as _plain

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
    """What programs set of the plans that CuPy keeps. The engine keeps none of cuFFT's, so none is counted."""

    def __init__(self, size=16, memsize=-1, dev=-1):
        self._size, self._memsize = size, memsize


_methods(PlanCache, {
    "get_size": lambda self: self._size,
    "set_size": lambda self, size: setattr(self, "_size", int(size)),
    "get_memsize": lambda self: self._memsize,
    "set_memsize": lambda self, memsize: setattr(self, "_memsize", int(memsize)),
    "get_curr_size": lambda self: 0,
    "get_curr_memsize": lambda self: 0,
    "clear": (lambda self: None, "Nothing is kept that could be cleared."),
    "show_info": lambda self: print("kasoku plans transforms itself and keeps no plans of cuFFT's"),
})  # fmt: skip
_cache = PlanCache()
_plain(globals(), {
    "get_plan_cache": lambda: _cache,
    "set_plan_cache_size": lambda size: _cache.set_size(size),
    "get_plan_cache_size": lambda: _cache.get_size(),
    "set_plan_cache_max_memsize": lambda size: _cache.set_memsize(size),
    "get_plan_cache_max_memsize": lambda: _cache.get_memsize(),
    "clear_plan_cache": (lambda: None, "Nothing is kept that could be cleared: plans are the engine's."),
    "show_plan_cache_info": (lambda: _cache.show_info(), "Says so."),
})  # fmt: skip
