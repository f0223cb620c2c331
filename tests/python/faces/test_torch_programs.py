"""torch's spectra of windows, triangular factors, samples of pictures, printing options, times and assertions."""

import math

import numpy as np
import pytest

from kasoku.compat import torch
from kasoku.compat.torch.nn import functional as F

rng = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def place(device):
    torch.set_default_device("cuda" if device != "cpu" else "cpu")
    yield
    torch.set_default_device(None)
    torch.set_printoptions(profile="default")


def t(x):
    return torch.as_tensor(np.array(x), device=torch.empty(0).device)


def spectra(x, n, hop, window):
    """A loop over the windows, each a sum over its places."""
    turns = np.exp(-2j * np.pi * np.outer(np.arange(n // 2 + 1), np.arange(n)) / n)
    return np.stack([turns @ (x[at : at + n] * window) for at in range(0, len(x) - n + 1, hop)], axis=-1)


@pytest.mark.parametrize(
    "mode, numpys", [("reflect", "reflect"), ("constant", "constant"), ("replicate", "edge"), ("circular", "wrap")]
)
def test_spectra_of_windows_are_those_of_a_loop(mode, numpys):
    x, window = rng.random(50), np.hanning(12)
    wide = np.pad(window, 2)
    made = torch.stft(t(x), 16, 5, 12, t(window), pad_mode=mode, return_complex=True)
    np.testing.assert_allclose(made.cpu().numpy(), spectra(np.pad(x, 8, mode=numpys), 16, 5, wide), atol=1e-10)
    plain = torch.stft(t(x), 16, 5, window=t(np.ones(16)), center=False, normalized=True, return_complex=True)
    np.testing.assert_allclose(plain.cpu().numpy(), spectra(x, 16, 5, np.ones(16)) / 4, atol=1e-10)
    whole = torch.stft(t(x), 16, 5, 12, t(window), pad_mode=mode, onesided=False, return_complex=True)
    assert whole.shape == (16, made.shape[1])
    np.testing.assert_allclose(whole.cpu().numpy()[:9], made.cpu().numpy(), atol=1e-10)
    with pytest.raises(RuntimeError, match="return_complex"):
        torch.stft(t(x), 16)
    with pytest.raises(RuntimeError, match="hop_length > 0"):
        torch.stft(t(x), 16, 0, return_complex=True)


@pytest.mark.parametrize("hop, onesided", [(4, True), (3, None), (7, False)])
def test_a_signal_comes_back_from_its_spectra(hop, onesided):
    x, window = rng.random((2, 64)), np.hanning(18)[1:-1]
    s = torch.stft(t(x), 16, hop, window=t(window), onesided=onesided, return_complex=True)
    back = torch.istft(s, 16, hop, window=t(window), onesided=onesided, length=60)
    np.testing.assert_allclose(back.cpu().numpy(), x[:, :60], atol=1e-10)
    assert torch.istft(s, 16, hop, window=t(window), onesided=onesided, length=90).shape == (2, 90)
    with pytest.raises(RuntimeError, match="overlap to 0"):
        torch.istft(s, 16, hop, window=t(np.zeros(16)), onesided=onesided)


@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3), (2, 3, 3)])
def test_triangular_factors_make_up_the_matrix(shape):
    a = rng.random(shape)
    p, lower, upper = (x.cpu().numpy() for x in torch.linalg.lu(t(a)))
    np.testing.assert_allclose(p @ lower @ upper, a, atol=1e-12)
    assert np.array_equal(np.tril(lower), lower) and np.array_equal(np.triu(upper), upper)
    assert (np.abs(lower) <= 1).all() and (np.diagonal(lower, axis1=-2, axis2=-1) == 1).all()
    factors, pivots = torch.linalg.lu_factor(t(a))
    assert pivots.dtype is torch.int32 and pivots.min() >= 1
    assert all(torch.equal(x, t(y)) for x, y in zip(torch.lu_unpack(factors, pivots), (p, lower, upper)))
    if shape[-2] == shape[-1]:
        b = rng.random((*shape[:-1], 2))
        x = torch.linalg.lu_solve(factors, pivots, t(b)).cpu().numpy()
        np.testing.assert_allclose(a @ x, b, atol=1e-10)
        assert torch.equal(torch.lu_solve(t(b), factors, pivots), t(x))
        x = torch.linalg.lu_solve(factors, pivots, t(b), adjoint=True).cpu().numpy()
        np.testing.assert_allclose(np.swapaxes(a, -1, -2) @ x, b, atol=1e-10)
        x = torch.linalg.lu_solve(factors, pivots, t(np.swapaxes(b, -1, -2)), left=False).cpu().numpy()
        np.testing.assert_allclose(x @ a, np.swapaxes(b, -1, -2), atol=1e-10)


