"""Scans: rows of up to 1,024 elements are joined one after the other, so they have NumPy's bits; longer ones by chunks of 128."""

import hypothesis
import hypothesis.extra.numpy as of_numpy
import hypothesis.strategies as st
import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

rng = np.random.default_rng(7)
of_numpy_too = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": lambda x, axis=None: np.maximum.accumulate(x.ravel() if axis is None else x, axis=axis or 0),
    "cummin": lambda x, axis=None: np.minimum.accumulate(x.ravel() if axis is None else x, axis=axis or 0),
    "nancumsum": np.nancumsum,
    "nancumprod": np.nancumprod,
}
dtypes = [
    "bool",
    "int8",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.fixture(params=["as it is", "text for GPUs"])
def form(request, on_device):
    """The text for GPUs runs on CPUs too."""
    before = _core._gpu_form(request.param != "as it is")
    yield
    _core._gpu_form(before)


def test_every_row_of_the_table_is_tested():
    assert set(_core._scans()) == set(of_numpy_too)


def elements(dtype, *shape):
    x = rng.random(shape) * 200 - 100 if dtype[0] in "ifc" else rng.random(shape) * 100
    if dtype[0] == "c":
        return (x + 1j * rng.random(shape)).astype(dtype)
    return x > 50 if dtype == "bool" else x.astype(dtype)


def check(name, x, mine, axis, **more):
    try:
        want = of_numpy_too[name](x, axis=axis)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(ks, name)(mine, axis=axis)
        return
    got = getattr(ks, name)(mine, axis=axis)
    assert got.dtype == want.dtype and got.shape == want.shape
    if x.dtype.kind in "fc" and "prod" not in name:
        scale = np.cumsum(np.abs(np.nan_to_num(x)), axis=axis).max(initial=1)
        np.testing.assert_allclose(got.numpy(), want, rtol=0, atol=scale * np.finfo(x.dtype).eps * 20)
    elif x.dtype.kind in "fc":
        single = x.dtype in ("f4", "c8")
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-3 if single else 1e-9, atol=1e-35 if single else 1e-300)
    else:
        assert (got.numpy() == want).all()


@pytest.mark.parametrize("name", of_numpy_too)
@pytest.mark.parametrize("dtype", dtypes)
def test_every_dtype(name, dtype, form):
    for n in (1, 5, 1024, 1025, 10_000):
        x = elements(dtype, n)
        x = x / np.abs(x).max() if "prod" in name and dtype[0] in "fc" else x
        check(name, x, ks.array(x), None)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -2])
@pytest.mark.parametrize(
    "shape", [(3, 5, 7), (2, 3000, 5), (5, 1, 2500), (1, 40, 33), (70, 2, 40), (2, 0, 3), (2600, 3, 20)]
)
@pytest.mark.parametrize("name", ["cumsum", "cummax"])
def test_axes_and_layouts(name, shape, axis, form, layouts):
    x = elements("int64", *shape)
    for layout in layouts.values():
        check(name, x, layout(x), axis)
    check(name, x.transpose(2, 0, 1), ks.array(x).transpose(2, 0, 1), axis)


@pytest.mark.parametrize("n", [1, 2, 1000, 1024])
def test_short_rows_have_numpys_bits(n, form):
    x = rng.random((4, n))
    assert (ks.cumsum(ks.array(x), axis=1).numpy() == np.cumsum(x, axis=1)).all()
    assert (ks.cumprod(ks.array(x.T), axis=0).numpy() == np.cumprod(x.T, axis=0)).all()
    y = x.astype("float32")
    assert (ks.cumsum(ks.array(y), axis=1).numpy() == np.cumsum(y, axis=1)).all()


