"""The face of CuPy against NumPy: what its arrays and modules have beyond the engine's."""

import sys
import warnings
from unittest import mock

import numpy as np
import pytest
from cupy_arrays import ramp, same

import kasoku as ks
from kasoku.compat import cupy, cupyx

dtypes = [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float16, np.float32,
          np.float64, np.complex64, np.complex128]  # fmt: skip


# ── arrays ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (2, 0, 3)])
def test_arrays_go_and_come(cp, dtype, shape):
    host = ramp(shape, dtype)
    for order in "CFAK":
        a = cp.array(host, order=order)
        same(a, host)
        assert a.flags.c_contiguous == np.array(host, order=order).flags.c_contiguous
        assert a.flags.f_contiguous == np.array(host, order=order).flags.f_contiguous
    back = np.empty(shape, dtype)
    assert cp.array(host).get(out=back) is back
    np.testing.assert_array_equal(back, host)
    b = cp.empty_like(cp.array(host))
    b.set(host)
    same(b, host)


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_orders_of_reshape_and_ravel(cp, order):
    host = np.asfortranarray(ramp((3, 4), np.float32))
    a = cp.array(host)
    assert a.flags.f_contiguous and not a.flags.c_contiguous
    same(a.reshape(2, 6, order=order), host.reshape(2, 6, order=order))
    same(a.ravel(order), host.ravel(order))
    same(a.flatten(order), host.flatten(order))
    assert a.copy(order).strides == host.copy(order).strides
    assert cp.copy(a, order).strides == np.copy(host, order).strides


def test_real_and_imaginary_parts_are_views(cp):
    host = ramp((3, 4), np.complex64)
    a = cp.array(host)
    same(a.real, host.real)
    same(a.imag[1:, ::2], host.imag[1:, ::2])
    a.imag = 7
    a.real[0] = -1
    host.imag = 7
    host.real[0] = -1
    same(a, host)
    same(cp.array([1.0, 2.0]).imag, np.zeros(2))
    with pytest.raises(TypeError, match="imaginary"):
        cp.ones(3).imag = 1


def test_views_of_other_dtypes(cp):
    host = ramp((2, 4), np.int32)
    a = cp.array(host)
    same(a.view(np.float32), host.view(np.float32))
    same(a.view(np.int64), host.view(np.int64))
    same(a.view("u1"), host.view("u1"))
    a.view(np.uint32)[0] = 5
    assert a[0].tolist() == [5] * 4
    with pytest.raises(ValueError, match="no whole elements"):
        cp.ones(3, np.int32).view(np.int64)
    with pytest.raises(ValueError, match="contiguous"):
        a[:, ::2].view(np.int64)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_arithmetic(cp, dtype):
    rng = np.random.default_rng(1)
    x, y = ((rng.standard_normal(50) + 1j * rng.standard_normal(50)).astype(dtype) for _ in range(2))
    a, b = cp.array(x), cp.array(y)
    limit = dict(rtol=1e-5 if dtype is np.complex64 else 1e-13)
    for f in (lambda p, q: p + q, lambda p, q: p - 2 * q, lambda p, q: p * q, lambda p, q: p / q,
              lambda p, q: -p + 1j, lambda p, q: p**2, lambda p, q: p**q):  # fmt: skip
        same(f(a, b), f(x, y), **limit)
    same(a == a, x == x)
    same(a != b, x != y)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "conj", "abs", "square"):
        same(getattr(cp, name)(a), getattr(np, name)(x), rtol=2e-5 if dtype is np.complex64 else 1e-12)
    same(a.sum(), x.sum(), **limit)
    same(a.reshape(5, 10).sum(axis=0), x.reshape(5, 10).sum(axis=0), rtol=1e-4)
    same(a.mean(), x.mean(), **limit)
    same(a.astype(bool), x.astype(bool))
    with pytest.warns(cp.exceptions.ComplexWarning):
        same(a.astype(np.float32), x.real.astype(np.float32))


