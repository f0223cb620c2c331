"""CuPy's modules of CUDA's libraries: what programs ask of them. Where there is no such library here, nothing of it is done."""

import kasoku as ks
from kasoku import _core

from ... import tests_of
from ..._face.table import modules, names_of
from . import _device, _stream, memory, memory_hooks


def _library_error(module, name):
    """The error of a library of CUDA's, which programs name to catch it."""
    return {name: type(name, (_device.CUDARuntimeError,), {"__module__": f"{__package__}.{module}"})}


class JitifyException(Exception):
    pass


def _compile_module_with_cache(source, options=(), arch=None, cache_dir=None, extra_source=None, **ignored):
    """A module of kernel text."""
    from .._kernels import RawModule

    text = source if extra_source is None else extra_source + "\n" + source
    return RawModule(code=text, options=tuple(options))


modules(__package__, {
    "compiler": ("the error of text that does not compile.", {
        **tests_of(f"{__package__}.compiler", "cupy.internal"),
        "CompileException": ks.errors.CompileError, "JitifyException": JitifyException,
        "get_cache_dir": (lambda: str(_core._cache.folder()), "The folder where compiled code is kept."),
        "is_valid_kernel_name": lambda name: isinstance(name, str) and name.isidentifier(),
        "_compile_module_with_cache": _compile_module_with_cache, "compile_with_cache": _compile_module_with_cache}),
    "cub": ("not there; reductions and scans are the engine's.", {"available": False}),
    "curand": ("the numbers by which programs name cuRAND's generators. All are the engine's one generator.", _library_error("curand", "CURANDError") | {
        f"CURAND_RNG_PSEUDO_{name}": number for name, number in {
            "DEFAULT": 100, "XORWOW": 101, "MRG32K3A": 121, "MTGP32": 141, "MT19937": 142, "PHILOX4_32_10": 161}.items()}),
    "cusolver": ("the error that programs catch; matrices are the engine's.", _library_error("cusolver", "CUSOLVERError")),
    "cudnn": ("not there; there are no neural networks here.", {"available": False}),
    "memory_hook": ("functions that are called when memory is taken.", names_of(memory_hooks, "MemoryHook")),
    "nccl": ("not there: kasoku.distributed has its own processes.", {"available": False}),
    "cutensor": ("not there; products are the engine's.", {"available": False}),
    "device": ("devices.", names_of(_device, "Device get_compute_capability get_cublas_handle get_device_id")),
    "driver": ("the error, and the version.", {
        "CUDADriverError": ks.errors.DeviceError, "get_build_version": lambda: 13000, "_is_cuda_python": lambda: False}),
    "nvrtc": ("the version of the CUDA language that texts may use.", {
        **_library_error("nvrtc", "NVRTCError"), "getVersion": lambda: (13, 0),
        "getSupportedArchs": lambda: (75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121)}),
    "nvtx": ("accepted, nothing is marked.", {
        "available": True, "RangePop": lambda: None,
        **{name: lambda message, color=-1: None for name in ("Mark", "RangePush", "MarkC", "RangePushC")}}),
    "pinned_memory": ("memory of the host that the device copies directly.", names_of(memory, """
        PinnedMemory PooledPinnedMemory PinnedMemoryPointer PinnedMemoryPool alloc_pinned_memory set_pinned_memory_allocator""")),
    "profiler": ("accepted, no profiler is started.", {
        "start": lambda: None, "stop": lambda: None, "initialize": lambda config_file, output_file, output_mode: None}),
    "stream": ("streams and events.",
        names_of(_stream, "Event ExternalStream Stream get_current_stream get_elapsed_time") | {
            "get_default_stream_ptr": (lambda: 1,
                "The number that interfaces give the default stream: 1, CUDA's name for the one that all threads share.")}),
})  # fmt: skip
