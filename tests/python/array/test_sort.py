"""Sorting and order: NumPy's results for every dtype, axis and layout; equal elements keep their order, NaN come last."""

import itertools
import warnings

import hypothesis
import hypothesis.extra.numpy as of_numpy
import hypothesis.strategies as st
import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

rng = np.random.default_rng(16)
dtypes = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


@pytest.fixture(params=["as it is", "text for GPUs"])
def form(request, on_device):
    """The text for GPUs runs on CPUs too."""
    before = _core._gpu_form(request.param != "as it is")
    yield
    _core._gpu_form(before)


def elements(dtype, *shape):
    """All bits of integers, few values among many; of floats also zeros of both signs, infinities and NaN of both signs."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) > 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.3, x % 7, x).astype(dtype)
    if dtype.kind == "c":
        part = "float32" if dtype == "complex64" else "float64"
        return np.stack([elements(part, *shape), elements(part, *shape)], -1).view(dtype)[..., 0]
    x = rng.normal(size=shape) * 100
    special = np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, np.copysign(np.nan, -1)])
    return np.where(rng.random(shape) < 0.3, rng.choice(special, shape), x).astype(dtype)


def same(got, want):
    got = got.numpy()
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", dtypes)
def test_every_dtype_and_length(dtype, on_device):
    for n in (1, 2, 31, 33, 257, 1025, 4096, 5000, 70_000):
        x = elements(dtype, n)
        same(ks.sort(ks.array(x)), np.sort(x))
        same(ks.argsort(ks.array(x)), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", ["int8", "float32", "uint64"])
@pytest.mark.parametrize(
    "shape",
    [
        (1000, 7),
        (20, 33),
        (50, 64),
        (50, 65),
        (30, 128),
        (30, 129),
        (9, 256),
        (9, 257),
        (3, 1500),
        (3, 9000),
        (20_000, 1),
        (20_000, 2),
    ],
)
def test_rows_of_every_length(dtype, shape, form):
    x = elements(dtype, *shape)
    same(ks.sort(ks.array(x)), np.sort(x))
    same(ks.argsort(ks.array(x)), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("shape", [(3, 5, 7), (40, 33, 2), (1, 1, 1), (2, 0, 3), (0,) * 3])
def test_axes_and_layouts(axis, shape, form, layouts):
    x = elements("float32", *shape)
    for layout in layouts.values():
        y = layout(x)
        same(ks.sort(y, axis=axis), np.sort(x, axis=axis))
        same(ks.argsort(y, axis=axis), np.argsort(x, axis=axis, kind="stable"))
        same(y, x)


def test_bfloat16(on_device):
    x = rng.normal(size=(7, 300)).astype("float32")
    half = ks.array(x, dtype="bfloat16")
    rounded = half.astype("float32").numpy()
    same(ks.sort(half).astype("float32"), np.sort(rounded))
    same(ks.argsort(half), np.argsort(rounded, kind="stable"))


def test_zeros_and_nans_keep_their_order_and_their_bits(form):
    x = np.array([0.0, np.nan, -0.0, 1, -np.nan, 0.0, -0.0, -1] * 4)
    same(ks.argsort(ks.array(x)), np.argsort(x, kind="stable"))
    got = ks.sort(ks.array(x)).numpy()
    same(ks.sort(ks.array(x)), np.sort(x))
    assert sorted(got.view("uint64")) == sorted(x.view("uint64"))
    zeros = got[got == 0]
    assert (np.signbit(zeros) == np.sort(~np.signbit(zeros)) ^ True).all()  # those with a sign first


def test_many_equal_elements(on_device):
    for x in (np.zeros(200_000, "float32"), np.arange(200_000) % 2, np.repeat(np.arange(5), 50_000)[::-1].copy()):
        same(ks.sort(ks.array(x)), np.sort(x))
        same(ks.argsort(ks.array(x)), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float32", "uint64", "float64"])
def test_rows_that_differ_in_some_digits_alone(dtype, form):
    """Digits that a row's elements share are not sorted by; rows differ in which those are."""
    n, greatest = 3 * 16 * 256 + 5, np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else 2**20
    spans = [1, 100, min(60_000, greatest), greatest]
    x = np.stack([rng.integers(0, span, n, "uint64") for span in spans]).astype(dtype)
    x = np.concatenate([x, x // 100 * 100, np.full((1, n), greatest, dtype)])
    same(ks.sort(ks.array(x)), np.sort(x))
    same(ks.argsort(ks.array(x)), np.argsort(x, kind="stable"))
    same(ks.sort(ks.array(x[2])), np.sort(x[2]))


@pytest.mark.slow
def test_more_long_rows_than_are_sorted_at_once(form):
    x = elements("uint8", 16_400, 4097)
    same(ks.sort(ks.array(x)), np.sort(x))
    x = elements("int16", 8_200, 4097)
    same(ks.argsort(ks.array(x)), np.argsort(x, kind="stable"))


def test_lengths_around_a_tile(form):
    for items in (12, 16, 24):
        for n in (2 * 256 * items - 1, 2 * 256 * items, 2 * 256 * items + 1):
            for x in (elements("float32", n), elements("int64", n)):
                same(ks.sort(ks.array(x)), np.sort(x))
                same(ks.argsort(ks.array(x)), np.argsort(x, kind="stable"))


def test_what_is_pending_is_sorted(form):
    x = rng.normal(size=(5, 300)).astype("float32")
    y = ks.array(x)
    pending = y * 2 + 1
    same(ks.sort(y * 2 + 1), np.sort(x * 2 + 1))
    same(ks.argsort(pending, axis=0), np.argsort(x * 2 + 1, axis=0, kind="stable"))
    same(pending, x * 2 + 1)


def first_in_order(x, k, axis, largest):
    """Positions in NumPy's stable order; the largest ones first keep the order of equal elements too."""
    if not largest:
        return np.argsort(x, axis=axis, kind="stable").take(range(k), axis)
    order = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis).take(range(k), axis)
    return x.shape[axis] - 1 - order


def first_ones_are_right(x, k, axis, array=None):
    for largest in (True, False):
        values, places = ks.topk(ks.array(x) if array is None else array, k, axis=axis, largest=largest)
        want = first_in_order(x, k, axis, largest)
        same(places, want)
        same(values, np.take_along_axis(x, want, axis))


@pytest.mark.parametrize("dtype", dtypes)
def test_the_first_ones_of_every_dtype(dtype, form):
    for n, k in ((4096, 5), (4097, 1), (4097, 512), (30_000, 10), (30_000, 3750)):
        first_ones_are_right(elements(dtype, n), k, 0)


@pytest.mark.parametrize("dtype", ["int8", "float32", "int64"])
@pytest.mark.parametrize("shape, axis", [((3, 20_000), -1), ((5000, 3), 0), ((40, 4100), 1), ((2, 9000, 3), 1)])
def test_the_first_ones_of_many_rows(dtype, shape, axis, form, layouts):
    x = elements(dtype, *shape)
    for layout in layouts.values():
        first_ones_are_right(x, 3, axis, layout(x))
    first_ones_are_right(x, shape[axis] // 8, axis)


def test_the_first_ones_of_more_rows_than_a_device_has_blocks(form):
    first_ones_are_right(elements("uint8", 2200, 4097), 3, 1)


@pytest.mark.parametrize("n", [100_000, 1_000_003])
def test_the_first_of_many_that_are_alike(n, form):
    """Where no digit, the last one or the position alone tells them from each other; where they are rare, and lie at an end."""
    ends = np.zeros(n, "float32")
    ends[[0, n - 1]] = [-1, 1]
    alike = 0x3F800000 + rng.integers(0, 3, n, "int32")
    up = np.arange(n)
    for x in (np.full(n, np.nan), ends, alike, alike.view("float32"), up % 300 << 40, up, up[::-1].copy()):
        for k in (1, 2, 256, 257, n // 8):
            first_ones_are_right(x, k, 0)


def test_the_first_zeros_and_nans_keep_their_order(form):
    x = np.tile(np.array([0.0, np.nan, -0.0, 1, -np.nan, -1, np.inf, -np.inf], "float32"), 1000)
    for k in (3, 999, 1000):
        first_ones_are_right(x, k, 0)
    smallest = np.concatenate([x, np.full(5000, 7, "float32")])
    smallest[np.abs(smallest) >= 1] = 7
    first_ones_are_right(smallest, 1600, 0)


def test_the_first_bfloat16(form):
    x = rng.normal(size=(2, 5000)).astype("float32")
    half = ks.array(x, dtype="bfloat16")
    same(ks.topk(half, 300)[1], first_in_order(half.astype("float32").numpy(), 300, -1, True))


def test_methods_and_arguments(on_device):
    x = elements("int32", 4, 300)
    y = ks.array(x)
    assert y.sort() is None and (y.numpy() == np.sort(x)).all()
    y = ks.array(x)
    y.sort(axis=0, kind="stable")
    same(y, np.sort(x, axis=0))
    part = ks.array(x)
    part[:, ::3].sort()
    want = x.copy()
    want[:, ::3].sort()
    same(part, want)
    same(ks.array(x).argsort(0), x.argsort(0, kind="stable"))
    assert isinstance(np.sort(y), ks.Array) and isinstance(np.argsort(y, axis=0, kind="stable"), ks.Array)
    same(ks.sort([3, 1, 2]), np.array([1, 2, 3]))
    same(ks.sort(ks.array(5), axis=None), np.array([5]))


def test_bad_input(on_device):
    x = ks.zeros((3, 4))
    for f in (ks.sort, ks.argsort):
        with pytest.raises(IndexError, match="axis 2 is out of bounds for array of dimension 2"):
            f(x, axis=2)
        with pytest.raises(TypeError, match="no kasoku array can hold"):
            f(np.zeros(3, [("a", "i4"), ("b", "f8")]))
        with pytest.raises(ValueError, match="sort kind must be one of"):
            f(x, kind="bubble")
        with pytest.raises(ValueError, match="no fields"):
            f(x, order="a")
    with pytest.raises(ValueError, match="axis -1 is out of bounds for array of dimension 0"):
        ks.sort(ks.array(3))
    with pytest.raises(ValueError, match="read-only"):
        ks.broadcast_to(ks.zeros(3), (2, 3)).sort()


def same_number(a, b):
    return (a == b) | ((a != a) & (b != b))


def partition_is_right(x, kth, axis, array=None):
    """NumPy's contract: what belongs at each place is there, nothing before it is greater and nothing behind it less."""
    given = ks.array(x) if array is None else array
    if axis is None:
        x, axis = x.ravel(), -1
        given = given.ravel()
    values, places = ks.partition(given, kth, axis=axis).numpy(), ks.argpartition(given, kth, axis=axis).numpy()
    assert values.dtype == x.dtype and places.dtype == np.int64 and values.shape == places.shape == x.shape
    places, taken = np.moveaxis(places, axis, -1), np.moveaxis(np.take_along_axis(x, places, axis), axis, -1)
    in_order = np.sort(np.moveaxis(x, axis, -1), axis=-1, kind="stable")  # the other one errs among zeros of float16
    assert (np.sort(places, axis=-1) == np.arange(x.shape[axis])).all()
    for got in (np.moveaxis(values, axis, -1), taken):
        bounds = [0, *sorted({k % x.shape[axis] for k in np.atleast_1d(kth)}), x.shape[axis]]
        for k in bounds[1:-1]:
            assert same_number(got[..., k], in_order[..., k]).all()
        for begin, end in itertools.pairwise(bounds):  # each side has its elements
            assert same_number(np.sort(got[..., begin:end], axis=-1, kind="stable"), in_order[..., begin:end]).all()


@pytest.mark.parametrize("dtype", dtypes)
def test_partitions_of_every_dtype(dtype, form):
    for shape, axis in (((7, 33), -1), ((300, 5), 0), ((3, 700), 1), ((40, 300), 1), ((2, 5000), 1), ((3, 4, 5), None)):
        n = shape[axis] if axis is not None else np.prod(shape)
        for kth in (0, -1, n // 2, [3 % n, n // 3, n - 2]):
            partition_is_right(elements(dtype, *shape), kth, axis)
    many = list(range(0, 5000, 400))
    partition_is_right(elements(dtype, 2, 5000), many, 1)


def alike(n):
    """Long rows with orders of their own."""
    yield np.zeros(n)
    yield np.arange(n)
    yield np.arange(n)[::-1].copy()
    yield np.arange(n) % 2
    yield np.arange(n) % 64
    yield np.where(np.arange(n) == n // 2, np.nan, -1.0)
    yield np.where(np.arange(n) % 3 == 0, np.nan, rng.normal(size=n))
    yield np.full(n, np.nan)
    yield np.concatenate([np.full(n - 5, 7), np.arange(5)])
    yield rng.choice([np.inf, -np.inf, 0.0, -0.0], n)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "uint64", "float64"])
@pytest.mark.parametrize("n", [2000, 65_535, 65_536, 200_003])
def test_places_in_rows_of_elements_that_are_alike(dtype, n, on_device):
    for x in (*alike(n), elements(dtype, n)):
        x = np.nan_to_num(x, nan=3, posinf=100, neginf=0) if np.dtype(dtype).kind in "iu" else x
        with np.errstate(all="ignore"):
            x = x.astype(dtype)
        for kth in (0, n - 1, n // 2, [5, n // 2, n // 2 + 1], list(range(0, n, n // 7)), list(range(0, n, n // 30))):
            partition_is_right(x, kth, -1)
        if not np.isinf(x).any():
            in_order = np.sort(x)
            for q in ([0.5], [0, 1], [0.001, 0.5, 0.999], np.linspace(0, 1, 23)):
                got = ks.quantile(ks.array(x), q, method="lower").numpy()
                want = in_order[np.floor(np.asarray(q) * (n - 1)).astype(int)]
                assert same_number(got, np.full_like(want, np.nan) if np.isnan(in_order[-1]) else want).all()


@pytest.mark.parametrize("n", [65_536, 300_000])
def test_several_long_rows_and_those_with_nan_left_out(n, on_device):
    x = rng.normal(size=(3, n))
    x[0, ::3], x[1] = np.nan, np.nan
    partition_is_right(x, [n // 2, 7], 1)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for q in (0.0, 0.3, [0.5, 1.0]):
            got = ks.nanquantile(ks.array(x), q, axis=1).numpy()
            np.testing.assert_allclose(got, np.nanquantile(x, q, axis=1), rtol=1e-14)
        np.testing.assert_array_equal(ks.nanmedian(ks.array(x), axis=1).numpy(), np.nanmedian(x, axis=1))
        np.testing.assert_array_equal(ks.median(ks.array(x), axis=1).numpy(), np.median(x, axis=1))


@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64", "uint64"])
def test_short_rows_side_by_side(dtype, on_device):
    for n in (1, 2, 3, 5, 8, 31, 64, 100, 255, 257, 1000, 1024, 1025):
        for rows in (1, 7, 8, 16, 37):
            x = elements(dtype, rows, n)
            same(ks.sort(ks.array(x), axis=1), np.sort(x, axis=1))
            same(ks.argsort(ks.array(x), axis=1), np.argsort(x, axis=1, kind="stable"))
            same(ks.argsort(ks.array(x), axis=1, descending=True), first_in_order(x, n, 1, True))


@hypothesis.given(st.data())
def test_partitions_of_any_array(form, layouts, data):
    dtype = data.draw(st.sampled_from(dtypes))
    shape = data.draw(of_numpy.array_shapes(max_dims=3, max_side=40))
    x = elements(dtype, *shape)
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    n = x.size if axis is None else x.shape[axis]
    kth = data.draw(st.lists(st.integers(-n, n - 1), min_size=1, max_size=4))
    partition_is_right(x, kth, axis, data.draw(st.sampled_from(list(layouts.values())))(x))


@hypothesis.given(st.data())
def test_sorts_of_any_array_are_numpys(form, data):
    x = data.draw(
        of_numpy.arrays(
            st.sampled_from(["float32", "complex64"]),
            of_numpy.array_shapes(min_dims=1, max_dims=4, max_side=9),
        )
    )
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    same(ks.sort(ks.array(x), axis=axis), np.sort(x, axis=axis))
    same(ks.argsort(ks.array(x), axis=axis), np.argsort(x, axis=axis, kind="stable"))


@hypothesis.given(st.data())
def test_the_first_ones_of_any_array(form, data):
    """Few bits, so that which digits differ is any."""
    dtype = np.dtype(data.draw(st.sampled_from(["uint8", "int16", "float32", "float64", "uint64"])))
    bits = f"uint{8 * dtype.itemsize}"
    few = np.array(data.draw(st.lists(st.integers(0, np.iinfo(bits).max), min_size=1, max_size=9)), bits).view(dtype)
    rows, n = data.draw(st.sampled_from([(1, 4097), (3, 5000), (20, 4100), (1, 20_000)]))
    g = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = g.choice(few, (rows, n), p=g.dirichlet(np.full(len(few), 0.3)))
    first_ones_are_right(x, data.draw(st.integers(1, n // 8)), 1)


def test_nothing_is_copied_to_the_host_or_from_it(on_device, device):
    for dtype in ("float32", "complex64"):
        x = ks.array(elements(dtype, 9, 500))
        ks.eval(x)
        before = ks.stats()
        ks.eval(ks.sort(x, axis=0), ks.argsort(x), *ks.topk(x.ravel(), 4))
        moved = ks.stats() - before
        assert moved.bytes_to_device == 0 and moved.bytes_from_device == 0


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_any_number_of_threads_gives_the_same_bits(threads, clean_process):
    text = """if True:
        import hashlib, numpy as np, kasoku as ks
        rng = np.random.default_rng(1)
        x, y = ks.array(rng.normal(size=300_000).round(2)), ks.array(rng.integers(-90, 90, (5, 100_000), "int16"))
        for result in (ks.sort(x), ks.argsort(x), ks.sort(y), ks.argsort(y), ks.sort(y, axis=0), ks.argsort(x.astype("float32")),
                       ks.partition(x, 9), ks.argpartition(x, [200_000, 7]), ks.partition(y, 50_000), ks.median(x), ks.quantile(y, 0.3, axis=1)):
            print(hashlib.sha256(result.numpy().tobytes()).hexdigest())
    """
    one, many = (clean_process(text, env={"KASOKU_NUM_THREADS": n}).stdout for n in ("1", str(threads)))
    assert one == many


@pytest.mark.parametrize("n", [63, 64, 65, 1000, 5000])
def test_positions_of_keys_that_differ_in_their_lowest_bits(n):
    """Beside others that are far away; few of them, and so many that another way is taken."""
    random = np.random.default_rng(n)
    near = 1 + random.integers(0, 50, n) * 2.0**-52
    far = random.normal(size=n) * 10.0 ** random.integers(-300, 300, n)
    cases = [
        near,
        np.where(random.random(n) < 0.01, near, far),
        np.where(random.random(n) < 0.5, near, far),
        np.zeros(n),
        np.arange(n) * 0.5,
        -np.arange(n) * 0.5,
    ]
    far[: n // 2] = random.permutation([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf] * n)[: n // 2]
    integers = [
        random.integers(-5, 5, n),
        random.integers(-(2**63), 2**63 - 1, n),
        random.integers(-5, 5, n) + (random.random(n) < 0.5) * 2**62,
    ]
    for x in [*cases, far, *integers, integers[1].astype("uint64")]:
        np.testing.assert_array_equal(ks.argsort(ks.array(x)).numpy(), np.argsort(x, kind="stable"))
        rows = np.stack([x, x[::-1], np.sort(x)])
        np.testing.assert_array_equal(ks.argsort(ks.array(rows)).numpy(), np.argsort(rows, kind="stable"))
        np.testing.assert_array_equal(ks.sort(ks.array(rows)).numpy(), np.sort(rows))
