"""Places among what is sorted, counts and histograms, and functions that samples stand for."""

# ruff: noqa: B023 (each lambda is called at once)
import warnings

import hypothesis
import hypothesis.extra.numpy as of_numpy
import hypothesis.strategies as st
import numpy as np
import pytest
from alike import agree

import kasoku as ks
from kasoku import _core

rng = np.random.default_rng(17)


dtypes = [
    "bool",
    "int8",
    "uint8",
    "int32",
    "uint64",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("side", ["left", "right"])
def test_places_of_every_dtype(side, dtype, form):
    x, keys = (
        np.sort((rng.random(333) * 50).astype(dtype)),
        (rng.random((7, 50)) * 60 - 5 * (dtype[0] != "u")).astype(dtype),
    )
    agree(lambda np, a, v: np.searchsorted(a, v, side), x, keys)
    agree(lambda np, a, v: a.searchsorted(v, side), x, keys[0])
    agree(lambda np, a, v: np.searchsorted(a[:0], v, side), x, keys)


unusual = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5, 5e-324, 1e308]


@hypothesis.given(
    st.lists(st.sampled_from(unusual), max_size=40).map(np.array),
    st.lists(st.sampled_from(unusual), max_size=40).map(np.array),
)
def test_nan_comes_last(form, x, keys):
    x = np.sort(x)
    for side in ("left", "right"):
        assert (ks.searchsorted(ks.array(x), ks.array(keys), side).numpy() == np.searchsorted(x, keys, side)).all()


def test_a_sorter_and_numbers(form):
    x = rng.random(100)
    agree(lambda np, x, s: np.searchsorted(x, 0.3, sorter=s), x, np.argsort(x))
    agree(lambda np, x, s: np.searchsorted(x, x, "right", s), x, np.argsort(x))
    agree(lambda np, x, s: np.searchsorted(x, x, "right", s), x, np.argsort(x)[1:])
    agree(lambda np, x: np.searchsorted(x, x, "middle"), x)
    agree(lambda np, x: np.searchsorted(x, x), x.reshape(10, 10))
    agree(lambda np, x: (np.searchsorted(x, 3), np.searchsorted(x, 2.5), np.searchsorted(x, [1, 2, 3])), np.arange(9))


def test_bins_that_rise_fall_or_do_neither(form):
    x, bins = rng.random(1000) * 12 - 1, np.array([0, 1, 2.5, 2.5, 7, 10])
    for right in (False, True):
        agree(lambda np, x, b: np.digitize(x, b, right), x, bins)
        agree(lambda np, x, b: np.digitize(x, b, right), x, bins[::-1].copy())
        agree(lambda np, x, b: np.digitize(x, b, right), bins, bins[::-1].copy())
        agree(lambda np, x, b: np.digitize(x, b[:0], right), x, bins)
        agree(lambda np, x, b: np.digitize(x, b[:1], right), x, bins)
        for first in ([np.nan], [np.nan] * 4, [np.nan, np.nan, 7.0, 2.0]):
            agree(lambda np, x, b: np.digitize(x, b, right), np.append(x[:20], np.nan), np.array(first))
        agree(lambda np, x, b: np.digitize(x, b, right), x, np.array([1.0, 3.0, np.nan, np.nan]))
    agree(lambda np, x, b: np.digitize(x, b), x, np.array([1.0, 3, 2]))
    agree(lambda np, x, b: np.histogram(x, b), x, np.array([1.0, 3, 2]))


@pytest.mark.parametrize("n", [0, 1, 1000, 300_000])
def test_counts(n, form):
    x = rng.integers(0, 50, n)
    agree(lambda np, x: (np.bincount(x), np.bincount(x, minlength=99), np.bincount(x.astype("uint8"))), x)
    agree(lambda np, x: np.bincount(x - 1), np.append(x, 0))


def test_what_cannot_be_counted(form):
    x = np.arange(5)
    agree(lambda np, x: np.bincount(x * 1.5), x)
    agree(lambda np, x: np.bincount(x.reshape(5, 1)), x)
    agree(lambda np, x: np.bincount(x, minlength=-1), x)
    agree(lambda np, x: np.bincount(x, x[1:]), x)
    agree(lambda np, x: np.bincount(x, x * 1j), x)
    agree(lambda np, x: np.bincount(x - 6), x.astype("uint64"))