def test_signs_nan_and_infinities(form):
    for x in ([-0.0], [-0.0, -0.0], [1, np.nan, 2], [np.inf, -np.inf, 1], [np.nan, 1], [2, 1, np.nan, 5] * 600):
        for name, want in of_numpy_too.items():
            got, want = getattr(ks, name)(ks.array(np.array(x, float))).numpy(), want(np.array(x, float))
            np.testing.assert_allclose(got, want)
            assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()


def test_the_text_for_gpus_gives_the_same_bits(on_device):
    for shape, axis in [((100_000,), 0), ((3, 5000), 1), ((5000, 40), 0), ((7, 3000, 3), 1), ((5000, 7), 1)]:
        for dtype in ("float32", "float64", "float16"):
            x = ks.array(elements(dtype, *shape)) * 0.01
            ks.eval(x)
            for name in ("cumsum", "cummax", "nancumsum"):
                bits = []
                for is_gpu in (False, True):
                    before = _core._gpu_form(is_gpu)
                    bits.append(getattr(ks, name)(x, axis=axis).numpy().tobytes())
                    _core._gpu_form(before)
                assert bits[0] == bits[1]


def test_half_floats_are_summed_as_float32(form):
    for dtype in ("float16",):
        x = elements(dtype, 5000)
        want = np.cumsum(x.astype("float64"))
        got = ks.cumsum(ks.array(x))
        assert got.dtype == dtype
        np.testing.assert_allclose(got.numpy(), want, rtol=2e-3, atol=0.5)


def test_what_is_scanned_is_fused(on_device, device, no_first_sight):
    x = ks.array(rng.random(500_000))
    before = ks.stats()
    y = ks.cumsum(ks.sin(x) * 2 + 1)
    ks.eval(y)
    assert ks.stats().launches - before.launches == (
        3 if device == "cpu" else 1
    )  # there totals, their scan and elements
    np.testing.assert_allclose(y.numpy(), np.cumsum(np.sin(x.numpy()) * 2 + 1), rtol=1e-12)


def test_numpys_functions_and_arguments(form):
    x = np.arange(12, dtype="int16").reshape(3, 4)
    y = ks.array(x)
    assert isinstance(np.cumsum(y, axis=1), ks.Array) and (np.cumsum(y, axis=1).numpy() == np.cumsum(x, axis=1)).all()
    assert (np.add.accumulate(y).numpy() == np.add.accumulate(x)).all()
    assert (np.multiply.accumulate(y, 1).numpy() == np.multiply.accumulate(x, 1)).all()
    assert (np.maximum.accumulate(-y, axis=1).numpy() == np.maximum.accumulate(-x, axis=1)).all()
    assert (y.cumsum().numpy() == x.cumsum()).all() and (y.cumprod(axis=-1).numpy() == x.cumprod(axis=-1)).all()
    assert ks.cumsum(y, dtype="float32").dtype == "float32" and ks.cumsum(ks.array(3)).shape == (1,)
    out = ks.zeros((3, 4))
    assert ks.cumsum(y, axis=0, out=out) is out and (out.numpy() == np.cumsum(x, axis=0)).all()
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        ks.cumsum(y, axis=2)
    with pytest.raises(ValueError, match="shape"):
        ks.cumsum(y, out=ks.zeros(3))
    assert ks.cumsum(ks.zeros(0)).shape == (0,)


@hypothesis.given(st.data())
def test_cumsum_of_any_array_is_numpys(form, data):
    x = data.draw(
        of_numpy.arrays(
            "int32", of_numpy.array_shapes(min_dims=1, max_dims=4, max_side=9), elements=st.integers(-1000, 1000)
        )
    )
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    assert (ks.cumsum(ks.array(x), axis=axis).numpy() == np.cumsum(x, axis=axis)).all()


