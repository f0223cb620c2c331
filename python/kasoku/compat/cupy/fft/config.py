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


def clear_plan_cache():
    """Nothing is kept that could be cleared: plans are the engine's."""


def show_plan_cache_info():
    """Says so."""
    print("kasoku plans transforms itself and keeps no plans of cuFFT's")
