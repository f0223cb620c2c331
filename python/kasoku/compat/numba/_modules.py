"""Numba's inner modules, as far as programs import from them."""

import ctypes
import importlib
import inspect
import os
import sys
import warnings

import numpy as np

from ... import _core, _jit, _overloads, cuda, errors
from ...cuda import _arrays, _driver, _kernel, random
from .. import tests_of
from .._face.table import bound, modules, names_of
from . import _jitclass, cfunc, from_dtype, jit, njit, stencil, structref, types
from .guvectorize import GUFunc


class _Config:
    """The settings that programs read."""

    NUMBA_DEFAULT_NUM_THREADS = 0
    THREADING_LAYER = "default"
    DISABLE_JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    ENABLE_CUDASIM = CUDA_LOW_OCCUPANCY_WARNINGS = CUDA_WARN_ON_IMPLICIT_COPY = 0
    CUDA_USE_NVIDIA_BINDING = CUDA_DEBUGINFO_DEFAULT = CUDA_ENABLE_PYNVJITLINK = 0
    CUDA_ARRAY_INTERFACE_SYNC = 1
    OPT = 3
    IS_WIN32 = IS_OSX = IS_32BITS = False
    DEBUG = DEBUG_JIT = DUMP_BYTECODE = DUMP_IR = DUMP_ASSEMBLY = DUMP_OPTIMIZED = LLVM_PASS_TIMINGS = 0
    CAPTURED_ERRORS, CACHE_DIR = "default", ""
    BOUNDSCHECK = None

    NUMBA_NUM_THREADS = property(lambda self: _core._worker_count())


config = _Config()
types.StructRef = structref.StructRef


def _classes(module, base, names, **more):
    place = {"__module__": f"{__package__}.{module}"}
    return {name: type(name, (base, *more.get(name, ())), dict(place)) for name in names.split()}


_typing_errors = """
    TypingError NumbaError UnsupportedError LoweringError UnsupportedBytecodeError ForbiddenConstruct NumbaTypeError
    NumbaValueError NumbaIndexError NumbaNotImplementedError NumbaAssertionError RequireLiteralValue InternalError
    ConstantInferenceError CompilerError UnsupportedParforsError
""".split()
_warnings = _classes("core.errors", Warning, "NumbaWarning")
_warnings |= _classes("core.errors", _warnings["NumbaWarning"], """
    NumbaPerformanceWarning NumbaDeprecationWarning NumbaPendingDeprecationWarning NumbaParallelSafetyWarning
    NumbaTypeSafetyWarning NumbaExperimentalFeatureWarning NumbaInvalidConfigWarning NumbaDebugInfoWarning
    NumbaIRAssumptionWarning
""", NumbaDeprecationWarning=(DeprecationWarning,), NumbaPendingDeprecationWarning=(PendingDeprecationWarning,))  # fmt: skip
_driver_errors = _classes("cuda.cudadrv.error", Exception, "CudaDriverError CudaRuntimeError NvvmError")
_driver_errors |= _classes("cuda.cudadrv.error", ImportError, "CudaSupportError NvvmSupportError")


def _auto_device(obj, stream=0, copy=True, user_explicit=False):
    """(a device array, whether it is a new one)."""
    if _arrays.is_cuda_array(obj):
        return obj, False
    return (_arrays.to_device(obj, stream=stream) if copy else _arrays.device_array_like(obj)), True


def _must_be_on_device(obj):
    """An error unless it lies on a device."""
    if not _arrays.is_cuda_array(obj):
        raise TypeError("require an cuda_ndarray object")


def _refused(*args, name, why, place="extending", **options):
    raise errors.UnsupportedError(f"numba.{place}.{name} is not there\n  why  {why}")


_lowered = "it writes LLVM's instructions by llvmlite, and compiled functions here are kernel text"
_boxed = "it describes a type of the program's own to Numba's compiler, and compiled code here has a fixed set of types"
_refusals = dict.fromkeys(
    "intrinsic lower_builtin lower_cast lower_getattr lower_setattr lower_getattr_generic".split(), _lowered
)
_refusals |= dict.fromkeys(
    "typeof_impl type_callable register_model make_attribute_wrapper box unbox infer infer_global infer_getattr".split(), _boxed)  # fmt: skip