def test_sums_of_weights(form):
    for n in (0, 1000, 300_000):
        x, weights = rng.integers(0, 50, n), rng.random(n)
        agree(lambda np, x, w: np.bincount(x, w, 60), x, weights, close=n > 1000)
        agree(lambda np, x, w: np.bincount(x, w), x, (weights * 100).astype("int32"))  # sums without a rounding
        agree(lambda np, x, w: np.histogram(w, 12, weights=x), x, weights, close=n > 1000)
        agree(lambda np, x, w: np.histogram(x, [1, 2, 10, 40], weights=w), x, weights, close=True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float16", "float32", "float64"])
def test_histograms(dtype, form):
    x = (rng.random(100_000) * 100).astype(dtype)
    for bins, ends in [(10, None), (37, (10, 70)), (1, (0, 100)), ([0, 1, 5, 50, 100], None), (10, (3, 3))]:
        if dtype == "float16" and ends is None and isinstance(bins, int):
            continue  # edges of so few bits are one another's, and NumPy's fall
        agree(lambda np, x: np.histogram(x, bins, ends), x)
    if dtype != "float16":
        agree(lambda np, x: np.histogram(x, 12, density=True), x, close=True)
        agree(lambda np, x: np.histogram_bin_edges(x, 7), x)


@pytest.mark.parametrize(
    "bins, ends",
    [
        (6, (0, 2e-323)),
        (3, (0, 2e-323)),
        (10, (1, 1 + 1e-15)),
        (4, (1, 1 + 1e-15)),
        (40, (1e16, 1e16 + 80)),
        (20, (1e16, 1e16 + 80)),
        (10, (-1e-300, 1e-300)),
    ],
)
def test_bins_as_narrow_as_numbers_are_apart(bins, ends, form):
    """NumPy refuses more bins than there are numbers between the ends."""
    agree(lambda np, x: np.histogram(x, bins, ends), np.linspace(*ends, 50))


def test_a_histogram_in_a_range_waits_for_nothing(device):
    if device == "cpu":
        pytest.skip("a CPU's memory is the host's")
    with ks.default_device(device):
        x = ks.random.rand(1000).eval()
        before = ks.stats()
        ks.histogram(x, 20, (0, 1))[0].eval()
        assert (ks.stats() - before).bytes_from_device == 0


def test_histograms_of_the_unusual(form):
    agree(lambda np, x: np.histogram(x), np.ones(5))
    agree(lambda np, x: np.histogram(x), np.ones(0))
    holes = np.where(rng.random(1000) < 0.1, np.nan, rng.random(1000))
    agree(lambda np, x: np.histogram(x), holes)
    agree(lambda np, x: np.histogram(x, 10, (0, 1)), holes)
    agree(lambda np, x: np.histogram(x, [0, 0.5, 1]), holes)
    agree(lambda np, x: np.histogram(x, 0), np.ones(5))
    agree(lambda np, x: np.histogram(x, 3, (2, 1)), np.ones(5))
    agree(lambda np, x: np.histogram(x, 3, (0, np.inf)) if np.inf else 0, np.ones(5))
    agree(lambda np, x: np.histogram(x, 3, weights=x[1:]), np.ones(5))
    edges = np.linspace(0, 1, 11)
    agree(
        lambda np, x: np.histogram(x, 10, (0, 1)),
        np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)]),
    )


def test_histograms_of_points(form):
    x, y = rng.random(1000), rng.random(1000) ** 2
    agree(lambda np, x, y: np.histogram2d(x, y), x, y, close=True)
    agree(lambda np, x, y: np.histogram2d(x, y, [5, 7], density=True), x, y, close=True)
    agree(lambda np, x, y: np.histogram2d(x, y, 4, [[0, 0.5], [0.2, 1]]), x, y, close=True)
    agree(lambda np, p: np.histogramdd(p, (3, 4, 5))[0], rng.random((1000, 3)))


