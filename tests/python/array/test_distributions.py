"""Distributions of ks.random.Generator against their laws: Kolmogorov-Smirnov and chi-square against many numbers of NumPy's."""

import inspect

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core

pytestmark = pytest.mark.usefixtures("on_device")
N, OF_NUMPY = 40_000, 400_000
# Seeds are fixed: what holds, holds every time. 1.95 and 4 are what one of a thousand, of ten thousand samples would exceed.

CONTINUOUS = [
    ("random", ()), ("standard_normal", ()), ("uniform", (-1.0, 3.0)), ("normal", (2.0, 0.5)),
    ("exponential", (2.0,)), ("standard_exponential", ()),
    *(("standard_gamma", (a,)) for a in (0.05, 0.5, 1.0, 2.5, 80.0)), ("gamma", (3.0, 0.25)),
    *(("beta", ab) for ab in ((0.1, 0.2), (0.5, 0.5), (1.0, 1.0), (2.0, 5.0), (0.3, 4.0), (60.0, 40.0))),
    *(("chisquare", (df,)) for df in (0.5, 1.0, 7.0)),
    *(("noncentral_chisquare", args) for args in ((0.7, 2.0), (3.0, 5.0), (3.0, 0.0))),
    ("f", (3.0, 8.0)), ("noncentral_f", (3.0, 8.0, 2.0)), *(("standard_t", (df,)) for df in (1.0, 2.5, 30.0)),
    ("lognormal", (0.5, 0.75)), ("laplace", (1.0, 2.0)), ("logistic", (1.0, 2.0)), ("gumbel", (1.0, 2.0)),
    ("rayleigh", (2.0,)), *(("weibull", (a,)) for a in (0.5, 1.0, 5.0)), *(("pareto", (a,)) for a in (0.7, 3.0)),
    *(("power", (a,)) for a in (0.3, 4.0)), ("standard_cauchy", ()), ("triangular", (-1.0, 0.5, 2.0)),
    ("triangular", (0.0, 0.0, 1.0)), ("triangular", (0.0, 1.0, 1.0)),
    *(("wald", args) for args in ((1.0, 1.0), (3.0, 0.2), (0.1, 5.0))),
    *(("vonmises", args) for args in ((0.0, 1e-9), (0.0, 1e-6), (1.0, 0.5), (-2.5, 4.0), (3.0, 1e3), (0.5, 1e7))),
]  # fmt: skip
DISCRETE = [
    ("integers", (-3, 12)),
    *(("poisson", (lam,)) for lam in (0.0, 0.2, 3.0, 9.9, 10.0, 25.0, 1000.0)),
    *(("binomial", args) for args in ((1, 0.3), (10, 0.5), (20, 0.95), (60, 0.15), (100, 0.5), (1000, 0.7), (10**6, 2e-6), (5, 1.0),
                                      (7, 0.0))),
    *(("negative_binomial", args) for args in ((1, 0.4), (5.5, 0.3), (20, 0.6))),
    *(("geometric", (p,)) for p in (1.0, 0.9, 0.35, 0.02)),
    *(("hypergeometric", args) for args in ((5, 7, 4), (15, 3, 9), (40, 60, 30), (300, 200, 450), (10, 1000, 200), (7, 5, 12),
                                            (0, 6, 3), (6, 0, 3))),
    *(("zipf", (a,)) for a in (1.5, 2.0, 4.0)), *(("logseries", (p,)) for p in (0.0, 0.2, 0.9, 0.995)),
]  # fmt: skip


def drawn(name, args, **options):
    return getattr(ks.random.default_rng(7), name)(*args, size=N, **options)


def distance(ours, numpys):
    """Kolmogorov's and Smirnov's, in units of what its spread lets one expect."""
    ours, numpys = np.sort(ours), np.sort(numpys)
    at = np.concatenate([ours, numpys])
    below = [np.searchsorted(x, at, side="right") / x.size for x in (ours, numpys)]
    return np.abs(below[0] - below[1]).max() / np.sqrt(1 / ours.size + 1 / numpys.size)


