#!/usr/bin/env python3
"""How far elementary functions are from the exact value: tools/accuracy.py [--step N] [--write] [NAME…]

float32 functions of one argument see every argument (or every N-th), against NumPy's float64; the others see samples
with the edges among them, against long double (80 bits). An error is given in ulp, units in the last place of the
exact value. --write puts the table into docs/accuracy.md.
"""

import argparse
import concurrent.futures
import os
import pathlib

import numpy as np

import kasoku as ks

ONE = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
       "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "cbrt"]  # fmt: skip
TWO = ["arctan2", "hypot", "power"]
CHUNK = 1 << 20
PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"


def errors(got, exact):
    """ulp between computed values and the exact ones, which are of a wider type; infinite where one is NaN and the
    other not, or the sign of 0 is wrong. A value may round to infinity only where the exact one does."""
    dtype = got.dtype
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        bits, low = np.finfo(dtype).nmant, np.finfo(dtype).minexp
        _, exponent = np.frexp(rounded)
        wide = np.abs(got.astype(exact.dtype) - exact)
        ulp = np.ldexp(wide, bits - np.maximum(exponent - 1, low))
    ends = ~np.isfinite(rounded) | ~np.isfinite(got)
    if ends.any():  # the largest number is half an ulp from where infinity begins
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        top = np.ldexp(exact.dtype.type(1), np.finfo(dtype).maxexp)
        near = np.isfinite(exact) & (np.abs(exact) > 0.5 * top) & (np.sign(got) == np.sign(rounded))
        with np.errstate(all="ignore"):
            capped = np.where(np.isinf(got), np.copysign(top, got), got.astype(exact.dtype))
            distance = np.ldexp(np.abs(capped - exact), bits - np.finfo(dtype).maxexp + 1)
        ulp = np.where(ends, np.where(same, 0, np.where(near, distance, np.inf)), ulp)
    zeros = (rounded == 0) & (got == 0) & (np.signbit(rounded) != np.signbit(got))
    return np.where(zeros, np.inf, ulp).astype(np.float64)


def worst(name, *args):
    """The largest error of a function and its arguments there."""
    wider = np.float64 if args[0].dtype == np.float32 and name != "power" else np.longdouble
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(*(x.astype(wider) for x in args))
    got = getattr(ks, name)(*(ks.array(x, device="cpu") for x in args)).numpy()
    error = errors(got, exact)
    k = int(np.argmax(error))
    return float(error[k]), tuple(x[k].item() for x in args)


def sweep(name, step):
    """Every step-th float32 argument."""
    starts = range(0, 1 << 32, CHUNK * step)

    def part(start):
        bits = np.arange(start, min(start + CHUNK * step, 1 << 32), step, dtype=np.uint64).astype(np.uint32)
        return worst(name, bits.view(np.float32))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return max(pool.map(part, starts))


def samples(name, dtype, n, seed=1):
    """Arguments of all sizes, of moderate sizes, near the numbers where functions turn, and the edges."""
    g, info = np.random.default_rng(seed), np.finfo(dtype)
    whole = {4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
    edges = np.array([0, 1, 2, 0.5, 0.25, 0.75, 10, 709.782712893384, 88.72283905206835, info.tiny, info.smallest_subnormal,
                      info.max, np.inf, np.nan, np.pi, np.pi / 2, np.pi / 4, 1e22, 2.0**50, 2.0**120])  # fmt: skip

    def some():
        near = np.concatenate([g.integers(1, 2000, n // 8) * np.pi / 4, 1 + g.normal(0, 1e-3, n // 8)]).astype(dtype)
        x = np.concatenate([
            g.integers(0, np.iinfo(whole).max, n, whole).view(dtype), g.uniform(-2, 2, n).astype(dtype),
            g.normal(0, 100, n).astype(dtype), (10.0 ** g.uniform(-20, 3, n)).astype(dtype), near, np.nextafter(near, 0),
            edges.astype(dtype), -edges.astype(dtype)])  # fmt: skip
        return x.astype(dtype)

    with np.errstate(all="ignore"):
        if name not in TWO:
            return (some(),)
        x, y = some(), g.permutation(some())
        both = np.concatenate([edges, -edges]).astype(dtype)
        a, b = np.meshgrid(both, both)  # every edge with every edge
        close = g.uniform(0.1, 10, n).astype(dtype)
        small = g.uniform(-30, 30, n).astype(dtype)
        return np.concatenate([x, a.ravel(), close]), np.concatenate([y, b.ravel(), small])


def sampled(name, dtype, n=1 << 20):
    args = samples(name, dtype, n)
    parts = range(0, len(args[0]), CHUNK)
    return max(worst(name, *(x[k : k + CHUNK] for x in args)) for k in parts)


def table(names, step, n):
    for name in names:
        yield name, "float32", *(sweep(name, step) if name in ONE else sampled(name, np.float32, n))
        yield name, "float64", *sampled(name, np.float64, n)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=ONE + TWO)
    parser.add_argument("--step", type=int, default=1, help="every N-th float32 argument")
    parser.add_argument("--samples", type=int, default=1 << 20, help="of functions that are not swept")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    rows = []
    for name, dtype, error, where in table(options.names, options.step, options.samples):
        digits = 17 if dtype == "float64" else 9
        rows.append(f"| {name} | {dtype} | {error:.3f} | {', '.join(f'{x:.{digits}g}' for x in where)} |")
        print(rows[-1], flush=True)
    if options.write:
        head = PAGE.read_text().partition("Largest errors")[0]
        seen = "every float32 argument" if options.step == 1 else f"one of {options.step} float32 arguments"
        text = (
            f"Largest errors over {seen}, or {options.samples:,} samples of each kind:\n\n"
            "| function | computed in | ulp | at |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"
        )
        PAGE.write_text(head + text)


if __name__ == "__main__":
    main()
