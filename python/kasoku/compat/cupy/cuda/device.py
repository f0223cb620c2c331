"""cupy.cuda.device."""

from ._device import Device, get_compute_capability, get_cublas_handle, get_device_id  # noqa: F401
