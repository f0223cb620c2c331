"""Names, arguments and methods of NumPy's that compiled functions have by the engine's algorithms: the same values, in host
memory and where arrays lie on a device."""

import kasoku as ks
import numpy as np
import pytest

rng = np.random.default_rng(0)
x, y, xs = rng.random(200), rng.random(50), np.sort(rng.random(50))
f32, z = x.astype("f4"), x[:32] + 1j * x[32:64]
m, c, sq = rng.random((8, 9)), rng.random((3, 4, 5)), rng.random((6, 6)) + 6 * np.eye(6)
sym = sq + sq.T
i, j, b = rng.integers(0, 20, 100), rng.integers(0, 9, (8, 4)), rng.random(200) < 0.3
nanx, nanm = np.where(b, np.nan, x), np.where(m > 0.9, np.nan, m)


def changed_put_clip(a, i, v):
    a = a.copy()
    np.put(a, i, v, mode="clip")
    return a


def changed_put_wrap(a, i, v):
    a = a.copy()
    np.put(a, i, v, mode="wrap")
    return a


def changed_put_method(a, i, v):
    a = a.copy()
    a.put(i, v)
    return a


def changed_place(a, b, v):
    a = a.copy()
    np.place(a, b, v)
    return a


def changed_putmask(a, b, v):
    a = a.copy()
    np.putmask(a, b, v)
    return a


def changed_copyto(a, v):
    a = a.copy()
    np.copyto(a, v)
    return a


def changed_copyto_where(a, v, b):
    a = a.copy()
    np.copyto(a, v, where=b)
    return a


def changed_put_along_axis(a, i, v):
    a = a.copy()
    np.put_along_axis(a, i, v, 1)
    return a


def changed_put_along_axis_number(a, i):
    a = a.copy()
    np.put_along_axis(a, i, 7.0, axis=1)
    return a


def changed_put_along_axis_1d(a, i):
    a = a.copy()
    np.put_along_axis(a, i, 7.0, 0)
    return a


def changed_put(a, i, v):
    a = a.copy()
    np.put(a, i, v)
    return a


def changed_put_2d(a, i, v):
    a = a.copy()
    np.put(a, i, v)
    return a


def changed_fill_diagonal(a):
    a = a.copy()
    np.fill_diagonal(a, 7.0)
    return a


def changed_first_sixth(a):
    a = a.copy()
    a.partition(5)
    return a[5]