@pytest.mark.parametrize("name, args", CONTINUOUS, ids=str)
def test_a_continuous_law(name, args):
    x = drawn(name, args)
    assert x.shape == (N,) and x.dtype == np.float64 and x.device == ks.default_device()
    x = x.numpy()
    assert np.isfinite(x).all()
    assert distance(x, getattr(np.random.default_rng(3), name)(*args, size=OF_NUMPY)) < 1.95


@pytest.mark.parametrize("name, args", DISCRETE, ids=str)
def test_a_discrete_law(name, args):
    x = drawn(name, args)
    assert x.shape == (N,) and x.dtype == np.int64 and x.device == ks.default_device()
    x, y = x.numpy(), getattr(np.random.default_rng(3), name)(*args, size=OF_NUMPY)
    # Bins of neighbours, with as many in each that chi-square is one.
    edges = np.unique(np.quantile(y, np.linspace(0, 1, 40), method="nearest"))
    ours, numpys = (np.bincount(np.searchsorted(edges, v, side="right"), minlength=edges.size + 1) for v in (x, y))
    joined = ours + numpys
    known = joined > 0
    share = N / (N + OF_NUMPY)
    chi = (np.square(ours - joined * share)[known] / (joined[known] * share * (1 - share))).sum()
    degrees = known.sum() - 1
    assert chi <= degrees + 4 * np.sqrt(2 * degrees) + 4, (chi, degrees)
    assert x.min() >= y.min() - 10 * (1 + y.std()) and (y.std() > 0 or (x == y[0]).all())


@pytest.mark.parametrize("name, args", [*CONTINUOUS, *DISCRETE], ids=str)
def test_neighbours_and_draws_know_nothing_of_each_other(name, args):
    g = ks.random.default_rng(11)
    x, y = (getattr(g, name)(*args, size=N).numpy().astype(float) for _ in range(2))
    if x.std() == 0:
        return
    ranks = [np.argsort(np.argsort(v + np.random.default_rng(k).random(N) * 1e-9)) for k, v in enumerate((x, y))]
    for a, b in ((ranks[0][1:], ranks[0][:-1]), (ranks[0], ranks[1])):
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(N)


@pytest.mark.parametrize("name, args", [*CONTINUOUS, *DISCRETE], ids=str)
def test_a_seed_repeats_and_a_part_is_the_same(name, args):
    a, b = drawn(name, args).numpy(), drawn(name, args).numpy()
    np.testing.assert_array_equal(a, b)
    few = getattr(ks.random.default_rng(7), name)(*args, size=1000).numpy()
    if name not in ("noncentral_chisquare", "noncentral_f"):
        np.testing.assert_array_equal(few, a[:1000])


@pytest.mark.parametrize("name, args", [*CONTINUOUS, *DISCRETE], ids=str)
def test_the_same_numbers_on_every_device(name, args, device):
    with ks.default_device("cpu"):
        want = drawn(name, args).numpy()
    np.testing.assert_array_equal(drawn(name, args).numpy(), want)


@pytest.mark.parametrize("name, args", [*CONTINUOUS, *DISCRETE], ids=str)
def test_the_text_for_gpus_gives_the_same_numbers(name, args):
    want = drawn(name, args).numpy()
    before = _core._gpu_form(True)
    try:
        np.testing.assert_array_equal(drawn(name, args).numpy(), want)
    finally:
        _core._gpu_form(before)


@pytest.mark.parametrize(
    "name, args",
    [(n, a) for n, a in [*CONTINUOUS, *DISCRETE] if a and n not in ("integers",)],
    ids=str,
)
def test_parameters_may_be_arrays(name, args):
    """Each column has its own; a column of the same parameters is a draw as of numbers."""
    arrays = [ks.array([[float(a)], [float(a)]]) for a in args]
    x = getattr(ks.random.default_rng(5), name)(*arrays, size=(2, 50))
    y = getattr(ks.random.default_rng(5), name)(*args, size=(2, 50))
    np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=1e-12)
    assert getattr(ks.random.default_rng(5), name)(*arrays).shape == (2, 1)
    with pytest.raises(ValueError):
        getattr(ks.random.default_rng(5), name)(*arrays, size=(3,))


