"""Rows of torch's tables against NumPy: what each computes, in which dtype, under which names of arguments."""

import inspect
import math

import numpy as np
import pytest
from moved import bytes_to_host

from kasoku.compat import torch
from kasoku.compat.torch.nn import functional as F

rng = np.random.default_rng(21)
M = rng.standard_normal((4, 5)).astype(np.float32)
N = rng.standard_normal((5, 3)).astype(np.float32)
I = rng.integers(-9, 9, (4, 5)).astype(np.int32)  # noqa: E741
X = rng.standard_normal((2, 4, 5)).astype(np.float32)
V = rng.standard_normal(7).astype(np.float32)
C = (M + 1j * rng.standard_normal(M.shape)).astype(np.complex64)
HOLED = np.where(rng.random(M.shape) < 0.3, np.nan, M).astype(np.float32)
REPEATED = rng.integers(0, 4, (6, 9))
AT = rng.integers(0, 4, (4, 5))


@pytest.fixture(autouse=True)
def place(device):
    torch.set_default_device("cuda" if device != "cpu" else "cpu")
    yield
    torch.set_default_device(None)


def t(x):
    return torch.as_tensor(np.array(x), device=torch.empty(0).device)


def scattered(start, dim, index, src, join, include_self=True):
    """By a loop."""
    out, fresh = start.copy(), np.ones(start.shape, bool)
    for place in np.ndindex(*index.shape):
        to = list(place)
        to[dim] = index[place]
        to = tuple(to)
        first = not include_self and fresh[to]
        out[to], fresh[to] = src[place] if first else join(out[to], src[place]), False
    return out


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(x, 0)