def sampled(x, grid, mode, padding, corners):
    """Loops over places and the four elements around each."""
    count, channels, rows, columns = x.shape
    y = np.zeros((count, channels, *grid.shape[1:3]))
    for n, i, j in np.ndindex(grid.shape[:3]):
        where = []
        for v, length in zip(grid[n, i, j, ::-1], (rows, columns)):
            at = (v + 1) / 2 * (length - 1) if corners else ((v + 1) * length - 1) / 2
            where.append(min(max(at, 0), length - 1) if padding == "border" else at)
        r, c = where
        near = [(round(r), round(c), 1.0)] if mode == "nearest" else [
            (math.floor(r) + a, math.floor(c) + b, (1 - abs(r - math.floor(r) - a)) * (1 - abs(c - math.floor(c) - b)))
            for a in (0, 1) for b in (0, 1)
        ]  # fmt: skip
        for a, b, weight in near:
            if 0 <= a < rows and 0 <= b < columns:
                y[n, :, i, j] += weight * x[n, :, a, b]
    return y


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border"])
@pytest.mark.parametrize("corners", [False, True])
def test_samples_of_pictures_are_those_of_loops(mode, padding, corners):
    x, theta = rng.random((2, 3, 5, 4)), rng.uniform(-1.2, 1.2, (2, 2, 3))
    grid = F.affine_grid(t(theta), (2, 3, 6, 7), align_corners=corners)
    steps = [np.linspace(-1, 1, n) * (1 if corners else (n - 1) / n) for n in (6, 7)]
    for i, j in np.ndindex(6, 7):
        expected = theta @ np.array([steps[1][j], steps[0][i], 1.0])
        np.testing.assert_allclose(grid[:, i, j].cpu().numpy(), expected, atol=1e-12)
    made = F.grid_sample(t(x), grid, mode, padding, corners)
    np.testing.assert_allclose(made.cpu().numpy(), sampled(x, grid.cpu().numpy(), mode, padding, corners), atol=1e-10)


def test_places_within_a_place_are_channels_and_come_back():
    x = t(rng.random((2, 3, 4, 6)))
    apart = F.pixel_unshuffle(x, 2)
    assert apart.shape == (2, 12, 2, 3) and torch.equal(F.pixel_shuffle(apart, 2), x)
    assert torch.equal(apart[:, 1], x[:, 0, ::2, 1::2])


def test_printing_options_are_heeded():
    x = torch.tensor([1.23456, 20.0], device="cpu")
    assert str(x) == "tensor([ 1.2346, 20.0000])"
    torch.set_printoptions(precision=2)
    assert str(x) == "tensor([ 1.23, 20.00])"
    torch.set_printoptions(sci_mode=True)
    assert str(x) == "tensor([1.23e+00, 2.00e+01])"
    torch.set_printoptions(edgeitems=1, threshold=3)
    assert str(torch.arange(5, device="cpu")) == "tensor([0,  ..., 4])"
    torch.set_printoptions(profile="default")
    assert str(x) == "tensor([ 1.2346, 20.0000])"
    assert str(torch.tensor([complex(1, -0.0)], device="cpu")) == "tensor([1.-0.j])"
    with pytest.raises(ValueError, match="profile"):
        torch.set_printoptions(profile="other")


