"""What follows from sorting: partitions, order by keys, quantiles, sets. The table of algorithms says what is tested of each."""

import hypothesis
import hypothesis.extra.numpy as of_numpy
import hypothesis.strategies as st
import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

rng = np.random.default_rng(61)
rows = _core._algorithms()
methods = """inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear
median_unbiased normal_unbiased lower higher midpoint nearest""".split()
# Arguments behind the array, and NumPy's function where it has another name or none.
more = {"partition": (2,), "argpartition": (2,), "topk": (2,), **dict.fromkeys(["quantile", "nanquantile"], (0.3,))}
more |= dict.fromkeys(["percentile", "nanpercentile"], (30,))
pairs = ["union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"]


def topk(x, k, axis=-1):
    order = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis).take(range(k), axis)
    order = x.shape[axis] - 1 - order
    return np.take_along_axis(x, order, axis), order


def of_numpy_too(name):
    if name == "topk":
        return topk
    if name == "argsort":
        return lambda x, axis=-1: np.argsort(x, axis=axis, kind="stable")
    return getattr(np, name)


def same(got, want, exact=True):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for a, b in zip(got, want):
            same(a, b)
        return
    got, want = got.numpy(), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
    if exact or want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=np.finfo(want.dtype).eps * 4)


def elements(dtype, *shape, of=9):
    x = rng.integers(0, of, shape)
    return (
        (x > of // 2)
        if dtype == "bool"
        else (x + 1j * rng.integers(0, 3, shape)).astype(dtype)
        if dtype[0] == "c"
        else x.astype(dtype)
    )


def with_nan(x):
    return np.where(rng.random(x.shape) < 0.2, np.nan, x).astype(x.dtype)


def test_every_row_of_the_table_has_its_line_of_reference():
    for name in rows:
        assert "." in getattr(ks, name).__doc__ and (name in ("topk", "rankdata") or hasattr(np, name))


@pytest.mark.parametrize("dtype", ["bool", "int16", "uint8", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize(
    "name",
    sorted(name for name, (axis, _) in rows.items() if axis in ("along", "over") and name in dir(np) or name == "topk"),
)
def test_rows_along_an_axis(name, dtype, on_device):
    axis_rule, result = rows[name]
    if result == "quotient" and dtype in ("bool", "complex64"):  # NumPy subtracts bools, or orders by real parts
        return
    f, want = getattr(ks, name), of_numpy_too(name)
    if name in ("partition", "argpartition"):  # any order that is one will do: what test_sort.py looks at
        f = lambda x, k, axis: ks.sort(getattr(ks, name)(x, k, axis=axis), axis=axis)  # noqa: E731
        want = lambda x, k, axis: np.sort(getattr(np, name)(x, k, axis=axis), axis=axis)  # noqa: E731
    x = elements(dtype, 4, 5, 6)
    for axis in (0, 1, -1, *([None] if name != "topk" else []), *([(0, 2)] if axis_rule == "over" else [])):
        a = with_nan(x) if x.dtype.kind == "f" else x
        same(
            f(ks.array(a), *more.get(name, ()), axis=axis),
            want(a, *more.get(name, ()), axis=axis),
            exact=result != "quotient" or dtype != "float16",
        )
    with pytest.raises(IndexError, match="axis 3 is out of bounds"):
        f(ks.array(x), *more.get(name, ()), axis=3)


@pytest.mark.parametrize("dtype", ["int32", "float32", "complex128", "bool"])
@pytest.mark.parametrize("name", pairs)
def test_set_functions_are_numpys(name, dtype, on_device):
    f, want = getattr(ks, name), getattr(np, name)
    for n, k, of in ((30, 20, 9), (300, 40, 500), (1, 1, 2), (0, 5, 9), (5, 0, 9), (0, 0, 9)):
        a, b = elements(dtype, n, of=of), elements(dtype, k, of=of)
        same(f(ks.array(a), ks.array(b)), want(a, b))
    same(f(ks.array(a.reshape(0, 1)), b), want(a.reshape(0, 1), b))
    u, v = np.arange(3), np.arange(20.0)
    same(f(ks.array(u), v, assume_unique=True) if name != "union1d" else f(u, v), want(u, v))
    assert isinstance(want(ks.array(u), ks.array(v)), ks.Array)


def test_sets_with_nan_and_choices(on_device):
    a, b = np.array([1.0, np.nan, 2, np.nan, 0.0]), np.array([np.nan, 2.0, -0.0])
    for name in pairs:
        same(getattr(ks, name)(ks.array(a), ks.array(b)), getattr(np, name)(a, b))
    big = np.concatenate([np.arange(40.0), b])
    same(ks.isin(ks.array(a), ks.array(big)), np.isin(a, big))
    same(ks.isin(ks.array(a.reshape(5, 1)), ks.array(big), invert=True), np.isin(a.reshape(5, 1), big, invert=True))
    x, y = elements("int32", 50, of=40), elements("int32", 30, of=40)
    same(ks.intersect1d(ks.array(x), ks.array(y), return_indices=True), np.intersect1d(x, y, return_indices=True))
    with pytest.raises(ValueError, match="Invalid kind"):
        ks.isin(ks.array(x), ks.array(y), kind="tree")


def ranks(row, method):
    """One element after the other, by those below it and those that are equal."""
    same_as = lambda a, b: a == b or (a != a and b != b)  # noqa: E731
    below = lambda a, b: not same_as(a, b) and (b != b or bool(np.sort(np.array([a, b]))[0] == a))  # noqa: E731
    result = []
    for i, x in enumerate(row):
        least = 1 + sum(below(y, x) for y in row)
        equal = sum(same_as(y, x) for y in row)
        result.append(
            {
                "min": least,
                "max": least + equal - 1,
                "average": least + (equal - 1) / 2,
                "ordinal": least + sum(same_as(y, x) for y in row[:i]),
                "dense": 1 + len({y.item() for y in row if below(y, x)}),
            }[method]
        )
    return np.array(result, "float64" if method == "average" else "int64")


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64"])
def test_ranks(method, dtype, on_device):
    for shape in ((30,), (1,), (3, 4, 5), (2, 1), (0,), (3, 0)):
        x = elements(dtype, *shape)
        x = with_nan(x) if x.dtype.kind == "f" else x
        for axis in (None, *range(-1, x.ndim)):
            rows = x.reshape(1, x.size) if axis is None else np.moveaxis(x, axis, -1)
            want = np.array([ranks(row, method) for row in rows.reshape(-1, rows.shape[-1])] if x.size else [], object)
            want = want.astype("float64" if method == "average" else "int64").reshape(rows.shape)
            want = want.ravel() if axis is None else np.moveaxis(want, -1, axis)
            same(ks.rankdata(ks.array(x), method, axis=axis), want)
            same(
                ks.rankdata(ks.array(x)[::-1], method, axis=axis),
                ks.rankdata(ks.array(x[::-1].copy()), method, axis=axis).numpy(),
            )
    big = rng.integers(0, 500, 20000)
    first = np.searchsorted(np.sort(big), big, "left") + 1
    last = np.searchsorted(np.sort(big), big, "right")
    wants = {
        "min": first,
        "max": last,
        "average": (first + last) / 2,
        "dense": np.unique(big, return_inverse=True)[1] + 1,
    }
    wants["ordinal"] = np.argsort(np.argsort(big, kind="stable")) + 1
    same(ks.rankdata(ks.array(big), method), wants[method])


def test_ranks_refuse_what_they_do_not_know(on_device):
    with pytest.raises(ValueError, match='ranked by "average", "min", "max", "dense" or "ordinal", not "mean"'):
        ks.rankdata(ks.arange(3), "mean")
    with pytest.raises(IndexError, match="axis 1 is out of bounds"):
        ks.rankdata(ks.arange(3), axis=1)


@pytest.mark.parametrize("invert", [False, True])
def test_whole_numbers_in_a_table(on_device, invert):
    """isin() of integers that lie close together, at the ends of their types, and of two types."""
    cases = [
        (rng.integers(-50, 50, (30, 40)), rng.integers(-20, 20, 30)),
        (rng.integers(-128, 128, 2000).astype("int8"), rng.integers(-128, 128, 60).astype("int8")),
        (rng.integers(0, 2**16, 3000).astype("uint16"), rng.integers(-100, 2000, 300).astype("int8")),
        (np.array([2**63 - 1, -(2**63), 0, 5, -1]), np.arange(2**63 - 30, 2**63 - 1)),
        (np.array([2**63 - 1, -(2**63), 0, 5, -1]), np.arange(-(2**63), -(2**63) + 30)),
        (np.array([2**64 - 1, 2**64 - 30, 0, 5], "uint64"), np.arange(2**64 - 31, 2**64 - 1, dtype="uint64")),
        (rng.integers(0, 2, 50).astype(bool), np.repeat([True], 20)),
        (rng.integers(-(2**63), 2**63 - 1, 50), np.r_[rng.integers(-(2**63), 2**63 - 1, 50), -(2**63), 2**63 - 1]),
        (np.arange(40), np.arange(20, 60, dtype="uint64")),
    ]
    for a, b in cases:
        for x, y in ((a, b), (a[::-1], b[::2])):
            same(ks.isin(ks.array(x), ks.array(y), invert=invert), np.isin(x, y, invert=invert))
            same(ks.isin(ks.array(y), ks.array(x), invert=invert), np.isin(y, x, invert=invert))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float32", "complex64"])
def test_unique(dtype, on_device):
    for shape in ((40,), (5, 8), (1,), (0,), (3, 0)):
        x = elements(dtype, *shape)
        x = with_nan(x) if dtype == "float32" else x
        same(ks.unique(ks.array(x)), np.unique(x))
        wanted = dict(return_index=True, return_inverse=True, return_counts=True)
        same(ks.unique(ks.array(x), **wanted), np.unique(x, **wanted))
        same(ks.unique(ks.array(x), return_counts=True), np.unique(x, return_counts=True))
        same(ks.unique(ks.array(x), equal_nan=False), np.unique(x, equal_nan=False))


def test_unique_parts_along_an_axis(on_device):
    x = elements("int32", 30, 2, 2, of=2)
    wanted = dict(return_index=True, return_inverse=True, return_counts=True)
    for axis in (0, 1, -1):
        got, want = ks.unique(ks.array(x), **wanted, axis=axis), np.unique(x, **wanted, axis=axis)
        for a, b in zip(got, want):
            np.testing.assert_array_equal(a.numpy(), b.reshape(a.shape))
    with pytest.raises(IndexError, match="out of bounds"):
        ks.unique(ks.array(x), axis=3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("method", methods)
def test_quantiles_by_every_method(method, on_device):
    q = [0, 0.1, 0.25, 0.5, 0.77, 1]
    for x in (
        rng.normal(size=(3, 10)),
        rng.integers(0, 99, (4, 7)),
        np.array([[2.5]]),
        np.array([[1.0, np.inf, -np.inf, np.inf]]),
    ):
        same(ks.quantile(ks.array(x), q, axis=1, method=method), np.quantile(x, q, axis=1, method=method), exact=False)
        same(ks.percentile(ks.array(x), 30, method=method), np.percentile(x, 30, method=method), exact=False)
    x = with_nan(rng.normal(size=(6, 9)))
    x[2] = np.nan
    same(
        ks.nanquantile(ks.array(x), q, axis=1, method=method), np.nanquantile(x, q, axis=1, method=method), exact=False
    )
    same(ks.quantile(ks.array(x), q, axis=0, method=method), np.quantile(x, q, axis=0, method=method), exact=False)


def test_the_first_and_the_last_of_integers_are_integers(on_device):
    for x in np.array([[3, 1, 2], [5, 9, 4]]), np.array([[True, False]]):
        for name in ("quantile", "nanquantile"):
            for q, axis in (1, None), (0, 1), ([0, 1], 0):
                same(getattr(ks, name)(ks.array(x), q, axis=axis), getattr(np, name)(x, q, axis=axis))


@pytest.mark.parametrize("method", methods)
def test_quantiles_have_the_wider_dtype_of_arrays_and_of_q(method):
    for dtype in ("float16", "float32", "float64"):
        x = np.array([1, 2, 4]).astype(dtype)
        for q in (0.5, [0.3, 0.5], np.float32(0.5), np.array([0.3], dtype="float32"), [0, 1], 1):
            got, want = ks.quantile(ks.array(x), q, method=method), np.quantile(x, q, method=method)
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got.numpy(), want, rtol=1e-3 if dtype == "float16" else 1e-6)
            assert ks.percentile(ks.array(x), q, method=method).dtype == np.percentile(x, q, method=method).dtype


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (4,)])
def test_an_order_in_place_has_an_axis(shape):
    x = ks.ones(shape)
    for function, arguments in ((x.sort, ()), (x.partition, (0,))):
        with pytest.raises(TypeError, match="along an axis"):
            function(*arguments, axis=None)
        function(*arguments, axis=-1)
    assert x.shape == shape


def test_nans_of_a_single_axis_are_one():
    x = np.array([np.nan, 1, np.nan, 0])
    same(ks.unique(ks.array(x), axis=0), np.unique(x, axis=0))
    same(ks.unique(ks.array(x), axis=-1), np.unique(x, axis=-1))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_medians(on_device):
    for shape in ((7,), (8,), (3, 4), (1,)):
        for dtype in ("float16", "float32", "float64", "int8", "uint64"):
            x = elements(dtype, *shape, of=100)
            for name in ("median", "nanmedian"):
                for axis in (None, 0, -1, (0,)):
                    for keepdims in (False, True):
                        y = with_nan(x) if dtype[0] == "f" else x
                        same(
                            getattr(ks, name)(ks.array(y), axis=axis, keepdims=keepdims),
                            getattr(np, name)(y, axis=axis, keepdims=keepdims),
                        )
    x = np.array([[np.nan, np.nan], [1, np.nan], [3, np.inf]])
    same(ks.nanmedian(ks.array(x), axis=1), np.nanmedian(x, axis=1))
    same(ks.median(ks.array([np.inf, np.inf])), np.median([np.inf, np.inf]))
    same(ks.median(ks.zeros(0)), np.median(np.zeros(0)))
    out = ks.zeros(3)
    assert ks.median(ks.array(x), axis=1, out=out) is out
    same(out, np.median(x, axis=1))
    assert isinstance(np.median(ks.array(x)), ks.Array) and isinstance(np.percentile(ks.array(x), 50), ks.Array)


def test_lexsort(on_device):
    keys = rng.integers(0, 3, (3, 50))
    same(ks.lexsort(ks.array(keys)), np.lexsort(keys))
    same(ks.lexsort([ks.array(k.astype(float)) for k in keys]), np.lexsort(keys))
    blocks = rng.integers(0, 2, (2, 4, 5))
    same(ks.lexsort(ks.array(blocks), axis=0), np.lexsort(blocks, axis=0))
    with pytest.raises(TypeError, match="len > 0"):
        ks.lexsort([])
    with pytest.raises(ValueError, match="same shape"):
        ks.lexsort([ks.zeros(2), ks.zeros(3)])


def test_partitions_and_the_first_ones(on_device):
    x = rng.normal(size=(5, 40))
    y = ks.array(x)
    for kth in (3, -1, [0, 7], ks.array([2])):
        k = np.atleast_1d(kth.numpy() if isinstance(kth, ks.Array) else kth)
        got = ks.partition(y, kth).numpy()
        for place in k:
            assert (got[:, place] == np.sort(x)[:, place]).all()
        same(ks.sort(ks.take_along_axis(y, y.argpartition(kth), -1)[:, k]), np.sort(got[:, k]))
    z = ks.array(x)
    assert z.partition(4, axis=0) is None and (z.numpy()[4] == np.sort(x, axis=0)[4]).all()
    values, places = ks.topk(y, 3, largest=False)
    same(values, np.sort(x)[:, :3])
    same(places, np.argsort(x)[:, :3])
    for wrong, error, match in (
        (40, ValueError, r"kth\(=40\) out of bounds \(40\)"),
        (1.5, TypeError, "must be integer"),
    ):
        for f in (ks.partition, ks.argpartition):
            with pytest.raises(error, match=match):
                f(y, wrong)
    with pytest.raises(ValueError, match="there are 40 elements"):
        ks.topk(y, 41)
    with pytest.raises(ValueError, match="introselect"):
        ks.partition(y, 1, kind="quick")


@pytest.mark.parametrize("dtype", ["int8", "float32", "int64"])
def test_the_first_of_many(dtype, on_device):
    for shape, axis, k in (
        ((300_000,), 0, 7),
        ((300_000,), 0, 5000),
        ((3, 9000), 1, 3),
        ((400, 70), 0, 2),
        ((40, 200), 1, 1),
        ((5, 90), 1, 0),
    ):
        x = elements(dtype, *shape, of=100)
        x = with_nan(x) if dtype == "float32" else x
        for largest in (True, False):
            values, places = ks.topk(ks.array(x), k, axis=axis, largest=largest)
            want = topk(x, k, axis)[1] if largest else np.argsort(x, axis=axis, kind="stable").take(range(k), axis)
            same(places, want)
            same(values, np.take_along_axis(x, want, axis))


def test_sort_complex(on_device):
    for dtype in ("int8", "uint16", "int32", "float32", "float64", "complex64"):
        x = elements(dtype, 3, 7)
        same(ks.sort_complex(ks.array(x)), np.sort_complex(x))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_medians_of_complex_numbers(device, dtype):
    g = np.random.default_rng(8)
    x = (g.integers(-3, 4, (5, 6)) + 1j * g.integers(-3, 4, (5, 6))).astype(dtype)
    for axis in (None, 0, 1, (0, 1)):
        got, want = ks.median(ks.array(x, device=device), axis=axis), np.median(x, axis=axis)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.numpy(), want)
    x[2, 3] = np.nan
    assert np.isnan(ks.median(ks.array(x, device=device), axis=1).numpy()).tolist() == [
        False,
        False,
        True,
        False,
        False,
    ]