def test_new_arrays_like_others(cp):
    host = np.empty((2, 3, 4))
    for view in (host, host.T, host.transpose(1, 0, 2), host[:, :, ::2], host[:, 0], host[0, 0, 0]):
        a = cp.array(host)
        a = cp.ndarray(view.shape, view.dtype, a.data, view.strides)
        for order in "CFAK":
            assert cp.zeros_like(a, order=order).strides == np.zeros_like(view, order=order).strides
    with pytest.raises(TypeError, match="subok"):
        cp.empty_like(a, subok=True)
    for shape in (2.5, (2, 2.5), "a"):
        with pytest.raises(TypeError, match="integer"):
            cp.zeros(shape)
    assert cp.asnumpy(None).dtype == object and ks.asnumpy(None)[()] is None
    both = cp.broadcast(cp.ones((2, 1)), cp.ones(3))
    assert (both.shape, both.nd, both.size, both.values[0].shape) == ((2, 3), 2, 6, (2, 3))
    with pytest.raises(ValueError, match="(?i)infs"):
        cp.asarray_chkfinite([1.0, np.inf])


def test_reductions_take_cupys_arguments(cp):
    x = np.random.default_rng(4).standard_normal((3, 4))
    a, out = cp.array(x), cp.empty((1, 4))
    assert cp.max(a, 0, out, True) is out
    same(out, np.max(x, 0, keepdims=True))
    same(a.all(1, None, True), np.all(x, 1, None, True))
    same(a.std(0, None, None, 1), x.std(0, None, None, 1), rtol=1e-13)
    same(a.argmin(axis=1), x.argmin(axis=1))
    same(a.round(1), x.round(1), rtol=1e-15)
    z = cp.array(x + 1j)
    same(cp.max(z), (x + 1j).max())
    same(cp.round(z, 1), np.round(x + 1j, 1))
    with pytest.warns(cp.exceptions.ComplexWarning):
        same(cp.sum(z, dtype=np.float64), x.sum(), rtol=1e-13)
    for sums in (z.sum, z.mean, z.prod):
        with pytest.warns(cp.exceptions.ComplexWarning) as caught:
            same(sums(None, np.float64), getattr(x, sums.__name__)(), rtol=1e-13)
        assert caught[0].filename == __file__ and len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(z.sum(0, np.complex128), (x + 1j).sum(0), rtol=1e-13)
        same(a.sum(dtype=np.float32), x.sum(dtype=np.float32), rtol=1e-5)
    with pytest.raises(ValueError, match="shape"):
        a.sum(axis=0, out=cp.empty(3))
    half = np.ones(3, np.float16)
    same(cp.nextafter(cp.array(half), cp.array(half * 2)), np.nextafter(half, half * 2))


def test_axes_that_do_not_exist(cp):
    for f in (lambda a: a.sum(axis=2), lambda a: a.max(axis=-3), lambda a: a.swapaxes(0, 5)):
        with pytest.raises(np.exceptions.AxisError):
            f(cp.ones((2, 2)))


def test_ndarray_is_a_class(cp):
    assert isinstance(cp.ones(2), cp.ndarray) and not isinstance(np.ones(2), cp.ndarray)
    a = cp.ndarray((2, 3), np.float32, order="F")
    assert a.shape == (2, 3) and a.flags.f_contiguous and a.dtype == np.float32
    b = cp.arange(6, dtype=np.float32)
    view = cp.ndarray((2, 2), np.float32, b.data + 4, strides=(8, 4))
    assert view.tolist() == [[1, 2], [3, 4]]


def test_functions_of_the_host(cp):
    host = np.random.default_rng(0).standard_normal((4, 5))
    a = cp.array(host)
    for name, args in [("sort", ()), ("argsort", ()), ("cumsum", (1,)), ("cumprod", ()), ("median", ()),
                       ("percentile", (30,)), ("diff", ()), ("roll", (2,)), ("tril", ()), ("nanmax", ()),
                       ("unique", ()), ("histogram", (3,)), ("pad", (1,))]:  # fmt: skip
        ours, numpys = getattr(cp, name)(a, *args), getattr(np, name)(host, *args)
        if not isinstance(ours, tuple):
            ours, numpys = (ours,), (numpys,)
        for one, other in zip(ours, numpys, strict=True):
            same(one, np.asarray(other))
    same(cp.linalg.inv(a[:, :4]), np.linalg.inv(host[:, :4]), rtol=1e-12)
    same(cp.fft.fft(a), np.fft.fft(host), rtol=1e-12)
    out = cp.empty(20)
    assert cp.cumsum(a, out=out) is out
    same(out, np.cumsum(host))
    with pytest.raises(AttributeError, match="kasoku does not have cupy.linalg.nothing"):
        cp.linalg.nothing
    a.sort(axis=0)
    same(a, np.sort(host, axis=0))


