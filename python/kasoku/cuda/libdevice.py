"""numba.cuda.libdevice: CUDA's mathematical functions by their names there, as far as compiled code has them."""

import math

import numpy as np

# A function and its single precision twin (sin, sinf) are one here: the operand's type decides.
_same = {
    math: "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf erfc exp expm1 fabs floor fmod hypot ldexp "
    "lgamma log log10 log1p log2 pow sin sinh sqrt tan tanh trunc",
    np: "cbrt exp2 fmax fmin rint",
}
for _module, _names in _same.items():
    for _name in _names.split():
        globals()[_name] = globals()[f"{_name}f"] = getattr(_module, _name)
for _name in ("cos", "exp", "log", "log10", "log2", "pow", "sin", "tan"):
    globals()[f"fast_{_name}f"] = globals()[_name]
tgamma = tgammaf = math.gamma
isnand = isnanf = math.isnan
isinfd = isinff = math.isinf
finitef = isfinited = math.isfinite


def sincos(x):
    return math.sin(x), math.cos(x)


sincosf = fast_sincosf = sincos


def rsqrt(x):
    return 1.0 / math.sqrt(x)


def rsqrtf(x):
    return np.float32(1.0) / math.sqrt(np.float32(x))


def exp10(x):
    return math.pow(10.0, x)


def fdividef(x, y):
    return np.float32(x) / np.float32(y)


fast_fdividef = fdividef
