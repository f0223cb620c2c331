"""Dask's arrays in chunks under their own names: each law is NumPy's result."""

import subprocess
import sys

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from kasoku.compat import dask
from kasoku.compat.dask import array as da

import kasoku as ks

rng = np.random.default_rng(1)
a, b = rng.standard_normal((60, 40)), rng.standard_normal((60, 40))
x, y = da.from_array(a, chunks=(20, 25)), da.from_array(b, chunks=(30, 20))
an = np.where(a > 1, np.nan, a)
xn = da.from_array(an, chunks=(20, 25))
v = rng.standard_normal(50)
w = da.from_array(v, chunks=13)


def setm(x, i, val):
    x = x.copy()
    x[i] = val
    return x


# What is computed, and NumPy's; a name is a law.
cases = dict(
    add=lambda: (x + 2 * y, a + 2 * b),
    expsum=lambda: (da.exp(x).sum(axis=0), np.exp(a).sum(axis=0)),
    T=lambda: (x.T, a.T),
    matmul=lambda: (x.T @ y, a.T @ b),
    slice=lambda: (x[5:50, ::3], a[5:50, ::3]),
    neg=lambda: (x[::-1, 30:2:-4], a[::-1, 30:2:-4]),
    mean=lambda: (x.mean(), a.mean()),
    std=lambda: (x.std(axis=1), a.std(axis=1)),
    concat=lambda: (da.concatenate([x, y], axis=1), np.concatenate([a, b], axis=1)),
    max=lambda: (x.max(axis=1), a.max(axis=1)),
    var=lambda: (x.var(ddof=1), a.var(ddof=1)),
    rechunk=lambda: (x.rechunk((7, 40)) - y, a - b),
    stack=lambda: (da.stack([x, y]), np.stack([a, b])),
    where=lambda: (da.where(x > 0, x, y), np.where(a > 0, a, b)),
    mb=lambda: (x.map_blocks(lambda block: block * 3), a * 3),
    dot=lambda: (da.dot(x, y.T), a @ b.T),
    reshape=lambda: (x.reshape(30, 2, 40), a.reshape(30, 2, 40)),
    reshape2=lambda: (x.reshape(40, 60), a.reshape(40, 60)),
    argmax=lambda: (x.argmax(axis=0), a.argmax(axis=0)),
    argminall=lambda: (x.argmin(), a.argmin()),
    cumsum=lambda: (x.cumsum(axis=0), a.cumsum(axis=0)),
    prod=lambda: (x.prod(axis=0), a.prod(axis=0)),
    anyall=lambda: ((x > 0).any(axis=0), (a > 0).any(axis=0)),
    minimum=lambda: (da.minimum(x, y), np.minimum(a, b)),
    fancy=lambda: (x[[1, 5, 3]], a[[1, 5, 3]]),
    fancy2=lambda: (x[5:, [0, 39, -2]], a[5:, [0, 39, -2]]),
    tensordot=lambda: (da.tensordot(x, y, axes=((0,), (0,))), np.tensordot(a, b, axes=((0,), (0,)))),
    bcast=lambda: (x[:, None, :] + y[None, :1, :], a[:, None, :] + b[None, :1, :]),
    clip=lambda: (x.clip(-1, 1), a.clip(-1, 1)),
    astype=lambda: (x.astype("f4"), a.astype("f4")),
    round=lambda: (x.round(1), a.round(1)),
    nansum=lambda: (da.nansum(xn), np.nansum(an)),
    nanmean=lambda: (da.nanmean(xn, axis=0), np.nanmean(an, axis=0)),
    nanstd=lambda: (da.nanstd(xn), np.nanstd(an)),
    flip=lambda: (da.flip(x, 0), np.flip(a, 0)),
    ravel=lambda: (x.ravel(), a.ravel()),
    overlap=lambda: (
        x.map_overlap(lambda v: np.roll(v, 1, 0) + v + np.roll(v, -1, 0), depth=1, boundary="periodic"),
        np.roll(a, 1, 0) + a + np.roll(a, -1, 0),
    ),
    einsum=lambda: (da.einsum("ij,ij->i", x, y), np.einsum("ij,ij->i", a, b)),
    int=lambda: (x[3], a[3]),
    int2=lambda: (x[3, -1], a[3, -1]),
    mask=lambda: (x[x > 0], a[a > 0]),
    rowmask=lambda: (x[x[:, 0] > 0], a[a[:, 0] > 0]),
    setmask=lambda: (setm(x, x < 0, 0), np.where(a < 0, 0, a)),
    setslice=lambda: (
        setm(x, (slice(2, 30, 3), 4), 7),
        (lambda c: (c.__setitem__((slice(2, 30, 3), 4), 7), c)[1])(a.copy()),
    ),
    arange=lambda: (da.arange(3, 50, 4, chunks=5), np.arange(3, 50, 4)),
    linspace=lambda: (da.linspace(0, 1, 23, chunks=5), np.linspace(0, 1, 23)),
    eye=lambda: (da.eye(13, chunks=5, k=1), np.eye(13, k=1)),
    ones=lambda: (da.ones((7, 9), chunks=(3, 4)).sum(), 63.0),
    full=lambda: (da.full((7, 9), 3, chunks=3), np.full((7, 9), 3)),
    zl=lambda: (da.zeros_like(x), np.zeros_like(a)),
    percentile=lambda: (da.percentile(w, [25, 50]), np.percentile(v, [25, 50])),
    hist=lambda: (da.histogram(w, bins=5, range=(-2, 2))[0], np.histogram(v, bins=5, range=(-2, 2))[0]),
    unique=lambda: (da.unique((w * 2).astype(int)), np.unique((v * 2).astype(int))),
    norm=lambda: (da.linalg.norm(x), np.linalg.norm(a)),
    svd=lambda: (da.linalg.svd(x)[1], np.linalg.svd(a)[1]),
    topk=lambda: (da.topk(w, 3), np.sort(v)[::-1][:3]),
    ufunc=lambda: (np.sin(x), np.sin(a)),
    npsum=lambda: (np.sum(x, axis=0), a.sum(axis=0)),
    outer=lambda: (da.outer(w, w), np.outer(v, v)),
    median=lambda: (da.median(x, axis=0), np.median(a, axis=0)),
    diff=lambda: (da.diff(w), np.diff(v)),
    roll=lambda: (da.roll(x, 3, axis=0), np.roll(a, 3, axis=0)),
    tile=lambda: (da.tile(w, 2), np.tile(v, 2)),
    vstack=lambda: (da.vstack([w, w]), np.vstack([v, v])),
    aaa=lambda: (da.apply_along_axis(np.sum, 1, x), np.apply_along_axis(np.sum, 1, a)),
    scalar=lambda: (x.sum() / 2 + 1, a.sum() / 2 + 1),
    moveaxis=lambda: (da.moveaxis(da.stack([x, y]), 0, 2), np.moveaxis(np.stack([a, b]), 0, 2)),
    matvec=lambda: (x @ da.ones(40, chunks=7), a @ np.ones(40)),
    mm3=lambda: (da.matmul(da.stack([x, y]), x.T), np.matmul(np.stack([a, b]), a.T)),
    coarsen=lambda: (da.coarsen(np.mean, x.rechunk((20, 20)), {0: 2, 1: 4}), a.reshape(30, 2, 10, 4).mean(axis=(1, 3))),
    keep=lambda: (x.sum(axis=1, keepdims=True), a.sum(axis=1, keepdims=True)),
    cmp=lambda: ((x == x).all(), True),
    block=lambda: (da.block([[x, y], [y, x]]), np.block([[a, b], [b, a]])),
    pad=lambda: (da.pad(w, 2), np.pad(v, 2)),
    neg1=lambda: (-x, -a),
    absx=lambda: (abs(x), abs(a)),
    rsub=lambda: (1 - x, 1 - a),
    pw=lambda: (x**2, a**2),
    blocks=lambda: (x.blocks[1], a[20:40]),
    bid=lambda: (
        da.map_blocks(lambda block_id: np.full((2, 3), block_id[0]), chunks=((2, 2), (3,)), dtype=int),
        np.repeat([[0] * 3, [1] * 3], 2, axis=0),
    ),
    dropax=lambda: (x.rechunk((20, -1)).map_blocks(lambda q: q.sum(axis=1), drop_axis=1), a.sum(axis=1)),
    mixed=lambda: (a + x, a + a),
    arr=lambda: (np.asarray(x), a),
    ptp=lambda: (da.ptp(x), np.ptp(a)),
    cov=lambda: (da.cov(x), np.cov(a)),
    empty=lambda: (x[:0].sum(axis=0), a[:0].sum(axis=0)),
)


