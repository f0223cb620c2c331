"""pycuda.gpuarray: NumPy-like arrays on the device, each operation at its place."""

from . import driver  # noqa: F401
from . import driver as drv  # noqa: F401
from . import _operators  # noqa: F401 - GPUArray's
from ._array import GPUArray  # noqa: F401
from ._choose import (  # noqa: F401
    concatenate, if_positive, logical_and, logical_not, logical_or, maximum, minimum, multi_put, multi_take,
    multi_take_put, reshape, stack, take, transpose, where,
)  # fmt: skip
from .._layout import ArrayFlags  # noqa: F401
from ._make import (  # noqa: F401
    arange, empty, empty_like, ones, ones_like, to_gpu, to_gpu_async, zeros, zeros_like,
)  # fmt: skip
from ._reduce import functions as _reductions
from ._vec import vec  # noqa: F401

globals().update(_reductions)