BAD = [
    ("exponential", (-1.0,)), ("standard_gamma", (-0.1,)), ("gamma", (1.0, -1.0)), ("beta", (0.0, 1.0)), ("chisquare", (0.0,)),
    ("noncentral_chisquare", (1.0, -1.0)), ("f", (0.0, 1.0)), ("standard_t", (0.0,)), ("lognormal", (0.0, -1.0)),
    ("laplace", (0.0, -1.0)), ("weibull", (-1.0,)), ("pareto", (0.0,)), ("power", (0.0,)), ("triangular", (1.0, 0.0, 2.0)),
    ("triangular", (1.0, 1.0, 1.0)), ("wald", (0.0, 1.0)), ("vonmises", (0.0, -1.0)), ("poisson", (-1.0,)), ("binomial", (-1, 0.5)),
    ("binomial", (3, 1.5)), ("negative_binomial", (0, 0.5)), ("geometric", (0.0,)), ("hypergeometric", (2, 3, 6)), ("zipf", (1.0,)),
    ("logseries", (1.0,)), ("poisson", (float("nan"),)), ("binomial", (5, float("nan"))),
    ("poisson", (1e19,)), ("binomial", (1e19, 0.5)), ("negative_binomial", (1e19, 0.5)), ("negative_binomial", (3.0, 1e-19)),
]  # fmt: skip


@pytest.mark.parametrize("name, args", BAD, ids=str)
def test_parameters_without_a_law_are_refused(name, args):
    for given in (args, [ks.array([float(a)] * 2) for a in args]):
        with pytest.raises(ValueError, match="has to be"):
            getattr(ks.random.default_rng(1), name)(*given)


NAN_IS_DRAWN = [
    ("normal", (0.0, 1.0)), ("lognormal", (0.0, 1.0)), ("exponential", (1.0,)), ("standard_gamma", (2.0,)), ("gamma", (2.0, 1.0)),
    ("beta", (2.0, 3.0)), ("chisquare", (2.0,)), ("noncentral_chisquare", (2.0, 1.0)), ("f", (2.0, 5.0)),
    ("noncentral_f", (2.0, 5.0, 1.0)), ("standard_t", (5.0,)), ("laplace", (0.0, 1.0)), ("logistic", (0.0, 1.0)), ("gumbel", (0.0, 1.0)),
    ("rayleigh", (1.0,)), ("weibull", (2.0,)), ("pareto", (3.0,)), ("power", (3.0,)), ("triangular", (0.0, 1.0, 4.0)),
    ("wald", (1.0, 2.0)), ("vonmises", (0.0, 2.0)), ("poisson", (4.0,)), ("negative_binomial", (3.0, 0.5)), ("geometric", (0.5,)),
    ("zipf", (2.0,)), ("logseries", (0.6,)), ("uniform", (0.0, 1.0)),
]  # fmt: skip


def _nan_or_error(draw):
    try:
        return np.isnan(np.asarray(draw())).tolist()
    except (ValueError, OverflowError) as error:
        return type(error)


@pytest.mark.parametrize("name, args", NAN_IS_DRAWN, ids=str)
def test_nan_and_zeros_as_parameters_give_nan_or_are_refused_as_numpys_are(name, args, device):
    ours, numpys = ks.random.default_rng(1), np.random.default_rng(1)
    for k, x in enumerate(args):
        for odd in float("nan"), -0.0, 0.0:
            for row in odd, [odd, x]:
                given = [*args[:k], row, *args[k + 1 :]]
                on_device = [ks.array(a, device=device) if isinstance(a, list) else a for a in given]
                expected = _nan_or_error(lambda given=given: getattr(numpys, name)(*given))
                found = _nan_or_error(lambda given=on_device: getattr(ours, name)(*given, device=device).numpy())
                assert found == expected, given