def _cython_function_address(module, name):
    """The address of a function that a Cython module exports to C."""
    capsule = importlib.import_module(module).__pyx_capi__[name]
    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return address_of(capsule, name_of(capsule))


def _overload(of, jit_options=None, strict=True, inline="never", prefer_literal=False, target="", **options):
    """Compiled calls of `of` are those of the function that the decorated one gives for their arguments' types; with the target
    "cuda" calls in kernels alone, with "cpu" those elsewhere."""
    return lambda function: _overloads.add(of, function, target=target) or function


def _of_type(sign, said):
    def overload(owner, name, target="", **options):
        return lambda function: _overloads.add(sign + name, function, owner, target) or function

    overload.__doc__ = f"{said} compiled code is a call of the function that the decorated one gives for its type."
    return overload


class _CC:
    """A module that is compiled ahead of time: its functions are there, and compile() is refused."""

    def __init__(self, extension_name, source_module=None):
        self.name, self.source_module = extension_name, source_module
        self.verbose, self.output_dir, self.output_file, self.target_cpu = False, "", extension_name, None

    def export(self, exported_name, signature):
        """A decorator that gives the function itself."""
        return lambda function: function

    def compile(self):
        """An error: compiled functions are kept on disk without it."""
        raise errors.UnsupportedError(
            "numba.pycc.CC.compile is not there\n  why  it writes an extension module; what jit compiles is kept on disk"
        )


def _no_driver(*args, **options):
    raise _driver_errors["CudaSupportError"]("no NVIDIA driver is used here")