def test_ufuncs_are_objects(cp):
    x = ramp((3, 4), np.int32)
    a = cp.array(x)
    assert cp.add.nin == 2 and repr(cp.add) == "<ufunc 'cupy_add'>" and isinstance(cp.add, cp.ufunc)
    same(cp.add(a, a, dtype=np.float64), np.add(x, x, dtype=np.float64))
    out = cp.empty((3, 4))
    assert cp.multiply(a, 2, out) is out
    same(out, 2.0 * x)
    same(cp.add.reduce(a), np.add.reduce(x))
    same(cp.maximum.accumulate(a), np.maximum.accumulate(x))
    same(cp.subtract.outer(a[0], a[1]), np.subtract.outer(x[0], x[1]))
    cp.add.at(a, (cp.array([0, 0]), cp.array([1, 1])), 10)
    assert int(a[0, 1]) == 22
    with pytest.raises(TypeError, match="same_kind"):
        cp.true_divide(a, 2, cp.empty((3, 4), np.int32))
    with pytest.raises(ValueError, match="shape"):
        cp.add(a, 1, cp.empty((2, 4)))


# ── cupy.random ───────────────────────────────────────────────────────────────────────────────


def test_random_numbers(cp):
    cp.random.seed(3)
    first = cp.random.rand(1000), cp.random.randint(0, 10, 1000), cp.random.gamma(2.0, 1.0, 1000)
    cp.random.seed(3)
    for a, b in zip(
        first, (cp.random.rand(1000), cp.random.randint(0, 10, 1000), cp.random.gamma(2.0, 1.0, 1000)), strict=True
    ):
        same(a, cp.asnumpy(b))
    g = cp.random.default_rng(5)
    x = cp.asnumpy(g.normal(3, 2, 100_000))
    assert abs(x.mean() - 3) < 0.05 and abs(x.std() - 2) < 0.05
    assert set(cp.asnumpy(g.integers(0, 3, 100, endpoint=True))) == {0, 1, 2, 3}
    p = cp.arange(50)
    cp.random.shuffle(p)
    assert sorted(p.tolist()) == list(range(50)) and p.tolist() != list(range(50))
    assert cp.random.rand(2, 3, dtype=cp.float32).dtype == np.float32
    with pytest.raises(TypeError, match="float16"):
        cp.random.rand(3, dtype=cp.float16)
    with pytest.raises(ValueError, match="low >= high"):
        cp.random.randint(3, 3, 1)


# ── cupyx ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_scatter_add(cp, dtype):
    for shape, at, values in [((5,), [1, 1, -1], [1, 2, 3]), ((3, 2), [[0, 2], [0, 0]], 2), ((4,), [], [])]:
        a, host = cp.zeros(shape, dtype), np.zeros(shape, dtype)
        at = np.array(at, np.int64)
        cupyx.scatter_add(a, cp.array(at), cp.array(values, dtype=dtype) if values else values)
        np.add.at(host, at, values)
        same(a, host)
    a = cp.zeros((2, 3), dtype)
    cupyx.scatter_add(a, (slice(None), 1), 4)
    assert a.tolist() == [[0, 4, 0]] * 2
    with pytest.raises(IndexError, match="out of bounds"):
        cupyx.scatter_add(cp.zeros(3, dtype), cp.array([3]), 1)


def test_benchmark_computes_what_nobody_reads(cp):
    from kasoku.compat.cupyx.profiler import benchmark

    x = cp.random.rand(300, 300)
    seen = []

    def discards():
        y = x * 2
        seen.append(y.is_pending)

    benchmark(discards, n_repeat=2, n_warmup=1)
    assert seen == [False] * 3
    assert (x * 2).is_pending  # as everywhere else


