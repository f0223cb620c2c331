"""What an array in chunks refuses, at once and in which words."""

import subprocess
import sys

import numpy as np
import pytest
from dask_arrays import a, b, setm, w, x, y
from kasoku.compat.dask import array as da


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
        (lambda: da.fft.fft(x), ValueError, r"2 chunks.*\n  fix  x.rechunk\(\{1: -1\}\)"),
        (lambda: da.apply_gufunc(np.sum, "(i)->()", x), ValueError, "allow_rechunk=True"),
        (lambda: da.apply_gufunc(np.sum, "i->()", x), ValueError, "Not a valid gufunc signature"),
        (lambda: da.apply_gufunc(np.sum, "(i)->(k)", w.rechunk(-1)), ValueError, "fix  output_sizes="),
        (lambda: da.apply_gufunc(np.dot, "(i),(i)->()", w.rechunk(-1), x.rechunk(-1)), ValueError, "different lengths"),
        (lambda: da.gradient(w[:2], edge_order=2), ValueError, "too small to calculate a numerical gradient"),
        (lambda: da.gradient(x, 1.0, 2.0, 3.0), TypeError, "Spacing"),
        (lambda: da.select([w], [w]), ValueError, "should be boolean"),
        (lambda: setm(x, 60, 1.0), IndexError, "Index 60 is out of bounds for axis 0 with size 60"),
        (lambda: setm(x, [0, -61], 1.0), IndexError, "out of bounds for axis 0"),
        (lambda: setm(x, np.ones(59, bool), 1.0), IndexError, "Boolean array with size 59 is not long enough"),
        (lambda: setm(x, (0, 0, 0), 1.0), IndexError, "Too many indices"),
        (lambda: setm(x, (None, 0), 1.0), IndexError, "no new axes"),
        (lambda: setm(x, ([0], [0]), 1.0), NotImplementedError, "along one axis"),
        (
            lambda: setm(x, slice(3), b[:2]),
            ValueError,
            r"could not broadcast input array from shape \(2, 40\) into shape \(3, 40\)",
        ),
        (lambda: x.map_blocks(np.sum, drop_axis=2), ValueError, "drop_axis out of range"),
        (lambda: da.tile(x, -1), ValueError, "Negative"),
        (lambda: da.meshgrid(w, indexing="ji"), ValueError, "indexing"),
        (lambda: da.cumsum(x, axis=0, method="other"), ValueError, "Invalid method"),
        (lambda: da.diff(w, n=-1), ValueError, "non-negative"),
        (lambda: da.roll(x, (1, 2)), TypeError, "Integral"),
        (
            lambda: da.nanargmin(da.from_array(np.array([[np.nan, 1]] * 3), chunks=2), axis=0).compute(),
            ValueError,
            "All-NaN slice",
        ),
        (lambda: setm(x, np.ones((60, 39), bool), 1.0), IndexError, "does not match"),
        (lambda: da.ma.masked_array(x, fill_value=w), ValueError, "non-scalar fill_value"),
        (lambda: da.ma.masked_array(x, mask=w), np.ma.MaskError, "mask shape is"),
        (lambda: da.ma.masked_where(x[0] > 0, x), IndexError, "Inconsistent shape"),
        (lambda: da.ma.masked_equal(x, w), ValueError, "doesn't support array"),
        (lambda: da.ma.where(x > 0, x), ValueError, "either both or neither"),
        (lambda: x.map_blocks(lambda block: block + "a"), ValueError, "specify the dtype explicitly"),
        (lambda: x.rechunk({2: 1}), np.exceptions.AxisError, "out of bounds"),
        (lambda: x[x[:, 0] > 0].rechunk((5, 5)), ValueError, "compute_chunk_sizes"),
        (lambda: da.from_array(np.array([None]), chunks="auto"), NotImplementedError, "object dtype"),
        (lambda: da.ones(3, chunks=None), ValueError, "chunks="),
        (lambda: da.ones(0, chunks=((),)), ValueError, "Empty tuples"),
        (lambda: da.ones((4, 4), chunks=("8B", "16B")), ValueError, "Only one consistent value"),
        (lambda: da.hstack(x), NotImplementedError, "expects a sequence of arrays"),
        (lambda: da.fft.fftn(x.rechunk(-1), axes=(0, 0)), ValueError, "Duplicate axes"),
        (
            lambda: da.map_overlap(abs, w, depth=51, boundary="none"),
            ValueError,
            "overlapping depth 51 is larger than your array 50",
        ),
        (lambda: da.hstack([x[x[:, 0] > 0]] * 2), ValueError, "allow_unknown_chunksizes"),
        (lambda: da.histogram(x, bins=3, range=(0, 1), normed=True), ValueError, "normed"),
        (lambda: da.histogramdd(w, bins=3, range=((0, 1),)), ValueError, "columnar"),
        (lambda: x[1.5], IndexError, "integer-like"),
        (lambda: x[[True, False]], IndexError, "Boolean array with size 2 is not long enough for axis with size 60"),
        (lambda: x.argmin(axis=(0, 1)), TypeError, "axis must be either `None` or int"),
        (lambda: x[x > 100].min().compute(), ValueError, "zero-size array"),
        (lambda: x.sum(axis=0, out=np.zeros(40)), NotImplementedError, "expected Dask Array"),
        (lambda: x.sum(axis=0, out=da.zeros(41)), ValueError, "Mismatched shapes"),
        (lambda: x["a"], KeyError, "no fields"),
        (lambda: x[x[:40, 0] > 0], IndexError, "not long enough"),
        (lambda: x[x > 0].argmax(), ValueError, "unknown chunksizes"),
        (lambda: len(x[x > 0]), ValueError, "unknown chunk size"),
        (lambda: x[x[:, 0] > 0][:3], ValueError, "chunk sizes are unknown"),
        (lambda: x.transpose([0]), ValueError, "axes don't match"),
        (lambda: x.view("i2").view("V3"), ValueError, "divisor"),
        (lambda: da.concatenate([x, y], axis=2), np.exceptions.AxisError, "out of bounds"),
        (lambda: da.block([x, (y, y)]), TypeError, "tuple"),
        (lambda: da.overlap.sliding_window_view(w, 51), ValueError, "cannot be larger"),
        (lambda: da.random.choice(10, 4, replace=False, chunks=2), NotImplementedError, "multi-chunk"),
        (lambda: da.store(a, a), ValueError, "dask array objects|different number|Different number"),
        (lambda: da.push(x, 1, 0), AttributeError, "kasoku does not have dask.array.push"),
        (lambda: x.to_tiledb("file"), AttributeError, "kasoku does not have dask.array.Array.to_tiledb"),
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


