"""Reductions of so many elements as one thread takes: they run at once, chunk by chunk, and are what the graph computes and NumPy
does. Copies of few elements that lie apart."""

import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

ABOUT_CHUNKS = [2049, 8191, 8192, 8193, 16384, 16385, 32767, 32768, 32769]
NAMES = "sum prod max min any all argmax argmin count_nonzero mean".split()


def by_the_graph(call):
    before = _core._few_at_once(False)
    try:
        return np.asarray(call().numpy())
    finally:
        _core._few_at_once(before)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int8", "uint32", "bool", "complex64"])
def test_chunks_of_a_row_are_joined_as_in_the_graph(dtype):
    g = np.random.default_rng(1)
    for n in ABOUT_CHUNKS:
        host = g.integers(0, 3, n).astype(dtype)
        x = ks.array(host)
        for name in NAMES:
            call = getattr(ks, name)
            expected = by_the_graph(lambda call=call, x=x: ks.asarray(call(x)))
            for _ in range(3):  # found, and then known
                got = np.asarray(ks.asarray(call(x)).numpy())
                assert got.dtype == expected.dtype and got.tobytes() == expected.tobytes(), (name, n)
            if name not in ("sum", "prod", "mean") or dtype in ("int64", "bool"):
                assert got == getattr(np, name)(host), (name, n)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_positions_and_nan_in_any_chunk(dtype):
    for n in ABOUT_CHUNKS:
        for place in (0, 8191 % n, 8192 % n, 16384 % n, n - 1):
            for value in (9.0, np.nan):
                host = np.zeros(n, dtype)
                host[place] = host[-1] = value  # of equal ones the first
                x = ks.array(host)
                assert int(x.argmax()) == host.argmax() == place
                assert np.array_equal(float(x.max()), host.max(), equal_nan=True)
                assert bool(x.any()) and not bool((-x[:place]).any())
        host = np.ones(n, dtype)
        assert bool(ks.array(host).all()) and int(ks.array(host).argmin()) == 0
        host[-1] = 0
        assert not bool(ks.array(host).all()) and int(ks.array(host).argmin()) == n - 1


@pytest.mark.parametrize("shape", [(100, 100), (3, 8000), (8000, 3), (2, 16384), (16384, 2), (20, 30, 40), (4, 8192)])
def test_rows_and_columns_at_once_have_the_bits_of_the_graph(shape):
    host = np.random.default_rng(2).standard_normal(shape)
    x = ks.array(host)
    for name in ("sum", "max", "argmin", "any", "mean", "std"):
        for axis in range(-1, len(shape)):
            call = lambda name=name, axis=axis: getattr(ks, name)(x, axis=axis)  # noqa: E731
            expected = by_the_graph(call)
            assert call().numpy().tobytes() == expected.tobytes(), (name, axis)
            np.testing.assert_allclose(expected, getattr(np, name)(host, axis=axis), rtol=1e-9)


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64", "complex128"])
def test_elements_that_lie_apart_are_copied_in_order(dtype):
    host = np.arange(4000).astype(dtype)
    x = ks.array(host)
    for n in (*range(1, 20), 1000):
        for step in (-3, -1, 2, 5) if n < 800 else (-3, 2):
            for cut in (slice(0, n * step, step) if step > 0 else slice(n * -step, 0, step),):
                np.testing.assert_array_equal(x[cut].copy().numpy(), host[cut])
                y, z = ks.array(host), host.copy()
                y[cut] = x[5 : 5 + len(host[cut])]
                z[cut] = host[5 : 5 + len(host[cut])]
                np.testing.assert_array_equal(y.numpy(), z)
    square = host[:1600].reshape(40, 40)
    np.testing.assert_array_equal(ks.ascontiguousarray(ks.array(square).T).numpy(), square.T)


def test_a_copy_is_of_its_own_memory():
    x = ks.ones(10_000).eval()
    y = x.copy()
    y[0] = 5
    assert float(x[0]) == 1 and float(y.sum()) == 10_004