def test_benchmark_names_kernels_and_what_has_no_name(cp):
    from kasoku.compat.cupyx.profiler import benchmark

    kernel = cp.RawKernel('extern "C" __global__ void put(int *x) { x[threadIdx.x] = 1; }', "put")
    x = cp.zeros(8, dtype="i")
    assert benchmark(kernel, ((1,), (8,), (x,)), n_repeat=1, n_warmup=0).name == "put" and int(x.sum()) == 8

    class Call:
        def __call__(self):
            return 1

    assert benchmark(Call(), n_repeat=1, n_warmup=0).name == "Call"


def test_benchmark(cp):
    from kasoku.compat.cupyx.profiler import benchmark

    calls = []
    result = benchmark(lambda: calls.append(1), n_repeat=5, n_warmup=2, name="nothing")
    assert len(calls) == 7 and result.cpu_times.shape == (5,) and "nothing" in str(result)


# ── cupy.testing ──────────────────────────────────────────────────────────────────────────────


def test_testing_compares_with_numpy(cp):
    pytest.importorskip("kasoku_testing", reason="a wheel has no helpers of peers' tests")
    seen = []

    @cp.testing.for_all_dtypes(no_complex=True)
    @cp.testing.numpy_cupy_array_equal()
    def doubled(xp, dtype):
        seen.append(dtype)
        return cp.testing.shaped_arange((2, 3), xp, dtype) * dtype(1)

    doubled()
    assert {np.float16, np.bool_, np.uint64} <= set(seen)

    @cp.testing.numpy_cupy_allclose(rtol=1e-3)
    def wrong(xp):
        return xp.ones(3) * (1 if xp is np else 1.01)

    with pytest.raises(AssertionError):
        wrong()

    @cp.testing.numpy_cupy_array_equal()
    def raises_alone(xp):
        if xp is cp:
            raise ValueError("only here")
        return xp.ones(1)

    with pytest.raises(AssertionError, match="only one of them"):
        raises_alone()
    assert len(cp.testing.product({"a": [1, 2], "b": [3]})) == 2


def test_inner_names_that_tests_import_are_there(cp):
    pytest.importorskip("kasoku_testing", reason="a wheel has no helpers of peers' tests")
    from kasoku.compat.cupy.fft import _fft

    host = np.arange(24.0).reshape(2, 3, 4)
    a = cp.asarray(host)
    assert _fft._default_fft_func(a, axes=(0, 1)) is _fft._fftn
    assert _fft._size_last_transform_axis(a.shape, None, None) == 4
    same(_fft._fft(a), np.fft.fft(host), rtol=1e-12)
    same(_fft._fftn(a), np.fft.fftn(host), rtol=1e-12)


def test_a_wheel_has_the_assertions_of_testing_and_says_where_the_rest_is(cp, monkeypatch):
    monkeypatch.setitem(sys.modules, "kasoku_testing", None)
    cp.testing.assert_array_equal(cp.arange(3), np.arange(3))
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(cp.arange(3), np.arange(3) + 1)
    with pytest.raises(AttributeError, match="kasoku does not have cupy.testing.for_orders(.|\n)*kasoku_testing"):
        cp.testing.for_orders  # noqa: B018


def test_what_a_program_puts_in_place_of_random_functions_and_states_is_called(cp, monkeypatch):
    seen = mock.Mock()
    monkeypatch.setattr(cp.random._generator, "_random_states", {cp.cuda.Device().id: seen})
    cp.random.choice(3)
    cp.random.choice(3, replace=False)
    assert seen.choice.call_args_list == [mock.call(3, None, True, None), mock.call(3, None, False, None)]
    monkeypatch.setattr(cp.random._sample, "random_sample", seen.random_sample)
    monkeypatch.setattr(cp.random._sample, "randint", seen.randint)
    cp.random.rand(2, 3, dtype=np.float32)
    cp.random.random_integers(3)
    cp.random.random_integers(3, 5, (1, 2))
    seen.random_sample.assert_called_once_with(size=(2, 3), dtype=np.float32)
    assert seen.randint.call_args_list == [mock.call(1, 4, None), mock.call(3, 6, (1, 2))]


