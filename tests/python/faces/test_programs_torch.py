"""Small programs for PyTorch without gradients, as people write them, against the same in NumPy."""

import math

import numpy as np
import pytest

from kasoku.compat import torch
from kasoku.compat.torch.nn import functional as F  # noqa: N812 - as everybody calls it


@pytest.fixture(autouse=True)
def place(device):
    torch.set_default_device("cuda" if device != "cpu" else "cpu")
    yield
    torch.set_default_device(None)


rng = np.random.default_rng(0)


def host(t):
    return t.numpy(force=True)


def close(mine, expected, **limits):
    np.testing.assert_allclose(host(mine), expected, **{"rtol": 1e-5, "atol": 1e-6, **limits})


def test_the_tensor_tutorial():
    data = [[1, 2], [3, 4]]
    x = torch.tensor(data)
    assert x.dtype is torch.int64 and torch.ones_like(x).tolist() == [[1, 1], [1, 1]]
    assert torch.rand_like(x, dtype=torch.float).shape == torch.Size([2, 2])
    shape = (2, 3)
    assert torch.rand(shape).shape == torch.zeros(shape).shape == torch.ones(shape).shape == shape
    tensor = torch.ones(4, 4)
    tensor[:, 1] = 0
    assert tensor[0].tolist() == [1, 0, 1, 1] and tensor[..., -1].tolist() == [1] * 4
    assert torch.cat([tensor, tensor, tensor], dim=1).shape == (4, 12)
    y1, y2, y3 = tensor @ tensor.T, tensor.matmul(tensor.T), torch.rand_like(tensor)
    torch.matmul(tensor, tensor.T, out=y3)
    assert torch.equal(y1, y2) and torch.equal(y2, y3)
    z = torch.rand_like(tensor)
    torch.mul(tensor, tensor, out=z)
    assert torch.equal(z, tensor * tensor) and tensor.sum().item() == 12
    tensor.add_(5)
    assert tensor[0].tolist() == [6, 5, 6, 6]
    cpu = torch.ones(5, device="cpu")
    shown = cpu.numpy()
    cpu.add_(1)
    assert shown.tolist() == [2.0] * 5
    from_numpy = torch.from_numpy(n := np.ones(3))
    np.add(n, 1, out=n)
    assert from_numpy.dtype is torch.float64 and from_numpy.tolist() == [2, 2, 2]


def test_a_polynomial_by_hand_made_gradients():
    def fit(xp, x, y, sin):
        a, b, c, d = 0.1, -0.2, 0.3, -0.1
        for _ in range(300):
            predicted = a + b * x + c * x**2 + d * x**3
            grad = 2.0 * (predicted - y)
            a -= 1e-6 * grad.sum()
            b -= 1e-6 * (grad * x).sum()
            c -= 1e-6 * (grad * x**2).sum()
            d -= 1e-6 * (grad * x**3).sum()
        return a, b, c, d

    x = torch.linspace(-math.pi, math.pi, 2000, dtype=torch.float64)
    n = np.linspace(-math.pi, math.pi, 2000)
    for mine, expected in zip(fit(torch, x, torch.sin(x), torch.sin), fit(np, n, np.sin(n), np.sin), strict=True):
        assert abs(mine.item() - expected) < 1e-9


def test_two_layers_by_hand():
    x, y = rng.standard_normal((16, 20)), rng.standard_normal((16, 4))
    w1, w2 = rng.standard_normal((20, 10)), rng.standard_normal((10, 4))
    tx, ty, t1, t2 = (torch.from_numpy(v.copy()).to(torch.get_default_dtype()).to(torch.zeros(1).device) for v in (x, y, w1, w2))  # fmt: skip
    for _ in range(30):
        hidden = x @ w1
        active = np.maximum(hidden, 0)
        grad = 2.0 * (active @ w2 - y)
        back = grad @ w2.T
        back[hidden < 0] = 0
        w1, w2 = w1 - 1e-4 * x.T @ back, w2 - 1e-4 * active.T @ grad
        h = tx.mm(t1)
        r = h.clamp(min=0)
        g = 2.0 * (r.mm(t2) - ty)
        b = g.mm(t2.t()).clone()
        b[h < 0] = 0
        t1 -= 1e-4 * tx.t().mm(b)
        t2 -= 1e-4 * r.t().mm(g)
    close(t1, w1, rtol=1e-3, atol=1e-4)
    close(t2, w2, rtol=1e-3, atol=1e-4)


