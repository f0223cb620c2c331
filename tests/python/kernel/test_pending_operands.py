"""Operands that are pending are computed in the kernel that reads them, with the bits that they have by themselves."""

import numpy as np
import pytest

import kasoku as ks

N = 40_000
dtypes = "bool int8 int32 int64 uint8 uint64 float16 float32 float64 complex64 complex128".split()


def host(dtype, *shape, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, shape) if dtype[0] in "fc" else rng.integers(0, 2 if dtype == "bool" else 90, shape)
    return (x + 1j * rng.uniform(-3, 3, shape) if dtype[0] == "c" else x).astype(dtype)


def fused():
    return ks.stats()["operands_fused"]


def expression(dtype, x, y):
    if dtype == "bool":
        return ~x | y
    if dtype[0] in "iu":
        return x * 3 + y // 7
    return x * 2 - y * x + 1


def both(call, *make):
    """What the call gives with pending operands, and with the same ones computed; how many were fused."""
    before = fused()
    got = call(*[m() for m in make])
    times = fused() - before
    want = call(*[m().eval() for m in make])
    assert fused() - before == times
    for a, b in zip(
        got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,), strict=True
    ):
        a, b = a.numpy(), b.numpy()
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return times


def on_gpu(device):
    return str(device) != "cpu"


@pytest.mark.parametrize("dtype", dtypes)
def test_an_elementwise_kernel_computes_its_operand(dtype, device, form):
    x, y = (ks.array(host(dtype, N, seed=k), device=device).eval() for k in range(2))
    kernel = ks.ElementwiseKernel(
        "T a, T b", "T c", "c = a * b + a" if dtype != "bool" else "c = a != b", f"in_it_{dtype}"
    )
    times = both(kernel, lambda: expression(dtype, x, y), lambda: y)
    assert times == 1 or (on_gpu(device) and dtype[0] == "c")  # a product of complex numbers is several


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)], ids=str)
def test_a_reduction_kernel_computes_its_operand(dtype, axis, device, form):
    x, y = (ks.array(host(dtype, 30, 40, 50, seed=k), device=device).eval() for k in range(2))
    join = ("a || b", "false") if dtype == "bool" else ("a + b", "0")
    kernel = ks.ReductionKernel(
        "T x, T y", "T z", "x * y" if dtype != "bool" else "x && y", join[0], "z = a", join[1], f"red_{dtype}"
    )
    assert both(lambda a, b: kernel(a, b, axis=axis), lambda: expression(dtype, x, y), lambda: y) == 1
    assert (
        both(
            lambda a, b: kernel(a, b, axis=axis),
            lambda: expression(dtype, x, y),
            lambda: x - y if dtype[0] in "fc" else x,
        )
        >= 1
    )


def test_functions_and_numpy(device, form):
    a = host("float64", N)
    x = ks.array(a, device=device).eval()
    total = ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total_of")
    before = fused()
    got = float(total(ks.sin(x) * ks.exp(x) + ks.sqrt(ks.abs(x))))
    assert fused() == before + 1
    np.testing.assert_allclose(got, (np.sin(a) * np.exp(a) + np.sqrt(np.abs(a))).sum(), rtol=1e-12)
    assert got == float((ks.sin(x) * ks.exp(x) + ks.sqrt(ks.abs(x))).sum())  # the tree of x.sum()
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x - y * 3", "of_functions")
    both(kernel, lambda: ks.tanh(x) * x, lambda: ks.log1p(ks.abs(x)))


def test_views_and_shapes_that_stretch(device, form):
    x = ks.array(host("float32", 200, 300), device=device).eval()
    row = ks.array(host("float32", 300, seed=2), device=device).eval()
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x * y + 1", "stretched")
    assert both(kernel, lambda: x[::2, ::-1] * 2 + x[1::2], lambda: x[:100]) == 1
    assert both(kernel, lambda: (x * 2 + 1).T, lambda: x.T) == 1
    assert both(kernel, lambda: (x * 2 + 1)[::2, ::3], lambda: x[::2, ::3]) == 1
    assert both(kernel, lambda: x * row, lambda: x) == 1
    both(kernel, lambda: row * 2, lambda: x)  # has so few elements that it is computed once
    index = ks.ElementwiseKernel("T x", "T z", "z = x + i", "with_index")
    assert both(index, lambda: (x * 2).T) == 1
    axes = ks.ElementwiseKernel(
        "T x", "T z", "z = x + _ind.get()[0] * 1000 + _ind.get()[1]", "with_axes", reduce_dims=False
    )
    both(axes, lambda: (x * 2).T)