def test_take_with_an_output_and_of_one_number(cp):
    a, out = cp.arange(6).reshape(2, 3), cp.zeros((2, 2), cp.int64)
    assert cp.take(a, [2, 0], axis=1, out=out) is out and out.tolist() == [[2, 0], [5, 3]]
    assert a.take([5, 1]).tolist() == [5, 1] and cp.asarray(7).take([0, 0], axis=0).tolist() == [7, 7]
    for position in 1, 99:  # NumPy too looks at the output first
        with pytest.raises(ValueError, match="shape"):
            a.take([position], out=out)
    with pytest.raises(TypeError, match="dtype"):
        a.take([[0, 1], [2, 3]], out=cp.zeros((2, 2), cp.float32))


def test_numpys_functions_on_arrays(cp):
    a = cp.arange(4.0)
    assert np.result_type(3, a) == np.float64 and np.can_cast(a, "f4") is False
    assert np.common_type(cp.arange(2, dtype="f4"), a) is np.float64
    q, r = np.linalg.qr(cp.asarray([[1.0, 2], [3, 4]]))
    assert isinstance(q, cp.ndarray) and np.allclose((q @ r).get(), [[1, 2], [3, 4]])
    np.add.at(a, [0, 0], 5)
    assert a.tolist() == [10, 1, 2, 3]
    assert np.add.accumulate(a).tolist() == [10, 11, 13, 16] and np.multiply.outer(a, a).shape == (4, 4)


def test_flags_and_bytes(cp):
    a = cp.arange(6, dtype=cp.int16).reshape(2, 3)
    assert "OWNDATA" in repr(a.flags) and a.tobytes("F") == a.get().tobytes("F")
    assert repr(cp._core.flags.Flags(1, 2, 3)).endswith("OWNDATA : 3")
    assert a.conj() is a and a.conjugate() is a
    assert all(set(one) <= set("?bBhHiIlLqQefdFD->") for one in cp.add.types)


def test_flat_shows_the_elements_in_a_row(cp):
    a = cp.arange(6.0).reshape(2, 3).T
    assert a.flat[1] == 3 and a.flat[1:3].tolist() == [3, 1] and len(a.flat) == 6
    a.flat[::2] = -1
    want = np.arange(6.0).reshape(2, 3).T.copy()
    want.flat[::2] = -1
    assert (a.get() == want).all() and [float(x) for x in a.flat] == want.ravel().tolist()
    a.flat = 5
    assert (a.get() == 5).all() and a.flat.copy().shape == (6,)


def test_indices_and_rows_that_are_joined(cp):
    a = cp.arange(12).reshape(3, 4)
    assert a[cp.ix_([0, 2], [1, 3])].tolist() == [[1, 3], [9, 11]]
    assert cp.r_[cp.arange(2), 7, 1:3].tolist() == [0, 1, 7, 1, 2] and cp.c_[cp.arange(2), cp.arange(2)].shape == (2, 2)


# ── views and products ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("cut", ["a", "a.transpose(2, 0, 1)", "a.swapaxes(0, 1)", "a[::-1, :, ::2]", "a.T", "a[:, :0]"])
def test_elements_in_a_row(cp, order, cut):
    host = ramp((2, 3, 4), np.float32)
    ours, numpys = eval(cut, {"a": cp.array(host)}), eval(cut, {"a": host})
    same(ours.ravel(order), numpys.ravel(order))
    same(ours.flatten(order), numpys.flatten(order))
    same(cp.ravel(ours, order), np.ravel(numpys, order))