def test_an_error_of_a_parameter_names_the_number_that_is_wrong():
    for scale in -0.0, [1.0, -0.0]:
        with pytest.raises(ValueError, match="scale has to be >= 0, not -0.0"):
            ks.random.default_rng(1).normal(0, scale)


def test_zeros_among_the_shapes_of_weibull_numbers_give_zeros(device):
    shapes = ks.array([0.0, 2.0] * 20, device=device)
    x = ks.random.default_rng(1).weibull(shapes).numpy()
    assert (x[::2] == 0).all() and (x[1::2] > 0).all()


def test_chi_square_numbers_of_an_endless_noncentrality_are_infinite():
    assert ks.random.default_rng(1).noncentral_chisquare(2.0, float("inf"), 3).tolist() == [float("inf")] * 3


def test_no_bytes_and_no_numbers_are_what_less_than_none_gives():
    rng = ks.random.default_rng(1)
    assert rng.bytes(-1) == rng.bytes(0) == b"" and len(rng.bytes(2.5)) == len(rng.bytes(np.int64(2))) == 2
    for length in None, (3,), "3":
        with pytest.raises(TypeError):
            rng.bytes(length)
    for source in rng, np.random.default_rng(1), ks.random:
        none = source.permutation(-1)
        assert none.shape == (0,) and none.dtype == np.int64


def test_bounds_in_the_wrong_order_are_refused_by_generators_as_numpys_are():
    for low, high in ((5, 1), ([0, 2], [1, 1]), (ks.array([0.0, 2.0]), 1)):
        with pytest.raises(ValueError, match="high - low has to be >= 0"):
            ks.random.default_rng(1).uniform(low, high)
        x = ks.random.uniform(low, high, (50, 2)).numpy()  # numpy.random's own takes them
        assert ((np.minimum(low, high) <= x) & (x <= np.maximum(low, high))).all()
    with pytest.raises(OverflowError):
        ks.random.default_rng(1).uniform(float("nan"), 1)


@pytest.mark.parametrize("dtype, low, high", [("int8", 0, 300), ("uint8", -1, 5), ("bool", 0, 3), ("int8", -129, 0)])
def test_integers_that_their_dtype_does_not_hold_are_refused(dtype, low, high):
    for draw in ks.random.randint, ks.random.integers, ks.random.default_rng(1).integers:
        with pytest.raises(ValueError) as told:
            draw(low, high, 4, dtype)
        with pytest.raises(ValueError) as numpys:
            np.random.randint(low, high, 4, dtype)
        assert str(told.value) == str(numpys.value)


def test_numbers_past_an_int64_are_its_greatest():
    assert (ks.random.default_rng(1).geometric(1e-30, 5).numpy() > 2**62).all()


def test_vectors_of_a_law():
    g = ks.random.default_rng(2)
    x = g.dirichlet([0.5, 2.0, 7.5], 20_000).numpy()
    np.testing.assert_allclose(x.sum(-1), 1)
    np.testing.assert_allclose(x.mean(0), [0.05, 0.2, 0.75], atol=0.005)
    np.testing.assert_allclose(x.var(0), np.array([0.05 * 0.95, 0.2 * 0.8, 0.75 * 0.25]) / 11, rtol=0.1)
    p = [0.1, 0.2, 0.0, 0.7]
    x = g.multinomial(50, p, 20_000).numpy()
    assert (x.sum(-1) == 50).all() and x.dtype == np.int64 and (x[:, 2] == 0).all()
    np.testing.assert_allclose(x.mean(0), 50 * np.array(p), atol=0.1)
    np.testing.assert_allclose(np.cov(x.T), 50 * (np.diag(p) - np.outer(p, p)), atol=0.5)
    x = g.multivariate_hypergeometric([5, 20, 10], 12, 20_000).numpy()
    assert (x.sum(-1) == 12).all()
    np.testing.assert_allclose(x.mean(0), 12 * np.array([5, 20, 10]) / 35, atol=0.05)
    cov = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])
    for method in ("svd", "eigh", "cholesky"):
        x = g.multivariate_normal([1.0, -2.0, 0.0], cov, 40_000, method=method).numpy()
        np.testing.assert_allclose(x.mean(0), [1, -2, 0], atol=0.04)
        np.testing.assert_allclose(np.cov(x.T), cov, atol=0.06)
    with pytest.raises(ValueError):
        g.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid="raise")
    with pytest.raises(ValueError):
        g.multinomial(3, [0.9, 0.9, 0.1])


