"""NumPy's algorithms in compiled functions: the engine's, in host memory and on devices, beside NumPy's own."""

import numpy as np
import pytest
from hypothesis import given, strategies

import kasoku as ks

rng = np.random.default_rng(7)
x, y = rng.random(2000), rng.random(700).astype(np.float32)
holes = np.where(rng.random(2000) < 0.1, np.nan, x)
counts, small = rng.integers(0, 30, 2000), rng.integers(-5, 5, 300).astype(np.int8)
matrix, cube = rng.random((40, 30)), rng.random((5, 6, 7))
square = rng.random((20, 20)) + 20 * np.eye(20)
symmetric = square + square.T
z = (x[:64] + 1j * x[64:128]).astype(np.complex64)
edges = np.linspace(0, 1, 9)
ties = np.concatenate([x, edges])

# What is compiled, and what it is given.
calls = {
    "sort": (lambda a: np.sort(a), x),
    "sort of NaN": (lambda a: np.sort(a), holes),
    "sort of bytes": (lambda a: np.sort(a), small),
    "sort of complex numbers": (lambda a: np.sort(a), z),
    "sort of a part": (lambda a: np.sort(a[::-3]), x),
    "sort of rows": (lambda a: np.sort(a), matrix),
    "sort of columns": (lambda a: np.sort(a, axis=0), matrix),
    "sort of the middle": (lambda a: np.sort(a, 1), cube),
    "sort of all": (lambda a: np.sort(a, axis=None), matrix),
    "sort of nothing": (lambda a: np.sort(a), x[:0]),
    "argsort": (lambda a: np.argsort(a, kind="stable"), counts),
    "argsort of columns": (lambda a: np.argsort(a, axis=0), matrix),
    "a method that sorts": (lambda a: a.argsort(), x),
    "unique": (lambda a: np.unique(a), counts),
    "unique of NaN": (lambda a: np.unique(a), holes),
    "unique and counts": (lambda a: np.unique(a, return_counts=True), counts),
    "unique and places": (lambda a: np.unique(a, return_index=True, return_inverse=True), counts),
    "unique and all": (lambda a: np.unique(a, return_index=True, return_inverse=True, return_counts=True), counts),
    "isin": (lambda a, b: np.isin(a, b), counts, counts[:5]),
    "not isin": (lambda a, b: np.isin(a, b, invert=True), counts, counts[:5]),
    "searchsorted": (lambda a, v: np.searchsorted(a, v), edges, ties),
    "searchsorted from the right": (lambda a, v: np.searchsorted(a, v, side="right"), edges, holes),
    "digitize": (lambda a, b: np.digitize(a, b), ties, edges),
    "digitize falling": (lambda a, b: np.digitize(a, b, right=True), ties, edges[::-1]),
    "bincount": (lambda a: np.bincount(a), counts),
    "bincount of many": (lambda a: np.bincount(a), rng.integers(0, 9, 20_000)),
    "isin many": (lambda a, b: np.isin(a, b), x, np.concatenate([x[::2], holes])),
    "repeat of many": (lambda a: np.repeat(a, 2), rng.random(20_000)),
    "bincount with weights": (lambda a, w: np.bincount(a, w, 40), counts, x),
    "histogram": (lambda a: np.histogram(a, 20), x),
    "histogram of a range": (lambda a: np.histogram(a, 7, (0.25, 0.5)), x),
    "histogram of edges": (lambda a, b: np.histogram(a, b), ties, edges),
    "median": (lambda a: np.median(a), x),
    "median of rows": (lambda a: np.median(a, axis=1), matrix),
    "percentile": (lambda a: np.percentile(a, 30), x),
    "quantiles": (lambda a, q: np.quantile(a, q), x, edges),
    "cumsum": (lambda a: np.cumsum(a), counts),
    "cumsum of many": (lambda a: np.cumsum(a), rng.integers(0, 9, 10_000)),
    "cumsum of an axis": (lambda a: np.cumsum(a, axis=1), cube),
    "cumprod": (lambda a: np.cumprod(a), x[:100]),
    "convolve": (lambda a, v: np.convolve(a, v), x, x[:30]),
    "convolve same": (lambda a, v: np.convolve(a, v, mode="same"), x, x[:30]),
    "convolve integers": (lambda a, v: np.convolve(a, v, "valid"), counts, counts[:9]),
    "correlate": (lambda a, v: np.correlate(a, v, "full"), x, x[:30]),
    "nonzero": (lambda a: np.nonzero(a > 0.5), rng.random((300, 200))),
    "flatnonzero": (lambda a: np.flatnonzero(a > 0.5), rng.random(30_000)),
    "take": (lambda a, i: np.take(a, i), x, counts),
    "take of an axis": (lambda a, i: np.take(a, i, axis=1), matrix, counts[:50] % 30),
    "repeat": (lambda a: np.repeat(a, 3), x),
    "repeat by counts": (lambda a, n: np.repeat(a, n), x, counts),
    "repeat of an axis": (lambda a: np.repeat(a, 2, axis=0), matrix),
    "roll": (lambda a: np.roll(a, 5), matrix),
    "roll of an axis": (lambda a: np.roll(a, -3, axis=1), matrix),
    "tile": (lambda a: np.tile(a, 3), matrix),
    "tile of both axes": (lambda a: np.tile(a, (2, 3)), matrix),
    "pad": (lambda a: np.pad(a, 2), matrix),
    "pad edges": (lambda a: np.pad(a, ((1, 2), (0, 3)), mode="edge"), matrix),
    "pad a number": (lambda a: np.pad(a, (2, 3), "constant", constant_values=7), x),
    "diagonal": (lambda a: np.diag(a), matrix),
    "triangles": (lambda a: (np.tril(a), np.triu(a, 1)), matrix),
    "einsum": (lambda a, b: np.einsum("ij,kj->ik", a, b), matrix, matrix[:9]),
    "einsum of one": (lambda a: np.einsum("ij->j", a), matrix),
    "einsum of a trace": (lambda a: np.einsum("ii", a), square),
    "einsum of three": (lambda a, b: np.einsum("ij,jk,kl->il", a, b, a), square, square),
    "tensordot": (lambda a, b: np.tensordot(a, b, 1), cube, rng.random((7, 3))),
    "tensordot of two": (lambda a, b: np.tensordot(a, b), cube, rng.random((6, 7, 2))),
    "tensordot of axes": (lambda a, b: np.tensordot(a, b, axes=((0, 2), (1, 0))), cube, rng.random((7, 5, 2))),
    "fft": (lambda a: np.fft.fft(a), x),
    "fft of float32": (lambda a: np.fft.fft(a), y),
    "fft filled up": (lambda a: np.fft.fft(a, 2048, norm="ortho"), x),
    "ifft": (lambda a: np.fft.ifft(a), z),
    "rfft and back": (lambda a: np.fft.irfft(np.fft.rfft(a, axis=0), axis=0), matrix),
    "fft2": (lambda a: np.fft.fft2(a), matrix),
    "ifftn": (lambda a: np.fft.ifftn(a), cube),
    "fftshift": (lambda a: np.fft.fftshift(a), matrix),
    "solve": (lambda a, b: np.linalg.solve(a, b), square, x[:20]),
    "inv": (lambda a: np.linalg.inv(a), square),
    "det": (lambda a: np.linalg.det(a), square),
    "cholesky": (lambda a: np.linalg.cholesky(a), symmetric),
    "eigvalsh": (lambda a: np.linalg.eigvalsh(a), symmetric),
    "singular values": (lambda a: np.linalg.svd(a, False)[1], matrix),
    "inv of a stack": (lambda a: np.linalg.inv(a), np.stack([square, 2 * square])),
    "cholesky of a stack": (lambda a: np.linalg.cholesky(a), np.stack([symmetric, 2 * symmetric])),
    "solve of a stack": (lambda a, b: np.linalg.solve(a, b), np.stack([square, square]), np.stack([matrix[:20], matrix[20:]])),
}  # fmt: skip


