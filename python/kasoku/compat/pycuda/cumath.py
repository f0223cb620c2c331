"""pycuda.cumath: mathematical functions of GPUArrays."""

import numpy as np

import kasoku as ks

from .._face.table import bound as _bound, plain as _plain, each as _each
from .._operands import engine_names as _engine_names
from ._array import GPUArray, result as _result
from ._operators import binary

_functions = _engine_names(
    "fabs ceil floor exp log log10 sqrt sin cos tan sinh cosh tanh log1p expm1 asin acos atan round=rint"
)


def _of_each(array, stream_or_out=None, *, out=None, stream=None, of):
    if not isinstance(array, GPUArray):
        return getattr(np, of)(array)
    if isinstance(stream_or_out, GPUArray):
        out = stream_or_out
    elif stream_or_out is not None:
        stream = stream_or_out
    dtype = array.dtype if array.dtype.kind in "fc" else np.dtype(np.float64)
    in_double = of in ("sin", "cos") and dtype.kind == "f"  # as PyCUDA has it
    x = array.__kasoku_array__.astype(np.float64 if in_double else dtype, copy=False)
    return _result(getattr(ks, of)(x), array, out, stream, dtype)


_plain(globals(), {
    **{name: (_bound(_of_each, of=of), f"{name} of each element.") for name, of in _functions.items()},
    "fmod": lambda arg, mod, stream=None: binary("fmod", arg, mod, stream=stream),
    "atan2": lambda y, x, stream=None: binary("arctan2", y, x, stream=stream),
    "ldexp": lambda significand, exponent, stream=None: _result(
        ks.ldexp(significand.__kasoku_array__, exponent.__kasoku_array__.astype(np.int32)), significand, None, stream),
    **_each(ks, "frexp modf", lambda of: lambda arg, stream=None: tuple(
        _result(part, arg, None, stream, arg.dtype) for part in of(arg.__kasoku_array__))),
})  # fmt: skip
