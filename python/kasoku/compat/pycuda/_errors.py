"""pycuda.driver's exceptions: kasoku's, under its names."""

import kasoku as ks

Error = ks.errors.Error
CompileError = ks.errors.CompileError
LogicError = ks.errors.ValueError
LaunchError = ks.errors.DeviceError
RuntimeError = ks.errors.DeviceError
MemoryError = ks.errors.MemoryError
