"""What torch's operands meet in, for every pair of dtypes; views that write to their tensor; tensors without axes."""

import math

import numpy as np
import pytest

from kasoku.compat import torch

names = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
letters = dict(zip("?BbhiqegfdFD", names, strict=True))

# PyTorch's result types: with tensors of each dtype, with 0-d ones, with True, 1, 1.0 and 1j. Its complex32
# is complex64 here.
MEET = {
    "bool": "?BbhiqegfdFD ?BbhiqegfdFD ?qfF",
    "uint8": "BBhhiqegfdFD BBBBBBegfdFD BBfF",
    "int8": "bhbhiqegfdFD bbbbbbegfdFD bbfF",
    "int16": "hhhhiqegfdFD hhhhhhegfdFD hhfF",
    "int32": "iiiiiqegfdFD iiiiiiegfdFD iifF",
    "int64": "qqqqqqegfdFD qqqqqqegfdFD qqfF",
    "float16": "eeeeeeeffdFD eeeeeeeeeeFF eeeF",
    "bfloat16": "ggggggfgfdFD ggggggggggFF gggF",
    "float32": "fffffffffdFD ffffffffffFF fffF",
    "float64": "ddddddddddDD ddddddddddDD dddD",
    "complex64": "FFFFFFFFFDFD FFFFFFFFFFFF FFFF",
    "complex128": "DDDDDDDDDDDD DDDDDDDDDDDD DDDD",
}


@pytest.fixture(autouse=True)
def place(device):
    torch.set_default_device("cuda" if device != "cpu" else "cpu")
    yield
    torch.set_default_device(None)


def ones(dtype, *shape):
    return torch.ones(*shape, dtype=getattr(torch, dtype))


@pytest.mark.parametrize("first", names)
def test_dtypes_meet(first):
    with_axes, without, with_number = MEET[first].split()
    x = ones(first, 2)
    for _ in range(2):  # what is kept of a rule's answer is the answer
        for second, to, alone in zip(names, with_axes, without, strict=True):
            assert (x * ones(second, 2)).dtype is getattr(torch, letters[to]), (first, second)
            assert (ones(second, 2) * x).dtype is getattr(torch, letters[to]), (second, first)
            assert (x * ones(second, ())).dtype is getattr(torch, letters[alone]), (first, second)
            assert (ones(second, ()) * x).dtype is getattr(torch, letters[alone]), (second, first)
            assert torch.result_type(x, ones(second, ())) is getattr(torch, letters[alone])
        for number, to in zip((True, 1, 1.0, 1j), with_number, strict=True):
            assert (x * number).dtype is getattr(torch, letters[to]), (first, number)
            assert (number * x).dtype is getattr(torch, letters[to]), (number, first)
            assert torch.mul(x, number).dtype is getattr(torch, letters[to])


def test_the_default_dtype_is_the_numbers():
    x = torch.arange(3)
    assert (x + 1.5).dtype is torch.float32 and torch.exp(x).dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert (x + 1.5).dtype is torch.float64 and torch.exp(x).dtype is torch.float64
        assert (x * 1j).dtype is torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)
    assert (x + 1.5).dtype is torch.float32


def test_spellings_of_an_operation():
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    for z in (torch.add(x, y), x.add(y), torch.add(input=x, other=y), x.add(other=y), torch.add(x, y, alpha=1), x + y):
        assert z.tolist() == [4, 7]
    assert torch.sub(x, y, alpha=2).tolist() == [-5, -8]
    out = torch.empty(2)
    assert torch.add(x, y, out=out) is out and out.tolist() == [4, 7]
    whole = torch.zeros(2, 2)
    assert torch.exp(torch.zeros(2), out=whole[1]).tolist() == [1, 1] and whole.tolist() == [[0, 0], [1, 1]]
    assert torch.add(out, out, out=out).tolist() == [8, 14]
    assert torch.roll(y, 1).tolist() == [5, 3] and torch.roll(whole, (1, 1), (0, 1)).tolist() == [[1, 1], [0, 0]]
    before = x
    x += y
    assert x is before and x.tolist() == [4, 7]
    assert x.mul_(2) is before and x.tolist() == [8, 14]
    assert x.exp_() is before
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.arange(2).add_(0.5)
    with pytest.raises(RuntimeError, match="shape"):
        torch.zeros(2).add_(torch.zeros(3, 2))
    with pytest.raises(RuntimeError):
        torch.zeros(2) + torch.zeros(3)
    with pytest.raises(TypeError):
        torch.zeros(2) + "2"
    view = torch.zeros(3, 2)
    view.t()[0].add_(1.0)
    assert view.tolist() == [[1, 0]] * 3


def test_operations_in_place_of_whoever_shows_the_memory():
    x = torch.arange(6.0).reshape(2, 3)
    y = x[:, 1:]
    x += 1
    assert y.tolist() == [[2, 3], [5, 6]]
    y *= 10
    assert x.tolist() == [[1, 20, 30], [4, 50, 60]]