def test_orders():
    g = ks.random.default_rng(3)
    x = ks.arange(24).reshape(4, 6)
    for axis in (0, 1):
        shuffled = ks.array(x)
        g.shuffle(shuffled, axis=axis)
        for y in (g.permutation(x, axis=axis), shuffled):
            assert sorted(map(tuple, np.moveaxis(y.numpy(), axis, 0).tolist())) == sorted(
                map(tuple, np.moveaxis(x.numpy(), axis, 0).tolist())
            )
    for axis in (0, 1):
        y = g.permuted(x, axis=axis).numpy()
        np.testing.assert_array_equal(np.sort(y, axis), x.numpy())
    assert sorted(g.permuted(x).numpy().ravel()) == list(range(24)) and g.permuted(x).shape == x.shape
    out = ks.zeros((4, 6), dtype="int64")
    assert g.permuted(x, axis=1, out=out) is out and out.numpy().sum() == 276
    row, host = list(range(20)), np.arange(20)
    g.shuffle(row), g.shuffle(host)
    assert sorted(row) == sorted(host.tolist()) == list(range(20)) and row != list(range(20))
    firsts = [int(g.permutation(5)[0]) for _ in range(2000)]
    assert (np.abs(np.bincount(firsts) - 400) < 5 * np.sqrt(400)).all()


def test_choices():
    g = ks.random.default_rng(4)
    p = [0.5, 0.0, 0.3, 0.2]
    at = g.choice(4, 40_000, p=p)
    counts = np.bincount(at.numpy(), minlength=4)
    assert (np.abs(counts - 40_000 * np.array(p)) <= 5 * np.sqrt(40_000 * np.array(p))).all()
    pool = ks.array([1.5, 2.5, 3.5, 4.5])
    assert set(g.choice(pool, 100, p=p).tolist()) == {1.5, 3.5, 4.5}
    firsts = [int(g.choice(4, 3, replace=False, p=p)[0]) for _ in range(2000)]
    assert (np.abs(np.bincount(firsts, minlength=4) - 2000 * np.array(p)) <= 5 * np.sqrt(2000 * np.array(p))).all()
    assert sorted(g.choice(4, 3, replace=False, p=p).tolist()) == [0, 2, 3]
    assert g.choice(ks.arange(12).reshape(3, 4), 2, axis=1).shape == (3, 2)
    assert g.choice(5).shape == () and g.choice(5, (2, 3)).shape == (2, 3)
    for wrong in (
        {"p": [0.5, 0.5]},
        {"p": [0.9, 0.2, 0.1, 0.1]},
        {"p": [1.5, -0.5, 0, 0]},
        {"p": p, "size": 4, "replace": False},
    ):
        with pytest.raises(ValueError):
            g.choice(4, **wrong)


def test_numbers_lie_where_their_parameters_do(device):
    where = ks.ones(3, device=device).device
    with ks.default_device("null" if device == "cpu" else "cpu"):
        g = ks.random.default_rng(1)
        for x in (
            g.gamma(ks.ones(3, device=device)),
            g.poisson(lam=ks.ones(3, device=device)),
            g.normal(ks.ones(3, device=device)),
            g.laplace(0.0, ks.ones(3, device=device)),
            g.permutation(ks.ones(3, device=device)),
            g.rayleigh(device=device),
        ):
            assert x.device == where
        assert g.gamma(2.0, size=3).device == ks.default_device()