@pytest.mark.parametrize("name", cases)
def test_as_numpy(name):
    got, want = cases[name]()
    computed = got.compute() if hasattr(got, "compute") else got
    np.testing.assert_allclose(computed, want, rtol=1e-5 if name == "astype" else 1e-9, atol=1e-12)
    assert isinstance(computed, (np.ndarray, np.generic))
    if isinstance(got, da.Array):
        assert got.dtype == np.asarray(want).dtype
        if name not in ("mask", "unique"):
            assert got.shape == np.shape(want)


slices = st.builds(slice, *[st.one_of(st.none(), st.integers(-15, 15))] * 2, st.sampled_from([None, 1, 2, 3, -1, -2]))
indices = st.one_of(slices, st.integers(-11, 10), st.lists(st.integers(-11, 10), max_size=5))


@hypothesis.given(indices, slices, st.integers(1, 12), st.integers(1, 8))
def test_slices_are_numpy_s_in_any_chunks(i, j, rows, columns):
    numpys = np.arange(77).reshape(11, 7)
    got = da.from_array(numpys, chunks=(rows, columns))[i, j]
    want = numpys[np.asarray(i, int) if isinstance(i, list) else i, j]
    assert got.shape == want.shape and (got.compute() == want).all()


@hypothesis.given(
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    st.integers(1, 20),
    st.sampled_from(["sum", "mean", "var", "argmax", "cumsum"]),
)
def test_results_do_not_depend_on_chunks(lengths, size, name):
    numpys = np.arange(sum(lengths) or 1) % 7 - 3.0
    first = da.from_array(numpys, chunks=(tuple(lengths),) if sum(lengths) else 1)
    for got in (first, first.rechunk(size)):
        np.testing.assert_allclose(getattr(got, name)(axis=0).compute(), getattr(numpys, name)(axis=0), atol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "complex64", "U3", "M8[s]"])