@pytest.mark.parametrize(
    "change",
    [
        lambda xp, a: [xp.split(a, 2)[1]],
        lambda xp, a: xp.array_split(a, 3, 1)[::2],
        lambda xp, a: xp.hsplit(a, [1, 3]),
        lambda xp, a: xp.vsplit(a, 2),
        lambda xp, a: (
            [xp.diagonal(a, 1), a.diagonal(-2)]
            if xp is cupy
            else [a.reshape(-1)[1::7][:4], a.reshape(-1)[12::7][:2]]  # numpy.diagonal is read-only
        ),
        lambda xp, a: [xp.rot90(a), xp.flipud(a)[:1], xp.fliplr(a)[:, :2]],
        lambda xp, a: [xp.rollaxis(a, 1)[1:], xp.atleast_3d(a)[:, 0]],
        lambda xp, a: [xp.einsum("ij->ji", a)[2:], xp.einsum("ii->i", a[:, :4])],
        lambda xp, a: [xp.lib.stride_tricks.as_strided(a, (3, 2), (16, 8))],
        lambda xp, a: [xp.real(a), xp.real(a)[::2]],
    ],
)
def test_views_are_written_through(cp, change):
    host = ramp((4, 6), np.float64)
    a = cp.array(host)
    writable = np.array(host)
    for k, (ours, numpys) in enumerate(zip(change(cp, a), change(np, writable), strict=True)):
        same(ours, numpys)
        ours[...] = -k - 1
        numpys[...] = -k - 1
        same(a, writable)


def test_views_of_complex_parts_and_broadcast(cp):
    z = cp.array([1 + 2j, 3 - 1j])
    cp.imag(z)[...] = 5
    assert z.tolist() == [1 + 5j, 3 + 5j]
    a, b = both = cp.broadcast_arrays(cp.arange(3), cp.zeros((2, 1)))
    assert type(both) is tuple
    same(a, np.broadcast_to(np.arange(3), (2, 3)))
    same(b, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="bytes"):
        cp.lib.stride_tricks.as_strided(cp.arange(4.0), (3, 3), (16, 8))
    windows = cp.lib.stride_tricks.sliding_window_view(cp.arange(6), 4)
    same(windows, np.lib.stride_tricks.sliding_window_view(np.arange(6), 4))
    same(cp.lib.stride_tricks.sliding_window_view([3, 1, 4], 2), np.array([[3, 1], [1, 4]]))
    x = ramp((3, 4), np.float32)
    for letters in ("ij->i", "ij->", "ij,kj->ik"):  # sums are not views
        operands = [x] * (1 + letters.count(","))
        same(cp.einsum(letters, *map(cp.array, operands)), np.einsum(letters, *operands), rtol=1e-6)


@pytest.mark.parametrize("name", ["dot", "matmul"])
def test_products_into_an_output(cp, name):
    a, b = ramp((2, 3), np.float64), ramp((3, 4), np.float64)
    out = cp.empty((2, 4))
    assert getattr(cp, name)(cp.array(a), cp.array(b), out=out) is out
    same(out, a @ b)
    with pytest.raises(ValueError, match="shape"):
        getattr(cp, name)(cp.array(a), cp.array(b), out=cp.empty((4, 2)))
    with pytest.raises((TypeError, ValueError)):
        getattr(cp, name)(cp.array(a), cp.array(b), out=cp.empty((2, 4), np.int32))


def test_lstsq_is_of_one_matrix(cp):
    a, b = ramp((4, 2), np.float64) ** 0.5, ramp((4,), np.float64)
    found = cp.linalg.lstsq(cp.array(a), cp.array(b), rcond=None)
    assert type(found[0]) is cp.ndarray and np.allclose(found[0].get(), np.linalg.lstsq(a, b, rcond=None)[0])
    for shape, other in [((3, 3, 3), (3, 3)), ((3, 3), (3, 3, 3))]:
        with pytest.raises(np.linalg.LinAlgError, match="axes"):
            cp.linalg.lstsq(cp.ones(shape), cp.ones(other))


def test_a_shape_that_memory_has_not_is_numpys_error(cp):
    a = cp.ndarray((2, 3), order="F")
    with pytest.raises(AttributeError, match="incompatible shape"):
        a.shape = (3, 2)


def test_the_face_counts_as_installed():
    from kasoku_testing.cupy._conditions import installed

    assert installed("cupy", "cupy>9", "numpy>=1.20") and not installed("cupy>=99") and not installed("cupyy")