def same(got, want):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            same(g, w)
        return
    got = got.numpy() if isinstance(got, ks.Array) else np.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind in "fc":
        tolerance = 1e-4 if want.dtype in (np.float32, np.complex64) else 1e-9
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", calls)
def test_numpys_algorithms_are_compiled(name):
    function, *operands = calls[name]
    same(ks.njit(function)(*operands), function(*operands))


@pytest.mark.parametrize("name", calls)
def test_they_run_where_the_arrays_lie(name, place):
    function, *operands = calls[name]
    there = [place.put(operand) for operand in operands]
    with place:
        got = ks.njit(function)(*there)
    same(place.get(got), function(*operands))


@given(strategies.lists(strategies.floats(width=32) | strategies.just(np.nan), max_size=1400))
def test_few_and_many_elements_are_sorted_alike(numbers):
    given_ = np.array(numbers, np.float64)
    np.testing.assert_array_equal(sorted_and_places(given_)[0], np.sort(given_))
    np.testing.assert_array_equal(sorted_and_places(given_)[1], np.argsort(given_, kind="stable"))


@ks.njit
def sorted_and_places(a):
    return np.sort(a), np.argsort(a)


def test_iterations_of_a_parallel_loop_call_them():
    @ks.njit
    def rows(a):
        out = np.empty_like(a)
        for i in ks.prange(a.shape[0]):
            out[i] = np.sort(a[i])
        return out

    a = rng.random((100, 1500))
    np.testing.assert_array_equal(rows(a), np.sort(a))


def test_what_they_raise_has_numpys_class_and_the_users_line():
    @ks.njit
    def negative(a):
        return np.bincount(a)

    with pytest.raises(ValueError, match="no negative elements\n  at "):
        negative(-np.ones(20_000, np.int64))
    with pytest.raises(np.linalg.LinAlgError):
        ks.njit(lambda a: np.linalg.inv(a))(np.zeros((2, 3, 3)))


def test_memory_of_the_engine_is_given_back_with_its_last_array():
    @ks.njit
    def many(a, n):
        total = 0.0
        for _ in range(n):
            b = np.sort(a)
            c = b[1:]
            b = np.sort(c)
            total += b[0]
        return total

    a = rng.random(300_000)
    many(a, 1)
    before = peak()
    many(a, 200)
    assert peak() - before < 200e6


def peak():
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