def normal(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def modes(rows):
    found = [np.unique(row, return_counts=True) for row in rows]
    return np.array([values[counts.argmax()] for values, counts in found])


CASES = {
    "rot90": (lambda: torch.rot90(t(M), 1, dims=[0, 1]), np.rot90(M)),
    "flip": (lambda: torch.flip(t(M), (0, 1)), M[::-1, ::-1]),
    "flip by numbers": (lambda: t(M).flip(0), M[::-1]),
    "fliplr": (lambda: torch.fliplr(t(M)), M[:, ::-1]),
    "tril": (lambda: torch.tril(t(I), diagonal=-1), np.tril(I, -1)),
    "triu of a stack": (lambda: t(X).triu(1), np.triu(X, 1)),
    "diag": (lambda: torch.diag(t(M), 1), np.diag(M, 1)),
    "diag made": (lambda: torch.diag(t(V)), np.diag(V)),
    "diag_embed": (lambda: torch.diag_embed(t(M), 1), np.stack([np.diag(row, 1) for row in M])),
    "diagflat": (lambda: torch.diagflat(t(V), -1), np.diagflat(V, -1)),
    "tile": (lambda: t(I).tile(2, 1, 3), np.tile(I, (2, 1, 3))),
    "repeat": (lambda: t(I).repeat(2, 3), np.tile(I, (2, 3))),
    "repeat_interleave": (lambda: torch.repeat_interleave(t(M), t([1, 2, 0, 3]), dim=0), np.repeat(M, [1, 2, 0, 3], 0)),
    "roll": (lambda: torch.roll(t(M), 2, 1), np.roll(M, 2, 1)),
    "cumsum": (lambda: t(I).cumsum(0), np.cumsum(I, 0, dtype=np.int64)),
    "cumsum of bytes": (lambda: torch.cumsum(t(np.array([200, 100], np.uint8)), 0), np.array([200, 300])),
    "cumsum of a number": (lambda: torch.cumsum(t(np.float32(3)), 0), np.float32(3)),
    "cumprod": (lambda: t(M).cumprod(dim=1), np.cumprod(M, 1)),
    "cumsum in float64": (lambda: t(I).cumsum(1, dtype=torch.float64), np.cumsum(I, 1, dtype=float)),
    "cummax": (lambda: t(M).cummax(1).values, np.maximum.accumulate(M, 1)),
    "cummin": (lambda: t(M).cummin(0)[0], np.minimum.accumulate(M, 0)),
    "cummax's places": (lambda: torch.cummax(t([1, 3, 2, 3, 4]), 0).indices, np.array([0, 1, 1, 3, 4])),
    "logcumsumexp": (lambda: torch.logcumsumexp(t(M), 1), np.logaddexp.accumulate(M, 1)),
    "diff": (lambda: torch.diff(t(M), n=2, dim=0), np.diff(M, 2, 0)),
    "diff with more": (lambda: torch.diff(t(V), prepend=t(V[:1])), np.diff(V, prepend=V[:1])),
    "trapezoid": (lambda: torch.trapezoid(t(M), dx=0.5), np.trapezoid(M, dx=0.5)),
    "cumulative_trapezoid": (
        lambda: torch.cumulative_trapezoid(t(V), t(V**2)), np.cumsum((V[1:] + V[:-1]) / 2 * np.diff(V**2))),
    "gradient": (lambda: torch.gradient(t(M), dim=1), np.gradient(M, axis=1)),
    "searchsorted": (lambda: torch.searchsorted(t(np.sort(V)), t(M), right=True), np.searchsorted(np.sort(V), M, "right")),
    "searchsorted by rows": (
        lambda: torch.searchsorted(t(np.sort(M)), t(M)),
        np.stack([np.searchsorted(row, of) for row, of in zip(np.sort(M), M)])),
    "bucketize": (lambda: torch.bucketize(t(M), t(np.sort(V)), out_int32=True), np.searchsorted(np.sort(V), M).astype(np.int32)),
    "histc": (lambda: torch.histc(t(M), bins=5, min=-2, max=2), np.histogram(M, 5, (-2, 2))[0].astype(np.float32)),
    "histogram": (lambda: torch.histogram(t(M), 4).hist, np.histogram(M, 4)[0].astype(np.float32)),
    "bincount": (lambda: torch.bincount(t(AT.ravel()), minlength=6), np.bincount(AT.ravel(), minlength=6)),
    "bincount with weights": (
        lambda: torch.bincount(t(AT.ravel()), t(M.ravel())), np.bincount(AT.ravel(), M.ravel()).astype(np.float32)),
    "isin": (lambda: torch.isin(t(I), t([1, 2, 3])), np.isin(I, [1, 2, 3])),
    "unique_consecutive": (lambda: torch.unique_consecutive(t([1, 1, 2, 2, 2, 1])), np.array([1, 2, 1])),
    "its counts": (lambda: torch.unique_consecutive(t([1, 1, 2, 2, 2, 1]), return_counts=True)[1], np.array([2, 3, 1])),
    "its inverse": (lambda: torch.unique_consecutive(t([5, 5, 2]), return_inverse=True)[1], np.array([0, 0, 1])),
    "mode": (lambda: torch.mode(t(REPEATED)).values, modes(REPEATED)),
    "mode by columns": (lambda: t(REPEATED).mode(0).values, modes(REPEATED.T)),
    "mode's places": (lambda: torch.mode(t([[2, 1, 2, 1, 3]])).indices, np.array([3])),
    "nanmedian": (lambda: torch.nanmedian(t(HOLED)), np.float32(np.nanquantile(HOLED, 0.5, method="lower"))),
    "nanmedian of rows": (
        lambda: torch.nanmedian(t(HOLED), 1).values, np.nanquantile(HOLED, 0.5, 1, method="lower").astype(np.float32)),
    "nanquantile": (lambda: torch.nanquantile(t(HOLED), 0.25, dim=1), np.nanquantile(HOLED, 0.25, 1).astype(np.float32)),
    "nansum": (lambda: torch.nansum(t(HOLED), 1), np.nansum(HOLED, 1)),
    "nanmean": (lambda: t(HOLED).nanmean(), np.nanmean(HOLED)),
    "cov": (lambda: torch.cov(t(M), correction=0), np.cov(M, ddof=0).astype(np.float32)),
    "corrcoef": (lambda: torch.corrcoef(t(M)), np.corrcoef(M).astype(np.float32)),
    "kron": (lambda: torch.kron(t(I), t(N)), np.kron(I, N).astype(np.float32)),
    "inner": (lambda: torch.inner(t(M), t(M)), np.inner(M, M)),
    "outer": (lambda: torch.outer(t(V), t(V)), np.outer(V, V)),
    "einsum": (lambda: torch.einsum("ij,jk->ki", t(M), t(N)), (M @ N).T),
    "einsum of a list": (lambda: torch.einsum("ij->j", [t(I)]), I.sum(0, dtype=np.int32)),
    "tensordot": (lambda: torch.tensordot(t(X), t(N), dims=1), np.tensordot(X, N, 1)),
    "tensordot by axes": (lambda: torch.tensordot(t(X), t(X), ([1, 2], [1, 2])), np.tensordot(X, X, ([1, 2], [1, 2]))),
    "cross": (lambda: torch.cross(t(M[:, :3]), t(M[:, 1:4])), np.cross(M[:, :3], M[:, 1:4])),
    "isclose": (lambda: torch.isclose(t(M), t(M + 1e-7)), np.isclose(M, M + np.float32(1e-7))),
    "nan_to_num": (lambda: torch.nan_to_num(t(HOLED), nan=2.0), np.nan_to_num(HOLED, nan=2.0)),
    "angle": (lambda: torch.angle(t(C)), np.angle(C)),
    "angle of reals": (lambda: torch.angle(t(M)), np.angle(M).astype(np.float32)),
    "complex": (lambda: torch.complex(t(M), t(M[::-1].copy())), (M + 1j * M[::-1]).astype(np.complex64)),
    "complex of infinities": (lambda: torch.complex(t([1.0]), t([math.inf])).real, np.array([1.0])),
    "polar": (lambda: torch.polar(t(np.abs(M)), t(M)), (np.abs(M) * np.exp(1j * M)).astype(np.complex64)),
    "sgn": (lambda: torch.sgn(t(C)), (C / np.abs(C)).astype(np.complex64)),
    "sinc": (lambda: torch.sinc(t(M)), np.sinc(M)),
    "sinc of integers": (lambda: torch.sinc(t(I)), np.sinc(I).astype(np.float32)),
    "xlogy": (lambda: torch.xlogy(t([0.0, 2.0, 0.0]), t([0.0, 3.0, math.nan])), np.array([0, 2 * np.log(3), np.nan])),
    "xlogy of a number": (lambda: torch.xlogy(t(np.abs(M)), 2.0), (np.abs(M) * np.log(2)).astype(np.float32)),
    "logit": (lambda: torch.logit(t([0.25, 0.0]), eps=0.125), np.log([0.25 / 0.75, 0.125 / 0.875])),
    "ldexp": (lambda: torch.ldexp(t(M), t(np.abs(I))), np.ldexp(M, np.abs(I))),
    "logaddexp2": (lambda: torch.logaddexp2(t(M), t(M)), np.logaddexp2(M, M)),
    "frexp": (lambda: torch.frexp(t(M)).mantissa, np.frexp(M)[0]),
    "vander": (lambda: torch.vander(t([1, 2, 3])), np.vander([1, 2, 3])),
    "vander rising": (lambda: torch.vander(t(V), 3, increasing=True), np.vander(V, 3, True)),
    "block_diag": (
        lambda: torch.block_diag(t(M[:2, :2]), t(V[:3])), np.block([[M[:2, :2], np.zeros((2, 3))], [np.zeros((1, 2)), V[None, :3]]]).astype(np.float32)),
    "cartesian_prod": (lambda: torch.cartesian_prod(t([1, 2]), t([3, 4])), np.array([[1, 3], [1, 4], [2, 3], [2, 4]])),
    "combinations": (lambda: torch.combinations(t([5, 6, 7])), np.array([[5, 6], [5, 7], [6, 7]])),
    "dstack": (lambda: torch.dstack([t(M), t(M)]), np.dstack([M, M])),
    "column_stack": (lambda: torch.column_stack((t(V), t(V))), np.column_stack([V, V])),
    "stack of two dtypes": (lambda: torch.stack([t(I), t(M)]), np.stack([I.astype(np.float32), M])),
    "vstack": (lambda: torch.vstack([t(V), t(V)]), np.vstack([V, V])),
    "hsplit": (lambda: torch.hsplit(t(M), [2])[1], M[:, 2:]),
    "vsplit": (lambda: torch.vsplit(t(M), 2)[0], M[:2]),
    "split_with_sizes": (lambda: torch.split_with_sizes(t(M), [1, 4], 1)[1], M[:, 1:]),
    "unravel_index": (lambda: torch.unravel_index(t([7, 3]), (4, 5))[1], np.array([2, 3])),
    "take_along_dim": (lambda: torch.take_along_dim(t(M), t(AT[:, :2]), 1), np.take_along_axis(M, AT[:, :2], 1)),
    "gather": (lambda: torch.gather(t(M), 0, t(AT[:2, :3])), M[AT[:2, :3], np.arange(3)]),
    "scatter": (lambda: torch.zeros(4, 5).scatter(0, t(AT[:1]), t(M)), scattered(np.zeros((4, 5), np.float32), 0, AT[:1], M, lambda a, b: b)),
    "scatter_add": (lambda: t(M).scatter_add(0, t(AT), t(M)), scattered(M, 0, AT, M, lambda a, b: a + b)),
    "scatter_reduce": (lambda: t(M).scatter_reduce(1, t(AT), t(-M), "amax"), scattered(M, 1, AT, -M, max)),
    "scatter_reduce without itself": (
        lambda: t(M).scatter_reduce(1, t(AT), t(-M), reduce="amin", include_self=False), scattered(M, 1, AT, -M, min, False)),
    "scatter_reduce of products": (
        lambda: t(I).scatter_reduce(1, t(AT), t(I), "prod", include_self=False),
        scattered(I, 1, AT, I, lambda a, b: a * b, False)),
    "scatter_reduce of means": (
        lambda: t([1.0, 2.0]).scatter_reduce(0, t([0, 0, 1]), t([3.0, 5.0, 7.0]), "mean"), np.array([3.0, 4.5])),
    "index_add": (lambda: t(M).index_add(0, t([1, 1, 0]), t(M[:3]), alpha=2), M + 2 * np.stack([M[2], M[0] + M[1], M[0] * 0, M[0] * 0])),
    "index_add along columns": (lambda: t(I).index_add(1, t([4, 4]), t(I[:, :2])), I + np.pad(I[:, :2].sum(1, keepdims=True, dtype=np.int32), [(0, 0), (4, 0)])),
    "index_put": (lambda: t(V).index_put((t([1, 1]),), t([1.0, 2.0]).float(), accumulate=True), V + np.array([0, 3, 0, 0, 0, 0, 0], np.float32)),
    "index_reduce": (lambda: t(V).index_reduce(0, t([0, 0]), t([5.0, 9.0]).float(), "amax"), np.r_[np.float32(9), V[1:]]),
    "put": (lambda: t(M).put(t([0, 6]), t([1.0, 2.0]).float()), np.r_[1, M.ravel()[1:6], 2, M.ravel()[7:]].reshape(M.shape).astype(np.float32)),
    "masked_scatter": (lambda: t(V).masked_scatter(t(V > 0), t(np.arange(7, dtype=np.float32))), np.where(V > 0, np.cumsum(V > 0) - 1, V).astype(np.float32)),
    "select_scatter": (lambda: torch.select_scatter(t(M), t(V[:4]), 1, 2), np.c_[M[:, :2], V[:4], M[:, 3:]]),
    "slice_scatter": (lambda: torch.slice_scatter(t(M), t(N.T[:, :]), 0, 1), np.r_[M[:1], N.T]),
    "diagonal_scatter": (lambda: torch.diagonal_scatter(t(M), t(V[:4])), np.where(np.eye(4, 5, dtype=bool), V[:4, None], M)),
    "addr": (lambda: torch.addr(t(M), t(V[:4]), t(V[:5]), alpha=2), M + 2 * np.outer(V[:4], V[:5])),
    "addbmm": (lambda: torch.addbmm(t(M @ N), t(X), t(np.stack([N, N])), beta=0.5), 0.5 * (M @ N) + (X @ N).sum(0)),
    "rsub": (lambda: torch.rsub(t(M), 2.0), 2 - M),
    "logsumexp": (lambda: torch.logsumexp(t(X), (0, 2)), np.log(np.exp(X).sum((0, 2)))),
    "log_softmax": (lambda: torch.log_softmax(t(M), -1), M - np.log(np.exp(M).sum(-1, keepdims=True))),
    "softmax in float64": (lambda: torch.softmax(t(M), 0, dtype=torch.float64), np.exp(M.astype(float)) / np.exp(M.astype(float)).sum(0)),
    "tril_indices": (lambda: torch.tril_indices(3, 4, 1), np.stack(np.tril_indices(3, 1, 4))),
    "hann_window": (lambda: torch.hann_window(8, periodic=False), np.hanning(8).astype(np.float32)),
    "bartlett_window": (lambda: torch.bartlett_window(9, False), np.bartlett(9).astype(np.float32)),
    "kaiser_window": (lambda: torch.kaiser_window(9, False, 5.0), np.kaiser(9, 5.0).astype(np.float32)),
    "where of a tensor": (lambda: t(M).where(t(M > 0), t(-M)), np.abs(M)),
    "pdist": (lambda: torch.pdist(t(M)), np.array([np.linalg.norm(M[i] - M[j]) for i in range(4) for j in range(i + 1, 4)])),
    "frobenius_norm": (lambda: torch.frobenius_norm(t(M), 1), np.linalg.norm(M, axis=1)),
    "fill": (lambda: torch.fill(t(HOLED), 2.5), np.full_like(M, 2.5)),
    "diagonal_copy": (lambda: torch.diagonal_copy(t(M)), np.diagonal(M)),
    "scalar_tensor": (lambda: torch.scalar_tensor(2), np.float32(2)),
    "layer_norm of torch itself": (lambda: torch.layer_norm(t(X), (5,)), normal(X, 2)),
    "celu": (lambda: F.celu(t(M), 2.0), np.where(M > 0, M, 2 * np.expm1(M / 2))),
    "mish": (lambda: F.mish(t(M)), M * np.tanh(softplus(M))),
    "hardswish": (lambda: F.hardswish(t(3 * M)), 3 * M * np.clip(M / 2 + 0.5, 0, 1)),
    "softshrink": (lambda: F.softshrink(t(M)), np.sign(M) * np.maximum(np.abs(M) - 0.5, 0)),
    "glu": (lambda: F.glu(t(M), 0), M[:2] * sigmoid(M[2:])),
    "prelu": (lambda: F.prelu(t(X), t(V[:4])), np.where(X > 0, X, X * V[:4, None])),
    "layer_norm": (lambda: F.layer_norm(t(X), (5,), t(V[:5])), normal(X, 2) * V[:5]),
    "group_norm": (lambda: F.group_norm(t(X), 2, t(V[:4])), normal(X.reshape(2, 2, 10), 2).reshape(X.shape) * V[:4, None]),
    "batch_norm": (lambda: F.batch_norm(t(X), t(V[:4]), t(V[:4] ** 2)), (X - V[:4, None]) / np.sqrt(V[:4, None] ** 2 + 1e-5)),
    "huber_loss": (lambda: F.huber_loss(t(M), t(M * 0), delta=0.5), np.where(np.abs(M) < 0.5, M * M / 2, 0.5 * (np.abs(M) - 0.25)).mean()),
    "smoothed labels": (
        lambda: F.cross_entropy(t(M), t(AT[:, 0]), label_smoothing=0.1),
        -((M - np.log(np.exp(M).sum(1, keepdims=True))) * (np.eye(5)[AT[:, 0]] * 0.9 + 0.02)).sum(1).mean().astype(np.float32)),
    "adaptive_avg_pool1d": (lambda: F.adaptive_avg_pool1d(t(X), 2), np.stack([X[..., :3].mean(-1), X[..., 2:].mean(-1)], -1)),
    "pixel_shuffle": (lambda: F.pixel_shuffle(t(X[:, :, :, None]), 2)[1, 0, :2, :2], X[1, :4, 0].reshape(2, 2)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_values(case):
    made, wanted = CASES[case][0](), np.asarray(CASES[case][1])
    found = made[0] if isinstance(made, (tuple, list)) else made
    host = found.numpy(force=True)
    assert host.shape == wanted.shape and host.dtype == wanted.dtype
    np.testing.assert_allclose(host, wanted, 2e-5, 1e-6)


HALVES = {
    "cumsum": lambda x: torch.cumsum(x, 1), "tril": torch.tril, "kron": lambda x: torch.kron(x, x),
    "einsum": lambda x: torch.einsum("ij->ji", x), "nan_to_num": torch.nan_to_num, "diff": torch.diff, "sinc": torch.sinc,
    "trapezoid": torch.trapezoid, "cov": torch.cov, "softmax": lambda x: torch.softmax(x, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("d", [torch.float16, torch.bfloat16], ids=str)
def test_halves_stay_halves(name, d):
    x = torch.arange(6, dtype=d).reshape(2, 3) / 4
    assert HALVES[name](x).dtype is d
    near = HALVES[name](x.float())
    assert torch.allclose(HALVES[name](x).float(), near, rtol=2e-2, atol=2e-2)


def test_copies_are_apart_from_what_they_were_made_of():
    for f in (torch.fliplr, torch.flipud, torch.rot90, torch.diag, lambda x: torch.flip(x, [0])):
        x = torch.ones(3, 3)
        f(x).zero_()
        assert x.sum() == 9


def test_draws_of_parameters():
    torch.manual_seed(4)
    means = torch.full((20000,), 3.0)
    drawn = torch.poisson(means)
    assert drawn.dtype is torch.float32 and abs(drawn.mean().item() - 3) < 0.1
    drawn = torch.binomial(torch.full((20000,), 10.0), torch.full((20000,), 0.25))
    assert abs(drawn.mean().item() - 2.5) < 0.1 and drawn.max() <= 10
    assert set(torch.full((50,), 0.5).bernoulli().tolist()) == {0.0, 1.0}


def test_in_place_and_out():
    x = t(M)
    assert x.nan_to_num_() is x and torch.xlogy_(x.abs_(), 2.0) is x
    out = torch.empty(0)
    assert torch.tril(t(M), out=out) is out and out.shape == (4, 5)
    values, places = torch.empty(0), torch.empty(0, dtype=torch.int64)
    torch.cummax(t(M), 1, out=(values, places))
    np.testing.assert_array_equal(values.numpy(force=True), np.maximum.accumulate(M, 1))


def test_help_shows_torchs_arguments():
    assert str(inspect.signature(torch.rot90)) == "(input, k=1, dims=(0, 1))" and "right angles" in torch.rot90.__doc__
    assert torch.rot90.__name__ == "rot90" and torch.nan_to_num.__doc__


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: torch.rot90(t(M), dim=(0, 1)),
            r"rot90\(\) got an unexpected keyword argument 'dim'; did you mean 'dims'",
        ),
        (lambda: torch.tril(t(M), 1, 2), r"tril\(\) takes from 1 to 2 positional arguments but 3 were given"),
        (lambda: torch.cumsum(t(M)), r"cumsum\(\) missing 1 required positional argument: 'dim'"),
        (lambda: torch.tril([1, 2]), r"tril\(\): argument 'input' \(position 1\) must be Tensor, not list"),
        (lambda: torch.kron(t(M), t(M), out=3), "argument 'out' must be Tensor, not int"),
    ],
)
def test_arguments_that_do_not_fit(call, words):
    with pytest.raises(TypeError, match=words):
        call()
    assert torch.ones(2).sum() == 2


def test_shapes_that_do_not_fit():
    for call in (
        lambda: torch.tensordot(t(M), t(V), 1),
        lambda: torch.stack([t(M), t(V)]),
        lambda: torch.kron(t(M), t(M)) @ t(V),
    ):
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(RuntimeError, match="reduce argument must be one of"):
        t(M).scatter_reduce(0, t(AT), t(M), "median")


@pytest.mark.parametrize("case", CASES)
def test_no_elements_go_to_the_host(case):
    """A length or an end may be read, as few numbers; results stay where the tensors lie."""
    to_host, counted = bytes_to_host(CASES[case][0])
    assert to_host <= 64, counted
