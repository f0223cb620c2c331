"""The faces of PyTorch and CuPy on arrays: what programs of those packages see."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kasoku.compat import cupy as cp
from kasoku.compat import torch


def test_tensors_look_like_torchs():
    assert repr(torch.tensor([1.0, 2.5])) == "tensor([1.0000, 2.5000])"
    assert repr(torch.tensor([1, 2])) == "tensor([1, 2])"
    assert repr(torch.zeros(2, dtype=torch.float64)) == "tensor([0., 0.], dtype=torch.float64)"
    assert str(torch.device("cuda")) == "cuda" and str(torch.device("cuda", 1)) == "cuda:1"
    assert str(torch.rand(2).device) == "cpu" and torch.rand(2).dtype is torch.float32
    assert torch.ones(2, 3).size() == (2, 3) and repr(torch.Size([2])) == "torch.Size([2])"


def test_torch_promotes_by_category():
    ints = torch.arange(3)
    assert ints.dtype is torch.int64 and (ints + 1).dtype is torch.int64
    assert (ints + 1.5).dtype is torch.float32 and (ints / 2).dtype is torch.float32
    assert (torch.ones(2) + torch.tensor(1.0, dtype=torch.float64)).dtype is torch.float32
    assert (ints < 2).sum().dtype is torch.int64 and torch.sqrt(ints).dtype is torch.float32
    with pytest.raises(RuntimeError):
        ints.mean()


def test_torch_shares_memory_with_numpy():
    t = torch.ones(3)
    a = t.numpy()
    a[0] = 5
    t += 1
    assert t.tolist() == [6, 2, 2] and a.tolist() == [6, 2, 2]
    b = np.zeros(2, np.float32)
    torch.from_numpy(b).add_(3)
    assert b.tolist() == [3, 3]


def test_torch_reduces_and_multiplies():
    x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
    values, at = x.max(dim=1)
    assert values.tolist() == [5, 7] and at.tolist() == [1, 0]
    assert x.sum(dim=0).tolist() == [8, 7] and torch.std(torch.tensor([1.0, 3.0])).item() == pytest.approx(2**0.5)
    assert (x @ x).tolist() == [[36, 15], [21, 39]]
    torch.manual_seed(0)
    a = torch.randn(4)
    torch.manual_seed(0)
    assert torch.equal(a, torch.randn(4))


def test_cupy_is_numpy_with_another_name():
    x = cp.arange(6).reshape(2, 3)
    assert isinstance(cp.asnumpy(x), np.ndarray) and x.get().sum() == 15
    assert cp.get_array_module(x) is cp and cp.get_array_module(np.ones(1)) is np
    assert cp.sqrt(x).dtype == np.float64 and float(cp.asarray(np.ones(3)).sum()) == 3


@pytest.mark.parametrize("workers", [1, 8])
def test_pi_under_threads(workers):
    def by_cupy(n):
        x, y = cp.random.rand(n), cp.random.rand(n)
        return 4 * int(cp.count_nonzero(x * x + y * y < 1.0)) / n

    def by_torch(n):
        x, y = torch.rand(n), torch.rand(n)
        return (4 * torch.sum(x * x + y * y < 1.0) / n).item()

    with ThreadPoolExecutor(workers) as pool:
        for pi in (by_cupy, by_torch):
            values = list(pool.map(pi, [50_000] * 8))
            assert all(abs(v - np.pi) < 0.05 for v in values) and len(set(values)) > 1
