"""torch's further names, and other spellings of arguments, against NumPy."""

import itertools
import math

import numpy as np
import pytest

from kasoku.compat import torch
from kasoku.compat.torch.nn import functional as F

rng = np.random.default_rng(9)
M = rng.random((4, 5)).astype(np.float32)
S = rng.random((4, 4)).astype(np.float32) + 4 * np.eye(4, dtype=np.float32)
P = S @ S.T
X = rng.standard_normal((2, 3, 7, 6)).astype(np.float32)
W = rng.standard_normal((4, 3, 3, 2)).astype(np.float32)


@pytest.fixture(autouse=True)
def place(device):
    torch.set_default_device("cuda" if device != "cpu" else "cpu")
    yield
    torch.set_default_device(None)


def t(x):
    return torch.as_tensor(np.array(x), device=torch.empty(0).device)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def convolved(x, w, stride, pads, dilation, groups=1):
    """Four loops."""
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in pads]])
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, w.shape[2:])]
    shape = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride)]
    y = np.zeros((x.shape[0], w.shape[0], *shape))
    per = x.shape[1] // groups
    for n, o, i, j in itertools.product(*map(range, y.shape)):
        g = o // (w.shape[0] // groups)
        a, b = i * stride[0], j * stride[1]
        part = x[n, g * per : (g + 1) * per, a : a + reach[0] : dilation[0], b : b + reach[1] : dilation[1]]
        y[n, o, i, j] = (part * w[o]).sum()
    return y


def columns_of(x, size, stride, pads, dilation):
    """The windows of two axes, one after the other."""
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in pads]])
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, size)]
    places = [range(0, n - r + 1, s) for n, r, s in zip(x.shape[2:], reach, stride)]
    seen = [
        x[:, :, i : i + reach[0] : dilation[0], j : j + reach[1] : dilation[1]] for i, j in itertools.product(*places)
    ]
    return np.stack([part.reshape(len(x), -1) for part in seen], -1)


def spread(x, w, stride, pads, dilation, more, groups=1):
    """A convolution turned round: each element times each weight is added where it belongs."""
    ends = [
        (n - 1) * s + d * (k - 1) + 1 + o for n, s, d, k, o in zip(x.shape[2:], stride, dilation, w.shape[2:], more)
    ]
    y = np.zeros((len(x), w.shape[1] * groups, *ends))
    for c, o, i, j, a, b in itertools.product(range(x.shape[1]), *map(range, (w.shape[1], *x.shape[2:], *w.shape[2:]))):
        to = c // (x.shape[1] // groups) * w.shape[1] + o
        y[:, to, i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1]] += x[:, c, i, j] * w[c, o, a, b]
    return y[:, :, pads[0] : ends[0] - pads[0], pads[1] : ends[1] - pads[1]]


