"""numba.cuda.cudadrv.error: the driver's exceptions."""

CudaDriverError, CudaRuntimeError, NvvmError = (
    type(name, (Exception,), {}) for name in ("CudaDriverError", "CudaRuntimeError", "NvvmError")
)
CudaSupportError, NvvmSupportError = (
    type(name, (ImportError,), {}) for name in ("CudaSupportError", "NvvmSupportError")
)