def test_logistic_regression():
    x = np.vstack([rng.normal(-1, 1, (100, 2)), rng.normal(1, 1, (100, 2))]).astype(np.float32)
    y = np.repeat([0.0, 1.0], 100).astype(np.float32)
    w, b = np.zeros(2, np.float32), 0.0
    tx, ty, tw, tb = torch.tensor(x), torch.tensor(y), torch.zeros(2), torch.zeros(1)
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        w, b = w - 0.1 * x.T @ (p - y) / 200, b - 0.1 * (p - y).mean()
        q = torch.sigmoid(tx @ tw + tb)
        tw = tw - 0.1 * (tx.T @ (q - ty)) / len(ty)
        tb = tb - 0.1 * (q - ty).mean()
    close(tw, w, rtol=1e-4)
    assert ((torch.sigmoid(tx @ tw + tb) > 0.5).float() == ty).float().mean().item() > 0.8


def test_attention():
    q, k, v = (rng.standard_normal((2, 4, 6, 8)).astype(np.float32) for _ in range(3))
    tq, tk, tv = map(torch.tensor, (q, k, v))
    scores = tq @ tk.transpose(-2, -1) / math.sqrt(tq.size(-1))
    mask = torch.tril(torch.ones(6, 6)).bool()
    scores = scores.masked_fill(~mask, float("-inf"))
    out = F.softmax(scores, dim=-1) @ tv
    s = q @ k.swapaxes(-1, -2) / math.sqrt(8)
    s = np.where(np.tril(np.ones((6, 6), bool)), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    close(out, e / e.sum(-1, keepdims=True) @ v, rtol=1e-4)
    joined = out.permute(0, 2, 1, 3).contiguous().view(2, 6, 32)
    assert joined.shape == (2, 6, 32) and joined.is_contiguous()
    close(torch.einsum("bhqd,bhkd->bhqk", tq, tk), np.einsum("bhqd,bhkd->bhqk", q, k), rtol=1e-4)


def test_losses_and_layers_by_their_formulas():
    logits, labels = rng.standard_normal((8, 5)).astype(np.float32), rng.integers(0, 5, 8)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    loss = F.cross_entropy(torch.tensor(logits), torch.tensor(labels))
    close(loss, -log_p[np.arange(8), labels].mean())
    by_hand = -torch.log_softmax(torch.tensor(logits), 1)[torch.arange(8), torch.tensor(labels)].mean()
    close(by_hand, -log_p[np.arange(8), labels].mean())
    x = rng.standard_normal((4, 10)).astype(np.float32)
    t = torch.tensor(x)
    norm = (t - t.mean(-1, keepdim=True)) / torch.sqrt(t.var(-1, unbiased=False, keepdim=True) + 1e-5)
    close(norm, (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5), atol=1e-5)
    close(F.one_hot(torch.tensor(labels), 5), np.eye(5)[labels])
    assert (t.argmax(dim=1) == torch.tensor(x.argmax(1))).all()
    values, places = torch.topk(t, 3, dim=1)
    close(values, -np.sort(-x, 1)[:, :3])
    close(torch.gather(t, 1, places), host(values))


def test_rotary_and_positional_encodings():
    positions = torch.arange(0, 12).unsqueeze(1)
    rate = torch.exp(torch.arange(0, 8, 2) * (-math.log(10000.0) / 8))
    pe = torch.zeros(12, 8)
    pe[:, 0::2] = torch.sin(positions * rate)
    pe[:, 1::2] = torch.cos(positions * rate)
    angle = np.arange(12)[:, None] * np.exp(np.arange(0, 8, 2) * (-math.log(10000.0) / 8))
    expected = np.empty((12, 8))
    expected[:, 0::2], expected[:, 1::2] = np.sin(angle), np.cos(angle)
    close(pe, expected)
    x = rng.standard_normal((12, 8)).astype(np.float32)
    turned = torch.view_as_complex(torch.tensor(x).reshape(12, 4, 2)) * torch.polar(torch.ones(12, 4), positions * rate)
    z = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angle)
    close(torch.view_as_real(turned).flatten(1), np.stack([z.real, z.imag], -1).reshape(12, 8), atol=1e-5)


