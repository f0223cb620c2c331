"""pycuda.cumath: mathematical functions of GPUArrays."""

import numpy as np

from . import _kernels
from ._operators import binary
from .gpuarray import GPUArray, empty_like

# By PyCUDA's name; of complex numbers where the second text is given.
_functions = {
    "fabs": ("fabs(x)", None), "ceil": ("ceil(x)", None), "floor": ("floor(x)", None),
    "exp": ("exp(x)", "exp(x)"), "log": ("log(x)", "log(x)"), "log10": ("log10(x)", "log10(x)"),
    "sqrt": ("sqrt(x)", "sqrt(x)"), "sin": ("sin((double)x)", "sin(x)"), "cos": ("cos((double)x)", "cos(x)"),
    "tan": ("tan(x)", "tan(x)"), "asin": ("asin(x)", None), "acos": ("acos(x)", None),
    "atan": ("atan(x)", None), "sinh": ("sinh(x)", "sinh(x)"), "cosh": ("cosh(x)", "cosh(x)"),
    "tanh": ("tanh(x)", "tanh(x)"), "round": ("rint(x)", None), "log1p": ("log1p(x)", None),
    "expm1": ("expm1(x)", None),
}  # fmt: skip


def _make(name, real, complex_):
    def function(array, stream_or_out=None, *, out=None, stream=None):
        if not isinstance(array, GPUArray):
            return getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name))(array)
        dtype = array.dtype if array.dtype.kind in "fc" else np.dtype(np.float64)
        text = complex_ if dtype.kind == "c" else real
        if text is None:
            raise TypeError(f"cumath.{name} is not defined for complex numbers")
        if isinstance(stream_or_out, GPUArray):
            out = stream_or_out
        elif stream_or_out is not None:
            stream = stream_or_out
        result = out if out is not None else array._new_like_me(dtype)
        _kernels.function_kernel(text, name, dtype)(array, result, stream=stream)
        return result

    function.__name__ = name
    function.__doc__ = f"{name} of each element."
    return function


for _name, (_real, _complex) in _functions.items():
    globals()[_name] = _make(_name, _real, _complex)


def fmod(arg, mod, stream=None):
    return binary("fmod", arg, mod, np.result_type(arg.dtype, mod.dtype))


def ldexp(significand, exponent, stream=None):
    return binary("ldexp", significand, exponent, significand.dtype)


def atan2(y, x, stream=None):
    return binary("atan2", y, x, np.result_type(y.dtype, x.dtype))


def frexp(arg, stream=None):
    significand, exponent = empty_like(arg), empty_like(arg)
    _kernels.element_kernel("T x", "T s, T e", "int p; s = frexp(x, &p); e = p", "cumath_frexp")(
        arg, significand, exponent
    )
    return significand, exponent


def modf(arg, stream=None):
    fraction, whole = empty_like(arg), empty_like(arg)
    _kernels.element_kernel("T x", "T f, T w", "w = trunc(x); f = x - w", "cumath_modf")(arg, fraction, whole)
    return fraction, whole
