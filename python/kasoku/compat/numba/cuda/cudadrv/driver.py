"""numba.cuda.cudadrv.driver: streams, events and errors."""

from .....cuda._driver import Context, Device, Event, MemoryInfo, Stream  # noqa: F401
from .....errors import DeviceError
from .error import CudaDriverError, CudaSupportError  # noqa: F401

CudaAPIError = LinkerError = DeviceError