def test_what_would_be_overlooked_is_refused():
    order = da.random.default_rng(3)
    assert (order.permutation(50).compute() != order.permutation(50).compute()).any()
    for wrong, error, says in (
        (lambda: da.arange(3, chunkz=2), TypeError, "chunkz"),
        (lambda: da.arange(), TypeError, "requires stop"),
        (lambda: da.random.standard_cauchy(size=3, dtype="f4"), TypeError, "dtype"),
        (lambda: da.random.choice(np.ones((2, 2)), 3), ValueError, "one axis"),
        (lambda: da.indices((1,), chunks=()), ValueError, "same number of chunks"),
        (lambda: da.overlap.overlap(w, 13, "reflect", allow_rechunk=False), ValueError, "smallest chunk size 11"),
        (lambda: da.apply_gufunc(np.sum, "(i)->()", x.rechunk(-1), axes=0), ValueError, "list"),
    ):
        with pytest.raises(error, match=says):
            wrong()


def test_what_dask_refuses_at_once_is_refused_at_once():
    whole = da.ones((3, 3), dtype=int, chunks=2)
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        with pytest.raises(ValueError, match=f"cannot convert float {word} to integer"):
            whole[:, 1] = value
    with pytest.raises(TypeError, match="v must be a dask array"):
        da.diag(1)
    for name in ("min", "nanmin", "max", "nanmax"):
        with pytest.raises(ValueError) as numpys:
            getattr(np, name)(np.zeros(0))
        with pytest.raises(ValueError) as ours:
            getattr(da, name)(da.zeros(0))
        assert str(ours.value) == str(numpys.value)


@pytest.mark.parametrize("call", [
    lambda **words: da.ones((2, 2), **words), lambda **words: da.full((2, 2), 1, **words),
    lambda **words: da.zeros_like(x, **words), lambda **words: da.tri(3, **words), lambda **words: da.matmul(x.T, y, **words),
    lambda **words: da.gradient(x, **words), lambda **words: da.broadcast_arrays(x, y, **words),
    lambda **words: da.linalg.solve(x.T @ x, x.T @ y, **words), lambda **words: da.linalg.tsqr(x, **words),
])  # fmt: skip
def test_a_misspelled_option_is_an_error_as_it_is_to_dask(call):
    with pytest.raises(TypeError, match="unexpected keyword argument 'chunk'"):
        call(chunk=2)


def test_options_that_dask_takes_of_numpys_are_taken():
    made = [da.ones(3, order="F", meta=None), da.full(3, 1.0, like=None), da.ones_like(da.zeros(3), order="F")]
    assert all((one.compute() == 1).all() for one in made)