def test_integers_between_arrays():
    g = ks.random.default_rng(8)
    x = g.integers(ks.array([0, -10]), ks.array([3, -5]), size=(30_000, 2)).numpy()
    assert x.min(0).tolist() == [0, -10] and x.max(0).tolist() == [2, -6]
    assert (np.abs(np.bincount(x[:, 0]) - 10_000) < 500).all()
    assert g.integers([1, 2], [1, 2], endpoint=True).tolist() == [1, 2]
    assert g.integers([1, 2], 9, dtype="int8").dtype == np.int8
    with pytest.raises(ValueError):
        g.integers([1, 5], [2, 5])


def test_bytes_and_children():
    g = ks.random.default_rng(5)
    assert type(g.bytes(10)) is bytes and len(g.bytes(10)) == 10 and g.bytes(8) != g.bytes(8)
    children = g.spawn(3)
    values = [child.random(3).tolist() for child in children]
    assert len({tuple(v) for v in values}) == 3
    assert [c.random(3).tolist() for c in ks.random.default_rng(5).spawn(2)] != values


def test_the_modules_functions_are_those_of_the_process():
    ks.random.seed(9)
    a = ks.random.gamma(2.0, size=5).numpy()
    ks.random.seed(9)
    np.testing.assert_array_equal(ks.random.gamma(2.0, size=5).numpy(), a)
    for name in ks.random.__all__:
        assert callable(getattr(ks.random, name)) and getattr(ks.random, name).__doc__


def test_a_generator_takes_what_numpys_takes():
    for name in dir(np.random.Generator):
        if name.startswith("_") or name == "bit_generator":
            continue
        ours = inspect.signature(getattr(ks.random.Generator, name)).parameters
        theirs = inspect.signature(getattr(np.random.Generator, name)).parameters
        assert [p for p in theirs if p not in ours] == [], name
        assert list(theirs)[:3] == list(ours)[: min(3, len(theirs))], name


@pytest.mark.parametrize(
    "name, args", [("gamma", (2.0,)), ("poisson", (30.0,)), ("laplace", ()), ("binomial", (9, 0.3))]
)
def test_sizes_and_dtypes(name, args):
    g = ks.random.default_rng(6)
    for size, shape in [(None, ()), (3, (3,)), ((2, 0), (2, 0)), ((2, 3), (2, 3)), ([4], (4,))]:
        assert getattr(g, name)(*args, size=size).shape == shape
    assert g.standard_gamma(2.0, 5, dtype="float32").dtype == np.float32
    out = ks.zeros(5)
    assert g.standard_gamma(2.0, out=out) is out and float(out.sum()) > 0


@pytest.mark.parametrize("a", [1024.0, 1025.0, 1e5, 1e300])
def test_steep_powers_of_zipf_end(a, device):
    np.testing.assert_array_equal(ks.random.default_rng(1).zipf(a, 5, device=device).numpy(), np.ones(5))


def test_bounds_of_integers_are_cut_at_the_point_and_finite():
    rng = ks.random.default_rng(1)
    drawn = rng.integers([0.9, 2.5], ks.array([3.7, 4.1]), (500, 2))
    assert drawn.dtype == np.int64 and [sorted(set(x.tolist())) for x in drawn.numpy().T] == [[0, 1, 2], [2, 3]]
    for bounds in ((float("inf"), 1), (0, float("nan")), ([0.0, float("nan")], 3), (0, [float("inf"), 1.0])):
        for generator in (rng, np.random.default_rng(1)):
            with pytest.raises((ValueError, OverflowError)):
                generator.integers(*bounds)


@pytest.mark.parametrize(
    "bounds", [(True, float("nan")), (0.0, float("inf")), (float("-inf"), 0.0), (-1e308, 1e308), (0, [float("nan")])]
)
def test_the_range_of_uniform_numbers_is_finite(bounds):
    for generator in (ks.random.default_rng(1), np.random.default_rng(1)):
        with pytest.raises(OverflowError):
            generator.uniform(*bounds, size=3)


def test_wald_numbers_of_an_endless_scale_are_their_mean(device):
    with ks.default_device(device):
        assert ks.random.default_rng(1).wald(10.0, float("inf"), 3).tolist() == [10.0] * 3
        assert np.isnan(ks.random.default_rng(1).wald(float("inf"), 1.0, 3).numpy()).all()
