"""numba.cuda.libdevice: CUDA's mathematical functions by their names there, as far as compiled code has them."""

import builtins
import math

import numpy as np

# A function and its single precision twin (sin, sinf) are one here: the operand's type decides.
_same = {
    math: "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf erfc exp expm1 fabs floor fmod hypot ldexp "
    "lgamma log log10 log1p log2 pow remainder sin sinh sqrt tan tanh trunc",
    np: "cbrt exp2 fmax fmin nextafter rint",
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
nearbyint = nearbyintf = np.rint
frexp = frexpf = math.frexp
scalbn = scalbnf = math.ldexp
powi = powif = math.pow
abs = llabs = builtins.abs
max = umax = llmax = ullmax = builtins.max
min = umin = llmin = ullmin = builtins.min


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


def exp10f(x):
    return np.float32(math.pow(10.0, x))


fast_exp10f = exp10f


def rcbrt(x):
    return 1.0 / np.cbrt(x)


def rhypot(x, y):
    return 1.0 / math.hypot(x, y)


def sinpi(x):
    return math.sin(math.pi * math.fmod(x, 2.0))


def cospi(x):
    return math.cos(math.pi * math.fmod(x, 2.0))


def normcdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def fdim(x, y):
    return x - y if not x <= y else x * 0.0


def round(x):
    whole = math.fabs(x) - math.fmod(math.fabs(x), 1.0)
    return math.copysign(whole + 1.0 if math.fabs(x) - whole >= 0.5 else whole, x)


def saturatef(x):
    return np.float32(0.0 if not x > 0.0 else 1.0 if x > 1.0 else x)


def ilogb(x):
    return math.frexp(x)[1] - 1


def logb(x):
    return float(math.frexp(x)[1] - 1)


def sad(x, y, z):
    return builtins.abs(x - y) + z


def usad(x, y, z):
    return (x - y if x > y else y - x) + z


def mulhi(x, y):
    return np.int32((np.int64(x) * np.int64(y)) >> 32)


def umulhi(x, y):
    return np.uint32((np.uint64(x) * np.uint64(y)) >> np.uint64(32))


def _nearest(x):
    return int(np.rint(x))


def _down(x):
    return int(math.floor(x))


def _up(x):
    return int(math.ceil(x))


def _to_zero(x):
    return int(x)


llrint = llrintf = _nearest
for _from in ("float", "double"):
    for _to in ("int", "uint", "ll", "ull"):
        for _way, _of in {"rn": _nearest, "rd": _down, "ru": _up, "rz": _to_zero}.items():
            globals()[f"{_from}2{_to}_{_way}"] = _of
