"""ks.fft against NumPy's: every function, dtype, length, axis and norm, where the array lies."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import kasoku as ks

real = ["float32", "float64"]
dtypes = [*real, "complex64", "complex128"]
lengths = [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 30, 97, 128, 1009, 2 * 3 * 5 * 7 * 11]


def numbers(shape, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 100 * x).astype(dtype)


def close(got, want):
    assert isinstance(got, ks.Array)
    got = got.numpy()
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    eps = np.finfo(want.dtype).eps
    scale = np.abs(want).max(initial=0) + np.finfo(want.dtype).tiny
    assert np.abs(got - want).max(initial=0) <= 20 * eps * scale * (1 + np.log2(max(want.shape, default=1)))


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("n", lengths)
def test_every_length_is_numpys(on_device, n, dtype):
    x = numbers((3, n), dtype)
    a = ks.array(x)
    for norm in (None, "backward", "ortho", "forward"):
        close(ks.fft.fft(a, norm=norm), np.fft.fft(x, norm=norm))
        close(ks.fft.ifft(a, norm=norm), np.fft.ifft(x, norm=norm))
        if dtype in real:
            close(ks.fft.rfft(a, norm=norm), np.fft.rfft(x, norm=norm))
            close(ks.fft.ihfft(a, norm=norm), np.fft.ihfft(x, norm=norm))
        for m in (n, 2 * n + 1):
            close(ks.fft.irfft(a, m, norm=norm), np.fft.irfft(x, m, norm=norm))
            close(ks.fft.hfft(a, m, norm=norm), np.fft.hfft(x, m, norm=norm))
    if n > 1:
        close(ks.fft.irfft(a), np.fft.irfft(x))
        close(ks.fft.hfft(a), np.fft.hfft(x))


@pytest.mark.parametrize("dtype", dtypes)
def test_axes_are_cut_or_filled_up(on_device, dtype):
    x = numbers((4, 5, 6), dtype)
    a = ks.array(x)
    for axis in (0, 1, -1):
        for n in (None, 1, 2, 5, 9):
            close(ks.fft.fft(a, n, axis), np.fft.fft(x, n, axis))
            close(ks.fft.ifft(a, n, axis), np.fft.ifft(x, n, axis))
            if dtype in real:
                close(ks.fft.rfft(a, n, axis), np.fft.rfft(x, n, axis))
            close(ks.fft.irfft(a, n, axis), np.fft.irfft(x, n, axis))


@pytest.mark.parametrize("dtype", dtypes)
def test_several_axes_are_numpys(on_device, dtype):
    x = numbers((4, 5, 6), dtype)
    a = ks.array(x)
    for s, axes in (
        (None, None),
        (None, (0, 2)),
        (None, (2, 0)),
        ((3, 8), (0, 1)),
        ((9, 2, 4), (0, 1, 2)),
        (None, (1,)),
        ((7, 5), (-1, -2)),
    ):
        for norm in (None, "ortho", "forward"):
            close(ks.fft.fftn(a, s, axes, norm), np.fft.fftn(x, s, axes, norm))
            close(ks.fft.ifftn(a, s, axes, norm), np.fft.ifftn(x, s, axes, norm))
            if dtype in real:
                close(ks.fft.rfftn(a, s, axes, norm), np.fft.rfftn(x, s, axes, norm))
            close(ks.fft.irfftn(a, s, axes, norm), np.fft.irfftn(x, s, axes, norm))
    for name in ("fft2", "ifft2", "irfft2", *(["rfft2"] if dtype in real else [])):
        close(getattr(ks.fft, name)(a), getattr(np.fft, name)(x))
        close(getattr(ks.fft, name)(a, (3, 7)), getattr(np.fft, name)(x, (3, 7)))
        close(getattr(ks.fft, name)(a, axes=(0, 1)), getattr(np.fft, name)(x, axes=(0, 1)))
        close(getattr(ks.fft, name)(a, axes=None), getattr(np.fft, name)(x, axes=None))
    close(ks.fft.fftn(a, axes=(1, 1)), np.fft.fftn(x, axes=(1, 1)))


def test_no_axis_is_no_transform(on_device):
    for name in ("fftn", "ifftn"):
        for shape in ((), (2, 3)):
            x = numbers(shape)
            got, want = getattr(ks.fft, name)(ks.array(x), axes=()), getattr(np.fft, name)(x, axes=())
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_array_equal(got.numpy(), want)
    assert ks.fft.fftn(ks.array(3.0)).dtype == float


def test_other_numbers_are_numpys_dtypes(on_device):
    for dtype in ("bool", "int8", "uint16", "int64", "float16"):
        x = (numbers((2, 6)) * 3).astype(dtype)
        close(ks.fft.fft(ks.array(x)), np.fft.fft(x))
    close(ks.fft.rfft(ks.array(np.arange(5))), np.fft.rfft(np.arange(5)))
    close(ks.fft.fft([1, 2, 3]), np.fft.fft([1, 2, 3]))


def test_any_memory_is_taken(on_device, layouts):
    for dtype in dtypes:
        x = numbers((6, 8), dtype)
        for lies in layouts.values():
            close(ks.fft.fft(lies(x)), np.fft.fft(x))
            close(ks.fft.fft(lies(x), axis=0), np.fft.fft(x, axis=0))
            close(ks.fft.irfft2(lies(x)), np.fft.irfft2(x))
            if dtype in real:
                close(ks.fft.rfftn(lies(x), axes=(1, 0)), np.fft.rfftn(x, axes=(1, 0)))
    one = ks.broadcast_to(ks.array(3.0), (4, 5))
    close(ks.fft.fftn(one), np.fft.fftn(np.full((4, 5), 3.0)))


def test_arguments_keep_what_they_hold(on_device):
    for dtype in dtypes:
        x = numbers((4, 6), dtype)
        a = ks.array(x)
        for f in (ks.fft.fft, ks.fft.fft2, ks.fft.irfft, ks.fft.irfft2):
            f(a)
        np.testing.assert_array_equal(a.numpy(), x)


def test_no_elements_beside_the_axis_give_none(on_device):
    x = np.zeros((0, 4))
    for name in ("fft", "ifft", "rfft", "irfft"):
        close(getattr(ks.fft, name)(ks.array(x)), getattr(np.fft, name)(x))
    close(ks.fft.fft(ks.array(np.zeros((4, 0))), axis=0), np.fft.fft(np.zeros((4, 0)), axis=0))


def test_infinities_and_nan_stay_where_they_are(on_device):
    x = numbers((3, 8))
    x[1, 2] = np.nan
    got = ks.fft.fft(ks.array(x)).numpy()
    assert np.isnan(got[1]).all() and np.isfinite(got[[0, 2]]).all()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9])
def test_frequencies_and_shifts_are_numpys(on_device, n):
    for d in (1.0, 0.1, 3):
        close(ks.fft.fftfreq(n, d), np.fft.fftfreq(n, d))
        close(ks.fft.rfftfreq(n, d), np.fft.rfftfreq(n, d))
    x = numbers((n, 4, 5))
    for axes in (None, 0, 1, (0, 2), (-1,)):
        close(ks.fft.fftshift(ks.array(x), axes), np.fft.fftshift(x, axes))
        close(ks.fft.ifftshift(ks.array(x), axes), np.fft.ifftshift(x, axes))


def test_wrong_arguments_are_errors_that_say_so(on_device):
    x = ks.ones((3, 4))
    for f, error, text in (
        (lambda: ks.fft.fft(ks.ones(0)), ValueError, r"number of FFT data points \(0\)"),
        (lambda: ks.fft.fft(x, 0), ValueError, r"data points \(0\)"),
        (lambda: ks.fft.fft(x, -1), ValueError, r"data points \(-1\)"),
        (lambda: ks.fft.irfft(ks.ones(1)), ValueError, r"data points \(0\)"),
        (lambda: ks.fft.fftn(x, (3, -2)), ValueError, r"data points \(-2\)"),
        (lambda: ks.fft.fft(x, axis=2), IndexError, "axis 2"),
        (lambda: ks.fft.fft(x, norm="loud"), ValueError, "loud"),
        (lambda: ks.fft.fftn(x, (3, 4), (0,)), ValueError, "different lengths"),
        (lambda: ks.fft.rfft(x.astype("complex64")), TypeError, "complex64"),
        (lambda: ks.fft.fftfreq(0), ValueError, "at least one"),
    ):
        with pytest.raises(error, match=text):
            f()


def test_numpys_functions_come_here_with_our_arrays(on_device):
    x = numbers((4, 6))
    close(np.fft.fft(ks.array(x)), np.fft.fft(x))
    close(np.fft.rfftn(ks.array(x)), np.fft.rfftn(x))
    close(np.fft.fftshift(ks.array(x)), np.fft.fftshift(x))
    out = ks.empty((4, 6), dtype="complex128")
    assert ks.fft.fft(ks.array(x), out=out) is out
    close(out, np.fft.fft(x))


def test_the_bits_do_not_depend_on_the_number_of_threads(clean_process):
    text = """
