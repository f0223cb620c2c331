"""Every row of reductions.def against NumPy: arrays and compiled functions. Adding a row adds its tests."""

import itertools
import warnings

import hypothesis
import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

ROWS = {name: row for name, row in _core._reductions().items() if hasattr(np, name)}
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
ORDERED = [name for name, row in ROWS.items() if not row["has_identity"]]
SHAPES = [(), (1,), (7,), (0,), (3, 4), (4, 3, 2), (2, 0, 3), (17, 1), (1, 17), (2, 2, 2, 2), (30, 30)]
errors = (TypeError, OverflowError, ValueError)


def sample(shape, dtype, seed=0):
    """Values whose sums and products every dtype holds; floats with NaN and infinity among them."""
    g, kind = np.random.default_rng(seed), np.dtype(dtype).kind
    if kind == "b":
        return g.random(shape) < 0.6
    if kind in "iu":
        return g.integers(0 if kind == "u" else -3, 4, shape).astype(dtype)
    x = g.choice([0.5, 1, -1, 2, 1.5, 0, -0.75], shape, p=[0.15, 0.25, 0.25, 0.1, 0.1, 0.05, 0.1]).astype(dtype)
    if kind == "c":
        x = np.asarray(x + 1j * g.choice([0, 1, -1], shape).astype(x.real.dtype))
    if seed % 3 == 1 and x.size:
        x[g.random(shape) < 0.2] = np.nan
    if seed % 3 == 2 and x.size:
        x[g.random(shape) < 0.1] = -np.inf
    return np.asarray(x, dtype)


def outcome(f):
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = f()
    except errors as error:
        return next(kind for kind in errors if isinstance(error, kind))
    return value.numpy() if isinstance(value, ks.Array) else np.asarray(value)


def agree(got, want, what):
    if isinstance(want, type) or isinstance(got, type):
        assert got is want, what
        return
    assert (got.dtype, got.shape) == (want.dtype, want.shape), what
    tolerance = {"e": 4e-3, "f": 2e-6, "F": 2e-6}.get(want.dtype.char, 1e-13)
    np.testing.assert_allclose(got, want, tolerance, tolerance, equal_nan=True, err_msg=str(what))


def axes_of(name, ndim):
    one = [None, *range(-ndim, ndim)]
    if ROWS[name]["is_position"]:
        return one
    return [*one, (), *itertools.combinations(range(ndim), 2)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ROWS)
def test_arrays_reduce_as_numpys(name, dtype, device, tier):
    ours, numpys = getattr(ks, name), getattr(np, name)
    for seed, shape in enumerate(SHAPES):
        x = sample(shape, dtype, seed)
        y = ks.array(x, device=device)
        for axis in axes_of(name, x.ndim):
            want = outcome(lambda x=x, axis=axis: numpys(x, axis=axis, keepdims=True))
            what = (name, shape, dtype, axis)
            agree(outcome(lambda y=y, axis=axis: ours(y, axis=axis, keepdims=True)), want, what)
            if not isinstance(want, type):
                agree(outcome(lambda y=y, axis=axis: ours(y, axis=axis)), numpys(x, axis=axis), what)


