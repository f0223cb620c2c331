"""Kernels behind GPUArray: each computes in a type C, from operands and to results of any type."""

import functools

import numpy as np

import kasoku as ks

from .tools import dtype_to_ctype

# Operations of two operands, x and y of type C, by name: (integers, floats, complex).
_floor_div = "x / y - ((x % y != 0) && ((x < 0) != (y < 0)))"
_floor_mod = "x % y + ((x % y != 0) && ((x < 0) != (y < 0)) ? y : 0)"
binary = {
    "add": ("x + y",) * 3,
    "subtract": ("x - y",) * 3,
    "multiply": ("x * y",) * 3,
    "true_divide": ("x / y",) * 3,
    "floor_divide": (f"y == 0 ? C(0) : C({_floor_div})", "floor(x / y)", None),
    "mod": (f"y == 0 ? C(0) : C({_floor_mod})", "ks_float_mod(x, y)", None),
    "power": ("ks_int_power(x, y)", "pow(x, y)", "pow(x, y)"),
    "maximum": ("x > y ? x : y", "(x > y || x != x) ? x : y", None),
    "minimum": ("x < y ? x : y", "(x < y || x != x) ? x : y", None),
    "less": ("x < y", "x < y", None),
    "less_equal": ("x <= y", "x <= y", None),
    "greater": ("x > y", "x > y", None),
    "greater_equal": ("x >= y", "x >= y", None),
    "equal": ("x == y",) * 3,
    "not_equal": ("x != y",) * 3,
    "logical_and": ("x != C(0) && y != C(0)",) * 3,
    "logical_or": ("x != C(0) || y != C(0)",) * 3,
    "bitwise_and": ("x & y", None, None),
    "bitwise_or": ("x | y", None, None),
    "bitwise_xor": ("x ^ y", None, None),
    "left_shift": ("x << y", None, None),
    "right_shift": ("x >> y", None, None),
    "fmod": (None, "fmod(x, y)", None),
    "atan2": (None, "atan2(x, y)", None),
    "ldexp": (None, "ldexp(x, (int)y)", None),
}

# Of one operand; float functions are listed in cumath.
unary = {
    "copy": ("x",) * 3,
    "negative": ("-x",) * 3,
    "invert": ("~x", None, None),
    "absolute": ("x < 0 ? -x : x", "fabs(x)", "abs(x)"),
    "conjugate": ("x", "x", "conj(x)"),
    "logical_not": ("x == C(0)",) * 3,
}

_helpers = """
__device__ inline C ks_int_power(C x, C y) {
  if (y < 0) return x == 1 ? 1 : x == C(-1) ? ((y & 1) ? C(-1) : C(1)) : 0;
  C result = 1;
  for (; y; y = y >> 1, x = x * x)
    if (y & 1) result = result * x;
  return result;
}
"""
_float_helpers = """
__device__ inline C ks_float_mod(C x, C y) {
  C r = fmod(x, y);
  return r != 0 && ((r < 0) != (y < 0)) ? r + y : r;
}
"""


def _column(dtype):
    return 2 if dtype.kind == "c" else 1 if dtype.kind == "f" else 0


def _text(name, row, dtype):
    text = row[_column(dtype)]
    if text is None:
        raise TypeError(f"{name} is not defined for {dtype}")
    return text


def _preamble(dtype, text):
    out = "#include <pycuda-complex.hpp>\n" if dtype.kind == "c" else ""
    out += f"typedef {dtype_to_ctype(dtype)} C;\n"
    if "ks_int_power" in text:
        out += _helpers
    if "ks_float_mod" in text:
        out += _float_helpers
    return out


def _computed(operands, text, name, dtype):
    """z = text, of x, or of x and y, in the type C."""
    parameters = ", ".join(f"{kind} in{k}" for k, kind in enumerate("ST"[:operands]))
    given = ", ".join(f"{x} = (C)in{k}" for k, x in enumerate("xy"[:operands]))
    text, preamble = f"const C {given}; z = (U)({text})", _preamble(dtype, text)
    return ks.ElementwiseKernel(parameters, "U z", text, name, preamble=preamble)


@functools.cache
def binary_kernel(name, dtype):
    """z = x op y, computed in `dtype`."""
    return _computed(2, _text(name, binary[name], dtype), f"gpuarray_{name}", dtype)


@functools.cache
def unary_kernel(name, dtype):
    return _computed(1, _text(name, unary[name], dtype), f"gpuarray_{name}", dtype)


@functools.cache
def function_kernel(text, name, dtype):
    """z = text, of x in a floating or complex type."""
    return _computed(1, text, f"cumath_{name}", dtype)


@functools.cache
def element_kernel(in_params, out_params, text, name, preamble=""):
    return ks.ElementwiseKernel(in_params, out_params, text, name, preamble=preamble)


@functools.cache
def reduction_kernel(name, dtype, out_dtype, with_subset, operands=1):
    """sum, max, min, any, all, dot over all elements, as a kernel over pointers."""
    out, element = dtype_to_ctype(out_dtype), dtype_to_ctype(dtype)
    i = "subset[i]" if with_subset else "i"
    arguments = ("const int *subset, " if with_subset else "") + f"const {element} *x"
    value = f"(({out})x[{i}])"
    if operands == 2:
        arguments += f", const {element} *y"
        value = f"(({out})x[{i}] * ({out})y[{i}])"
    neutral, reduce = {
        "sum": ("0", "a + b"),
        "dot": ("0", "a + b"),
        "max": ("", "(a > b || a != a) ? a : b" if out_dtype.kind == "f" else "a > b ? a : b"),
        "min": ("", "(a < b || a != a) ? a : b" if out_dtype.kind == "f" else "a < b ? a : b"),
        "any": ("false", "a || b"),
        "all": ("true", "a && b"),
    }[name]
    if name in ("max", "min"):
        limits = np.iinfo(out_dtype) if out_dtype.kind in "iu" else None
        if limits is not None:
            edge = limits.min if name == "max" else limits.max
            neutral = f"({out}){edge}ull" if edge > 0 else f"({out})({edge + 1}ll - 1)" if edge < 0 else "0"
        elif out_dtype.kind == "b":
            neutral = "false" if name == "max" else "true"
        else:
            neutral = ("-" if name == "max" else "") + f"({out})(1e300 * 1e300)"
    if name in ("any", "all"):
        value = f"(x[{i}] != {element}(0))" if dtype.kind != "b" else f"x[{i}]"
    return ks.ReductionKernel(out_dtype, neutral, reduce, value, arguments, f"gpuarray_{name}")
