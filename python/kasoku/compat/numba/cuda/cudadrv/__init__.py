"""numba.cuda.cudadrv: what programs import of the driver's layer."""

from . import devicearray, devices, driver, error  # noqa: F401