def test_bad_quantiles(on_device):
    x = ks.zeros(5)
    for f, q in ((ks.quantile, 1.5), (ks.quantile, -0.1), (ks.nanquantile, [0.2, float("nan")])):
        with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
            f(x, q)
    with pytest.raises(ValueError, match=r"Percentiles must be in the range \[0, 100\]"):
        ks.percentile(x, 101)
    with pytest.raises(ValueError, match="'middle' is not a valid method; there are: inverted_cdf"):
        ks.quantile(x, 0.5, method="middle")
    with pytest.raises(TypeError, match="real numbers"):
        ks.quantile(ks.zeros(3, dtype="complex64"), 0.5)
    with pytest.raises(ValueError, match="repeated axis"):
        ks.median(ks.zeros((2, 2)), axis=(0, 0))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@hypothesis.given(st.data())
def test_quantiles_and_unique_elements_of_any_array_are_numpys(on_device, data):
    x = data.draw(
        of_numpy.arrays(
            "float64",
            of_numpy.array_shapes(max_dims=3, max_side=6),
            elements=st.sampled_from([0.0, 1, 2.5, -3, np.nan, np.inf]),
        )
    )
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    q = data.draw(st.floats(0, 1))
    same(ks.quantile(ks.array(x), q, axis=axis), np.quantile(x, q, axis=axis), exact=False)
    same(ks.unique(ks.array(x), return_inverse=True), np.unique(x, return_inverse=True))


def test_nothing_is_copied_to_the_host_or_from_it(on_device, device):
    x = ks.array(rng.normal(size=(50, 60)).astype("float32"))
    ks.eval(x)
    before = ks.stats()
    ks.eval(
        ks.median(x),
        ks.quantile(x, [0.1, 0.2], axis=0),
        ks.nanmedian(x, axis=1),
        ks.partition(x, 3),
        *ks.topk(x, 4),
        ks.lexsort(x),
        ks.isin(x, x[0]),
        ks.rankdata(x, axis=1),
    )
    moved = ks.stats() - before
    assert moved.bytes_to_device == 0 and moved.bytes_from_device == 0
    before = ks.stats()
    ks.eval(*ks.unique(x, return_index=True, return_inverse=True, return_counts=True))
    moved = ks.stats() - before
    assert moved.bytes_to_device <= 16 and moved.bytes_from_device <= 16  # how many there are
