"""Kernels written in Python, with Numba's names: `@cuda.jit`, `kernel[grid, block](...)`.

They run on the default device: an NVIDIA GPU, or the CPU's cores.
"""

import functools

import numpy as _np

from .. import _core
from .._jit import TypingError, _signature  # noqa: F401
from . import random  # noqa: F401
from ._arrays import (  # noqa: F401
    DeviceNDArray,
    as_cuda_array,
    device_array,
    device_array_like,
    is_cuda_array,
    managed_array,
    mapped_array,
    pinned,
    pinned_array,
    pinned_array_like,
    to_device,
)


class _Word:
    """A name that has a meaning inside a kernel only."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *args, **kwargs):
        raise TypingError(f"cuda.{self._name} belongs in a kernel\n  fix  decorate the function with @cuda.jit")

    def __repr__(self):
        return f"cuda.{self._name}"


class _Words:
    def __init__(self, prefix, names):
        for name in names.split():
            setattr(self, name, _Word(f"{prefix}.{name}"))


threadIdx = _Words("threadIdx", "x y z")
blockIdx = _Words("blockIdx", "x y z")
blockDim = _Words("blockDim", "x y z")
gridDim = _Words("gridDim", "x y z")
shared = _Words("shared", "array")
local = _Words("local", "array")
const = _Words("const", "array_like")
atomic = _Words(
    "atomic", "add sub max min nanmax nanmin and_ or_ xor inc dec exch cas compare_and_swap"
)
for _name in (
    "grid gridsize syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp threadfence "
    "shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync ballot_sync any_sync all_sync activemask "
    "popc clz ffs fma selp laneid warpsize"
).split():
    globals()[_name] = _Word(_name)


def _shape(given):
    return tuple(int(n) for n in given) if isinstance(given, (tuple, list)) else (int(given),)


class Kernel:
    """A compiled kernel: `kernel[grid, block](arguments)`, `kernel[grid, block, stream, shared_bytes]`."""

    def __init__(self, function, **options):
        self.__kasoku_jit__ = _core._jit_make(
            function, False, bool(options.get("fastmath")), False, False, True, True
        )
        self.py_func = function
        self._native = _core._JitKernel(self.__kasoku_jit__)
        functools.update_wrapper(self, function)

    def __getitem__(self, configuration):
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise _core_error("kernel[grid, block] takes two to four values")
        grid, block, stream, shared_bytes = (*configuration, None, 0)[:4] if len(configuration) < 4 else configuration
        return _Launch(self, _shape(grid), _shape(block), stream, shared_bytes)

    configure = __getitem__

    def forall(self, ntasks, tpb=0, stream=None, sharedmem=0):
        block = tpb or 128
        return self[max(1, -(-int(ntasks) // block)), block, stream, sharedmem]

    def __call__(self, *args):
        raise _core_error(
            f"{self.py_func.__name__} needs a launch shape\n  fix  write {self.py_func.__name__}[blocks, threads](...)"
        )

    def _check(self, args, grid, block, shared):
        if block is None:
            raise _core_error(
                f"check: {self.py_func.__name__} needs its launch shape\n  fix  check({self.py_func.__name__}[1, 64], x), or block=64, grid=1"
            )
        return self._native.check(_shape(1 if grid is None else grid), _shape(block), int(shared), args)

    def inspect_text(self):
        """{signature: kernel text}."""
        return dict(self._native.texts("text"))

    def inspect_llvm(self, signature=None):
        return dict(self._native.texts("llvm"))

    def inspect_asm(self, signature=None):
        """{signature: PTX, or assembly on a CPU}."""
        form = "ptx" if is_available() else "assembly"
        return dict(self._native.texts(form))


class _Launch:
    def __init__(self, kernel, grid, block, stream, shared_bytes):
        self.kernel, self.grid, self.block = kernel, grid, block
        self.stream, self.shared_bytes = stream, int(shared_bytes or 0)

    def _check(self, args, grid, block, shared):
        return self.kernel._check(args, grid or self.grid, block or self.block, shared or self.shared_bytes)

    def __call__(self, *args):
        if len(args) != self.kernel.py_func.__code__.co_argcount:
            raise TypeError(
                f"{self.kernel.py_func.__name__} takes {self.kernel.py_func.__code__.co_argcount} arguments, not {len(args)}"
            )
        if hasattr(self.stream, "__enter__"):
            with self.stream:
                return self.kernel._native.launch(self.grid, self.block, self.shared_bytes, args)
        self.kernel._native.launch(self.grid, self.block, self.shared_bytes, args)


def _core_error(text):
    from ..errors import ValueError

    return ValueError(text)


def jit(function_or_signature=None, device=False, **options):
    """Makes a kernel, or with device=True a function that kernels call."""

    def decorate(function):
        if device:
            made = _core._jit_make(function, False, bool(options.get("fastmath")), False, False, True, True)
            functools.update_wrapper(made, function)
            return made
        return Kernel(function, **options)

    if callable(function_or_signature) and hasattr(function_or_signature, "__code__"):
        return decorate(function_or_signature)
    text = function_or_signature
    if isinstance(text, str) and text.strip() and not text.strip().startswith(("void", "(", "none")):
        device = True  # a result type: Numba makes a device function of it
    return decorate


def is_available():
    """Whether kernels run on a GPU. They run in any case: on the CPU where there is none."""
    return _core.default_device().kind == "cuda"


def synchronize():
    """Waits for all launches."""
    _core.synchronize()


def detect():
    print(f"kasoku: kernels run on {_core.default_device()}")
    return True


def stream():
    """A stream for launches; on a CPU launches are done when they return."""
    make = getattr(_core, "Stream", None)
    return make() if make else None


def default_stream():
    return None


class _Event:
    def __init__(self, timing=True):
        self._time = None

    def record(self, stream=None):
        import time

        synchronize()
        self._time = time.perf_counter()

    def synchronize(self):
        synchronize()

    wait = query = synchronize


def event(timing=True):
    return _Event(timing)


def event_elapsed_time(first, second):
    """Milliseconds between two recorded events."""
    return (second._time - first._time) * 1e3


class _Gpus(list):
    @property
    def current(self):
        return _core.default_device()


gpus = _Gpus()


class _CurrentDevice:
    """The default device under Numba's names."""

    def __init__(self, device):
        self._device = device

    @property
    def compute_capability(self):
        """Of a CPU, that of the architecture whose kernels it runs."""
        version = tuple(self._device.properties["compute_capability"])
        return version if any(version) else (7, 5)

    def __getattr__(self, name):
        return getattr(self._device, name)


def get_current_device():
    return _CurrentDevice(_core.default_device())


def close():
    """Nothing to close."""


def select_device(index):
    return _core.default_device()


class _Reduce:
    """`cuda.reduce`: a reduction of a 1-d array by a function of two elements."""

    def __init__(self, function):
        from .._jit import jit as _jit

        self._function = _jit(function)

    def __call__(self, array, size=None, res=None, init=0, stream=0):
        values = array.copy_to_host() if hasattr(array, "copy_to_host") else _np.asarray(array)
        values = values[:size] if size is not None else values
        result = init
        for value in values:
            result = self._function(result, value.item())
        if res is not None:
            res[0] = result
            return None
        return result


reduce = Reduce = _Reduce
