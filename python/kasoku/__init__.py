"""kasoku: kernels, arrays and compiled Python on x86-64 CPUs and on NVIDIA GPUs.

Everything public is an attribute of this module. What is written in Python is
imported when it is first asked for, so `import kasoku` costs little.
"""

import copyreg as _copyreg
import os as _os
import sys as _sys
from importlib import import_module as _import_module

try:
    from . import _core
except ImportError as error:
    if "subinterpreter" in str(error):  # nanobind's backend is asked first
        raise ImportError(
            "kasoku works in a process's main interpreter only; import it there, or in a process of its own"
        ) from None
    raise
from . import _guests, errors
from ._namespace import memory as _memory, ufuncs as _ufuncs
from ._core import __version__
from .errors import CompileError, Error

# Functions and methods of the extension are pickled by name, as Python's own are.
for _kind in {type(_core.arange), type(_core.Array.max)}:
    _copyreg.pickle(_kind, lambda function: function.__qualname__)
del _kind

# Public names of the extension: rows of the engine's tables, and these words; what else it defines is private.
_native = [
    *(row[0] for row in _core._ops()), *_core._reductions(), *_core._scans(), *_core._algorithms(),
    *"""
    Array Delayed Device ElementwiseKernel Event ExclusiveScanKernel InclusiveScanKernel JitFunction RawKernel
    RawModule ReductionKernel Replay Stream Texture abs acos acosh arange around array asarray asin
    asinh asnumpy atan atan2 atanh bfloat16 bitwise_invert bitwise_left_shift bitwise_not bitwise_right_shift bool
    bool_ broadcast_to can_cast complex128 complex64 concat concatenate conj copy default_device deg2rad delete
    deterministic devices dot e eager empty empty_like eval expand_dims explain eye flip float16 float32 float64
    from_arrow from_dlpack full full_like has_device identity inf int16 int32 int64 int8 linspace matmul mean mod
    moveaxis nan newaxis ones ones_like permute_dims pi pow promote_types rad2deg ravel record reshape result_type
    roll round squeeze stack std swapaxes synchronize transpose trapz tril_indices tril_indices_from triu_indices
    triu_indices_from true_divide ufunc uint16 uint32 uint64 uint8 var vecdot zeros zeros_like
    """.split(),
]  # fmt: skip
# Public names that a Python module of ours defines: module -> names.
_lazy = {
    "_jit": "jit njit prange",
    "_task": "delayed compute visualize Pool",
    "_check": "check Finding",
    "_profile": "profile",
    "_compare": "compare",
    "_stats": "stats Stats",
    "_namespace.bits": "packbits unpackbits",
    "_namespace.dtypes": "__array_namespace_info__ common_type finfo iinfo isdtype issubdtype min_scalar_type",
    "_namespace.elementwise": """
        allclose angle array_equal array_equiv divmod fix frexp i0 imag isclose iscomplex iscomplexobj isneginf
        isposinf isreal isrealobj isscalar ldexp modf nan_to_num real real_if_close sinc unwrap
    """,
    "_namespace.files": """
        array2string array_repr array_str frombuffer fromfile fromiter fromstring genfromtxt load loadtxt save
        savetxt savez savez_compressed
    """,
    "_namespace.functional": "apply_along_axis evaluate frompyfunc iterable ndenumerate piecewise vectorize",
    "_namespace.grids": """
        c_ fromfunction geomspace ix_ linspace logspace mask_indices mgrid ndindex ogrid r_ vander
    """,
    "_namespace.joining": """
        array_split asanyarray asarray_chkfinite ascontiguousarray asfortranarray astype atleast_1d atleast_2d
        atleast_3d block broadcast_arrays broadcast_shapes column_stack dsplit dstack hsplit hstack
        matrix_transpose ndim rollaxis row_stack shape size split trim_zeros unstack vsplit vstack
    """,
    "_namespace.memory": "isfortran may_share_memory ndarray require shares_memory",
    "_namespace.padding": "pad",
    "_namespace.polynomials": "poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "_namespace.statistics": """
        apply_over_axes average cumulative_prod cumulative_sum einsum_path matvec nanmean nanstd nanvar ptp
        vecmat
    """,
    "_namespace.unique": "unique_all unique_counts unique_inverse unique_values",
    "_namespace.windows": "bartlett blackman hamming hanning kaiser",
}
_lazy = {name: module for module, names in _lazy.items() for name in names.split()}
_native = [name for name in _native if name not in _lazy]
# Interned as names in programs are: found without a comparison of texts.
globals().update({_sys.intern(name): getattr(_core, name) for name in _native})

# NumPy's own, which mean here what they mean there.
_of_numpy = """
    dtype generic number integer signedinteger unsignedinteger inexact floating complexfloating
    byte ubyte short ushort intc uintc int_ uint long ulong longlong ulonglong intp uintp half single double csingle cdouble
    True_ False_ euler_gamma little_endian typecodes
    set_printoptions get_printoptions printoptions format_float_positional format_float_scientific base_repr binary_repr
    errstate seterr geterr index_exp s_ ScalarType sctypeDict typename mintypecode
""".split()


# Those of our own tests and of what a process of ours tells another one begin otherwise.
_unknown = [
    name
    for name in _os.environ
    if name.startswith("KASOKU_") and name not in _core._variable_names and not name.startswith("KASOKU_TEST_")
]
if _unknown:
    _import_module("kasoku._hints").warn_of_variables(_unknown, _core._variable_names)
del _unknown


def __getattr__(name):
    if name in _lazy:
        value = getattr(_import_module(f"kasoku.{_lazy[name]}"), name)
        globals()[name] = value
        return value
    if name in _of_numpy:
        value = globals()[name] = getattr(_import_module("numpy"), name)
        return value
    if name in errors.__all__:  # where pickles look for them; those with Python's names are no part of a star import
        return getattr(errors, name)
    if not name.startswith("_"):
        try:
            return _import_module(f"kasoku.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"kasoku.{name}":
                raise
    hint = "" if name.startswith("_") else _import_module("kasoku._hints").did_you_mean(name, __all__)
    raise AttributeError(f"module 'kasoku' has no attribute {name!r}{hint}")


def __dir__():
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})


def load_ipython_extension(shell):
    """Called by `%load_ext kasoku`: from then on a program's imports of torch, pycuda and so on come from kasoku.
    Returns None.
    """
    from .notebook import load

    load(shell)


__array_api_version__ = "2024.12"

# Modules that are imported when they are asked for.
_modules = ["emath", "errors", "fft", "lib", "linalg", "random"]

__all__ = sorted(
    {*_native, *_lazy, *_of_numpy, *_modules, "CompileError", "Error", "load_ipython_extension"}
    - {"__array_namespace_info__"}
)
