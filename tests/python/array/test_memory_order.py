"""A reduction's bits are those of the elements' order in the array, in whichever order they lie in memory."""

import itertools

import kasoku as ks
import numpy as np
import pytest

SHAPES = [
    (300, 301),
    (512, 1024),
    (17, 40_000),
    (40_000, 17),
    (9, 70_000),
    (70_000, 3),
    (64, 8192),
    (16, 16_384),
    (5, 13_000),
]


def tree(x):
    """The sum that the documentation defines, of a sequence."""
    while True:
        results = []
        for start in range(0, len(x), 8192):
            lanes = np.full(1024, -0.0, x.dtype)
            for row in range(start, min(start + 8192, len(x)), 1024):
                part = x[row : min(row + 1024, start + 8192)]
                lanes[: len(part)] += part
            step = 512
            while step:
                lanes = lanes[:step] + lanes[step : 2 * step]
                step //= 2
            results.append(lanes[0])
        if len(results) == 1:
            return results[0]
        x = np.array(results)


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1 if dtype == "float16" else 100, shape)
    return (x + 1j * rng.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex128"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_transposed_total_is_that_of_its_order(shape, dtype, device):
    host = values(shape, dtype)
    x = ks.array(host, device=device).eval()
    wide = {"float16": np.float32}.get(dtype, host.dtype)
    assert np.array(x.T.sum()) == tree(host.T.ravel().astype(wide)).astype(dtype)
    assert np.array(x.T[::-1, ::-1].sum()) == tree(host.T[::-1, ::-1].ravel().astype(wide)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "float64", "complex64"])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "argmin", "any", "count_nonzero", "std", "nanargmax"])
def test_reductions_over_axes_in_any_order(name, dtype, device):
    host = values((40, 50, 60), dtype)
    if dtype.startswith("float"):
        host[3, 4, 5] = np.nan
    x = ks.array(host, device=device).eval()
    f, reference = getattr(ks, name), getattr(np, name)
    for order in itertools.permutations(range(3)):
        y, in_order = x.transpose(order), ks.array(np.ascontiguousarray(host.transpose(order)), device=device).eval()
        for axis in (None, 0, 1, 2, (0, 1), (1, 2), (0, 2)):
            if isinstance(axis, tuple) and "arg" in name:
                continue
            try:
                want = f(in_order, axis=axis).numpy()
            except TypeError:
                return
            got = f(y, axis=axis).numpy()
            np.testing.assert_array_equal(got, want, err_msg=f"{order} {axis}")
            if axis is None and name in ("max", "argmin", "any", "count_nonzero", "nanargmax"):
                np.testing.assert_array_equal(got, reference(host.transpose(order)))


def test_what_is_fused_walks_with_it(device):
    a, b = values((700, 300), "float32"), values((300, 700), "float64", 1)
    x, y = ks.array(a, device=device).eval(), ks.array(b, device=device).eval()
    in_order = ks.array(np.ascontiguousarray(a.T), device=device).eval()
    mask = ks.array(np.arange(210_000).reshape(300, 700) % 3 == 0, device=device).eval()
    for work in (
        lambda z: (ks.exp(z * 0.01) + y).sum(),
        lambda z: z.sum(where=mask),
        lambda z: (z * ks.arange(700)).max(axis=None),
        lambda z: (z + ks.arange(210_000.0).reshape(300, 700)).argmax(),
        lambda z: z[::2, 5:].mean(dtype="float64"),
        lambda z: z[:, ::3].var(),
    ):
        with ks.default_device(device):
            got, want = work(x.T).numpy(), work(in_order).numpy()
        assert got.tobytes() == want.tobytes()


def test_kernels_of_users_walk_so_too(device):
    a = values((700, 300), "float32")
    x, in_order = (ks.array(z, device=device).eval() for z in (a, np.ascontiguousarray(a.T)))
    total = ks.ReductionKernel("T x", "T y", "x * 2", "a + b", "y = a", "0", "total_of_doubles")
    first = ks.ReductionKernel(
        "T x, raw T w",
        "int64 y",
        "x > w[_j % 7] ? _j : 1 << 30",
        "a < b ? a : b",
        "y = a",
        "1 << 30",
        "first_above",
        reduce_type="long long",
    )
    w = ks.array(values(7, "float32", 2), device=device).eval()
    assert total(x.T).numpy() == total(in_order).numpy() == tree(a.T.ravel() * 2)
    assert first(x.T, w).numpy() == first(in_order, w).numpy() == np.argmax(a.T.ravel() > np.resize(w.numpy(), a.size))
