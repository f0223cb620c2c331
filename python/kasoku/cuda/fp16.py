"""numba.cuda.fp16: arithmetic of half precision. Plain functions, which kernels compile along; each rounds once."""

import math

import numpy as np


def hadd(a, b):
    return np.float16(a) + np.float16(b)


def hsub(a, b):
    return np.float16(a) - np.float16(b)


def hmul(a, b):
    return np.float16(a) * np.float16(b)


def hdiv(a, b):
    return np.float16(a) / np.float16(b)


def hfma(a, b, c):
    return np.float16(np.float64(a) * np.float64(b) + np.float64(c))


def hneg(a):
    return -np.float16(a)


def habs(a):
    return abs(np.float16(a))


def hsin(a):
    return np.float16(math.sin(np.float32(a)))


def hcos(a):
    return np.float16(math.cos(np.float32(a)))


def hlog(a):
    return np.float16(math.log(np.float32(a)))


def hlog2(a):
    return np.float16(math.log2(np.float32(a)))


def hlog10(a):
    return np.float16(math.log10(np.float32(a)))


def hexp(a):
    return np.float16(math.exp(np.float32(a)))


def hexp2(a):
    return np.float16(np.exp2(np.float32(a)))


def hexp10(a):
    return np.float16(math.pow(10.0, np.float64(a)))


def hsqrt(a):
    return np.float16(math.sqrt(np.float32(a)))


def hrsqrt(a):
    return np.float16(1.0 / math.sqrt(np.float64(a)))


def hrcp(a):
    return np.float16(1.0 / np.float64(a))


def hfloor(a):
    return np.float16(np.floor(np.float32(a)))


def hceil(a):
    return np.float16(np.ceil(np.float32(a)))


def htrunc(a):
    return np.float16(np.trunc(np.float32(a)))


def hrint(a):
    return np.float16(np.rint(np.float32(a)))


def heq(a, b):
    return np.float16(a) == np.float16(b)


def hne(a, b):
    return np.float16(a) != np.float16(b)


def hge(a, b):
    return np.float16(a) >= np.float16(b)


def hgt(a, b):
    return np.float16(a) > np.float16(b)


def hle(a, b):
    return np.float16(a) <= np.float16(b)


def hlt(a, b):
    return np.float16(a) < np.float16(b)


def hmax(a, b):
    return np.float16(np.fmax(np.float32(a), np.float32(b)))


def hmin(a, b):
    return np.float16(np.fmin(np.float32(a), np.float32(b)))