# What is compiled, and what it is given.
calls = {
    "interp left right": (lambda a, p, f: np.interp(a, p, f, left=-1.0, right=2.0), x * 2 - 0.5, xs, y),
    "interp left": (lambda a, p, f: np.interp(a, p, f, left=-1.0), x * 2 - 0.5, xs, y),
    "interp period": (lambda a, p, f: np.interp(a, p, f, period=1.0), x * 2 - 0.5, y, y),
    "put clip": (changed_put_clip, x[:10], i, y),
    "put wrap": (changed_put_wrap, x[:10], i, y),
    "put method": (changed_put_method, x, i, y),
    "place": (changed_place, x, b, y),
    "putmask": (changed_putmask, x, b, y),
    "copyto": (changed_copyto, x, x[::-1]),
    "copyto where": (changed_copyto_where, x, x[::-1], b),
    "tril_indices_from": (lambda a: np.tril_indices_from(a), sq),
    "triu_indices_from": (lambda a: np.triu_indices_from(a, 1), sq),
    "diag_indices": (lambda a: np.diag_indices(4), m),
    "diag_indices_from": (lambda a: np.diag_indices_from(a), sq),
    "diagonal": (lambda a: np.diagonal(a), m),
    "diagonal offset": (lambda a: np.diagonal(a, 1), m),
    "diagonal axes": (lambda a: np.diagonal(a, 0, 1, 2), c),
    "diagonal axis kw": (lambda a: np.diagonal(a, offset=-1, axis1=2, axis2=0), c),
    "diagonal method": (lambda a: a.diagonal(), m),
    "diagonal method offset": (lambda a: a.diagonal(-1), m),
    "trace axes": (lambda a: np.trace(a, 0, 1, 2), c),
    "trace stack": (lambda a: np.trace(a), c),
    "correlate complex": (lambda a, v: np.correlate(a, v, mode="same"), x, z),
    "histogram density": (lambda a: np.histogram(a, 7, density=True), x),
    "histogram weights": (lambda a, w: np.histogram(a, 7, weights=w), x, x),
    "histogram f32": (lambda a: np.histogram(a, 5), f32),
    "histogram_bin_edges": (lambda a: np.histogram_bin_edges(a, 7), x),
    "histogram2d": (lambda a, b: np.histogram2d(a, b, 5), x, x[::-1].copy()),
    "searchsorted sorter": (lambda a, v, s: np.searchsorted(a, v, sorter=s), y, x, np.argsort(y)),
    "digitize number": (lambda e: np.digitize(0.5, e), xs),
    "unique axis": (lambda a: np.unique(a, axis=0), j % 2),
    "nancumsum axis": (lambda a: np.nancumsum(a, axis=1), nanm),
    "maximum.accumulate": (lambda a: np.maximum.accumulate(a), x),
    "minimum.accumulate": (lambda a: np.minimum.accumulate(a), x),
    "maximum.accumulate axis": (lambda a: np.maximum.accumulate(a, axis=1), m),
    "add.accumulate": (lambda a: np.add.accumulate(a), x),
    "multiply.accumulate": (lambda a: np.multiply.accumulate(a, axis=1), m),
    "logical_or.accumulate": (lambda a: np.logical_or.accumulate(a), b),
    "bitwise_xor.accumulate": (lambda a: np.bitwise_xor.accumulate(a), i),
    "cumulative_sum": (lambda a: np.cumulative_sum(a), x),
    "cumulative_prod": (lambda a: np.cumulative_prod(a), x),
    "cumulative_sum axis initial": (lambda a: np.cumulative_sum(a, axis=1, include_initial=True), m),
    "percentile axis": (lambda a: np.percentile(a, 30, axis=0), m),
    "percentile method": (lambda a: np.percentile(a, 30, method="nearest"), x),
    "percentile keepdims": (lambda a: np.percentile(a, 30, axis=0, keepdims=True), m),
    "quantile array axis": (lambda a, q: np.quantile(a, q, axis=1), m, np.array([0.1, 0.9])),
    "nanpercentile axis": (lambda a: np.nanpercentile(a, 30, axis=1), nanm),
    "median axis keepdims": (lambda a: np.median(a, axis=0, keepdims=True), m),
    "partition method": (changed_first_sixth, x),
    "take axis1 2d": (lambda a, i: np.take(a, i, axis=1), m, j),
    "take number axis": (lambda a: np.take(a, 3, axis=1), m),
    "take clip": (lambda a, i: np.take(a, i, mode="clip"), x[:9], i),
    "take wrap": (lambda a, i: np.take(a, i, mode="wrap"), x[:9], i),
    "take_along_axis": (lambda a, i: np.take_along_axis(a, i, 1), m, j),
    "take_along_axis 0": (lambda a, i: np.take_along_axis(a, i, axis=0), m, np.argsort(m, 0)[:3]),
    "take_along_axis 1d": (lambda a, i: np.take_along_axis(a, i, 0), x, i),
    "take_along_axis 3d": (lambda a, i: np.take_along_axis(a, i, 1), c, np.argsort(c, 1)),
    "take_along_axis None": (lambda a, i: np.take_along_axis(a, i, None), m, i),
    "put_along_axis": (changed_put_along_axis, m, j[:, :1], m[:, :1]),
    "put_along_axis number": (changed_put_along_axis_number, m, j),
    "put_along_axis 1d": (changed_put_along_axis_1d, x, i),
    "compress": (lambda b, a: np.compress(b, a), b, x),
    "compress axis": (lambda b, a: np.compress(b, a, axis=1), b[:9], m),
    "compress method": (lambda b, a: a.compress(b), b, x),
    "choose": (lambda i, a, b: np.choose(i, (a, b)), i % 2, x[:100], x[100:]),
    "choose method": (lambda i, a, b: i.choose((a, b)), i % 2, x[:100], x[100:]),
    "select": (lambda a: np.select([a < 0.2, a < 0.5], [a, a * 2], -1.0), x),
    "roll axes": (lambda a: np.roll(a, (1, 2), axis=(0, 1)), m),
    "roll axes same": (lambda a: np.roll(a, 2, axis=(0, 1)), m),
    "repeat list": (lambda a: np.repeat(a, [1, 2, 3]), x[:3]),
    "repeat number": (lambda a: np.repeat(3.0, 4), x[:3]),
    "pad constants": (lambda a: np.pad(a, 2, "constant", constant_values=(5, 6)), m),
    "einsum optimize": (lambda a, b: np.einsum("ij,jk->ik", a, b, optimize=True), sq, sq),
    "isin list": (lambda a: np.isin(a, [1, 2, 3]), i),
    "intersect1d indices": (lambda a, b: np.intersect1d(a, b, return_indices=True), i[:9], i[5:]),
    "lexsort": (lambda a, b: np.lexsort((a, b)), i, x[:100]),
    "sort_complex": (lambda a: np.sort_complex(a), z),
    "diff axis": (lambda a: np.diff(a, axis=0), m),
    "gradient": (lambda a: np.gradient(a), x),
    "gradient h": (lambda a: np.gradient(a, 2.0), x),
    "gradient 2d": (lambda a: np.gradient(a), m),
    "gradient axis": (lambda a: np.gradient(a, axis=0), m),
    "trapezoid axis": (lambda a: np.trapezoid(a, axis=0), m),
    "insert": (lambda a: np.insert(a, 3, 7.0), x),
    "insert array": (lambda a, i: np.insert(a, i, 7.0), x, np.array([1, 5])),
    "append axis": (lambda a, b: np.append(a, b, axis=0), m, m),
    "delete axis": (lambda a: np.delete(a, 3, axis=1), m),
    "unravel_index": (lambda i: np.unravel_index(i, (4, 5)), i),
    "ravel_multi_index": (lambda i, j: np.ravel_multi_index((i, j), (4, 5)), i % 4, i % 5),
    "polyval": (lambda a, b: np.polyval(a, b), y[:4], x),
    "qr r": (lambda a: np.abs(np.linalg.qr(a, mode="r")), m),
    "svd vals": (lambda a: np.linalg.svd(a, compute_uv=False), m),
    "svdvals": (lambda a: np.linalg.svdvals(a), m),
    "norm nuc": (lambda a: np.linalg.norm(a, "nuc"), m),
    "norm fro": (lambda a: np.linalg.norm(a, "fro"), m),
    "norm axis": (lambda a: np.linalg.norm(a, axis=1), m),
    "norm axis keepdims": (lambda a: np.linalg.norm(a, axis=1, keepdims=True), m),
    "multi_dot": (lambda a, b: np.linalg.multi_dot([a, b, a]), sq, sym),
    "tensorsolve": (lambda a, b: np.linalg.tensorsolve(a, b), sq, y[:6]),
    "tensorinv": (lambda a: np.linalg.tensorinv(a, ind=1), sq),
    "matrix_norm": (lambda a: np.linalg.matrix_norm(a), m),
    "vector_norm": (lambda a: np.linalg.vector_norm(a), m),
    "linalg.trace": (lambda a: np.linalg.trace(a), m),
    "linalg.diagonal": (lambda a: np.linalg.diagonal(a), m),
    "linalg.outer": (lambda a, b: np.linalg.outer(a, b), x, y),
    "linalg.cross": (lambda a, b: np.linalg.cross(a, b), rng.random((5, 3)), rng.random((5, 3))),
    "linalg.matmul": (lambda a, b: np.linalg.matmul(a, b), sq, sq),
    "linalg.tensordot": (lambda a, b: np.linalg.tensordot(a, b, axes=1), sq, sq),
    "linalg.vecdot": (lambda a, b: np.linalg.vecdot(a, b), m, m),
    "linalg.matrix_transpose": (lambda a: np.linalg.matrix_transpose(a), m),
    "ihfft": (lambda a: np.fft.ihfft(a), x),
    "rfftn": (lambda a: np.fft.rfftn(a), c),
    "irfftn": (lambda a: np.fft.irfftn(a), c + 0j),
    "corrcoef": (lambda a: np.corrcoef(a), m),
    "eig": (lambda a: np.sort(np.linalg.eig(a)[0].real), sym),
    "eigvals": (lambda a: np.sort(np.abs(np.linalg.eigvals(a))), sym),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], m.T.copy(), x[:9]),
    "interp": (lambda a, p, f: np.interp(a, p, f), x, xs, y),
    "partition kth": (lambda a: np.partition(a, 5)[5], x),
    "argpartition": (lambda a: a[np.argpartition(a, 5)[5]], x),
    "setdiff1d": (lambda a, b: np.setdiff1d(a, b), i, i[:4]),
    "union1d": (lambda a, b: np.union1d(a, b), i[:9], i[5:]),
    "setxor1d": (lambda a, b: np.setxor1d(a, b), i[:9], i[5:]),
    "argwhere": (lambda a: np.argwhere(a > 0.5), m),
    "argwhere 1d": (lambda a: np.argwhere(a > 0.5), x),
    "nanmedian": (lambda a: np.nanmedian(a), nanx),
    "nanquantile": (lambda a: np.nanquantile(a, 0.3), nanx),
    "put": (changed_put, x, i, y),
    "put 2d": (changed_put_2d, m, i, y),
    "tri m k": (lambda a: np.tri(5, 7, -1), m),
    "triu k": (lambda a: np.triu(a, 2), m),
    "fill_diagonal": (changed_fill_diagonal, sq),
    "trace": (lambda a: np.trace(a), m),
    "kron": (lambda a, b: np.kron(a, b), m, sq),
    "cov": (lambda a: np.cov(a), m),
    "hfft": (lambda a: np.fft.hfft(a), z),
    "diag vector k": (lambda a: np.diag(a, -1), x[:5]),
}