@pytest.mark.parametrize("name", ROWS)
def test_however_the_elements_lie(name, device, tier):
    """Of any strides, pending, stretched, of many chunks: the bits are those of a copy in order."""
    x = sample((6, 40, 5), "float64", 4)
    ours = ks.array(x, device=device)
    stretched = ks.broadcast_to(ks.array(x[:, :1], device=device), x.shape)
    for view, same in [
        (ours.T, x.T),
        (ours[::2, ::-3], x[::2, ::-3]),
        (ours + 0, x),
        (stretched, np.broadcast_to(x[:, :1], x.shape)),
    ]:
        for axis in axes_of(name, 3):
            got, want = (
                outcome(lambda: getattr(ks, name)(view, axis=axis)),
                outcome(lambda: getattr(ks, name)(ks.array(np.ascontiguousarray(same), device=device), axis=axis)),
            )
            assert got is want or got.tobytes() == want.tobytes(), (name, axis)
    long = sample((3, 20_000), "float64", 1)
    long[np.abs(long) > 1] = 1
    for axis in (None, 0, 1):
        agree(
            outcome(lambda: getattr(ks, name)(ks.array(long, device=device), axis=axis)),
            outcome(lambda: getattr(np, name)(long, axis=axis)),
            (name, axis),
        )


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint64", "float16", "float32", "float64"])
def test_the_first_of_equals_and_of_nans_is_the_position(dtype, device):
    """Wherever in a chunk, or in which one, they are, and however the elements lie."""
    n = 20_000
    for first in (0, 1, 255, 256, 1023, 1024, 5000, 8191, 8192, 16_500, n - 1):
        x = np.zeros(n, dtype)
        x[first:] = 1
        y = ks.array(x, device=device)
        assert (int(y.argmax()), int(y.argmin())) == (first, 0 if first else int(x.argmin())), first
        assert int(y[::-1].argmin()) == x[::-1].argmin()
        rows = ks.array(np.stack([x, x, ~x if dtype == "bool" else -x]), device=device)
        np.testing.assert_array_equal(rows.argmax(axis=1).numpy(), rows.numpy().argmax(axis=1))
        np.testing.assert_array_equal(rows.T.argmin(axis=0).numpy(), rows.numpy().T.argmin(axis=0))
        part = rows[:, 3:n:2].reshape(3, -1, 1)[:, :9001]
        assert int(part.argmax()) == part.numpy().argmax()
        if np.dtype(dtype).kind == "f":
            x[first] = x[-1] = np.nan
            assert int(ks.array(x, device=device).argmax()) == first
            assert int((-ks.array(x, device=device)).argmin()) == first
            zeros = np.where(np.arange(n) == first, -0.0, 0.0).astype(dtype)
            assert int(ks.array(zeros, device=device).argmin()) == 0


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "float16", "int32", "float32", "float64", "uint64", "complex128"]
)
def test_positions_along_rows_and_columns_of_any_length(dtype, device):
    rng = np.random.default_rng(5)
    for n, m in itertools.product((1, 7, 8, 9, 63, 64, 65, 200, 1025), (1, 3, 70)):
        x = rng.integers(0, 2 if dtype == "bool" else 100, (m, n)).astype(dtype)
        for special in [None] + ["nan", "one nan"] * (np.dtype(dtype).kind in "fc"):
            if special:
                x.ravel()[rng.integers(0, x.size, x.size if special == "nan" else 1)] = np.nan
            for shown in (x, x.T, x[:, ::-1], x[::-1], x.reshape(m, n, 1)):
                y = ks.array(shown, device=device)
                for axis in (0, 1, -1, None):
                    for name in ("argmax", "argmin"):
                        got = getattr(y, name)(axis=axis).numpy()
                        np.testing.assert_array_equal(
                            got, getattr(shown, name)(axis=axis), f"{name} {axis} {shown.shape} {special}"
                        )


@pytest.mark.parametrize("wanted", ["float32", "float64", "int64"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16"])
def test_sums_of_small_integers_have_the_bits_of_their_tree_in_the_wanted_type(dtype, wanted, device):
    """Chunks are counted in integers where those are exact."""
    g = np.random.default_rng(5)
    n = np.iinfo(dtype) if dtype != "bool" else None
    x = (
        g.random((3, 40_001)) < 0.7
        if n is None
        else g.integers(n.max - 9, n.max, (3, 40_001), endpoint=True, dtype=dtype)
    )
    x[1] = n.min if n else False
    for view in (x, x.T, x[:, ::2], x[:, :5], x.T[:5], x[:, :0]):
        ours = ks.array(view, device=device)
        cast = ks.array(ours.astype(wanted).numpy(), device=device)
        for axis in (None, 0, 1):
            for pending in (ours, ours + ks.zeros((), dtype, device=device)):
                got = ks.sum(pending, axis=axis, dtype=wanted).numpy()
                assert got.tobytes() == ks.sum(cast, axis=axis).numpy().tobytes(), (view.shape, axis)
                np.testing.assert_allclose(got, np.sum(view, axis=axis, dtype="float64"), 1e-6)
                assert not np.signbit(got[got == 0]).any()
    count = ks.mean(ks.array(x, device=device) != 0, dtype=wanted if wanted != "int64" else None)
    assert float(count) == (x != 0).mean(dtype=wanted if wanted != "int64" else None)


@pytest.mark.parametrize("name", ROWS)
def test_many_short_rows_have_the_bits_of_few(name, device):
    for n in (1, 2, 3, 5, 8, 16, 17):
        x = ks.array(sample((200, n), "float32", 3), device=device)
        want = np.concatenate(
            [np.atleast_1d(getattr(ks, name)(x[k : k + 3], axis=1).numpy()) for k in range(0, 200, 3)]
        )
        for view in (x, x + 0, ks.array(x.numpy(), device=device)[::-1][::-1]):
            assert getattr(ks, name)(view, axis=1).numpy().tobytes() == want.tobytes(), (name, n)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row["where"]])