def test_a_function_between_points(form):
    xp, fp = np.sort(rng.random(33)), rng.random(33)
    x = np.concatenate([rng.random(2000) * 3 - 1, xp, [np.nan, np.inf, -np.inf]])
    agree(lambda np, x, xp, fp: np.interp(x, xp, fp), x, xp, fp, close=True)
    agree(lambda np, x, xp, fp: np.interp(x, xp, fp, left=-5, right=9), x, xp, fp, close=True)
    agree(lambda np, x, xp, fp: np.interp(x, xp, fp * 1j), x, xp, fp, close=True)
    endless = np.where(np.arange(33) % 5 == 0, np.inf, fp) + 1j * fp[::-1]  # an infinite part leaves the other
    for given, at in (({"left": 2 - 3j}, x), ({"period": 0.75}, x[:2000].reshape(40, 50))):
        for part in ("real", "imag"):
            agree(lambda np, x, xp, fp: getattr(np.interp(x, xp, fp, **given), part), at, xp, endless, close=True)  # noqa: B023
    agree(lambda np, x, xp, fp: np.interp(x, xp[::-1] * 9, fp, period=1.5), x[:2033], xp, fp, close=True)
    agree(lambda np, x, xp, fp: np.interp(x, xp, fp, period=-0.25), x[:2033], xp, fp, close=True)
    agree(lambda np, x, xp, fp: np.interp(x, xp, fp, period=0), x, xp, fp)
    agree(lambda np, x, xp, fp: np.interp(x, xp[:1], fp[:1]), x, xp, fp, close=True)
    agree(lambda np, x, xp, fp: np.interp(x, xp[:0], fp[:0]), x, xp, fp)
    agree(lambda np, x, xp, fp: np.interp(x, xp[1:], fp), x, xp, fp)
    agree(lambda np, xp, fp: np.interp(0.5, xp, fp), xp, fp, close=True)


def test_few_values_between_points_have_the_bits_of_many():
    rng = np.random.default_rng(5)
    xp = np.concatenate([np.sort(rng.integers(0, 12, 15).astype(float)), [np.inf, np.nan]])
    fp = np.concatenate([rng.normal(size=15), [np.inf, 2.0]])
    x = np.concatenate([rng.uniform(-2, 14, 50), xp, [np.nan, np.inf, -np.inf, -0.0]])
    for n in (1, 2, 5, 15, 16, 17):
        for ends in ({}, {"left": -7, "right": np.nan}):
            for step in (1, -1) if n == 1 else (1,):
                ours = [ks.asarray(a) for a in (x[::step], np.repeat(xp[:n], 2)[::2], fp[:n])]
                few = ks.interp(*ours, **ends)
                before = _core._few_at_once(False)
                try:
                    many = ks.interp(*ours, **ends)
                finally:
                    _core._few_at_once(before)
                np.testing.assert_array_equal(few.numpy(), many.numpy())
    assert ks.interp(2, ks.arange(4), ks.arange(4) * 10).item() == 20 and ks.interp(
        [[0.5]], [0, 1], [1, 3]
    ).tolist() == [[2.0]]


@hypothesis.given(st.data())
def test_differences(form, layouts, data):
    x = data.draw(
        of_numpy.arrays(st.sampled_from(["int32", "bool", "uint8"]), of_numpy.array_shapes(max_dims=3, max_side=5))
    )
    laid = layouts[data.draw(st.sampled_from(sorted(layouts)))](x)
    n, axis = data.draw(st.integers(0, 3)), data.draw(st.integers(-x.ndim, x.ndim - 1))
    got = ks.diff(laid, n, axis)
    want = np.diff(x, n, axis)
    assert got.dtype == want.dtype and np.array_equal(got.numpy(), want)