def test_none_is_no_element(cp):
    for x in (cp.arange(3), cp.float32(2) + cp.zeros((2, 0))):
        same(x == None, x.get() == None)  # noqa: E711
        same(x != None, x.get() != None)  # noqa: E711


def test_copyto_of_numbers(cp):
    for dtype in dtypes:
        for value in (True, 2, -3, 1.5, 2j):
            ours, numpys = cp.zeros(3, dtype), np.zeros(3, dtype)
            try:
                np.copyto(numpys, value)
            except (TypeError, OverflowError) as error:
                with pytest.raises(type(error)):
                    cp.copyto(ours, value)
            else:
                cp.copyto(ours, value)
                same(ours, numpys)


def test_a_generator_takes_another_bit_generator(cp):
    g = cp.random.Generator(cp.random.XORWOW(3))
    first = g.random(5).tolist() + g.beta(1, 2, 3).tolist()
    g.bit_generator = cp.random.XORWOW(3)
    assert g.random(5).tolist() + g.beta(1, 2, 3).tolist() == first


def test_what_indices_choose_lies_in_c_order(cp):
    x, index = cp.arange(60.0).reshape(3, 4, 5), cp.array([2, 0])
    for key in ((slice(None), index), (..., index), (index, slice(None), index)):
        assert x[key].flags.c_contiguous
    assert x[:, index, 1].flags.f_contiguous  # where several choose together it is NumPy's


def test_outputs_of_reductions_may_be_narrower(cp):
    x = ramp((4, 6), np.bool_)
    x[1:3, 2] = False
    for axis in (0, 1):
        out = cp.zeros(x.sum(axis).shape, bool)
        same(cp.sum(cp.array(x), axis=axis, out=out), np.sum(x, axis=axis, out=np.zeros(out.shape, bool)))
    y = ramp((4, 6), np.int8)
    for name in ("mean", "nanmean"):
        same(
            getattr(cp, name)(cp.array(y), axis=0, out=cp.zeros(6, np.int8)),
            getattr(np, name)(y, axis=0, out=np.zeros(6, np.int8)),
        )
    with pytest.raises(TypeError):
        cp.sum(cp.ones((2, 3)), axis=0, out=cp.zeros(3, np.int8))


def test_what_no_array_holds_is_a_value_error(cp):
    with pytest.raises(ValueError, match="no array holds the dtype object"):
        cp.array([1, None])


@pytest.mark.parametrize("half", [np.float16, np.float32])
def test_eigenvalues_of_halves_are_halves(cp, half):
    host = np.array([[2, 0, 1], [0, 3, 0], [1, 0, 2]])
    w, v = cp.linalg.eigh(cp.array(host, half), UPLO="U")
    assert w.dtype == v.dtype == half
    np.testing.assert_allclose(cp.asnumpy(w), np.linalg.eigvalsh(host), rtol=2e-3)
    np.testing.assert_allclose(cp.asnumpy(v * w @ v.T), host, atol=2e-2)


def test_clip_has_cupys_arguments(cp):
    x = np.linspace(-1, 1, 9)
    same(cp.clip(cp.array(x), a_min=-0.5, a_max=None), np.clip(x, -0.5, None))
    out = cp.empty(9)
    assert cp.clip(cp.array(x), 0, 0.5, out=out) is out
    with pytest.raises(TypeError):
        cp.clip(cp.array(x), 3)


@pytest.mark.parametrize("numbers_first", [False, True])
def test_a_number_beside_an_array_of_a_given_dtype(numbers_first):
    def product(space):
        a = space.arange(3)
        return space.multiply(*((2, a) if numbers_first else (a, 2)), dtype="f4")

    mine, theirs = product(cupy), product(np)
    assert mine.dtype == theirs.dtype == np.float32
    assert mine.get().tolist() == theirs.tolist() == [0, 2, 4]


def test_the_error_of_text_tells_its_message():
    with pytest.raises(cupy.cuda.compiler.CompileException) as caught:
        cupy.RawKernel('extern "C" __global__ void f() { nonsense }', "f")((1,), (1,), ())
    assert "nonsense" in caught.value.get_message() and caught.value.get_message() == str(caught.value)
