"""numba.cuda.cudadrv.devices: the one context and its device."""

from .....cuda._driver import close, current_context, gpus, require_context  # noqa: F401

get_context = current_context
reset = close
