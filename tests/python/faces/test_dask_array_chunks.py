"""How arrays are cut into chunks, and what that says of results."""

import functools
import importlib.util

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from dask_arrays import a, w, x
from kasoku.compat import dask
from kasoku.compat.dask import array as da


def test_chunks_that_nobody_says_are_of_the_size_that_is_wanted():
    assert da.ones((1000, 1000), chunks="80kB").chunks == ((100,) * 10,) * 2
    assert da.ones((10, 10**6), chunks="8MB").chunks == ((10,), (100_000,) * 10)
    before = da.ones((100, 100), chunks=(10, 20))
    assert before.rechunk({0: "auto"}, block_size_limit=8 * 20 * 30).chunks == ((30, 30, 30, 10), (20,) * 5)
    assert before.rechunk("auto", block_size_limit=8 * 50).chunksize == (5, 10)
    assert da.ones(220, chunks=100).rechunk(100, balance=True).chunks == ((110, 110),)
    with pytest.warns(UserWarning, match="balancing not possible"):
        assert da.ones(9, chunks=3).rechunk((8,), balance=True).shape == (9,)
    rows = da.ones((8, 8), chunks=4)
    rows = rows[rows[:, 0] > 0].rechunk({1: 3})
    assert rows.chunks[1] == (3, 3, 2) and rows.compute().shape == (8, 8)


def test_chunks_that_are_auto_fill_short_axes_first():
    assert da.ones((2, 1 << 26)).chunks == ((2,), (1 << 23,) * 8)
    assert da.ones((10, 10)).numblocks == (1, 1) and da.ones((100_000, 100_000)).chunksize == (4096, 4096)
    assert da.ones((50_000, 3, 50_000), chunks=("auto", -1, "auto")).chunksize == (2364, 3, 2364)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "full"])
@pytest.mark.parametrize("cast", [tuple, list, np.asarray])
def test_names_shapes_and_chunks_of_filled_arrays(name, cast):
    value = (5,) if name == "full" else ()
    made = getattr(da, name)(cast((10, 6)), *value, chunks=cast((4, 3)), name="my-name", dtype="i4")
    assert (made.name, made.chunks, made.dtype, made.compute().shape) == ("my-name", ((4, 4, 2), (3, 3)), "i4", (10, 6))
    like = getattr(da, name + "_like")
    assert like(made, *value, name="his", chunks=cast((5, 6))).chunks == ((5, 5), (6,))
    unknown = w[w > 0]
    got = like(unknown, *value, name="his")
    assert got.name == "his" and got.compute().shape == unknown.compute().shape
    if name != "empty":
        assert (got.compute() == (5 if value else float(name == "ones"))).all()


@pytest.mark.parametrize("chunks", [(20, 25), (7, 3), (60, 40), (1, 1)])
@pytest.mark.parametrize("function", [np.mean, np.max])
def test_coarse_arrays_are_of_neighbours_across_chunks(chunks, function):
    got = da.coarsen(function, da.from_array(a, chunks=chunks), {0: 12, 1: 8})
    want = function(a.reshape(5, 12, 5, 8), axis=(1, 3))
    assert got.shape == want.shape
    np.testing.assert_allclose(got.compute(), want)
    trimmed = da.coarsen(function, da.from_array(a, chunks=chunks), {0: 13}, trim_excess=True)
    np.testing.assert_allclose(trimmed.compute(), function(a[:52].reshape(4, 13, 40), axis=1))
    with pytest.raises(ValueError, match="do not align"):
        da.coarsen(function, x, {0: 13})


def test_the_size_of_chunks_is_a_setting():
    with dask.config.set({"array.chunk-size": "1MiB"}):
        assert da.ones((1000, 1000)).chunks == ((362, 362, 276), (362, 362, 276))
    with dask.config.set({"array.chunk-size": 8000}):
        assert da.ones(2500).chunks == ((1000, 1000, 500),)
    assert da.ones((1000, 1000)).chunks == ((1000,), (1000,))


def test_lengths_that_are_not_known_are_numpys_nan():
    assert x[x[:, 0] > 0].chunks == ((np.nan,) * 3, (25, 15)) and w[w > 0].chunks == ((np.nan,) * 4,)
    assert da.nonzero(w)[0].chunks == ((np.nan,),)


def test_an_axis_that_chunks_alone_name_is_in_front():
    got = x.map_blocks(lambda q: q[None], chunks=((1,), *x.chunks))
    assert got.chunks == ((1,), *x.chunks) and (got.compute() == a[None]).all()


def factors(n):
    """Shapes of n elements."""

    def grown(parts):
        return st.permutations(parts).map(lambda order: tuple(order))

    primes, k = [], 2
    while n > 1:
        while n % k == 0:
            primes.append(k)
            n //= k
        k += 1

    @st.composite
    def shape(draw):
        order, made = draw(grown(primes)), [1]
        for p in order:
            if draw(st.booleans()):
                made.append(1)
            made[-1] *= p
        return tuple(made)

    return shape()


@hypothesis.given(st.data())
def test_reshape_is_numpy_s_in_any_chunks(data):
    n = data.draw(st.sampled_from([1, 24, 60, 64, 210]))
    old, new = data.draw(factors(n)), data.draw(factors(n))
    chunks = tuple(data.draw(st.integers(1, k)) for k in old)
    numpys, merges = np.arange(n).reshape(old), data.draw(st.booleans())
    got = da.from_array(numpys, chunks=chunks).reshape(new, merge_chunks=merges)
    assert got.shape == new
    np.testing.assert_array_equal(got.compute(), numpys.reshape(new))