def test_every_dtype(dtype):
    numpys = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
    got = da.from_array(numpys, chunks=(1, 2))
    assert got.dtype == numpys.dtype and (got.T.compute() == numpys.T).all()
    assert (da.concatenate([got, got])[1:3].compute() == np.concatenate([numpys, numpys])[1:3]).all()
    if np.dtype(dtype).kind in "biufc":
        assert (got + got).compute().dtype == (numpys + numpys).dtype
        assert got.sum().compute() == numpys.sum() and got.sum().dtype == numpys.sum().dtype


def test_chunks_are_our_arrays_and_compute_gives_numpy_s():
    kinds = []
    got = (
        da.ones((4, 4), chunks=2)
        .map_blocks(lambda block: (kinds.append(type(block)), block)[1], dtype=float)
        .sum()
        .compute()
    )
    assert got == 16 and set(kinds) == {np.ndarray}
    (chunk, *_), *_ = (da.ones((4, 4), chunks=2) + 1).to_delayed()
    assert type(chunk.compute()) is ks.Array
    assert type((da.from_array(ks.arange(6.0), chunks=4) * 2).compute()) is ks.Array


def test_random_numbers_repeat_with_their_seed():
    one, same, other = (da.random.RandomState(s).normal(10, 2, size=(300, 300), chunks=100) for s in (3, 3, 4))
    assert (one.compute() == same.compute()).all() and (one != other).any().compute()
    assert abs(one.mean().compute() - 10) < 0.05 and abs(one.std().compute() - 2) < 0.05
    blocks = [one.blocks[i, j].compute() for i in range(3) for j in range(3)]
    assert len({block.tobytes() for block in blocks}) == 9
    drawn = da.random.default_rng(1).integers(0, 10, size=1000, chunks=300).compute()
    assert set(drawn) == set(range(10)) and da.random.random((5, 5), chunks=2).compute().shape == (5, 5)


def test_collections_together():
    total, most = dask.compute(x.sum(), y.max())
    assert total == pytest.approx(a.sum()) and most == b.max()
    (kept,) = dask.persist(x + 1)
    assert isinstance(kept, da.Array) and kept.sum().compute() == pytest.approx((a + 1).sum())
    assert dask.delayed(lambda array: array.shape)(x).compute() == (60, 40)
    assert repr(x) == "dask.array<array, shape=(60, 40), dtype=float64, chunksize=(20, 25), chunktype=numpy.ndarray>"
    assert dask.is_dask_collection(x) and x.npartitions == 6 and x.numblocks == (3, 2) and len(x) == 60
    target = np.zeros((60, 40))
    da.store(x, target)
    assert (target == a).all()