def test_masks_and_first_values(name, device, tier):
    for seed, (dtype, shape) in enumerate(
        itertools.product(
            ["bool", "int16", "uint8", "float16", "float32", "float64", "complex128"],
            [(4, 5), (7,), (), (0, 3), (40, 60)],
        )
    ):
        x = sample(shape, dtype, seed)
        g = np.random.default_rng(seed)
        masks = [g.random(shape) < 0.5, np.zeros(shape, bool), True, False, g.random(shape[-1:]) < 0.5, g.random((*shape[:-1], 1)) < 0.5,
                 g.random((2, *shape)) < 0.5, np.ones(shape, int)]  # fmt: skip
        for mask, initial, axis in itertools.product(masks, (None, 2, 1.5, True, 300, -7), (None, 0, -1)):
            given = {} if initial is None else {"initial": initial}
            if name in ORDERED and initial is None and mask is not masks[0]:
                continue
            if initial not in (None, 2) and isinstance(mask, np.ndarray) and (mask.dtype != bool or mask.ndim > x.ndim):
                continue  # two mistakes
            if initial is not None and not ROWS[name]["initial"]:
                continue
            if (
                dtype == "bool"
                and isinstance(initial, float)
                or x.ndim == 0
                and axis is not None
                and isinstance(mask, np.ndarray)
                and mask.ndim > 0
            ):
                continue
            ours = {
                **given,
                "axis": axis,
                "where": ks.array(mask, device=device) if isinstance(mask, np.ndarray) else mask,
            }
            want = outcome(lambda: getattr(np, name)(x, axis=axis, where=mask, **given))
            agree(
                outcome(lambda: getattr(ks, name)(ks.array(x, device=device), **ours)),
                want,
                (name, dtype, shape, mask, initial, axis),
            )


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_means_of_what_a_mask_leaves(name, device, tier):
    for dtype, axis in itertools.product(
        ["int16", "float16", "float32", "float64", "complex64", "bool"], (None, 0, 1, (0, 1))
    ):
        x, g = sample((6, 8), dtype), np.random.default_rng(1)
        for mask in (g.random((6, 8)) < 0.5, g.random(8) < 0.5, g.random((6, 1)) < 0.7, False, True):
            for given in ({}, {"ddof": 1}, {"ddof": 3})[: 1 if name == "mean" else 3]:
                want = outcome(lambda: getattr(np, name)(x, axis=axis, where=mask, keepdims=True, **given))
                got = outcome(
                    lambda: getattr(ks, name)(ks.array(x, device=device), axis=axis, where=mask, keepdims=True, **given)
                )
                agree(got, want, (name, dtype, axis, mask, given))
    for axis in (0, -1, 1, (), None):  # of a number
        want, got = (
            outcome(lambda: getattr(np, name)(np.array(3.0), axis=axis)),
            outcome(lambda: getattr(ks.array(3.0), name)(axis=axis)),
        )
        agree(got, want, axis)