def test_chunks_that_are_reshaped_do_not_grow():
    assert da.ones((2, 3, 4), chunks=(1, 1, 2)).reshape(24).chunks == ((2,) * 12,)
    small = da.ones((9, 90), chunks=3).ravel()  # a row is as many as fit, not cut where the small chunks were
    assert small.chunks == ((9,) * 90,)
    assert da.ones((100, 100), chunks=(10, 100)).reshape(-1).chunks == ((1000,) * 10,)
    assert da.ones((100, 100), chunks=50).reshape(-1).chunksize == (2500,)
    assert da.ones(24, chunks=8).reshape(6, 4).chunks == ((2, 2, 2), (4,))
    assert da.ones((6, 4), chunks=(2, 2)).reshape(2, 3, 4).chunks[2] == (2, 2)
    assert da.ones((2, 3, 4), chunks=2).reshape((6, 4), merge_chunks=False).chunks == ((2, 1, 2, 1), (2, 2))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        x[x > 0].reshape(2, 3)


def test_shuffle_keeps_groups_together():
    groups = [[1, 5, 6], [0, 3], [4, 2, 7], list(range(8, 60))]
    got = x.shuffle(groups, axis=0)
    order = [i for group in groups for i in group]
    np.testing.assert_array_equal(got.compute(), a[order])
    ends = np.cumsum(got.chunks[0])
    assert {3 + 2 + 3, 60} <= set(ends.tolist()) and max(got.chunks[1]) < 25
    assert da.ones(6, chunks=3).shuffle([[0, 1, 2], [3, 4, 5]], axis=0).numblocks == (2,)
    for wrong, error in (("s", ValueError), ([1], ValueError), ([[60]], IndexError)):
        with pytest.raises(error):
            x.shuffle(wrong, axis=0)


def test_functions_of_chunks_that_differ_are_different_arrays():
    f = functools.partial(np.sum, axis=0)
    one, other = x.map_blocks(f, drop_axis=0, dtype=float), x.map_blocks(f, drop_axis=0, dtype="f4")
    assert one.name != other.name != x.map_blocks(f, dtype="f4", enforce_ndim=True, drop_axis=0).name
    with pytest.raises(ValueError, match="Dimension mismatch"):
        x.map_blocks(lambda block: block[0], dtype=float, enforce_ndim=True).compute()
    assert w.map_blocks(lambda block: np.array(5), chunks=((1,) * 4,), dtype=int).compute().tolist() == [5] * 4


@pytest.mark.skipif(importlib.util.find_spec("dask") is None, reason="the plan is the installed Dask's")
def test_rows_become_columns_by_way_of_chunks_in_between():
    tall = da.ones((1000, 8_000_000), chunks=(1, 8_000_000)).rechunk((1000, 8000))
    assert tall.chunks == ((1000,), (8000,) * 1000) and len(tall.dask) < 20_000
    numpys = np.arange(400.0 * 400).reshape(400, 400)
    columns = da.from_array(numpys, chunks=(1, 400)).rechunk((400, 1))
    np.testing.assert_array_equal(columns.compute(), numpys)


def _anything(*args):
    return args


def test_tasks_of_a_grid_are_those_that_python_would_make():
    from kasoku.compat.dask._task_spec import List, Task, TaskRef
    from kasoku.compat.dask.array._array import At, Each, made

    p, q = da.ones((4, 6), chunks=(2, 3)), da.ones((1, 6), chunks=(1, 3))
    both, shapes = [[0, 1]], Each([["a", "b"], ["c", "d"]])
    turned, flat = At(p, [0, 1], [[1, 0], [[1, 0], [0]]]), At(p, [-1, -1], [both, both], is_flat=True)
    found = made("z", p.chunks, float, (_anything, p, q, 7, Each([10, 20], 0), shapes, turned, At(p, [0, -1]), flat))

    def ref(array, *place):
        return TaskRef((array.name, *place))

    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        columns = [1, 0] if j == 0 else [0]
        want = Task(
            (found.name, i, j), _anything, ref(p, i, j), ref(q, 0, j), 7, (10, 20)[i], ("ab"[i], "cd"[j]),
            List(*(ref(p, 1 - i, k) for k in columns)), ref(p, i, 0), List(*(ref(p, m, n) for m in (0, 1) for n in (0, 1))),
        )  # fmt: skip
        task = found.dask[found.name, i, j]
        assert task == want and task.dependencies == want.dependencies and task.key == want.key
        assert [getattr(part, "dependencies", None) for part in task.args] == [
            getattr(part, "dependencies", None) for part in want.args
        ]
        assert task.substitute({}, key="other").key == "other" and repr(task) == repr(want)
    assert set(found.dask.layers) == {found.name, p.name, q.name}


def test_chunks_of_more_axes_than_there_are_say_nothing():
    one = da.ones(8, chunks=2)
    assert one.rechunk((None, 8)).chunks == one.chunks and one.rechunk((4, 8)).chunks == ((4, 4),)
    with pytest.raises(ValueError, match="same length/dimension"):
        da.ones((4, 6), chunks=2).rechunk((2,))


def test_arrays_like_others_are_named_so():
    assert [f(whole).name.partition("-")[0] for whole in [da.arange(4)] for f in (da.ones_like, da.zeros_like)] == [
        "ones_like", "zeros_like"]  # fmt: skip