def test_slopes_and_integrals(form):
    x, at = rng.random((30, 40)), np.cumsum(rng.random(40))
    agree(lambda np, x: np.diff(x, prepend=0, append=x[:, :2]), x)
    agree(lambda np, x: (np.ediff1d(x), np.ediff1d(x, to_begin=-99, to_end=[1.0, 2])), x)
    for order in (1, 2):
        agree(lambda np, x: np.gradient(x, edge_order=order), x, close=True)
        agree(lambda np, x, c: np.gradient(x, 2.0, c, edge_order=order), x, at, close=True)
        agree(lambda np, x: np.gradient(x, 3, axis=0, edge_order=order), (x * 9).astype(int), close=True)
    agree(lambda np, x: np.gradient(x[:, :1], axis=1), x)
    agree(lambda np, x, c: np.gradient(x, c, axis=0), x, at)
    agree(
        lambda np, x, c: (
            np.trapezoid(x),
            np.trapezoid(x, c),
            np.trapezoid(x, dx=2, axis=0),
            np.trapezoid(x, x, axis=0),
        ),
        x,
        at,
        close=True,
    )


lengths = [(1000, 7), (7, 1000), (6, 6), (1, 5), (1500, 700), (12, 8), (8, 12)]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(mode, form):
    for n, m in lengths:
        for dtype in ("int32", "float32", "complex128", "bool"):
            a, v = ((rng.random(k) * 9 - 4).astype(dtype) for k in (n, m))
            if dtype == "complex128":
                a, v = a + 1j * a[::-1] ** 2, v - 2j * v**3
            agree(lambda np, a, v: (np.convolve(a, v, mode), np.correlate(a, v, mode)), a, v, close=True)
    agree(lambda np, a: np.convolve(a, a[:0], mode), a)
    agree(lambda np, a: np.convolve(a, a.reshape(2, -1), mode), a)
    agree(lambda np, a: np.convolve(a, a, "most"), a)


def test_covariances(form):
    x = rng.random((5, 40))
    agree(lambda np, x: (np.cov(x), np.cov(x[0]), np.corrcoef(x), np.corrcoef(x[0], x[1])), x, close=True)
    agree(
        lambda np, x: (np.cov(x, x * x, rowvar=False, bias=True), np.cov(x, ddof=0), np.cov(x + 1j * x**2)),
        x,
        close=True,
    )
    agree(
        lambda np, x, f, a: (np.cov(x, fweights=f), np.cov(x, aweights=a), np.cov(x, fweights=f, aweights=a)),
        x,
        rng.integers(1, 4, 40),
        rng.random(40),
        close=True,
    )


calls = {
    "searchsorted": lambda x, i: ks.searchsorted(x[:100], x),
    "digitize": lambda x, i: ks.digitize(x, ks.arange(5.0)),
    "bincount": lambda x, i: ks.bincount(i),
    "histogram": lambda x, i: ks.histogram(x, 20)[0],
    "interp": lambda x, i: ks.interp(x, x[:100], x[:100]),
    "diff": lambda x, i: ks.diff(x),
    "gradient": lambda x, i: ks.gradient(x),
    "trapezoid": lambda x, i: ks.trapezoid(x),
    "convolve": lambda x, i: ks.convolve(x, x[:9]),
    "cov": lambda x, i: ks.cov(x.reshape(10, -1)),
}


@pytest.mark.parametrize("name", calls)
def test_nothing_but_a_count_or_a_verdict_passes_to_the_host(name, device):
    if device == "cpu":
        pytest.skip("a CPU's memory is the host's")
    with ks.default_device(device):
        x, i = ks.random.rand(100_000), ks.random.randint(0, 1000, 100_000)
        ks.eval(x, i)
        calls[name](x, i).eval()
        before = ks.stats()
        calls[name](x, i).eval()
        copied = ks.stats() - before
        assert copied.bytes_from_device <= 64 and copied.bytes_to_device == 0


@pytest.mark.parametrize("right", [False, True])
def test_bins_may_end_in_nan(device, right):
    """A NaN is greater than all numbers, as in what is sorted."""
    x, nan = np.array([0.5, 1, 2, 5, 9, np.nan]), np.nan
    for bins in ([1, 3, 5, nan], [1, 3, nan, nan], [nan, 8, 5, 1], [nan, nan, 2]):
        got = ks.digitize(ks.array(x, device=device), ks.array(np.array(bins), device=device), right=right)
        np.testing.assert_array_equal(got.numpy(), np.digitize(x, bins, right=right), err_msg=str(bins))
    with pytest.raises(ValueError, match="monotonically"):
        ks.digitize(ks.array(x, device=device), ks.array([1, nan, 2.0], device=device))


