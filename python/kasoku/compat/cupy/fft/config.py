"""cupy.fft.config: what programs set of cuFFT's plans. It is remembered; the engine plans its transforms itself."""

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

    def get_size(self):
        return self._size

    def set_size(self, size):
        self._size = int(size)

    def get_memsize(self):
        return self._memsize

    def set_memsize(self, memsize):
        self._memsize = int(memsize)

    def get_curr_size(self):
        return 0

    get_curr_memsize = get_curr_size

    def clear(self):
        """Nothing is kept that could be cleared."""

    def show_info(self):
        show_plan_cache_info()


_cache = PlanCache()


def get_plan_cache():
    return _cache


def set_plan_cache_size(size):
    _cache.set_size(size)


def get_plan_cache_size():
    return _cache.get_size()


def set_plan_cache_max_memsize(size):
    _cache.set_memsize(size)


def get_plan_cache_max_memsize():
    return _cache.get_memsize()


def clear_plan_cache():
    """Nothing is kept that could be cleared: plans are the engine's."""


def show_plan_cache_info():
    """Says so."""
    print("kasoku plans transforms itself and keeps no plans of cuFFT's")