def test_whole_quotients_are_exact():
    a = np.array([2**53 + 1, -(2**53) - 1, 7, -7, 7, -7, 0])
    b = np.array([3, 3, 2, 2, -2, -2, 5])
    floor = torch.div(torch.tensor(a), torch.tensor(b), rounding_mode="floor")
    trunc = torch.div(torch.tensor(a), torch.tensor(b), rounding_mode="trunc")
    assert floor.tolist() == [int(p) // int(q) for p, q in zip(a, b, strict=True)]
    assert trunc.tolist() == [
        math.copysign(1, p * q) * (abs(int(p)) // abs(int(q))) if p else 0 for p, q in zip(a, b, strict=True)
    ]
    assert trunc.dtype is torch.int64
    assert torch.div(torch.tensor([7.5, -7.5]), 2, rounding_mode="trunc").tolist() == [3, -3]
    with pytest.raises(RuntimeError, match="rounding_mode"):
        torch.div(torch.ones(2), 2, rounding_mode="up")


def test_views_write_to_their_tensor():
    a = np.arange(20.0).reshape(4, 5)
    x = torch.tensor(a)
    assert (x.diagonal(1).cpu().numpy() == np.diagonal(a, 1)).all()
    x.diagonal().add_(100)
    torch.diagonal(x, -2).fill_(7)
    np.einsum("ii->i", a[:, :4])[...] += 100
    a[[2, 3], [0, 1]] = 7
    assert (x.cpu().numpy() == a).all()
    b = np.arange(24).reshape(2, 3, 4)
    assert (torch.tensor(b).diagonal(1, 2, 0).cpu().numpy() == np.diagonal(b, 1, 2, 0)).all()
    assert torch.zeros(2, 3).diagonal(5).shape == (0,)

    windows = torch.tensor(b).unfold(2, 3, 1)
    assert (windows.cpu().numpy() == np.lib.stride_tricks.sliding_window_view(b, 3, 2)).all()
    x = torch.zeros(7)
    x.unfold(0, 2, 3)[:, 0] = 1
    assert x.tolist() == [1, 0, 0, 1, 0, 0, 0]
    with pytest.raises(RuntimeError, match="maximum size"):
        x.unfold(0, 8, 1)

    x = torch.arange(9.0)[1:]
    assert x.as_strided((2, 3), (3, 1)).tolist() == [[1, 2, 3], [4, 5, 6]]
    x.as_strided((2, 2), (2, 1), 0)[...] = -1
    assert x.tolist() == [-1, -1, -1, 4, 5, 6, 7, 8]
    with pytest.raises(RuntimeError, match="as_strided"):
        x.as_strided((3, 3), (4, 1))


def test_parts_of_complex_numbers_and_other_dtypes_are_views():
    z = torch.tensor([1 + 2j, 3 - 1j])
    z.real += 10
    z.imag = torch.tensor([0.0, 5.0])
    torch.view_as_real(z)[0, 1] = 4
    assert z.tolist() == [11 + 4j, 13 + 5j]
    assert torch.view_as_complex(torch.tensor([[1.0, 2.0]])).tolist() == [1 + 2j]
    with pytest.raises(RuntimeError, match="imag"):
        torch.zeros(2).imag  # noqa: B018
    x = torch.tensor([1.0, -2.0])
    x.view(torch.int32)[0] ^= -(2**31)
    assert x.tolist() == [-1, -2]
    assert x.view(torch.uint8).shape == (8,) and x.view(torch.float64).shape == (1,)
    with pytest.raises(RuntimeError, match="divisible"):
        torch.zeros(3).view(torch.float64)


def test_bfloat16_through_the_host():
    import kasoku.compat.cupy  # noqa: F401  its methods of arrays are torch's arrays' too

    x = torch.tensor([3.0, 1.0, 2.0], dtype=torch.bfloat16)
    assert x.sort().values.dtype is torch.bfloat16 and x.sort().values.float().tolist() == [1, 2, 3]
    assert torch.cumsum(x, 0).float().tolist() == [3, 4, 6]
    if x.device.type == "cpu":
        with pytest.raises(TypeError, match="BFloat16"):
            x.numpy()


def test_a_tensor_without_axes_has_dim_0():
    x = torch.tensor(5.0)
    for name in ("sum", "mean", "prod", "amax", "logsumexp", "nansum"):
        assert getattr(torch, name)(x, 0).item() == pytest.approx(5) and getattr(torch, name)(x, -1).shape == ()
    for name in ("max", "min", "median", "cummax", "sort"):
        values, at = getattr(torch, name)(x, 0)
        assert (values.item(), at.item(), values.shape) == (5, 0, ())
    assert torch.cumsum(x, 0).shape == () and torch.argmax(x, 0).item() == 0
    assert torch.logsumexp(torch.zeros(0, 2), 0).tolist() == [-math.inf] * 2
    assert math.isnan(torch.zeros(0).median().item())


def test_norms():
    a = np.random.default_rng(4).standard_normal((4, 5))
    x = torch.tensor(a)
    for order in (None, 2, 1, -1, math.inf, -math.inf, "fro", "nuc"):
        assert torch.linalg.norm(x, order).item() == pytest.approx(np.linalg.norm(a, order)), order
    for order in (0, 1, 2, 3, 0.5, math.inf, -math.inf):
        expected = np.linalg.norm(a, order, axis=1)
        assert np.allclose(torch.linalg.vector_norm(x, order, 1).cpu().numpy(), expected), order
        assert np.allclose(torch.norm(x, order, dim=1).cpu().numpy(), expected), order
    assert torch.norm(x, 1).item() == pytest.approx(np.abs(a).sum())  # of the elements, not of the matrix


def test_functions_of_odd_arguments():
    at = np.array([0.3, 1.0, 2.5, 17.0, 100.0, -0.7, -3.2])
    h = 1e-5
    slope = [(math.lgamma(v + h) - math.lgamma(v - h)) / (2 * h) for v in at]
    assert np.allclose(torch.digamma(torch.tensor(at)).cpu().numpy(), slope, rtol=1e-7, atol=1e-8)
    assert torch.digamma(torch.tensor([0.0, -0.0])).tolist() == [-math.inf, math.inf]
    assert math.isnan(torch.digamma(torch.tensor(-2.0)).item())
    x = torch.tensor([math.nan, -2.0, -0.0, 0.0, 3.0, math.inf, -math.inf])
    assert torch.sign(x).tolist() == [0, -1, 0, 0, 1, 1, -1]
    assert torch.isposinf(x).tolist() == [False] * 5 + [True, False]
    assert torch.isneginf(x).tolist() == [False] * 6 + [True]
    assert torch.isreal(torch.tensor([1 + 0j, 1j])).tolist() == [True, False]
    y = torch.tensor([1.0, math.nan, 3.0])
    assert (y.nansum().item(), y.nanmean().item()) == (4, 2)
    assert y.nan_to_num_(9.0) is y and y.tolist() == [1, 9, 3]
    assert torch.tensor([True, False]).square().dtype is torch.int64
    assert torch.tensor([3, 0], dtype=torch.uint8).any().dtype is torch.uint8


def test_draws_in_place_come_of_the_generator():
    g = torch.Generator()
    for name in ("uniform_", "normal_"):
        torch.manual_seed(5)
        first = getattr(torch.empty(100), name)()
        torch.manual_seed(5)
        assert (getattr(torch.empty(100), name)() == first).all()
        g.manual_seed(8)
        first = getattr(torch.empty(100), name)(2.0, 3.0, generator=g)
        g.manual_seed(8)
        assert (getattr(torch.empty(100), name)(2.0, 3.0, generator=g) == first).all()
    assert 2 <= torch.empty(1000).uniform_(2, 3).min().item() < torch.empty(1000).uniform_(2, 3).max().item() <= 3


def test_draws_of_parameters_without_a_law_are_runtime_errors():
    x, nan = torch.empty(3), math.nan
    for low, high in ((5, 1), (nan, 1.0), (0.0, nan), (-math.inf, 1.0)):
        with pytest.raises(RuntimeError, match="uniform_"):
            x.uniform_(low, high)
    for std in (-1.0, nan):
        draws = [lambda s: x.normal_(0, s), lambda s: torch.normal(0.0, s, (3,))]
        if x.device.type == "cpu":  # a GPU's values are not read for a test
            draws.append(lambda s: torch.normal(x, torch.full((3,), s)))
        for draw in draws:
            with pytest.raises(RuntimeError, match="std"):
                draw(std)
    for rate in (0.0, -1.0, nan):
        with pytest.raises(RuntimeError, match="exponential_"):
            x.exponential_(rate)
    with pytest.raises(RuntimeError, match="randperm"):
        torch.randperm(-1)
    assert (
        x.uniform_(5, 5).tolist() == [5] * 3
        and x.normal_(2, -0.0).tolist() == [2] * 3
        and torch.randperm(0).shape == (0,)
    )


@pytest.mark.parametrize("n", [5, 40])
def test_what_indices_choose_can_be_viewed(n):
    x = torch.arange(n**3).view(n, n, n)
    index = torch.tensor([[2, 0], [1, 2]])
    for key in ((slice(None), index), (..., index), (index, slice(None), index), (index.t(),), (0, slice(None), index)):
        chosen = x[key]
        assert chosen.is_contiguous() and chosen.contiguous() is chosen
        assert chosen.view(-1).tolist() == np.arange(n**3).reshape(n, n, n)[numpy_key(key)].ravel().tolist()


def numpy_key(key):
    return tuple(k.cpu().numpy() if isinstance(k, torch.Tensor) else k for k in key)
