"""Elementary functions of arrays: their errors in ulp, their ends, the same bits wherever they are computed.
`make accuracy` looks at every float32 argument; here it is one in some thousands."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kasoku as ks

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
import accuracy

FLOATS = ["float32", "float64"]
ODD = ["sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "cbrt", "expm1", "log1p"]
# What docs/accuracy.md says, rounded up, where it is above 1.
LIMITS = {
    "float32": {"tan": 1.2, "arcsinh": 1.1, "arctan2": 1.6},
    "float64": {"expm1": 1.2, "arctan": 1.2, "arctan2": 1.4, "hypot": 1.3, "arcsinh": 1.3, "arccosh": 1.7},
}


@pytest.mark.parametrize("name", accuracy.ONE)
def test_float32_arguments_of_all_sizes(name):
    error, where = accuracy.sweep(name, 4093)
    assert error <= LIMITS["float32"].get(name, 1), (error, where)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", accuracy.ONE + accuracy.TWO)
def test_samples_and_edges(name, dtype):
    error, where = accuracy.sampled(name, np.dtype(dtype).type, 1 << 14)
    assert error <= LIMITS[dtype].get(name, 1), (error, where)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", accuracy.ONE + accuracy.TWO)
def test_the_same_bits_everywhere(name, dtype, device):
    """In the middle of an array and at its end, on every device, and in a compiled function's loop."""
    args = [x[:5003] for x in accuracy.samples(name, np.dtype(dtype).type, 1 << 11)]
    want = getattr(ks, name)(*(ks.array(x, device="cpu") for x in args)).numpy()
    got = getattr(ks, name)(*(ks.array(x, device=device) for x in args)).numpy()
    np.testing.assert_array_equal(got, want)
    tail = [getattr(ks, name)(*(ks.array(x[k : k + 3], device=device) for x in args)).numpy() for k in range(0, 600, 3)]
    np.testing.assert_array_equal(np.concatenate(tail), want[:600])
    assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()


def test_the_same_bits_with_narrower_vectors():
    """AVX2, eight floats at a time, and AVX-512 where there is it."""
    program = """
import sys, zlib
sys.path.append(sys.argv[1])
import accuracy, numpy as np, kasoku as ks
for name in accuracy.ONE + accuracy.TWO:
    for dtype in (np.float32, np.float64):
        y = getattr(ks, name)(*(ks.array(x, device="cpu") for x in accuracy.samples(name, dtype, 1 << 12))).numpy()
        print(name, dtype.__name__, zlib.crc32(np.where(np.isnan(y), 0, y).tobytes()))
"""
    tools, bits = str(pathlib.Path(accuracy.__file__).parent), []
    for cpu in ("x86-64-v3", "native"):
        run = [sys.executable, "-W", "ignore", "-c", program, tools]
        bits.append(
            subprocess.run(run, env={**os.environ, "KASOKU_CPU": cpu}, capture_output=True, text=True, check=True)
        )
    assert bits[0].stdout and bits[0].stdout == bits[1].stdout


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ODD)
def test_signs(name, dtype):
    x = accuracy.samples(name, np.dtype(dtype).type, 1 << 12)[0]
    zeros = getattr(ks, name)(ks.array(np.array([0.0, -0.0], dtype))).numpy()
    assert (zeros == 0).all() and np.signbit(zeros).tolist() == [False, True]
    if name not in ("expm1", "log1p"):
        here, there = (getattr(ks, name)(ks.array(v)).numpy() for v in (x, -x))
        np.testing.assert_array_equal(here, -there)