@pytest.mark.parametrize("mean", [0, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_large_mean_costs_a_variance_no_digits(dtype, mean, device):
    spread = max(1, mean * 1e-5) if dtype == "float32" else 1
    x = np.random.default_rng(5).normal(mean, spread, (33, 2500)).astype(dtype)
    exact, eps = x.astype(np.longdouble), np.finfo(dtype).eps
    for axis in (None, 0, 1):
        for layout in (x, np.asfortranarray(x)):
            ours = ks.array(layout, device=device)
            np.testing.assert_allclose(ours.var(axis).numpy(), exact.var(axis), 8 * eps)
            np.testing.assert_allclose((ours * 2 - mean).std(axis).numpy(), (x * 2 - x.dtype.type(mean)).astype(np.longdouble).std(axis), 8 * eps)  # fmt: skip
    compiled = ks.jit(lambda x: x.var())
    assert compiled(x) == ks.array(x).var().item()  # one tree


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_variance_whose_first_element_is_like_no_other(dtype, device):
    x = np.random.default_rng(6).normal(size=(3, 20_000)).astype(dtype)
    x[0, 0], x[1, 0], x[2, 0] = 1e6, np.nan, np.inf
    with np.errstate(invalid="ignore"):
        want = x.astype(np.longdouble).var(1)
    np.testing.assert_allclose(ks.array(x, device=device).var(1).numpy(), want, 16 * np.finfo(dtype).eps)


def test_a_variance_reads_its_elements_once():
    x = ks.random.normal(size=100_000)
    x.eval()
    y = ks.sin(x) * x + 1
    variance = y.var()
    assert str(ks.explain(variance)).count("over 100000 elements") == 1
    np.testing.assert_allclose(variance.item(), (np.sin(x.numpy()) * x.numpy() + 1).var(), 1e-12)


def test_a_mask_is_fused_with_the_reduction():
    x = ks.random.normal(size=100_000)
    x.eval()
    before = ks.stats().launches
    x.sum(where=x > 0).eval()
    assert ks.stats().launches - before == 2  # chunks, and their results


def test_words_that_a_reduction_does_not_take():
    x = ks.arange(6.0)
    for call in (
        lambda: x.argmin(where=[True] * 6),
        lambda: x.any(initial=1),
        lambda: x.max(dtype="f4"),
        lambda: x.mean(initial=1),
        lambda: ks.count_nonzero(x, where=True, initial=2),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(
        ValueError, match="reduction operation 'minimum' does not have an identity, so to use a where mask"
    ):
        x.min(where=x > 2)
    with pytest.raises(ValueError, match="zero-size array to reduction operation fmax which has no identity"):
        ks.nanmax(x[:0])
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        x[:0].argmax()
    with pytest.raises(ValueError, match="All-NaN slice"):
        ks.nanargmin(ks.array([[1, np.nan], [np.nan, np.nan]]), axis=1)
    with pytest.raises(TypeError, match="mask of bools"):
        x.sum(where=x)
    with pytest.raises(ValueError, match="does not stretch"):
        x.sum(where=ks.ones((2, 6), dtype=bool))


def test_ufuncs_reduce_our_arrays():
    x = ks.array(sample((4, 5), "float64", 1))
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin, np.logical_or, np.logical_and):
        got = ufunc.reduce(x)
        assert isinstance(got, ks.Array)
        agree(got.numpy(), ufunc.reduce(x.numpy()), ufunc)
        agree(
            ufunc.reduce(x, axis=(0, 1), keepdims=True).numpy(),
            ufunc.reduce(x.numpy(), axis=(0, 1), keepdims=True),
            ufunc,
        )


@pytest.mark.usefixtures("on_device")
@hypothesis.settings(max_examples=5 * hypothesis.settings.default.max_examples)
@hypothesis.given(data=st.data())
def test_reductions_of_any_array_are_numpys(data, layouts):
    """Along any axes, however the elements lie, with masks, first values and dtypes, at once or in the graph."""
    dtype = data.draw(st.sampled_from(["bool", "int8", "uint16", "int64", "float16", "float32", "float64"]))
    numbers = (
        st.floats(-8, 8, width=16) | st.just(np.nan)
        if dtype.startswith("f")
        else st.integers(0, 9)
        if dtype != "bool"
        else st.booleans()
    )
    x = data.draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6), elements=numbers))
    if dtype != "float16" and data.draw(st.booleans()):
        x = np.repeat(x[None], 300, 0)  # more than a few elements
    name = data.draw(st.sampled_from([name for name in ROWS if "prod" not in name]))
    axis = data.draw(st.sampled_from(axes_of(name, x.ndim)))
    given = {"keepdims": data.draw(st.booleans())}
    if ROWS[name]["where"]:
        given["where"] = data.draw(hnp.arrays(bool, x.shape[1:])) if data.draw(st.booleans()) else True
    if ROWS[name]["initial"] and data.draw(st.booleans()):
        given["initial"] = data.draw(st.integers(0, 5))
    if ROWS[name]["dtype"] and data.draw(st.booleans()):
        given["dtype"] = data.draw(st.sampled_from(["int32", "float32", "float64", "complex64"]))
        hypothesis.assume(dtype[0] != "f" or given["dtype"] != "int32")  # NaN has no integer
    ours = layouts[data.draw(st.sampled_from([*layouts]))](x)
    before = _core._few_at_once(data.draw(st.booleans()))
    try:
        got = outcome(lambda: getattr(ks, name)(ours, axis=axis, **given))
    finally:
        _core._few_at_once(before)
    agree(got, outcome(lambda: getattr(np, name)(x, axis=axis, **given)), (name, x, axis, given))