def pooled(x, size, stride, reduce):
    shape = [(n - k) // stride + 1 for n, k in zip(x.shape[-2:], size)]
    y = np.zeros((*x.shape[:-2], *shape))
    for i, j in itertools.product(*map(range, shape)):
        y[..., i, j] = reduce(x[..., i * stride : i * stride + size[0], j * stride : j * stride + size[1]], (-2, -1))
    return y


CASES = {
    "sum by axis": (lambda: torch.sum(t(M), axis=1, keepdims=True), M.sum(1, keepdims=True)),
    "sum of input": (lambda: torch.sum(input=t(M), dim=0), M.sum(0)),
    "method with axis": (lambda: t(M).cumsum(axis=1), M.cumsum(1)),
    "cat by axis": (lambda: torch.cat([t(M), t(M)], axis=1), np.concatenate([M, M], 1)),
    "mul of other": (lambda: torch.mul(input=t(M), other=t(M)), M * M),
    "matmul of other": (lambda: torch.matmul(t(M), other=t(M.T)), M @ M.T),
    "numpy's numbers": (lambda: t(M) / np.sqrt(16), M / 4),
    "where with numpy's number": (lambda: torch.where(t(M) > 0.5, np.float64(1), t(M)), np.where(M > 0.5, 1, M)),
    "flip": (lambda: t(M).flip(0, 1), M[::-1, ::-1]),
    "flip of list": (lambda: torch.flip(t(M), dims=[1]), M[:, ::-1]),
    "meshgrid": (lambda: torch.meshgrid(t(M[0]), t(M[1]), indexing="xy")[1], np.meshgrid(M[0], M[1])[1]),
    "meshgrid ij": (lambda: torch.meshgrid([t(M[0]), t(M[1])])[0], np.meshgrid(M[0], M[1], indexing="ij")[0]),
    "det": (lambda: torch.det(t(S)), np.linalg.det(S)),
    "logdet": (lambda: torch.logdet(t(P)), np.linalg.slogdet(P)[1]),
    "svd": (lambda: (lambda u, s, v: u @ torch.diag(s) @ v.T)(*torch.svd(t(M))), M),
    "cholesky_solve": (lambda: torch.cholesky_solve(t(S[:, :2]), torch.cholesky(t(P))), np.linalg.solve(P, S[:, :2])),
    "solve_triangular": (lambda: torch.linalg.solve_triangular(t(S), t(M), upper=True), np.linalg.solve(np.triu(S), M)),
    "solve from the right": (lambda: torch.linalg.solve_triangular(t(S), t(M.T), upper=False, left=False), np.linalg.solve(np.tril(S).T, M).T),
    "matrix_exp": (lambda: torch.matrix_exp(t(np.float32([[0, 1], [-1, 0]]))), [[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]]),
    "block_diag": (lambda: torch.block_diag(t(M), t(M[0])), np.block([[M, np.zeros((4, 5))], [np.zeros((1, 5)), M[:1]]])),
    "trapezoid": (lambda: torch.trapezoid(t(M), t(M[0].cumsum()), dim=1), np.trapezoid(M, M[0].cumsum(), axis=1)),
    "cumulative_trapezoid": (lambda: torch.cumulative_trapezoid(t(M), dx=0.5), np.cumsum((M[:, 1:] + M[:, :-1]) / 4, 1)),
    "logcumsumexp": (lambda: torch.logcumsumexp(t(M), 1), np.log(np.cumsum(np.exp(M), 1))),
    "mode": (lambda: torch.mode(t([[1, 2, 2, 1, 3], [5, 4, 4, 4, 5]])).values, [1, 4]),
    "place of mode": (lambda: torch.mode(t([1, 2, 2, 1, 3])).indices, 3),
    "bucketize": (lambda: torch.bucketize(t(M), t(np.float32([0.2, 0.6]))), np.searchsorted([0.2, 0.6], M)),
    "isin": (lambda: torch.isin(t([1, 2, 3]), t([2, 9])), [False, True, False]),
    "runs": (lambda: torch.unique_consecutive(t([1, 1, 2, 2, 1]), return_counts=True)[1], [2, 2, 1]),
    "cartesian_prod": (lambda: torch.cartesian_prod(t([1, 2]), t([3, 4])), list(itertools.product([1, 2], [3, 4]))),
    "combinations": (lambda: torch.combinations(t([5, 6, 7])), list(itertools.combinations([5, 6, 7], 2))),
    "clamp_min": (lambda: t(M).clamp_min(0.5), np.maximum(M, 0.5)),
    "unfold": (lambda: t(M).unfold(1, 2, 2), np.stack([M[:, 0:2], M[:, 2:4]], 1)),
    "unflatten": (lambda: t(M).unflatten(0, (2, 2)), M.reshape(2, 2, 5)),
    "repeat by list": (lambda: t(M).repeat([2, 1]), np.tile(M, (2, 1))),
    "new_full": (lambda: t(M).new_full((2,), 3), np.float32([3, 3])),
    "new_tensor": (lambda: t(M).new_tensor([1, 2]), np.float32([1, 2])),
    "type_as": (lambda: t([1, 2]).type_as(t(M)), np.float32([1, 2])),
    "type by its old name": (lambda: t([1, 2]).type(torch.FloatTensor), np.float32([1, 2])),
    "hann": (lambda: torch.hann_window(8), np.hanning(9)[:-1].astype(np.float32)),
    "erf": (lambda: torch.erf(t(4 * M - 2)), np.vectorize(math.erf)(4 * M - 2)),
    "erfinv": (lambda: torch.erf(torch.erfinv(t(M))), M),
    "lgamma": (lambda: torch.lgamma(t(M + 0.1)), np.vectorize(math.lgamma)(M + 0.1)),
    "ndtr": (lambda: torch.special.ndtr(t(M)), np.vectorize(math.erfc)(-M / math.sqrt(2)) / 2),
    "softmax": (lambda: F.softmax(t(M), dim=0), softmax(M, 0)),
    "gelu": (lambda: F.gelu(t(X)), X * np.vectorize(math.erfc)(-X / math.sqrt(2)) / 2),
    "leaky": (lambda: F.leaky_relu(t(X)), np.where(X > 0, X, 0.01 * X)),
    "one_hot": (lambda: F.one_hot(t([2, 0]), 4), np.eye(4, dtype=int)[[2, 0]]),
    "normalize": (lambda: F.normalize(t(M)), M / np.linalg.norm(M, axis=1, keepdims=True)),
    "cross_entropy": (lambda: F.cross_entropy(t(M), t([0, 1, 4, 2])), -np.log(softmax(M, 1))[range(4), [0, 1, 4, 2]].mean()),
    "cross_entropy of one": (lambda: F.cross_entropy(t(M[0]), t(3)), -np.log(softmax(M[0], 0))[3]),
    "bce": (lambda: F.binary_cross_entropy_with_logits(t(X), t((X > 0) * np.float32(1))), np.log1p(np.exp(-np.abs(X))).mean()),
    "pad": (lambda: F.pad(t(M), (1, 2, 3, 0), value=7.0), np.pad(M, [(3, 0), (1, 2)], constant_values=7)),
    "pad around": (lambda: F.pad(t(X), (1, 1), mode="circular"), np.pad(X, [(0, 0)] * 3 + [(1, 1)], "wrap")),
    "pad less": (lambda: F.pad(t(M), (-1, 1)), np.pad(M[:, 1:], [(0, 0), (0, 1)])),
    "conv2d": (lambda: F.conv2d(t(X), t(W), padding=1), convolved(X, W, (1, 1), (1, 1), (1, 1))),
    "conv2d with steps": (lambda: F.conv2d(t(X), t(W), t(np.ones(4, np.float32)), (2, 1), (0, 2), (1, 2)), convolved(X, W, (2, 1), (0, 2), (1, 2)) + 1),
    "conv2d in groups": (lambda: F.conv2d(t(X), t(W[:3, :1]), groups=3), convolved(X, W[:3, :1], (1, 1), (0, 0), (1, 1), 3)),
    "conv1d": (lambda: F.conv1d(t(X[:, :, 0]), t(W[:, :, 0]), padding="same"), convolved(np.pad(X[:, :, :1], [(0, 0)] * 3 + [(0, 1)]), W[:, :, :1], (1, 1), (0, 0), (1, 1))[:, :, 0]),
    "unfold windows": (lambda: F.unfold(t(X), (3, 2), (2, 1), (1, 0), (1, 2)), columns_of(X, (3, 2), (1, 2), (1, 0), (2, 1))),
    "unfold windows of one": (lambda: F.unfold(t(X[0]), 2), columns_of(X[:1], (2, 2), (1, 1), (0, 0), (1, 1))[0]),
    "unfold of none": (lambda: F.unfold(t(X[:0]), 2), np.zeros((0, 12, 30), np.float32)),
    "fold": (lambda: F.fold(F.unfold(t(X), (3, 2), (2, 1), (1, 0), (1, 2)), (7, 6), (3, 2), (2, 1), (1, 0), (1, 2)),
             X * spread(np.ones((1, 1, 5, 3)), np.ones((1, 1, 3, 2), np.float32), (1, 2), (1, 0), (2, 1), (0, 0)).astype(np.float32)),
    "fold of none": (lambda: F.fold(t(np.zeros((0, 12, 30), np.float32)), (7, 6), 2), X[:0]),
    "conv_transpose2d": (lambda: F.conv_transpose2d(t(X), t(W[:3])), spread(X, W[:3], (1, 1), (0, 0), (1, 1), (0, 0))),
    "conv_transpose2d with steps": (lambda: F.conv_transpose2d(t(X), t(W[:3]), t(np.ones(3, np.float32)), (2, 3), (1, 0), (1, 2), dilation=(2, 1)), spread(X, W[:3], (2, 3), (1, 0), (2, 1), (1, 2)) + 1),
    "conv_transpose2d in groups": (lambda: F.conv_transpose2d(t(X[:, [0, 1, 2, 0]]), t(W), stride=2, groups=2), spread(X[:, [0, 1, 2, 0]], W, (2, 2), (0, 0), (1, 1), (0, 0), 2)),
    "conv_transpose1d of one": (lambda: torch.conv_transpose1d(t(X[0, :, 0]), t(W[:3, :, 0]), stride=2), spread(X[:1, :, :1], W[:3, :, :1], (1, 2), (0, 0), (1, 1), (0, 0))[0, :, 0]),
    "max_pool2d": (lambda: F.max_pool2d(t(X), 2), pooled(X, (2, 2), 2, np.max)),
    "avg_pool2d": (lambda: F.avg_pool2d(t(X), (3, 2), 1), pooled(X, (3, 2), 1, np.mean)),
    "interpolate": (lambda: F.interpolate(t(X), scale_factor=2), X.repeat(2, 2).repeat(2, 3)),
    "attention": (lambda: F.scaled_dot_product_attention(t(M), t(M), t(M), is_causal=True), softmax(np.where(np.tri(4, dtype=bool), M @ M.T / math.sqrt(5), -np.inf), 1) @ M),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_against_numpy(name):
    function, want = CASES[name]
    got, want = function(), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=5e-4, atol=5e-5)
    if want.dtype.kind == "f":
        assert got.dtype == torch.float32
    else:
        assert got.dtype == (torch.bool if want.dtype.kind == "b" else torch.int64)


def test_sizes_by_their_names():
    assert torch.zeros(size=(2, 3)).shape == torch.randn(size=(2, 3)).shape == (2, 3)
    assert torch.full(size=(2,), fill_value=7).tolist() == [7, 7]
    assert torch.arange(start=1, end=6, step=2).tolist() == torch.arange(1, step=2, end=6).tolist() == [1, 3, 5]
    drawn = torch.randint(low=3, high=5, size=(100,))
    assert set(drawn.tolist()) == {3, 4} and torch.randint(4, size=(2,)).shape == (2,)
    with pytest.raises(TypeError, match="start, end and step"):
        torch.arange(start=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'axsi'"):
        torch.mul(torch.ones(1), torch.ones(1), axsi=1)


def test_numpys_floats_in_lists_keep_their_width():
    assert torch.tensor([np.float64(1), 2.0]).dtype == torch.float64
    assert torch.tensor([[np.zeros(2), np.ones(2)]]).dtype == torch.float64
    assert torch.tensor([1.0, 2.0]).dtype == torch.tensor([]).dtype == torch.float32


def test_shapes_that_do_not_fit_are_runtime_errors():
    a, b = torch.zeros(2, 3), torch.zeros(3, 2)
    for wrong in (
        lambda: a + b,
        lambda: torch.mm(a, a),
        lambda: a.view(7),
        lambda: torch.cat([a, b]),
        lambda: torch.stack([a, b]),
    ):
        with pytest.raises(RuntimeError, match="shape"):
            wrong()


def test_values_that_do_not_fit_are_runtime_errors():
    on_cpu = (  # nobody reads a GPU's values back to see
        (lambda: F.one_hot(t([0, -1])), "got -1"),
        (lambda: F.one_hot(t([0, 3]), 3), "got 3"),
        (lambda: torch.multinomial(torch.zeros(3), 1), "sum of probabilities"),
        (lambda: torch.multinomial(t([1.0, -1.0]), 1), "element < 0"),
    )
    for wrong, says in (
        *(on_cpu if t([0]).device.type == "cpu" else ()),
        (lambda: torch.split(torch.zeros(3), 0), "split_size=0"),
        (lambda: F.conv2d(torch.zeros(1, 3, 5, 5), torch.zeros(2, 2, 3, 3)), "want 2 channels"),
        (lambda: torch.searchsorted(torch.zeros(2, 3), torch.zeros(5)), "not as many"),
    ):
        with pytest.raises(RuntimeError, match=says):
            wrong()


def test_a_gradient_is_a_tuple():
    x = t([[0.0, 1.0, 4.0], [0.0, 3.0, 5.0]])
    (along,) = torch.gradient(x, dim=1)
    np.testing.assert_allclose(along.cpu().numpy(), np.gradient(x.cpu().numpy(), axis=1))
    assert len(torch.gradient(x)) == 2 and len(torch.gradient(x[0])) == 1


def test_changes_in_place():
    x = torch.zeros(3, 3)
    x.fill_diagonal_(2)
    x.index_put_((t([0, 0]), t([1, 1])), torch.ones(2), accumulate=True)
    assert x.tolist() == [[2, 2, 0], [0, 2, 0], [0, 0, 2]]
    y = torch.zeros(2, 1)
    y.squeeze_(1)
    assert y.shape == (2,) and torch.sin_(y.fill_(0)).tolist() == [0, 0] and y.unsqueeze_(0).shape == (1, 2)
    u = torch.empty(4000).exponential_(2.0)
    assert u.min() >= 0 and abs(u.mean().item() - 0.5) < 6 * 0.5 / math.sqrt(4000)
    assert torch.empty(2000, dtype=torch.int64).random_(3, 6).unique().tolist() == [3, 4, 5]
    assert set(torch.empty(99).bernoulli_(0.5).tolist()) == {0.0, 1.0}


def test_old_names_of_types():
    assert torch.DoubleTensor([1, 2]).dtype == torch.float64 and torch.LongTensor(2, 3).shape == (2, 3)
    assert torch.zeros(1).type("torch.DoubleTensor").dtype == torch.float64
    assert isinstance(torch.zeros(1, dtype=torch.int64), torch.LongTensor)
    torch.set_default_tensor_type(torch.DoubleTensor)
    try:
        assert torch.zeros(1).dtype == torch.float64
    finally:
        torch.set_default_tensor_type("torch.FloatTensor")
    assert torch.tensor([1.5], device="cpu").view(torch.int32).tolist() == [0x3FC00000]


def between(x, axis, length, corners, scale=None):
    """x with `length` elements along an axis, by NumPy's straight lines between its own."""
    n = x.shape[axis]
    step = n / length if scale is None else 1 / scale
    at = np.linspace(0, n - 1, length) if corners else (np.arange(length) + 0.5) * step - 0.5
    return np.apply_along_axis(lambda line: np.interp(at, np.arange(n), line), axis, x)


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("size", [(9, 4), (5, 7), (10, 14)])
def test_interpolation_by_straight_lines(size, corners):
    x = np.random.default_rng(0).random((2, 3, 5, 7)).astype("f4")
    want = between(between(x, 2, size[0], corners), 3, size[1], corners)
    got = F.interpolate(torch.from_numpy(x), size=size, mode="bilinear", align_corners=corners)
    assert got.dtype == torch.float32
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-5)


def test_interpolation_by_a_scale_and_along_one_axis():
    x = np.random.default_rng(0).random((2, 3, 5))
    got = F.interpolate(torch.from_numpy(x), scale_factor=1.5, mode="linear")
    np.testing.assert_allclose(got.numpy(), between(x, 2, 7, False, 1.5))
    with pytest.raises(NotImplementedError, match="'nearest' and 'linear' here, not 'bicubic'"):
        F.interpolate(torch.from_numpy(x), size=4, mode="bicubic")
    with pytest.raises(ValueError, match="align_corners"):
        F.interpolate(torch.from_numpy(x), size=4, align_corners=True)
