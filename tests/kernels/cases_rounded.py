"""Arithmetic whose rounding is named, against rational numbers."""

import math
from fractions import Fraction

import numpy as np
from corpus import Launch, Out, case

FORMATS = {
    np.float32: (24, -149, 128),
    np.float64: (53, -1074, 1024),
}  # bits, exponents of the least and above the largest


def rounded(value, squared, mode, dtype):
    """`value`, or its square root if `squared`, as the number of `dtype` that `mode` names."""
    bits, least, above = FORMATS[dtype]
    sign, value = (-1 if value < 0 else 1), abs(value)
    if value == 0:
        return dtype(0)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent = exponent // 2 if squared else exponent
    step = max(exponent - bits - 1, least - 2)  # two bits more than are kept, and what is left
    scaled = value / Fraction(2) ** (2 * step if squared else step)
    whole = math.isqrt(math.floor(scaled)) if squared else math.floor(scaled)
    is_left = whole * whole != scaled if squared else whole != scaled
    drop = max(whole.bit_length() - bits, least - step)
    kept, rest = whole >> drop, 2 * (whole & (1 << drop) - 1) + is_left
    half = 1 << drop
    up = {"rn": rest > half or (rest == half and kept & 1), "rz": False}.get(
        mode, rest > 0 and (mode == "ru") == (sign > 0)
    )
    kept += up
    if kept * Fraction(2) ** (step + drop) >= Fraction(2) ** above:
        is_inf = mode == "rn" or (mode != "rz" and (mode == "ru") == (sign > 0))
        return dtype(sign * math.inf) if is_inf else dtype(sign) * np.finfo(dtype).max
    return dtype(sign * math.ldexp(kept, step + drop))


def results(a, b, c, mode, dtype):
    x, y, z = (Fraction(float(v)) for v in (a, b, c))
    exact = [(x + y, 0), (x - y, 0), (x * y, 0), (x / y, 0), (1 / y, 0), (abs(x), 1), (x * y + z, 0), (z * x + y, 0)]
    return [rounded(value, squared, mode, dtype) for value, squared in exact]


def operands(rng, dtype, n=160):
    """Of like and unlike size, near the least and the largest number, and such that sums are nearly nothing."""
    bits, least, above = FORMATS[dtype]
    mantissa = lambda: rng.choice([-1, 1], n) * rng.integers(1 << bits - 1, 1 << bits, n).astype(np.float64)  # noqa: E731
    with np.errstate(over="ignore", under="ignore"):
        at = lambda low, high: np.ldexp(mantissa(), rng.integers(low, high, n)).astype(dtype)  # noqa: E731
        a, b, c = at(-bits - 9, 9 - bits), at(-bits - 9, 9 - bits), at(-bits - 9, 9 - bits)
        for k, low, high in (
            (1, least, least + 40),
            (2, above - bits - 40, above - bits + 1),
            (3, least, above - bits),
        ):
            for of in (a, b, c):
                where = (np.arange(n) % 4 == k) & (rng.random(n) < 0.7)
                of[where] = at(low, high)[where]
        close = rng.random(n) < 0.3
        c[close] = -(a * b)[close]
        b[::17] = a[::17]
        c[::13] = dtype(2.0) ** rng.integers(least, above - 1, len(c[::13]))
    for of in (a, b, c):
        of[~np.isfinite(of) | (of == 0)] = 1
    return a, b, c


def launch(rng, dtype, more):
    a, b, c = operands(rng, dtype)
    rows = [[results(*row, mode, dtype) for mode in ("rn", "rd", "ru", "rz")] for row in zip(a, b, c, strict=True)]
    want = np.array(
        [[*np.ravel(row), *([r[6] for r in (row[0], row[1], row[2], row[3])] if more else [])] for row in rows], dtype
    )
    return Launch([a, b, c, Out(want), np.int32(len(a))], (64, 1, 1), (3, 1, 1))


@case("rounded_arithmetic.cu", "floats")
def rounded_floats(rng):
    return launch(rng, np.float32, True)


@case("rounded_arithmetic.cu", "doubles")
def rounded_doubles(rng):
    return launch(rng, np.float64, False)


def sums_of_nothing(dtype):
    """IEEE 754, 6.3: an exact sum of nothing is -0 downwards, else +0; two zeros of one sign keep it."""
    parts = dtype([0.0, -0.0, 1.5, -1.5, 2.0**-120])
    a, b = (side.ravel() for side in np.meshgrid(parts, parts))

    def total(x, y, mode):
        if x + y != 0 or np.signbit(x) == np.signbit(y):
            return rounded(Fraction(float(x)) + Fraction(float(y)), 0, mode, dtype) if x + y != 0 else x
        return dtype(-0.0 if mode == "rd" else 0.0)

    want = [[(total(x, y, m), total(x, -y, m), total(x, y, m)) for m in ("rn", "rd", "ru", "rz")] for x, y in zip(a, b)]
    want = np.array(want, dtype).reshape(len(a), 12)
    return a, b, want


def same_bits(got, want):
    """Whether the signs of zeros are the same too."""
    np.testing.assert_array_equal(got.view(f"u{got.itemsize}"), want.view(f"u{want.itemsize}"))


def launch_of_nothing(dtype):
    a, b, want = sums_of_nothing(dtype)
    out = Out(lambda got: same_bits(got, want), np.ones_like(want))
    return Launch([a, b, out, np.int32(len(a))], (32, 1, 1))


@case("rounded_arithmetic.cu", "no_floats")
def sums_of_floats_that_are_nothing(rng):
    return launch_of_nothing(np.float32)


@case("rounded_arithmetic.cu", "no_doubles")
def sums_of_doubles_that_are_nothing(rng):
    return launch_of_nothing(np.float64)
