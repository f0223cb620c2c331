"""Vectors over arrays of records: their parts are one row of memory, whose elements each lane gets right."""

import itertools
import math

import kasoku as ks
import numpy as np
import pytest

N = 1000  # of no whole number of vectors


def values(*shape, dtype=np.float32):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


def launched(text, *arrays, device, threads=256):
    kernel = ks.RawKernel('extern "C" __global__ ' + text, "f")
    given = [ks.array(x, device=device) for x in arrays]
    kernel(((N + threads - 1) // threads,), (threads,), (*given, N))
    return [x.numpy() for x in given]


@pytest.mark.parametrize(
    "count, type_", [(2, "float"), (3, "float"), (4, "float"), (2, "double"), (2, "int"), (4, "short")]
)
def test_parts_change_places(count, type_, device):
    dtype = {"float": "float32", "double": "float64", "int": "int32", "short": "int16"}[type_]
    x = (values(N, count) * 100).astype(dtype)
    body = "".join(
        f"o.{p} = a.{q} - (T)({2**k} * a.x); "
        for k, (p, q) in enumerate(zip("xyzw"[:count], "yzwx"[: count - 1] + "x", strict=True))
    )
    text = f"void f(const {type_}{count}* x, {type_}{count}* y, int n) {{ typedef {type_} T; int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) {{ const {type_}{count} a = x[i]; {type_}{count} o; {body} y[i] = o; }} }}"
    got = launched(text, x, np.zeros_like(x), device=device)[1]
    want = np.stack([x[:, (k + 1) % count] - (2**k * x[:, 0]).astype(dtype) for k in range(count)], axis=1)
    np.testing.assert_array_equal(got, want)


def test_places_that_wrap_or_meet_are_none_of_a_row(device):
    x = values(64, 2)
    i = np.arange(N)
    text = "void f(const float2* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[(3 * i) & 31].x + x[(i + 7) % 64].y; }"
    got = launched(text, x, np.zeros(N, np.float32), device=device)[1]
    np.testing.assert_array_equal(got, x[(3 * i) & 31, 0] + x[(i + 7) % 64, 1])
    x = values(N, 2)
    text = "void f(const float2* x, float2* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { y[n - 1 - i].y = x[i].x; y[n - 1 - i].x = 2 * x[i].y; } }"
    got = launched(text, x, np.zeros_like(x), device=device)[1]
    np.testing.assert_array_equal(got, np.stack([2 * x[:, 1], x[:, 0]], axis=1)[::-1])


def test_a_loop_that_reads_what_it_wrote(device):
    x = values(N, 2)
    text = "void f(float2* x, int n) { if (blockIdx.x + threadIdx.x == 0) for (int i = 1; i < n; ++i) { x[i].x = x[i - 1].y + 1; x[i].y = x[i - 1].x * 0.5f; } }"
    got = launched(text, x, device=device)[0]
    want = x.copy()
    for i in range(1, N):
        want[i] = want[i - 1, 1] + np.float32(1), want[i - 1, 0] * np.float32(0.5)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 1023, 1024, 20_011])
def test_reductions_of_records(n, device):
    x = values(n)
    preamble = "struct Pair { float low, high; __host__ __device__ Pair(float a, float b) : low(a), high(b) {} };"
    ends = ks.ReductionKernel(
        "float32 a",
        "float32 y",
        "Pair(a, a)",
        "Pair(min(a.low, b.low), max(a.high, b.high))",
        "y = a.high - a.low",
        "Pair(1e30f, -1e30f)",
        "ends",
        reduce_type="Pair",
        preamble=preamble,
    )
    assert ends(ks.array(x, device=device)).numpy() == x.max() - x.min()
    a, b = (values(n, 2, dtype=np.float64) @ [1, 1j] for _ in range(2))
    dot = ks.ReductionKernel("T a, T b", "T y", "a * b", "a + b", "y = a", "0", "dot_of_complex")
    np.testing.assert_allclose(dot(*(ks.array(z, device=device) for z in (a, b))).numpy(), np.dot(a, b), rtol=1e-12)
    np.testing.assert_allclose(
        (ks.array(a, device=device) * ks.array(b, device=device)).sum().numpy(), np.dot(a, b), rtol=1e-12
    )


def c99(a, b):
    """The product of annex G, of NumPy's numbers."""
    x, y = a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real
    if not (math.isnan(x) and math.isnan(y)):
        return x, y
    inf, again = math.inf, False
    box = lambda v: math.copysign(1.0 if math.isinf(v) else 0.0, v)  # noqa: E731
    zero = lambda v: math.copysign(0.0, v) if math.isnan(v) else v  # noqa: E731
    p, q, r, s = a.real, a.imag, b.real, b.imag
    if math.isinf(p) or math.isinf(q):
        p, q, r, s, again = box(p), box(q), zero(r), zero(s), True
    if math.isinf(r) or math.isinf(s):
        r, s, p, q, again = box(r), box(s), zero(p), zero(q), True
    if not again and any(map(math.isinf, (p * r, q * s, p * s, q * r))):
        p, q, r, s, again = zero(p), zero(q), zero(r), zero(s), True
    return (inf * (p * r - q * s), inf * (p * s + q * r)) if again else (x, y)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_infinite_products_are_those_of_c99(dtype):
    """On a CPU. A GPU's compiler has the plain formula of CuPy's and PyCUDA's own header."""
    parts = [0.0, -0.0, 1.0, -2.0, math.inf, -math.inf, math.nan, 1e300 if dtype == "complex128" else 1e30]
    numbers = [complex(*z) for z in itertools.product(parts, repeat=2)]
    pairs = list(itertools.product(numbers, repeat=2))
    a, b = (np.array(z, dtype) for z in zip(*pairs, strict=True))
    product = ks.ElementwiseKernel("T a, T b", "T y", "y = a * b", "products", options=("--fmad=false",))
    got = product(ks.array(a, device="cpu"), ks.array(b, device="cpu")).numpy()
    with np.errstate(all="ignore"):
        want = np.array([c99(x, y) for x, y in zip(a, b, strict=True)], got.real.dtype).view(dtype)[:, 0]
    # NaN has no sign, and an infinite result says nothing of its other part.
    infinite = np.isinf(want.real) | np.isinf(want.imag)
    np.testing.assert_array_equal(np.isinf(got.real) | np.isinf(got.imag), infinite)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(
        np.where(infinite, np.nan_to_num(got.real, nan=0), got.real),
        np.where(infinite, np.nan_to_num(want.real, nan=0), want.real),
    )
    np.testing.assert_array_equal(
        np.where(infinite, np.nan_to_num(got.imag, nan=0), got.imag),
        np.where(infinite, np.nan_to_num(want.imag, nan=0), want.imag),
    )
