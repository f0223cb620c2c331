"""A reduction's bits are those of the elements' order in the array, in whichever order they lie in memory."""

import itertools

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core


@pytest.fixture(params=["as it is", "text for GPUs"], autouse=True)
def form(request, on_device):
    """A GPU's schedules walk in orders of their own; their text runs on CPUs too."""
    before = _core._gpu_form(request.param != "as it is")
    yield request.param
    _core._gpu_form(before)


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
    (4096, 200),
    (8192, 77),
    (2048, 260),
    (16_384, 70),
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
def test_reductions_over_axes_in_any_order(name, dtype, device, form):
    if form == "text for GPUs" and dtype not in ("float32", "int16"):
        pytest.skip("the other form has seen it")
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


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint32", "bool", "float32", "float64", "float16"])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "count_nonzero", "nanmin", "nanmax"])
def test_what_is_joined_in_any_order_is_read_as_it_lies(name, dtype, device, form):
    host = values((40, 60, 50), dtype)
    if dtype.startswith("float"):
        host[3, 4, 5] = np.nan
    x = ks.array(host, device=device).eval()
    if name in ("sum", "prod") and dtype.startswith("float"):
        return
    for order in itertools.permutations(range(3)):
        y, want = x.transpose(order), host.transpose(order)
        np.testing.assert_array_equal(getattr(y, name)().numpy(), getattr(np, name)(want))
        np.testing.assert_array_equal(getattr(y[::-1, 1:], name)().numpy(), getattr(np, name)(want[::-1, 1:]))
        np.testing.assert_array_equal(getattr(y, name)(axis=(0, 2)).numpy(), getattr(np, name)(want, axis=(0, 2)))


def test_columns_of_chunks_leave_the_tree(device, form):
    """Several chunks of a row, a part of one, two axes behind the one along memory, and results of their own."""
    for shape in (
        (16_384, 64),
        (4096, 128),
        (2048, 256),
        (1024, 512),
        (512, 1024),
        (64, 128, 96),
        (3, 8192, 64),
        (5, 4096, 128),
    ):
        a = values(shape, "float32")
        x = ks.array(a, device=device).eval()
        back = (len(shape) - 1, *range(len(shape) - 1))
        want = np.ascontiguousarray(a.transpose(back))
        y = x.transpose(back)
        assert y.sum().numpy() == tree(want.ravel())
        np.testing.assert_array_equal((y * 2 + 1).sum().numpy(), tree((want * np.float32(2) + np.float32(1)).ravel()))
        if len(shape) == 3:
            kept = y.transpose(1, 0, 2) if shape[0] < 10 else y.transpose(2, 0, 1)
            whole = np.ascontiguousarray(want.transpose(1, 0, 2) if shape[0] < 10 else want.transpose(2, 0, 1))
            np.testing.assert_array_equal(kept.sum(axis=(1, 2)).numpy(), [tree(row.ravel()) for row in whole])