def test_statements_are_timed():
    from kasoku.compat.torch.utils import benchmark

    calls = []
    taken = benchmark.Timer("calls.append(n)", setup="n = 1", globals={"calls": calls}).timeit(50)
    assert taken.number_per_run == 50 and len(calls) >= 50 and 0 < taken.mean == taken.median and taken.iqr == 0
    blocks = benchmark.Timer("x + x", globals={"x": torch.ones(10)}).blocked_autorange(min_run_time=0.01)
    assert len(blocks.times) == len(blocks.raw_times) > 1 and blocks.median > 0 and "x + x" in repr(blocks)


def test_tensors_that_should_be_alike():
    x = torch.ones(3)
    torch.testing.assert_close(x, x + 1e-7)
    torch.testing.assert_close({"a": [x]}, {"a": [x]})
    with pytest.raises(AssertionError, match="1 / 3"):
        torch.testing.assert_close(x, t(np.array([1, 1, 2], "f4")))
    for other, what in ((torch.ones(2), "shape"), (x.double(), "dtype")):
        with pytest.raises(AssertionError, match=what):
            torch.testing.assert_close(x, other)
    torch.testing.assert_close(x, x.double(), check_dtype=False)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(t([2**60]), t([2**60 + 1]))
    nan = torch.full((1,), math.nan)
    torch.testing.assert_close(nan, nan, equal_nan=True)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(nan, nan)


def test_pythons_functions_of_elements_and_laws_of_draws():
    x = torch.arange(4.0).reshape(2, 2)
    assert x.apply_(lambda v: v + 1).tolist() == [[1, 2], [3, 4]]
    assert x.map_(torch.ones(2), lambda a, b: a * 10 + b).tolist() == [[11, 21], [31, 41]]
    torch.manual_seed(0)
    draws = torch.empty(20000)
    assert abs(float(draws.geometric_(0.25).mean()) - 4) < 0.15 and float(draws.min()) == 1
    assert abs(float(draws.log_normal_(0.5, 0.25).log().mean()) - 0.5) < 0.01
    assert abs(float(draws.cauchy_(2.0, 1.0).median()) - 2) < 0.1
    assert set(torch.ones(3).multinomial(3).tolist()) == {0, 1, 2}
    assert torch.frombuffer(bytearray(b"\x01\x02\x03"), dtype=torch.uint8, offset=1).tolist() == [2, 3]


def test_special_functions_at_known_places():
    s = torch.special
    one = torch.ones(1, dtype=torch.float64)
    for made, expected in (
        (s.entr(torch.tensor([0.0, 0.5, -1.0])), [0, 0.5 * math.log(2), -math.inf]),
        (s.gammainc(one, 2 * one), [1 - math.exp(-2)]), (s.zeta(2 * one, one), [math.pi**2 / 6]),
        (s.polygamma(1, one), [math.pi**2 / 6]), (s.log_ndtr(0 * one), [math.log(0.5)]),
        (s.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 1.0])), [0, 2 * math.log(2)]),
    ):  # fmt: skip
        np.testing.assert_allclose(made.cpu().numpy(), expected, rtol=1e-6)


def test_numpys_functions_of_tensors_give_tensors():
    x = torch.tensor([1.0, 4.0], device="cpu")
    made = np.sqrt(x)
    assert isinstance(made, torch.Tensor) and made.tolist() == [1, 2] and made.dtype is torch.float32
    assert x[torch.newaxis].shape == (1, 2)


def test_sums_to_a_size_undo_an_expansion():
    x = t(np.arange(12.0).reshape(2, 2, 3))
    assert x.sum_to_size(1, 3).tolist() == [[18, 22, 26]] and x.sum_to_size((2, 1)).tolist() == [[24], [42]]
    assert torch.equal(x.sum_to_size(2, 2, 3), x)
    with pytest.raises(RuntimeError, match="not expandable"):
        x.sum_to_size(3, 3)


def test_functions_of_gamma_at_known_places():
    one = torch.ones(1, dtype=torch.float64)
    np.testing.assert_allclose(torch.igamma(one, 2 * one).item() + torch.igammac(one, 2 * one).item(), 1)
    np.testing.assert_allclose(
        torch.mvlgamma(3 * one, 2).item(), math.log(math.pi**0.5 * math.gamma(3) * math.gamma(2.5))
    )
    np.testing.assert_allclose(torch.polygamma(1, one).item(), math.pi**2 / 6)