def same(got, want):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            same(g, w)
        return
    got, want = got.numpy() if isinstance(got, ks.Array) else np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", calls)
def test_it_is_compiled(name):
    function, *operands = calls[name]
    same(ks.njit(function)(*operands), function(*operands))


@pytest.mark.parametrize("name", calls)
def test_it_runs_where_the_arrays_lie(name, place):
    function, *operands = calls[name]
    there = [place.put(operand) for operand in operands]
    with place:
        got = ks.njit(function)(*there)
    same(place.get(got), function(*operands))


REFUSED = [
    (lambda a: np.take(a, np.array([9]), mode="clap"), x[:3], ValueError, "mode must be one of"),
    (
        lambda a: np.take(a, np.array([3]), axis=1),
        m[:, :3],
        IndexError,
        "index 3 is out of bounds for axis 1 with size 3",
    ),
    (lambda a: np.take_along_axis(a, np.array([[3]]), 1), m[:, :3], IndexError, "out of bounds"),
    (lambda a: np.choose(np.array([2]), (a, a)), x[:1], ValueError, "invalid entry in choice array"),
    (lambda a: np.quantile(a, 1.5, axis=0), m, ValueError, "range"),
    (lambda a: np.ravel_multi_index((a, a), (2, 2)), np.array([2]), ValueError, "invalid entry in coordinates array"),
    (lambda a: np.place(a, a > 0, a[:0]), x[:3], ValueError, "Cannot insert from an empty array"),
    (lambda a: np.linalg.norm(a, "frob"), m, ValueError, "Invalid norm order"),
    (lambda a: np.gradient(a), x[:1], ValueError, "edge_order"),
]


@pytest.mark.parametrize("function, operand, error, text", REFUSED, ids=lambda v: v if isinstance(v, str) else "")
def test_what_is_refused(function, operand, error, text):
    with pytest.raises(error, match=text):
        ks.njit(function)(operand)


def test_names_and_defaults_find_what_is_compiled():
    @ks.njit
    def f(w, /, x, y=2, *, z=3):
        return x - y * z + w

    def plain(w, /, x, y=2, *, z=3):
        return x - y * z + w

    for args, names in [
        ((9, 1), {}),
        ((9, 1, 5), {}),
        ((9,), {"y": 7, "x": 1}),
        ((9, 1.5), {"z": 4}),
        ((9, 1), {"z": 2.5}),
        ((9, 1), {}),
    ]:
        for _ in range(2):  # compiled, and found again
            assert f(*args, **names) == plain(*args, **names)
    for args, names in [
        ((), {}),
        ((9,), {}),
        ((9, 1), {"x": 2}),
        ((9, 1), {"v": 2}),
        ((9, 1, 2, 3), {}),
        ((), {"w": 9, "x": 1}),
    ]:
        with pytest.raises(TypeError):
            f(*args, **names)