def test_the_arguments_nearest_to_multiples_of_a_quarter_turn():
    """The hardest ones of both types, as Muller's book has them: more of 2 / pi is needed than anywhere else."""
    x = np.array([6381956970095103 * 2.0**797] * 20)
    for got in (ks.cos(ks.array(x)).numpy(), ks.cos(ks.array(x[:1])).numpy()):
        np.testing.assert_allclose(got, -4.687165924254628e-19, rtol=2e-16)
    y = np.array([16367173 * 2.0**72], np.float32)  # 4e-9 from a multiple
    for name in ("sin", "cos", "tan"):
        error = accuracy.errors(getattr(ks, name)(ks.array(y)).numpy(), getattr(np, name)(y.astype(np.longdouble)))
        assert error[0] <= 1


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sin", "cos", "tan", "arcsinh"])
def test_a_far_argument_among_near_ones(name, dtype, device):
    """What few elements need is computed for these alone: in each lane, and its neighbours are as without it."""
    near = np.linspace(-20, 20, 80).astype(dtype)
    far = np.array([3e7, 1e10, 1e30, -1e30], dtype)
    alone = [getattr(ks, name)(ks.array(x, device=device)).numpy() for x in (near, far)]
    for lane in range(33):
        for k in range(4):
            x, want = near.copy(), alone[0].copy()
            x[lane], want[lane] = far[k], alone[1][k]
            np.testing.assert_array_equal(getattr(ks, name)(ks.array(x, device=device)).numpy(), want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_power_as_c99_has_it(dtype):
    inf, nan = np.inf, np.nan
    rows = [(0, 3, 0), (-0.0, 3, -0.0), (-0.0, 2, 0), (0, -1, inf), (-0.0, -1, -inf), (-0.0, -2, inf), (-1, inf, 1),
            (-1, -inf, 1), (1, nan, 1), (nan, 0, 1), (nan, 1, nan), (-8, 1 / 3, nan), (0.5, -inf, inf), (2, -inf, 0),
            (0.5, inf, 0), (2, inf, inf), (-inf, -3, -0.0), (-inf, -2, 0), (-inf, 3, -inf), (-inf, 0.5, inf), (inf, -1, 0),
            (-2, 3, -8), (-2, 2, 4), (-2, -3, -0.125), (0, -inf, inf), (-0.0, 0.5, 0), (-1, 2**24 - 1, -1),
            (-1, 2.0**60, 1), (-1, 8388609, -1)]  # fmt: skip
    x, y, want = np.array(rows, dtype).T
    got = (ks.array(x) ** ks.array(y)).numpy()
    np.testing.assert_array_equal(got, want)
    known = ~np.isnan(want)
    assert (np.signbit(got) == np.signbit(want))[known].all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("width", [0.02, 0.3, 7, 70])
def test_large_powers_of_what_is_near_one(dtype, width):
    """Of a logarithm that is multiplied by thousands each digit counts; where exponents of intervals meet, most."""
    g, top = np.random.default_rng(3), {"float32": 80, "float64": 690}[dtype]
    x = np.exp(g.uniform(-width, width, 100_000)).astype(dtype)
    with np.errstate(all="ignore"):
        y = (g.uniform(-top, top, len(x)) / np.log(x.astype(np.float64))).astype(dtype)
        exact = x.astype(np.longdouble) ** y.astype(np.longdouble)
    error = accuracy.errors((ks.array(x) ** ks.array(y)).numpy(), exact)
    assert error[np.isfinite(y)].max() <= {"float32": 0.63, "float64": 0.7}[dtype]


def test_power_of_all_edges_is_numpys(device):
    edges = [
        0,
        1,
        2,
        3,
        0.5,
        1.5,
        np.inf,
        5e-324,
        1e308,
        1e-300,
        2.0**53,
        2.0**53 - 1,
        2.0**52 + 0.5,
        1 - 2.0**-53,
        1 + 2.0**-52,
    ]
    edges = np.array([np.nan, 1023.5, 1024, 1074, 1075, 2.2250738585072014e-308, *edges])
    x, y = (v.ravel() for v in np.meshgrid(*2 * [np.concatenate([edges, -edges])]))
    with np.errstate(all="ignore"):
        want = x**y
    got = (ks.array(x, device=device) ** ks.array(y, device=device)).numpy()
    np.testing.assert_allclose(got, want, rtol=2.0**-52, atol=5e-324)
    assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_to_great_powers_among_small_ones_wrap_as_numpys(dtype, device):
    limits, rng = np.iinfo(dtype), np.random.default_rng(5)
    x = rng.integers(limits.min, limits.max, 5003, dtype, endpoint=True)
    x[::3] %= 7
    for most in (4, 15, 16, min(limits.max, 2**40)):
        y = rng.integers(0, most, x.size, endpoint=True).astype(dtype)
        y[::2] %= 5
        got = ks.array(x, device=device) ** ks.array(y, device=device)
        np.testing.assert_array_equal(got.numpy(), x**y)


def test_errors_of_a_wrong_function_are_seen():
    """The measure itself: 2 ulp off, a wrong end, a zero of the wrong sign."""
    x = np.array([1.0, 0.5, np.inf, -0.0], np.float32)
    exact = np.array([1.0, 0.5, np.inf, -0.0])
    assert accuracy.errors(x, exact).tolist() == [0, 0, 0, 0]
    off = np.array([1 + 2.0**-22, 0.5 - 2.0**-24, 3e38, 0.0], np.float32)
    assert accuracy.errors(off, exact).tolist() == [2, 1, np.inf, np.inf]


@pytest.mark.parametrize("exponent", [2 + 1j, 0.5 - 1j, -1 + 2j, 1 + 1j, 2 + 0j, 0.5 + 0j, np.complex64(2 + 1j)])
@pytest.mark.parametrize("n", [3, 5000])
def test_powers_by_complex_numbers_have_both_parts(exponent, n, device):
    for dtype in ("float64", "complex128", "int32", "float32"):
        x = np.resize(np.array([1, 2, 3], dtype), n)
        got = (ks.asarray(x, device=device) ** exponent).numpy()
        want = x**exponent
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-12 if want.dtype == np.complex128 else 1e-5)