def test_one_operand_twice_numbers_ranges_and_draws(device, form):
    x = ks.array(host("float32", N), device=device).eval()
    kernel = ks.ElementwiseKernel("T x, T y, T k", "T z, T w", "z = x * k + y; w = x - y", "twice")

    def twice():
        y = x * 3
        return kernel(y, y, 2)

    before = fused()
    z, w = twice()
    assert fused() == before + 2
    a = x.numpy() * np.float32(3)
    np.testing.assert_array_equal(w.numpy(), np.zeros(N))
    np.testing.assert_allclose(z.numpy(), a * 3, rtol=1e-6)
    both(lambda a, b: kernel(a, b, 2), lambda: ks.arange(N, dtype="float32", device=device) * 2, lambda: x * 0.1)
    both(lambda a, b: kernel(a, b, 2), lambda: ks.full((N,), 3, "float32", device=device) + x, lambda: x)

    def few():
        ks.random.seed(3)
        return ks.random.random(1000, dtype="float32", device=device) * 2 + 1

    part = x[:1000]
    both(lambda a, b: kernel(a, b, 2), few, lambda: part)

    def many():
        ks.random.seed(3)
        return ks.random.random(N, dtype="float32", device=device) * 2 + 1

    both(lambda a, b: kernel(a, b, 2), many, lambda: x)


def test_products_are_not_contracted(device, form):
    """x * x would round once less if it became part of the kernel's own sum."""
    x = ks.array(1 + host("float32", N) * np.float32(1e-4), device=device).eval()
    kernel = ks.ElementwiseKernel("T p, T q", "T z", "z = p - q", "difference_of_products")
    both(kernel, lambda: x * x, lambda: (x * x).eval())
    assert not kernel(x * x, (x * x).eval()).numpy().any()
    own = ks.ElementwiseKernel("T p, T q", "T z", "z = q * q - p", "own_products")
    both(own, lambda: x * x, lambda: x)


def test_an_output_over_what_the_operand_reads(device, form):
    a = host("float32", N + 1)
    kernel = ks.ElementwiseKernel("T x", "T z", "z = x + 1", "over_its_own")
    for source, target in ((slice(0, N), slice(0, N)), (slice(1, N + 1), slice(0, N)), (slice(0, N), slice(1, N + 1))):
        x = ks.array(a, device=device).eval()
        kernel(x[source] * 2, x[target])
        want = a.copy()
        want[target] = a[source] * 2 + 1
        np.testing.assert_array_equal(x.numpy(), want)
        x = ks.array(a, device=device).eval()
        pending = x[source] * 2
        kernel(pending, x[target])
        np.testing.assert_array_equal(pending.numpy(), a[source] * 2)
    x = ks.array(a, device=device).eval()
    scatter = ks.ElementwiseKernel("T x, raw T y", "", "y[i] = x", "writes_raw")
    scatter(x[1:] * 2, x)
    np.testing.assert_array_equal(x.numpy(), np.append(a[1:] * 2, a[-1:]))


def test_memory_of_numpy(device, form):
    if on_gpu(device):
        pytest.skip("shared memory is the host's")
    a = host("float32", N)
    kernel = ks.ElementwiseKernel("T x", "T z", "z = x + 1", "over_shared")
    x = ks.asarray(a)
    np.testing.assert_array_equal(kernel(x * 2).numpy(), a * 2 + 1)
    want = a[1:] * 2 + 1
    kernel(x[1:] * 2, a[:-1])
    np.testing.assert_array_equal(a[:-1], want)


def test_what_is_held_is_kept(device, form):
    x = ks.array(host("float32", N), device=device).eval()
    kernel = ks.ElementwiseKernel("T x", "T z", "z = x + 1", "reads_held")
    y = x * 2
    before = fused()
    first = kernel(y).numpy()
    assert fused() == before + 1
    assert "computed in what read it" in ks.explain(y)
    np.testing.assert_array_equal(kernel(y).numpy(), first)
    assert fused() == before + 1  # it was computed into memory
    assert "is computed" in ks.explain(y)
    reduction = ks.ElementwiseKernel("T x", "T z", "z = x + 1", "reads_a_reduction")
    big = ks.array(host("float32", 8, N), device=device).eval()
    total = big.sum(axis=0)
    np.testing.assert_array_equal(reduction(total).numpy(), total.numpy() + 1)


def test_few_elements_wait_for_no_compiler(device, on_device):
    x = ks.array(host("float32", 5000), device=device).eval()
    kernel = ks.ElementwiseKernel("T x", "T z", "z = x + 1", "few_at_first")
    kernel(x)
    before = fused()
    want = x.numpy() * np.float32(2) + 1
    np.testing.assert_array_equal(kernel(x * 2).numpy(), want)
    assert fused() == before
    np.testing.assert_array_equal(kernel(x * 2).numpy(), want)
    assert fused() == before + 1


def test_many_operands_are_cut(device, form):
    xs = [ks.array(host("float32", N, seed=k), device=device).eval() for k in range(40)]
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x + y", "of_many")

    def sum_of_all():
        total = xs[0]
        for x in xs[1:]:
            total = total + x
        return total

    both(kernel, sum_of_all, lambda: xs[3])


def test_errors_are_the_same(device, form):
    x = ks.array(host("float32", N), device=device).eval()
    kernel = ks.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x + y", "is_strict")
    with pytest.raises(TypeError, match="Type is mismatched"):
        kernel(x.astype("float64") * 2, x)
    with pytest.raises(ValueError, match="do not broadcast"):
        kernel(x * 2, x[:7])