def test_a_covariance_of_too_few_warns(device):
    x = ks.array([[1.0, 2.0], [4.0, 3.0]], device=device)
    with pytest.warns(RuntimeWarning, match="Degrees of freedom <= 0"):
        assert not ks.isfinite(ks.cov(x, ddof=2)).any()
    for f in (ks.cov, ks.corrcoef):
        with pytest.raises(TypeError, match="not int8"):
            f([[1, 2], [3, 5]], dtype="int8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ks.cov(x)


rules = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


@pytest.mark.parametrize("rule", rules)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("n", [1, 2, 3, 50, 3000])
@pytest.mark.filterwarnings("ignore:Converting input from bool", "ignore:The number of bins estimated")
def test_rules_for_the_number_of_bins(form, rule, dtype, n):
    if rule == "stone" and (1 < n < 3000 or dtype == "float32"):
        return  # numbers of bins that are as good as each other: rounding chooses
    x = rng.gamma(2.0, 10.0, n).astype(dtype)
    agree(lambda np, x: np.histogram(x, rule), x, close=True)
    agree(lambda np, x: np.histogram_bin_edges(x, rule, range=(3, 12)), x, close=True)


def test_rules_for_the_number_of_bins_of_the_unusual(form):
    for rule in rules:
        agree(lambda np, x: np.histogram(x, rule), np.ones(7))
        agree(lambda np, x: np.histogram(x, rule), np.zeros(0))
        agree(lambda np, x: np.histogram(x, rule, range=(100, 101)), np.ones(7))
        agree(lambda np, x: np.histogram(x, rule), np.array([1.0, np.nan]))
    agree(lambda np, x: np.histogram(x, "many"), np.ones(3))
    agree(lambda np, x: np.histogram(x, "auto", weights=x), np.ones(3))


@pytest.mark.parametrize("rule", ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"])
def test_bins_by_a_rule_are_those_of_a_wider_dtype(rule, device):
    far = np.array([-128, 0, 127], np.int8)
    got = ks.histogram_bin_edges(ks.asarray(far, device=device), rule).numpy()
    np.testing.assert_array_equal(got, np.histogram_bin_edges(far.astype(np.int32), rule))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize("ends", [None, [(-3, 3), (-2, 2.5)]])
def test_edges_of_points_are_float64_between_given_ends(dtype, ends, device):
    x = np.round(np.random.default_rng(3).normal(size=(200, 2)) * 2, 1).astype(dtype)
    x[:5] = [[-1.8, 0.25]] * 5
    wanted = np.histogramdd(x, 10, ends)
    ours = ks.histogramdd(ks.asarray(x, device=device), 10, ends)
    assert isinstance(ours[1], list)
    for a, b in zip((ours[0], *ours[1]), (wanted[0], *wanted[1])):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.numpy(), b)
    first, second = x[:, 0], x[:, 1]
    for pair in ((first, second), (first, second.astype("float32")), (first[:0], second[:0])):
        ours = ks.histogram2d(*(ks.asarray(row, device=device) for row in pair), 10, ends)
        for a, b in zip(ours, np.histogram2d(*pair, 10, ends)):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a.numpy(), b)


@pytest.mark.parametrize("n_points", [2, 16, 17, 300])
@pytest.mark.parametrize("n", [2048, 2049, 40000])
def test_values_in_order_lie_between_points_as_others_do(device, n, n_points):
    draw = np.random.default_rng(2)
    points, values = np.sort(draw.random(n_points)), draw.random(n_points)
    x = np.concatenate([draw.random(n - n_points) * 1.5 - 0.2, points])
    order = np.argsort(x)
    with ks.default_device(device):
        for at in (x, x[order], x[order][::-1], np.where(x > 0.9, np.nan, x), np.sort(np.where(x > 0.9, np.nan, x))):
            np.testing.assert_allclose(
                ks.interp(ks.asarray(at), ks.asarray(points), ks.asarray(values)).numpy(),
                np.interp(at, points, values),
                rtol=1e-12,
                atol=1e-14,
            )
