"""torch's functions that cut, gather, sort, sum and factorise, against NumPy."""

import math

import numpy as np
import pytest

from kasoku.compat import torch

rng = np.random.default_rng(5)
M = rng.random((4, 5)).astype(np.float32)
S = rng.random((4, 4)).astype(np.float32) + 4 * np.eye(4, dtype=np.float32)
C = (rng.random((3, 4)) + 1j * rng.random((3, 4))).astype(np.complex64)
I = rng.integers(0, 9, (4, 5))  # noqa: E741


@pytest.fixture(autouse=True)
def place(device):
    torch.set_default_device("cuda" if device != "cpu" else "cpu")
    yield
    torch.set_default_device(None)


def t(x):
    return torch.as_tensor(np.array(x), device=torch.empty(0).device)


CASES = {
    "cumsum": (lambda: torch.cumsum(t(M), 1), M.cumsum(1)),
    "cumsum of integers": (lambda: t(I.astype(np.int8)).cumsum(0), I.cumsum(0)),
    "cumprod": (lambda: torch.cumprod(t(M), 0), M.cumprod(0)),
    "cummax": (lambda: torch.cummax(t(I), 1).values, np.maximum.accumulate(I, 1)),
    "sort": (lambda: torch.sort(t(M), 0).values, np.sort(M, 0)),
    "sort down": (lambda: t(I).sort(descending=True).values, -np.sort(-I)),
    "argsort": (lambda: torch.argsort(t(M)), np.argsort(M)),
    "stable down": (lambda: torch.sort(t([1, 2, 1, 2]), descending=True).indices, [1, 3, 0, 2]),
    "topk": (lambda: torch.topk(t(M), 2).values, -np.sort(-M)[:, :2]),
    "smallest": (lambda: t(M).topk(2, dim=0, largest=False).values, np.sort(M, 0)[:2]),
    "median": (lambda: torch.median(t(M), 1).values, np.sort(M)[:, 2]),
    "median of all": (lambda: t(M).median(), np.sort(M.ravel())[9]),
    "kthvalue": (lambda: torch.kthvalue(t(M), 2, 1).values, np.sort(M)[:, 1]),
    "unique": (lambda: torch.unique(t(I), return_counts=True)[1], np.unique(I, return_counts=True)[1]),
    "bincount": (lambda: torch.bincount(t(I.ravel()), minlength=12), np.bincount(I.ravel(), minlength=12)),
    "gather": (lambda: torch.gather(t(M), 1, t(I[:, :2] % 5)), np.take_along_axis(M, I[:, :2] % 5, 1)),
    "gather rows": (lambda: t(M).gather(0, t(I[:2] % 4)), np.take_along_axis(M, I[:2] % 4, 0)),
    "index_select": (lambda: torch.index_select(t(M), 1, t([3, 0])), M[:, [3, 0]]),
    "take": (lambda: torch.take(t(M), t([0, 7])), M.ravel()[[0, 7]]),
    "chunk": (lambda: torch.chunk(t(M), 2, dim=1)[1], M[:, 3:]),
    "split": (lambda: torch.split(t(M), [1, 3], dim=0)[1], M[1:]),
    "tensor_split": (lambda: torch.tensor_split(t(M), 3)[0], M[:2]),
    "unbind": (lambda: torch.unbind(t(M), 1)[2], M[:, 2]),
    "narrow": (lambda: torch.narrow(t(M), 1, 1, 3), M[:, 1:4]),
    "movedim": (lambda: torch.movedim(t(M.reshape(2, 2, 5)), 0, 2), np.moveaxis(M.reshape(2, 2, 5), 0, 2)),
    "roll": (lambda: torch.roll(t(M), 2, 1), np.roll(M, 2, 1)),
    "tril": (lambda: torch.tril(t(M), -1), np.tril(M, -1)),
    "triu": (lambda: t(M).triu(1), np.triu(M, 1)),
    "diag": (lambda: torch.diag(t(M[0])), np.diag(M[0])),
    "diagonal": (lambda: torch.diagonal(t(M), 1), np.diagonal(M, 1)),
    "tile": (lambda: t(M).tile(2, 1), np.tile(M, (2, 1))),
    "repeat_interleave": (lambda: torch.repeat_interleave(t(M), 2, 0), np.repeat(M, 2, 0)),
    "rot90": (lambda: torch.rot90(t(M)), np.rot90(M)),
    "diff": (lambda: torch.diff(t(M)), np.diff(M)),
    "histc": (lambda: torch.histc(t(M), 4, 0, 1), np.histogram(M, 4, (0, 1))[0]),
    "searchsorted": (lambda: torch.searchsorted(t([1, 3, 5]), t([3, 6])), [1, 3]),
    "logsumexp": (lambda: torch.logsumexp(t(M), 1), np.log(np.exp(M).sum(1))),
    "log_softmax": (lambda: torch.log_softmax(t(M), 1), M - np.log(np.exp(M).sum(1, keepdims=True))),
    "softplus": (lambda: torch.softplus(t(M)), np.log1p(np.exp(M))),
    "einsum": (lambda: torch.einsum("ij,kj->ik", t(M), t(M)), M @ M.T),
    "addmm": (lambda: torch.addmm(t(S), t(S), t(S), beta=2, alpha=3), 2 * S + 3 * S @ S),
    "kron": (lambda: torch.kron(t(M), t(M)), np.kron(M, M)),
    "cross": (lambda: torch.cross(t(M[:, :3]), t(M[:, 1:4]), dim=1), np.cross(M[:, :3], M[:, 1:4])),
    "cdist": (lambda: torch.cdist(t(M), t(M[:2])), np.linalg.norm(M[:, None] - M[None, :2], axis=-1)),
    "trace": (lambda: torch.trace(t(S)), np.trace(S)),
    "lerp": (lambda: torch.lerp(t(M), t(M + 1), 0.25), M + 0.25),
    "quantile": (lambda: torch.quantile(t(M), 0.3, dim=0), np.quantile(M, 0.3, 0)),
    "std_mean": (lambda: torch.std_mean(t(M), dim=1)[0], M.std(1, ddof=1)),
    "nan_to_num": (lambda: torch.nan_to_num(t([math.nan, 1.0, math.inf]), posinf=5.0), [0, 1, 5]),
    "erf": (lambda: torch.erf(t(M)), np.vectorize(math.erf)(M)),
    "isclose": (lambda: torch.isclose(t(M), t(M + 1e-7)), np.ones_like(M, bool)),
    "complex": (lambda: torch.complex(t(M), t(M)).imag, M),
    "view_as_real": (lambda: torch.view_as_real(t(C)), np.stack([C.real, C.imag], -1)),
    "angle": (lambda: torch.angle(t(C)), np.angle(C)),
    "conj": (lambda: torch.conj(t(C)), C.conj()),
    "inv": (lambda: torch.linalg.inv(t(S)), np.linalg.inv(S)),
    "det": (lambda: torch.linalg.det(t(S)), np.linalg.det(S)),
    "solve": (lambda: torch.linalg.solve(t(S), t(S[0])), np.linalg.solve(S, S[0])),
    "eigvalsh": (lambda: torch.linalg.eigh(t(S + S.T)).eigenvalues, np.linalg.eigvalsh(S + S.T)),
    "svd": (lambda: torch.linalg.svd(t(M)).S, np.linalg.svd(M)[1]),
    "qr": (lambda: (lambda q: q.Q @ q.R)(torch.linalg.qr(t(M))), M),
    "cholesky": (lambda: torch.linalg.cholesky(t(S @ S.T)), np.linalg.cholesky(S @ S.T)),
    "fft": (lambda: torch.fft.fft(t(M)), np.fft.fft(M)),
    "rfft": (lambda: torch.fft.irfft(torch.fft.rfft(t(M)), 5), M),
    "fft2": (lambda: torch.fft.fft2(t(M)), np.fft.fft2(M)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_against_numpy(name):
    function, want = CASES[name]
    got, want = function(), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=2e-4, atol=2e-5)
    if want.dtype.kind == "f":
        assert got.dtype == torch.float32
    assert got.dtype.is_complex == (want.dtype.kind == "c")


def test_in_place_scatters():
    x = torch.zeros(3, 5)
    x.scatter_(0, t([[0, 1, 2, 0, 0]]), torch.ones(1, 5))
    want = np.zeros((3, 5))
    np.put_along_axis(want, np.array([[0, 1, 2, 0, 0]]), 1, 0)
    assert (x.cpu().numpy() == want).all()
    y = torch.zeros(4)
    y.scatter_add_(0, t([1, 1, 3]), torch.ones(3))
    assert y.tolist() == [0, 2, 0, 1]
    y.index_add_(0, t([0, 0]), torch.ones(2), alpha=2)
    assert y.tolist() == [4, 2, 0, 1]
    y.masked_fill_(y > 1, 9)
    assert y.tolist() == [9, 9, 0, 1] and y.masked_fill(y == 0, -1).tolist() == [9, 9, -1, 1] and y[2] == 0
    assert y.index_fill(0, t([0]), 7).tolist() == [7, 9, 0, 1]


def test_views_show_the_same_memory():
    x = torch.zeros(4, 2)
    torch.split(x, 2)[1].fill_(1)
    torch.unbind(x, 1)[0].add_(5)
    assert x.tolist() == [[5, 0], [5, 0], [6, 1], [6, 1]]


def test_draws_without_replacement():
    torch.manual_seed(1)
    p = t(np.float32([0.1, 0.0, 0.9]))
    drawn = np.array([torch.multinomial(p, 1).item() for _ in range(300)])
    assert not (drawn == 1).any() and 230 < (drawn == 2).sum() < 300
    many = torch.multinomial(p, 4000, replacement=True)
    assert (many == 1).sum() == 0 and abs((many == 2).float().mean().item() - 0.9) < 6 * math.sqrt(0.09 / 4000)
    with pytest.raises(RuntimeError, match="without replacement"):
        torch.multinomial(p, 4)


def test_saving(tmp_path):
    x = {"w": t(M), "n": [torch.arange(3)]}
    torch.save(x, tmp_path / "x.pt")
    back = torch.load(tmp_path / "x.pt", weights_only=True)
    assert torch.equal(back["w"], x["w"]) and back["n"][0].tolist() == [0, 1, 2]
    (tmp_path / "other.pt").write_bytes(b"PK\x03\x04")
    with pytest.raises(RuntimeError, match="installed torch"):
        torch.load(tmp_path / "other.pt")


def test_the_number_of_threads_can_be_set_and_switches_of_precision_are_taken():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.matmul.allow_tf32 = True
    assert torch.backends.cuda.matmul.allow_tf32 is True
    assert torch.accelerator.is_available() is torch.cuda.is_available()
    assert torch.zeros(1, device="cpu").type() == "torch.FloatTensor"
    assert torch.zeros(1, dtype=torch.int64, device="cpu").type() == "torch.LongTensor"


def test_what_is_not_there_says_so():
    with pytest.raises(AttributeError, match="torch.nn.Linear"):
        torch.nn.Linear  # noqa: B018
    with pytest.raises(RuntimeError, match="sum exactly"):
        torch.split(torch.zeros(3), [1, 1])
    with pytest.raises(RuntimeError, match="out of range"):
        torch.topk(torch.zeros(3), 4)