import numpy as np, kasoku as ks, hashlib
x = np.random.default_rng(0).standard_normal(2**17)
y = ks.fft.fft(ks.array(x + 1j * x[::-1])), ks.fft.rfft(ks.array(x)), ks.fft.fft2(ks.array(x.reshape(256, 512)))
print(hashlib.sha256(b"".join(a.tobytes() for a in y)).hexdigest())
"""
    found = {clean_process(text, env={"KASOKU_NUM_THREADS": str(n)}).stdout for n in (1, 2, 3, 7)}
    assert len(found) == 1


def test_nothing_passes_through_the_host(on_device):
    x, z = ks.array(numbers((20, 30))), ks.array(numbers((20, 30), "complex64"))
    ks.synchronize()
    before = ks.stats()
    for a in (x, z):
        ks.fft.fft(a), ks.fft.ifftn(a), ks.fft.irfft(a), ks.fft.fft(a, 50, 0), ks.fft.fftshift(a)
    ks.fft.rfft2(x)
    ks.synchronize()
    after = ks.stats()
    assert all(after[k] == before[k] for k in ("bytes_to_device", "bytes_from_device"))


@hypothesis.given(
    st.lists(st.integers(1, 12), min_size=1, max_size=3),
    st.data(),
    st.sampled_from(dtypes),
    st.sampled_from([None, "ortho", "forward"]),
)
def test_shapes_and_axes_are_numpys(on_device, shape, data, dtype, norm):
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    s = data.draw(st.none() | st.lists(st.integers(1, 14), min_size=len(axes), max_size=len(axes)))
    x = numbers(shape, dtype, 3)
    a = ks.array(x)
    close(ks.fft.fftn(a, s, axes, norm), np.fft.fftn(x, s, axes, norm))
    if s is not None:
        close(ks.fft.irfftn(a, s, axes, norm), np.fft.irfftn(x, s, axes, norm))
    if dtype in real:
        close(ks.fft.rfftn(a, s, axes, norm), np.fft.rfftn(x, s, axes, norm))
        back = ks.fft.irfftn(ks.fft.rfftn(a, axes=axes, norm=norm), [shape[d] for d in axes], axes, norm)
        np.testing.assert_allclose(
            back.numpy(), x, rtol=1e-3 if dtype == "float32" else 1e-10, atol=1e-2 if dtype == "float32" else 1e-8
        )


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "rfft2", "irfft2"])
@pytest.mark.parametrize("axes", [(1, 1), (0, 0, 1), (1, 0, 1)])
def test_an_axis_named_twice_is_transformed_twice(name, axes, device):
    x = np.arange(12.0).reshape(3, 4) ** 1.5
    for s in (None, tuple(range(4, 4 + len(axes)))):
        wanted = getattr(np.fft, name)(x, s, axes, "ortho")
        ours = getattr(ks.fft, name)(ks.asarray(x, device=device), s, axes, "ortho")
        np.testing.assert_allclose(ours.numpy(), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["irfft", "hfft", "irfftn"])
def test_real_results_of_half_precision_are_of_it(device, name):
    x = np.arange(1, 9, dtype="float16")
    with ks.default_device(device):
        for shape in [(8,), (2, 4)]:
            ours, numpys = (getattr(xp.fft, name)(xp.asarray(x.reshape(shape))) for xp in (ks, np))
            assert ours.dtype == numpys.dtype
            np.testing.assert_allclose(ours.numpy(), numpys, rtol=2e-3, atol=2e-3)