@pytest.mark.usefixtures("on_device")
@hypothesis.given(data=st.data())
def test_any_mean(data, layouts):
    dtype = data.draw(st.sampled_from(["bool", "int8", "uint16", "int64", "float32", "float64", "complex128"]))
    x = sample(
        data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6)), dtype, data.draw(st.integers(0, 2))
    )
    name = data.draw(st.sampled_from(["mean", "var", "std"]))
    given = {"axis": data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)])), "keepdims": data.draw(st.booleans())}
    if name != "mean":
        given["ddof"] = data.draw(st.sampled_from([0, 1, 2, 50, 0.5, -1]))
    ours = layouts[data.draw(st.sampled_from([*layouts]))](x)
    agree(
        outcome(lambda: getattr(ks, name)(ours, **given)),
        outcome(lambda: getattr(np, name)(x, **given)),
        (name, x, given),
    )


@pytest.mark.parametrize("name", ROWS)
def test_compiled_functions_reduce_as_numpy(name):
    def scalar(got, want, what):  # one of Python's
        agree(got if isinstance(got, type) or isinstance(want, type) else got.astype(want.dtype), want, what)

    reduce = getattr(np, name)
    compiled, along, masked = (
        ks.jit(lambda x: reduce(x)),
        ks.jit(lambda x: reduce(x, axis=0)),
        ks.jit(lambda x, m: reduce(x[m])),
    )
    for seed, dtype in enumerate(["bool", "int16", "uint8", "int64", "float32", "float64"] * 3):
        x = sample((5, 7), dtype, seed)
        scalar(outcome(lambda: compiled(x)), outcome(lambda: reduce(x)), (name, dtype, seed))
        agree(outcome(lambda: along(x)), outcome(lambda: reduce(x, axis=0)), (name, dtype, seed))
        for mask in (sample(x.shape, "bool", seed), np.zeros(x.shape, bool)):
            scalar(outcome(lambda: masked(x, mask)), outcome(lambda: reduce(x[mask])), (name, dtype, seed, mask))


@pytest.mark.parametrize("dtype", ["bool", "int16", "int32", "uint64", "float32"])
def test_long_rows(dtype, form):
    """So many elements that blocks of threads go on through several chunks where the order does not matter."""
    n = 3 * (2**22 + 2731)
    x = np.resize(sample((999_983,), dtype, 1 if dtype == "float32" else 0), n)
    whole, part = slice(None), slice(None, None, -1)
    for each, view, names in [
        (x, whole, ROWS),
        (x, part, ["max"]),
        (x.reshape(-1, 3), (part, slice(0, 2)), ["max", "sum"]),
    ]:
        for name in names:
            if dtype == "float32" and "sum" in name or "prod" in name:
                continue
            want = outcome(lambda: getattr(np, name)(each[view]))
            agree(outcome(lambda: getattr(ks, name)(ks.array(each)[view])), want, (name, dtype, view))


@pytest.mark.parametrize("n", [1, 2, 3, 17, 32, 33])
def test_short_columns(n, form, device):
    x = np.random.default_rng(n).integers(-9, 9, (n, 5000)).astype("float32")  # whose sums are exact
    x[0, ::7], x[:, 1] = np.nan, -0.0
    for values in (x, x.astype("float16"), np.nan_to_num(x).astype("int8"), x > 0):
        for name in ("max", "min", "any", "all", "sum"):
            got, want = (np.asarray(getattr(m, name)(m.asarray(values), axis=0)) for m in (ks, np))
            agree(got, want, (name, n, values.dtype))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 96, 97, 129, 200, 385, 400, 511, 512, 513, 700])
def test_columns_have_the_bits_of_rows(n):
    """Lanes that are joined two by two may lack the second one, so may pairs of lanes."""
    x = np.random.default_rng(n).normal(size=(n, 77)).astype("float32")
    columns, rows = ks.array(x, device="cpu"), ks.array(np.ascontiguousarray(x.T), device="cpu")
    for name in ("sum", "prod", "max", "nansum", "var"):
        got, want = (np.asarray(getattr(ks, name)(of, axis=axis)) for of, axis in ((columns, 0), (rows, 1)))
        assert got.tobytes() == want.tobytes(), name


def test_columns_whose_lanes_several_blocks_have(form, device):
    x = np.random.default_rng(0).integers(-128, 127, (20_000, 16_640), dtype="int8")
    ours = ks.asarray(x, copy=True)
    for name in ("max", "min"):
        assert np.array_equal(np.asarray(getattr(ours, name)(axis=0)), getattr(x, name)(axis=0))
    assert np.array_equal(np.asarray(ours.sum(axis=0, dtype="float32")), x.sum(axis=0, dtype="int32"))  # exact