modules(__package__, {
    "core": ("what programs import from there.", {"types": types, "config": config}),
    "core.types": types,
    "core.config": ("the settings that programs read.", {
        "config": config, "__getattr__": lambda name: getattr(config, name)}),
    "core.errors": ("Numba's exceptions, as far as programs catch them.",
        dict.fromkeys(_typing_errors, _jit.TypingError) | _warnings),
    "core.dispatcher": ("the class of compiled functions.", {"Dispatcher": _core.JitFunction}),
    "core.decorators": ("the decorators.", {
        "cfunc": cfunc, "jit": jit, "njit": njit, "stencil": stencil}),
    "core.registry": ("the class of compiled functions.", {"CPUDispatcher": _core.JitFunction}),
    "core.utils": ("versions.", {"PYVERSION": sys.version_info[:2], "pysignature": inspect.signature}),
    "cuda": ("kernels in Python on whichever device there is.",
        names_of(cuda) | {"__getattr__": lambda name: getattr(cuda, name)}),
    "cuda.args": ("how arrays go to kernels.", names_of(cuda, "In Out InOut") | {
        "wrap_arg": (lambda value, default=cuda.InOut: value if hasattr(value, "_copies") else default(value),
            "The argument, told how it travels unless it says so itself.")}),
    "cuda.kernels": ("reductions.", {}),
    "cuda.kernels.reduction": ("reductions of arrays.", {"Reduce": cuda.Reduce}),
    "cuda.types": types,
    "cuda.random": ("xoroshiro128+ states and draws.", names_of(random)),
    "cuda.cudadrv": ("what programs import of the driver's layer.", {}),
    "cuda.cudadrv.devicearray": ("the class of device arrays.",
        names_of(_arrays, "DeviceNDArray MappedNDArray device_array_like is_cuda_array to_device") | {
            "DeviceNDArrayBase": _arrays.DeviceNDArray, "from_array_like": _arrays.device_array_like,
            "is_cuda_ndarray": _arrays.is_cuda_array, "auto_device": _auto_device,
            "verify_cuda_ndarray_interface": _must_be_on_device}),
    "cuda.cudadrv.devices": ("the one context and its device.",
        names_of(_driver, "close current_context gpus require_context") | {
            "get_context": _driver.current_context, "reset": _driver.close}),
    "cuda.cudadrv.driver": ("streams, events and errors.",
        names_of(_driver, "Context Device Event MemoryInfo Stream") | _driver_errors | {
            "_raise_driver_not_found": (_no_driver, "The error of a machine without a driver."), "USE_NV_BINDING": False, "DeviceError": errors.DeviceError, "CudaAPIError": errors.DeviceError, "LinkerError": errors.DeviceError}),
    "cuda.cudadrv.runtime": ("the version of CUDA.", {}),
    "cuda.cudadrv.error": ("the driver's exceptions.", _driver_errors),
    "cuda.testing": ("what tests of kernels are written with (kasoku_testing).",
        tests_of(f"{__package__}.cuda.testing", "numba.cuda")),
    "experimental": ("jitclass.", {"jitclass": _jitclass.jitclass}),
    "experimental.structref": structref,
    "extending": ("what programs use of it. Plain Python functions are compiled along as they are.", {
        "register_jitable": (lambda function=None, **options: function if function is not None else lambda f: f,
            "The function itself: compiled code calls Python functions."),
        "overload": (_overload, _overload.__doc__),
        "get_cython_function_address": (_cython_function_address, _cython_function_address.__doc__),
        "overload_method": _of_type(".", "A method of objects of a type in"),
        "overload_attribute": _of_type("=", "An attribute of objects of a type in"),
        **{name: bound(_refused, name=name, why=why) for name, why in _refusals.items()},
        "is_jitted": (lambda function: isinstance(function, _core.JitFunction), "Whether it was compiled by jit.")}),
    "np": ("types and dtypes.", {}),
    "np.linalg": ("what calls LAPACK by Numba's own functions: an error where it is called.", {
        name: bound(_refused, name=name, place="np.linalg", why="numpy.linalg in compiled functions calls LAPACK here")
        for name in ("_LAPACK", "_BLAS")}),
    "np.ufunc": ("the classes of vectorized functions.", {}),
    "np.ufunc.gufunc": ("the class of generalized ones.", {"GUFunc": GUFunc}),
    "np.numpy_support": ("types from dtypes, and back.", {
        "from_dtype": from_dtype, "numpy_version": tuple(map(int, np.__version__.split(".")[:2])),
        "as_dtype": (lambda item: np.dtype(item.__kasoku_dtype__), "The NumPy dtype of a number type.")}),
    "parfors": ("whether loops run side by side.", {}),
    "parfors.parfor": ("whether loops run side by side.", {
        "ensure_parallel_support": (lambda: None, "Nothing: they do everywhere.")}),
    "pycc": ("modules that are compiled ahead of time.", {"CC": _CC}),
    "testing": ("a test case that compares values with their types, and small helpers of tests (kasoku_testing).",
        tests_of(f"{__package__}.testing", "numba.testing")),
    "tests": ("the helpers that other projects' tests import.", {}),
})  # fmt: skip
sys.modules[f"{__package__}.experimental.jitclass"] = _jitclass  # the class's name stands in front of its module


class _Runtime:
    """numba.cuda.runtime: which CUDA kernels are written for."""

    get_version = staticmethod(lambda: (13, 0))
    supported_versions = ((12, 0), (13, 0))
    is_supported_version = staticmethod(lambda: True)


def _look_at_launch(launch, args):
    """The warnings that numba.config turns on."""
    blocks = int(np.prod(launch.grid, dtype=np.int64))
    said = []
    if config.CUDA_LOW_OCCUPANCY_WARNINGS and blocks < 128:
        said.append(f"a grid of {blocks} blocks leaves most of a GPU idle: 128 is the least that keeps it busy")
    is_host = any(isinstance(a, np.ndarray) and not isinstance(a, _arrays.MappedNDArray) for a in args)
    if config.CUDA_WARN_ON_IMPLICIT_COPY and is_host:
        said.append("an array of the host is copied to the GPU and back: cuda.to_device(x) copies it once")
    for text in said:
        warnings.warn(_warnings["NumbaPerformanceWarning"](text), stacklevel=3)


_kernel.look_at_launch = _look_at_launch
_cuda = sys.modules[f"{__package__}.cuda"]
_cuda.runtime = _cuda.cudadrv.runtime.runtime = _Runtime()
_cuda.cudadrv.runtime.get_version = _Runtime.get_version
_cuda.devicearray = _cuda.cudadrv.devicearray
modules(__package__, {"core.extending": sys.modules[f"{__package__}.extending"]})
modules(__package__, {"tests.support": sys.modules[f"{__package__}.testing"]})
