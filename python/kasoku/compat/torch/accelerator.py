"""torch.accelerator: the GPU, if there is one."""

from .._face.table import plain as _plain
from . import _types, cuda

_plain(globals(), {
    "is_available": lambda: _types.cuda_is_available(),
    "current_accelerator": lambda check_available=False: _types.device("cuda") if cuda.is_available() else None,
    "device_count": lambda: cuda.device_count(),
    "current_device_index": lambda: cuda.current_device(),
    "set_device_index": lambda index: cuda.set_device(index),
    "synchronize": lambda device=None: cuda.synchronize(device),
}, current_device_idx="current_device_index", set_device_idx="set_device_index")  # fmt: skip