@pytest.mark.parametrize(
    "wrong, error, says",
    [
        (lambda: x + da.ones(7, chunks=7), ValueError, "broadcast"),
        (lambda: x[100], IndexError, "out of bounds"),
        (lambda: x[1, 2, 3], IndexError, "Too many indices"),
        (lambda: x.reshape(7, 7), ValueError, "cannot reshape"),
        (lambda: x @ y, ValueError, "do not match"),
        (lambda: da.from_array(a, chunks=(7, 7, 7)), ValueError, "same length/dimension"),
        (lambda: da.from_array(a, chunks=((1, 2), (40,))), ValueError, "do not add up"),
        (lambda: da.concatenate([x, w]), ValueError, "different shapes"),
        (lambda: da.stack([x, x[1:]]), ValueError, "same shape"),
        (lambda: x[x > 0][3:5], ValueError, "compute_chunk_sizes"),
        (lambda: bool(x > 0), ValueError, "ambiguous"),
        (lambda: x[:0].max().compute(), ValueError, "zero-size"),
        (lambda: x.sum(axis=5), ValueError, "axis 5"),
        (lambda: x.to_zarr("file"), AttributeError, "kasoku does not have dask.array.Array.to_zarr"),
    ],
)
def test_bad_input(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong()


def test_data_frames_are_refused_by_name():
    text = "import dask.dataframe as dd"
    ran = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", "-c", text], capture_output=True, text=True, timeout=100
    )
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-2:] == [
        "ImportError: kasoku has no dask.dataframe: data frames stay with Dask and pandas",
        "  fix  `kasoku run --real dask …` uses the installed dask for the whole program",
    ]


def test_a_program():
    text = """
import dask
import dask.array as da
from dask.array import linalg
x = da.random.random((1000, 1000), chunks=(250, 500))
y = x + x.T
z = y[::2, 500:].mean(axis=1)
assert z.compute().shape == (500,)
assert abs(float(x.mean()) - 0.5) < 0.01
"""
    ran = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", "-c", text], capture_output=True, text=True, timeout=100
    )
    assert ran.returncode == 0, ran.stderr


def test_blockwise_calls_a_function_of_chunks_by_the_names_of_their_axes():
    a, b, v = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5), np.arange(4.0)
    x, y, w = da.from_array(a, chunks=(2, 2)), da.from_array(b, chunks=(3, 2)), da.from_array(v, chunks=1)
    outer = da.blockwise(np.multiply.outer, "ij", w, "i", w, "j", dtype=float)
    np.testing.assert_array_equal(outer.compute(), np.multiply.outer(v, v))
    turned = da.blockwise(np.transpose, "ji", x, "ij")
    assert turned.chunks == ((2, 2), (2, 1)) and turned.dtype == float
    np.testing.assert_array_equal(turned.compute(), a.T)
    np.testing.assert_array_equal(
        da.blockwise(np.add, "ij", x, "ij", w, "j").compute(), a + v
    )  # chunks are made to fit
    product = da.blockwise(np.dot, "ik", x, "ij", y, "jk", concatenate=True, dtype=float)
    np.testing.assert_array_equal(product.compute(), a @ b)
    sums = da.blockwise(lambda parts: sum(p.sum(axis=1) for p in parts), "i", x, "ij", dtype=float)
    np.testing.assert_array_equal(sums.compute(), a.sum(axis=1))
    twice = da.blockwise(lambda p, n, k: np.repeat(p, n) + k, "i", w, "i", 2, None, k=dask.delayed(10), adjust_chunks={"i": lambda n: 2 * n}, dtype=float)  # fmt: skip
    assert twice.chunks == ((2,) * 4,)
    np.testing.assert_array_equal(twice.compute(), np.repeat(v, 2) + 10)
    new = da.blockwise(lambda p: p[:, None] * np.ones(3), "iz", w, "i", new_axes={"z": 3}, dtype=float)
    assert new.shape == (4, 3) and new.compute().sum() == 3 * v.sum()
    with pytest.raises(ValueError, match="lengths"):
        da.blockwise(np.add, "i", w, "i", da.ones(3, chunks=1), "i")
    with pytest.raises(ValueError, match="no array has the axis 'z'"):
        da.blockwise(np.add, "iz", w, "i", 1, None, dtype=float)
    with pytest.raises(ValueError, match="fix  dtype="):
        da.blockwise(lambda p: 1 / 0, "i", w, "i")


def test_arrays_are_compared_by_values_shapes_and_dtypes():
    assert da.utils.assert_eq(xn, an) and da.utils.assert_eq(x.sum(), a.sum())
    for other in (a + 1, a[:5], a.astype("f4")):
        with pytest.raises(AssertionError, match="differ"):
            da.utils.assert_eq(x, other)
    with pytest.raises(AssertionError, match="values"):
        da.utils.assert_eq(da.ones(2, dtype=int), np.array([1, 2]))
