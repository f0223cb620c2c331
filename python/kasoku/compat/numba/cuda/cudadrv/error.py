"""numba.cuda.cudadrv.error: the driver's exceptions."""


class CudaDriverError(Exception):
    pass


class CudaSupportError(ImportError):
    pass


class CudaRuntimeError(Exception):
    pass


class NvvmError(Exception):
    pass


class NvvmSupportError(ImportError):
    pass
