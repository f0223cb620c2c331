"""Kernels in half precision against NumPy, and barriers of a whole grid. On whatever device there is."""

import numpy as np
import pytest
from kasoku.compat.numba import cuda, float16

rng = np.random.default_rng(4)
halves = np.concatenate(
    [
        rng.normal(0, 10, 60).astype(np.float16),
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65504, -65504, 6e-8, 1e-5, 1, -1, 2048], np.float16),
    ]
)


def run(function, *operands, dtype=np.float16):
    made = cuda.jit(device=True)(function)

    if len(operands) == 1:

        @cuda.jit
        def kernel(out, a):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = made(a[i])
    else:

        @cuda.jit
        def kernel(out, a, b):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = made(a[i], b[i])

    out = np.zeros(operands[0].size, dtype)
    kernel[4, 64](out, *operands)
    return out


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("hadd", np.add),
        ("hsub", np.subtract),
        ("hmul", np.multiply),
        ("hdiv", np.divide),
        ("hmax", np.fmax),
        ("hmin", np.fmin),
    ],
)
def test_functions_of_two(name, wanted):
    a, b = (x.ravel() for x in np.meshgrid(halves, halves))
    a, b = a[:256], b[:256]
    function = getattr(cuda.fp16, name)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(lambda x, y: function(x, y), a, b), wanted(a, b))


operators = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


@pytest.mark.parametrize("symbol", operators)
def test_operators(symbol):
    a, b = halves, halves[::-1].copy()
    with np.errstate(all="ignore"):
        wanted = operators[symbol](a, b)
        np.testing.assert_array_equal(run(operators[symbol], a, b, dtype=wanted.dtype), wanted)


@pytest.mark.parametrize(
    "name", ["sin", "cos", "exp", "log", "sqrt", "floor", "ceil", "trunc", "rint", "exp2", "log2", "log10"]
)
def test_functions_of_one(name):
    a = halves[:60]
    a = np.abs(a) + np.float16(0.1) if name.startswith("log") or name == "sqrt" else a
    function = getattr(cuda.fp16, "h" + name)
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(a.astype(np.float64)).astype(np.float16)
        got = run(lambda x: function(x), a)
    np.testing.assert_allclose(got.astype(float), wanted.astype(float), rtol=1.5e-3, atol=1e-7)


def test_every_half_survives_and_doubles_round_once():
    every = np.arange(65536, dtype=np.uint16).view(np.float16)

    @cuda.jit
    def through(out, a, single, double):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i]
            single[i] = a[i]
            double[i] = a[i] + np.float16(0)

    out, single, double = np.zeros_like(every), np.zeros(65536, np.float32), np.zeros(65536)
    through[256, 256](out, every, single, double)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, every)
        np.testing.assert_array_equal(single, every.astype(np.float32))
        np.testing.assert_array_equal(double, every.astype(float))

    @cuda.jit
    def rounds(out, x):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i]

    ties = (every[:30000].astype(float) + every[1:30001].astype(float)) / 2
    x = np.concatenate(
        [ties, np.nextafter(ties, 1e9), np.nextafter(ties, -1e9), [65519.99, 65520, 1e300, -1e300, 1e-300]]
    )
    out = np.zeros(x.size, np.float16)
    rounds[-(-x.size // 256), 256](out, x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, x.astype(np.float16))
    n = np.array([0, 1, -1, 2049, 2051, 65519, 65520, -70000, 2**40])
    out = np.zeros(n.size, np.float16)
    rounds[1, 32](out, n)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, n.astype(np.float16))


def test_signatures_scalars_and_shared_memory():
    @cuda.jit("void(float16[:], float16, int32)")
    def kernel(out, x, n):
        row = cuda.shared.array(32, dtype=np.float16)
        own = cuda.local.array(4, dtype=float16)
        t = cuda.threadIdx.x
        row[t] = x * n
        own[t % 4] = row[t]
        cuda.syncthreads()
        out[t] = own[t % 4] + row[31 - t]

    out = np.zeros(32, np.float16)
    kernel[1, 32](out, np.float16(1.5), np.int32(3))
    np.testing.assert_array_equal(out, np.full(32, 9.0))
    kernel[1, 32](out, 0.1, 1)
    np.testing.assert_array_equal(out, np.full(32, np.float16(0.1) * 2))
    assert str(float16[:]) == "array(float16, 1d, A)"


@pytest.mark.parametrize("as_device", [False, True])
def test_functions_round_after_each_operation(as_device):
    import kasoku as ks
    from kasoku import _core

    def f(x, y):
        for i in ks.prange(x.size):
            y[i] = x[i] * x[i] + x[i] if x[i] > 0 else x[i] * x[i] * x[i] - x[i] / x[i]

    x = np.linspace(-2, 2, 200).astype(np.float16)
    here, there = np.zeros_like(x), np.zeros_like(x)
    f(x, here)
    before = _core._jit_offload_to_cpu(as_device)
    try:
        ks.jit(f)(x, there)
    finally:
        _core._jit_offload_to_cpu(before)
    np.testing.assert_array_equal(there, here)
    assert ks.jit(lambda x: x[3] * x[3])(x) == float(x[3] * x[3])
    assert ks.jit(lambda x: int(x[0]))(x) == -2


def test_a_barrier_of_the_grid():
    @cuda.jit
    def rows(m):
        j = cuda.grid(1)
        g = cuda.cg.this_grid()
        for i in range(1, m.shape[0]):
            m[i, j] = m[i - 1, m.shape[1] - j - 1] + 1
            g.sync()

    m = np.zeros((20, 256), np.int32)
    rows[4, 64](m)
    np.testing.assert_array_equal(m, np.tile(np.arange(20)[:, None], 256))

    @cuda.jit
    def alone(x):
        cuda.cg.this_grid().sync()
        x[cuda.grid(1)] = 1

    x = np.zeros(32)
    alone[1, 32](x)
    assert x.all()


def test_libdevice():
    from kasoku.compat.numba.cuda import libdevice

    @cuda.jit
    def kernel(out, x):
        s, c = libdevice.sincos(x)
        out[0] = s
        out[1] = c
        out[2] = libdevice.sinf(np.float32(x))
        out[3] = libdevice.rsqrt(x)
        out[4] = libdevice.hypot(x, 2.0)

    out = np.zeros(5)
    kernel[1, 1](out, 0.5)
    np.testing.assert_allclose(out, [np.sin(0.5), np.cos(0.5), np.sin(0.5), 0.5**-0.5, np.hypot(0.5, 2)], rtol=1e-6)