def before_each(totals):
    """What is before each of the totals, in groups of 32; of the first one nothing, which is 0 here."""
    groups = np.pad(totals, (0, -len(totals) % 32)).reshape(-1, 32)
    within = np.cumsum(groups, axis=1, dtype=totals.dtype)
    outer = before_each(within[:, -1]) if len(groups) > 1 else np.zeros(1, totals.dtype)
    before = np.concatenate([np.zeros((len(groups), 1), totals.dtype), within[:, :-1]], axis=1)
    before = np.where(np.arange(32) == 0, outer[:, None], outer[:, None] + before)
    return before.ravel()[: len(totals)]


def in_the_fixed_form(x):
    chunks = np.cumsum(np.pad(x, (0, -len(x) % 128)).reshape(-1, 128), axis=1, dtype=x.dtype)
    return (before_each(chunks[:, -1])[:, None] + chunks).ravel()[: len(x)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_long_rows_are_joined_in_the_fixed_form(dtype, form):
    for n in (1025, 4096, 4097, 128 * 1024, 128 * 1024 + 1, 300_001):
        x = rng.random((2, n)).astype(dtype)
        want = np.array([in_the_fixed_form(row) for row in x])
        assert (ks.cumsum(ks.array(x[0])).numpy() == want[0]).all()
        assert (ks.cumsum(ks.array(x), axis=1).numpy() == want).all()
        assert (ks.cumsum(ks.array(x.T.copy()), axis=0).numpy() == want.T).all()


@pytest.mark.parametrize("dtype", ["float16", "int32", "float64", "complex64"])
def test_a_long_row_is_one_trip_for_gpus(dtype, no_first_sight):
    """At the ends of chunks, of blocks, and of groups of blocks."""
    rng = np.random.default_rng(8)
    for n in (1025, 4096, 4097, 31 * 4096 + 1, 32 * 4096, 32 * 4096 + 129, 33 * 32 * 4096 + 1):
        x = ks.array(rng.normal(size=n).astype(dtype), device="cpu")
        want = ks.cumulative_sum(x).numpy().tobytes()
        before, launches = _core._gpu_form(True), ks.stats().launches
        try:
            assert ks.cumulative_sum(x).numpy().tobytes() == want
        finally:
            _core._gpu_form(before)
        assert ks.stats().launches - launches == 1


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_any_number_of_threads_gives_the_same_bits(threads, clean_process):
    text = """if True:
        import hashlib, numpy as np, kasoku as ks
        rng = np.random.default_rng(1)
        x, y = ks.array(rng.random(1_000_003)), ks.array(rng.random((5000, 300), "float32"))
        for result in (ks.cumsum(x), ks.cumsum(y, axis=0), ks.cumprod(y, axis=1), ks.cumsum(x * 3 - 1)):
            print(hashlib.sha256(result.numpy().tobytes()).hexdigest())
    """
    one, many = (clean_process(text, env={"KASOKU_NUM_THREADS": n}).stdout for n in ("1", str(threads)))
    assert one == many


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "float16", "float32", "float64", "complex128"])
def test_few_elements_have_the_bits_of_many(dtype):
    """At once, by a kernel that is found by operation and dtype; and as a group of the graph."""
    x = np.asarray(elements(dtype if dtype != "float16" else "float32", 40, 60), dtype)
    if dtype[0] in "fc":
        x[3, 7] = np.nan
    shapes = [
        x,
        x[0],
        x[:, 1],
        x[:1],
        x[:, :1],
        x[:, ::-2],
        x.reshape(-1)[:1024],
        x.reshape(-1)[:1025],
        x.reshape(4, 10, 60),
    ]
    for name in of_numpy_too:
        for part in shapes:
            for axis in (0, -1):
                mine, ways = ks.array(part), []
                for at_once in (True, False):
                    before = _core._few_at_once(at_once)
                    try:
                        got = getattr(ks, name)(mine, axis=axis).numpy()
                        ways.append((got.dtype, got.shape, got.tobytes()))
                    except TypeError as error:
                        ways.append(str(error))
                    finally:
                        _core._few_at_once(before)
                assert ways[0] == ways[1], (name, dtype, part.shape, axis)
