"""torch.accelerator: the GPU, if there is one."""

from . import _types, cuda


def is_available():
    return _types.cuda_is_available()


def current_accelerator(check_available=False):
    return _types.device("cuda") if is_available() else None


def device_count():
    return cuda.device_count() if is_available() else 0


def current_device_index():
    return cuda.current_device()


current_device_idx = current_device_index


def set_device_index(index):
    cuda.set_device(index)


set_device_idx = set_device_index


def synchronize(device=None):
    cuda.synchronize(device)
