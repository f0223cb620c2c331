"""Random numbers: known answers, moments, the same however they are asked for."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kasoku as ks

everywhere = pytest.mark.usefixtures("on_device")  # the references are the same: so are the numbers


def philox(counter, key):
    """Philox4x32-10 by its definition."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_the_reference_gives_the_published_answers():
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    assert philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]) == [
        0xD16CFE09,
        0x94FDCCEB,
        0x5001E420,
        0x24126EA1,
    ]


@everywhere
@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 - 1])
def test_numbers_are_the_generators_words(seed):
    g = ks.random.default_rng(seed)
    x = g.random(40, dtype="float32").numpy()
    y = g.random(40).numpy()
    for i in range(40):
        w = philox([i // 4, 0, 0, 0], [seed, 0])
        assert x[i] == np.float32(w[i % 4]) * np.float32((1 - 2.0**-24) * 2.0**-32)
        w = philox([i // 2, 0, 1, 0], [seed, 0])
        k = 2 * (i % 2)
        assert y[i] == ((w[k] >> 11) * 2**32 + w[k + 1]) * 2.0**-53


def test_a_seed_repeats_and_draws_differ():
    ks.random.seed(3)
    a, b = ks.random.rand(100).numpy(), ks.random.rand(100).numpy()
    ks.random.seed(3)
    np.testing.assert_array_equal(ks.random.rand(100).numpy(), a)
    assert not np.array_equal(a, b)
    assert not np.array_equal(ks.random.default_rng().random(9).numpy(), ks.random.default_rng().random(9).numpy())


def test_seeds_of_many_words_and_rows_of_them_differ_in_each():
    seeds = [
        1,
        2**64,
        2**64 + 1,
        2**65,
        2**128 - 1,
        2**127 - 1,
        2**128 + 2**64,
        [1],
        [1, 2],
        [2, 1],
        [1, 2, 0],
        [2**64, 2],
        (5,),
    ]
    first = [ks.random.default_rng(seed).random().item() for seed in seeds]
    assert first == [ks.random.default_rng(seed).random().item() for seed in seeds]
    assert len(set(first)) == len(seeds)
    assert ks.random.default_rng(np.array([1, 2])).random().item() == ks.random.default_rng([1, 2]).random().item()
    within = []
    within.append(within)
    with pytest.raises(RecursionError):
        ks.random.default_rng(within)
    for bad in ([-1], [1.5], -(2**70), "1", ["1"], 1j):
        with pytest.raises((ValueError, TypeError)):
            ks.random.default_rng(bad)


@pytest.mark.parametrize("of", [list, np.asarray, ks.array])
def test_what_is_drawn_from_an_array_is_among_its_elements(of):
    numbers, rows = [30, 10, 20], [[1, 2, 3], [4, 5, 6]]
    for g in (ks.random, ks.random.default_rng(1)):
        assert sorted(g.permutation(of(numbers)).tolist()) == [10, 20, 30]
        assert sorted(g.permutation(of(rows)).tolist()) == rows
        assert set(g.choice(of(numbers), 50).tolist()) == set(numbers)
        assert set(g.choice(of(numbers), 20, p=[0, 0.5, 0.5]).tolist()) <= {10, 20}
        assert sorted(g.choice(of(numbers), 3, replace=False).tolist()) == [10, 20, 30]
        assert g.choice(of([0.5, 0.5]), size=np.array([2, 3])).tolist() == [[0.5] * 3] * 2
        assert g.normal(size=np.array([2, 3])).shape == (2, 3)
    assert sorted(ks.random.default_rng(1).choice(of(rows), 3, axis=1, replace=False).T.tolist()) == [
        [1, 4],
        [2, 5],
        [3, 6],
    ]
    assert sorted(ks.random.default_rng(1).permutation(np.array(3)).tolist()) == [0, 1, 2]


@everywhere
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_stored_sliced_reshaped_and_fused(dtype):
    x = ks.random.default_rng(5).random((30, 40), dtype=dtype)
    fused = (ks.random.default_rng(5).random((30, 40), dtype=dtype)[3:, 1::3] * 2).numpy()
    turned = (ks.random.default_rng(5).random((30, 40), dtype=dtype).T + 0).numpy()
    total = float(ks.random.default_rng(5).random((30, 40), dtype=dtype).astype("float64").sum())
    stored = x.numpy()
    np.testing.assert_array_equal(fused, stored[3:, 1::3] * 2)
    np.testing.assert_array_equal(turned, stored.T)
    assert total == pytest.approx(stored.astype("f8").sum(), rel=1e-12)


@everywhere
@pytest.mark.parametrize("n", [1, 2, 3, 5, 1023, 8193, 40001])
def test_odd_sizes(n):
    for draw in ("random", "standard_normal"):
        for dtype in ("float32", "float64"):
            long = getattr(ks.random.default_rng(1), draw)(50000, dtype=dtype).numpy()
            np.testing.assert_array_equal(getattr(ks.random.default_rng(1), draw)(n, dtype=dtype).numpy(), long[:n])


@everywhere
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments(dtype):
    n = 2_000_000
    g = ks.random.default_rng(9)
    u = g.random(n, dtype=dtype)
    assert abs(float(u.mean()) - 0.5) < 6 / math.sqrt(12 * n)
    assert 0 <= float(u.min()) and float(u.max()) < 1
    z = g.standard_normal(n, dtype=dtype)
    assert abs(float(z.mean())) < 6 / math.sqrt(n)
    assert abs(float(z.var()) - 1) < 6 * math.sqrt(2 / n)
    assert abs(float((z**4).mean()) - 3) < 6 * math.sqrt(96 / n)
    assert abs(float((z[1:] * z[:-1]).mean())) < 6 / math.sqrt(n)
    e = g.exponential(2.0, n)
    assert abs(float(e.mean()) - 2) < 6 * 2 / math.sqrt(n)


@everywhere
def test_integers():
    g = ks.random.default_rng(2)
    x = g.integers(-3, 4, 100_000).numpy()
    assert x.min() == -3 and x.max() == 3 and x.dtype == np.int64
    counts = np.bincount(x + 3)
    assert (np.abs(counts - 100_000 / 7) < 6 * math.sqrt(100_000 / 7)).all()
    assert g.integers(5, size=(2, 3), dtype="int32").shape == (2, 3)
    y = g.integers(-(2**63), 2**63 - 1, 1000, endpoint=True).numpy()
    assert y.min() < -(2**62) and y.max() > 2**62
    with pytest.raises(ValueError):
        g.integers(3, 3)


@pytest.mark.parametrize("bounds", [(0, 256), (0, 257), (-1, 5), (0, 2), (-(2**31), 2**31), ([0, 1], [5, 300])])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32"])
@pytest.mark.parametrize("endpoint", [True, False])
def test_integers_are_those_that_the_dtype_holds(bounds, dtype, endpoint):
    def drawn(library):
        try:
            return library.random.default_rng(1).integers(*bounds, size=2, dtype=dtype, endpoint=endpoint).dtype
        except ValueError as error:
            return str(error).split(" for ")[0]

    assert drawn(ks) == drawn(np)


def test_parameters_are_real():
    with pytest.raises(TypeError, match="real numbers"):
        ks.random.default_rng(1).normal(1j)


def test_permutation_and_choice():
    g = ks.random.default_rng(4)
    assert sorted(g.permutation(100).tolist()) == list(range(100))
    assert len(set(g.choice(50, 20, replace=False).tolist())) == 20
    assert set(g.choice(ks.array([1.5, 2.5]), 50).tolist()) == {1.5, 2.5}


def test_threads_never_draw_the_same():
    with ThreadPoolExecutor(8) as pool:
        firsts = list(pool.map(lambda _: float(ks.random.rand(2)[0]), range(64)))
    assert len(set(firsts)) == 64


def test_pi_needs_no_memory():
    n = 50_000_000
    x, y = ks.random.rand(n), ks.random.rand(n)
    pi = 4 * int(ks.count_nonzero(x * x + y * y < 1.0)) / n
    assert abs(pi - math.pi) < 6 * math.sqrt(math.pi * (4 - math.pi) / n)
    assert x.is_pending and y.is_pending


@everywhere
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1024, 4096, 100_003])
def test_fused_sums_have_the_bits_of_stored_ones(dtype, n):
    """No product is contracted into a sum: whether it is fused changes no bit."""
    fused = float(ks.random.default_rng(1).standard_normal(n, dtype=dtype).sum())
    assert float(ks.random.default_rng(1).standard_normal(n, dtype=dtype).eval().sum()) == fused


def test_the_same_numbers_on_every_device(device):
    def drawn():
        g = ks.random.default_rng(11)
        draws = [g.random(1001, dtype=t) for t in ("float32", "float64")]
        draws += [g.standard_normal(1001, dtype=t) for t in ("float32", "float64")]
        draws += [g.integers(-5, 10**12, 1001), g.integers(0, 7, (3, 5)), g.permutation(50), g.choice(9, 30)]
        return [x.numpy() for x in draws]

    with ks.default_device("cpu"):
        want = drawn()
    with ks.default_device(device):
        for a, b in zip(drawn(), want, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("low, high", [(0, [1, np.inf]), ([np.nan, 0], 1), ([0, -1e308], [1, 1e308])])
def test_uniform_numbers_lie_in_a_finite_range(low, high, device):
    for draw in (ks.random.uniform, ks.random.default_rng(0).uniform):
        with ks.default_device(device), pytest.raises(OverflowError):
            draw(low, high)


@pytest.mark.parametrize("alpha", [[0.0, 1.0, 0.0], [1e-3, 2e-3, 3e-3], [0.01, 0.09], [1e-200, 0.0]])
def test_shares_by_small_parameters(alpha, device):
    n, a = 4000, np.array(alpha)
    x = ks.random.default_rng(5).dirichlet(ks.asarray(alpha, device=device), n).numpy()
    np.testing.assert_allclose(x.sum(axis=1), 1, rtol=1e-12)
    assert (x[:, a == 0] == 0).all()
    p = a / a.sum()
    spread = np.sqrt(p * (1 - p) / (a.sum() + 1) / n)
    assert (np.abs(x.mean(axis=0) - p) <= 5 * spread).all()