def test_k_nearest_and_k_means():
    x = rng.standard_normal((60, 3)).astype(np.float32)
    t = torch.tensor(x)
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    close(torch.cdist(t, t), d, atol=1e-3)
    _, at = torch.cdist(t, t).topk(4, largest=False)
    assert (host(at)[:, 1:] == np.argsort(d, 1)[:, 1:4]).mean() > 0.99
    centres, c = t[:4].clone(), x[:4].copy()
    for _ in range(5):
        label = ((t[:, None] - centres[None]) ** 2).sum(2).argmin(1)
        n = ((x[:, None] - c[None]) ** 2).sum(2).argmin(1)
        for k in range(4):
            centres[k] = t[label == k].mean(0)
            c[k] = x[n == k].mean(0)
    close(centres, c)
    sums = torch.zeros(4, 3).index_add_(0, label, t)
    close(sums / torch.bincount(label, minlength=4).unsqueeze(1), host(centres), atol=1e-5)


def test_waves_pictures_and_sorting():
    u = torch.zeros(40, dtype=torch.float64)
    u[20] = 1.0
    before, n, m = u.clone(), host(u).copy(), host(u).copy()
    for _ in range(30):
        u, before = 2 * u - before + 0.25 * (torch.roll(u, 1) - 2 * u + torch.roll(u, -1)), u
        n, m = 2 * n - m + 0.25 * (np.roll(n, 1) - 2 * n + np.roll(n, -1)), n
    close(u, n, atol=1e-12)
    image = rng.random((1, 1, 9, 9)).astype(np.float32)
    sobel = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]).view(1, 1, 3, 3)
    edges = F.conv2d(torch.tensor(image), sobel, padding=1)
    padded = np.pad(image[0, 0], 1)
    expected = sum(host(sobel)[0, 0, i, j] * padded[i : i + 9, j : j + 9] for i in range(3) for j in range(3))
    close(edges[0, 0], expected, atol=1e-5)
    close(F.max_pool2d(torch.tensor(image[..., :8, :8]), 2)[0, 0], image[0, 0, :8, :8].reshape(4, 2, 4, 2).max((1, 3)))
    values, order = torch.sort(torch.tensor(image.ravel()), descending=True)
    close(values, np.sort(image.ravel())[::-1])
    close(torch.tensor(image.ravel())[order], host(values))
    found, back, counts = torch.unique(torch.tensor([3, 1, 3, 2]), return_inverse=True, return_counts=True)
    assert (found.tolist(), back.tolist(), counts.tolist()) == ([1, 2, 3], [2, 0, 2, 1], [1, 1, 2])


def test_random_walks_and_seeds():
    torch.manual_seed(1)
    steps = torch.where(torch.rand(1000, 100) < 0.5, -1, 1)
    ends = steps.cumsum(1)[:, -1].float()
    assert abs(ends.mean().item()) < 1.5 and abs(ends.std().item() - 10) < 1
    torch.manual_seed(7)
    first = torch.randn(5)
    torch.manual_seed(7)
    assert torch.equal(first, torch.randn(5))
    assert sorted(torch.randperm(10).tolist()) == list(range(10))


@pytest.mark.parametrize(
    "program",
    [
        lambda: torch.randn(3, requires_grad=True).sum().backward(),
        lambda: torch.nn.Linear(3, 2),
        lambda: torch.optim.SGD([], lr=0.1),
        lambda: torch.autograd.grad,
        lambda: torch.utils.data.DataLoader,
    ],
)
def test_what_is_out_of_reach_says_so(program):
    with pytest.raises((AttributeError, NotImplementedError, ImportError), match="kasoku"):
        program()
