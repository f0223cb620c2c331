"""NumPy's functions in compiled code give what NumPy gives: each expression, compiled and plain."""

import linecache
import math

import kasoku as ks
import numpy as np
import pytest

V = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
W = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
N = np.array([1.0, np.nan, 3.0, 2.0])
A = np.arange(12.0).reshape(3, 4)
T = np.arange(24.0).reshape(2, 3, 4)
M = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
R = np.array([[1.0, 2.0, 0.5], [4.0, -1.0, 2.0], [0.0, 3.0, 1.0]])
I = np.array([3, 1, 2, 2, 5])  # noqa: E741
E = np.zeros(0)
ONE = np.array([2.5])
F = V.astype(np.float32)


def compiled(text, *names):
    source = f"def f({', '.join(names)}):\n    return {text}\n"
    file = f"<expression {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np, "math": math}
    exec(compile(source, file, "exec"), space)
    return ks.njit(space["f"]), space["f"]


def agree(text, *args):
    fast, plain = compiled(text, *"abcd"[: len(args)])
    copies = lambda: [x.copy() if isinstance(x, np.ndarray) else x for x in args]  # noqa: E731
    mine, theirs = copies(), copies()
    want, got = plain(*theirs), fast(*mine)
    same(got, want)
    for x, y in zip(mine, theirs, strict=True):
        same(x, y)


def same(got, want):
    if isinstance(want, tuple) or (isinstance(want, list) and isinstance(got, (tuple, list))):
        assert len(got) == len(want)
        for x, y in zip(got, want, strict=True):
            same(x, y)
        return
    if isinstance(want, np.ndarray):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    """np.concatenate((a, b))|np.concatenate([a, b])|np.hstack((a, b))|np.vstack((a, b))|np.stack((a, b))
    np.stack((a, b), axis=1)|np.column_stack((a, b))|np.dstack((a, b))|np.append(a, b)|np.append(a, 3.0)
    np.cov(a, b)|np.corrcoef(a, b)|np.trapezoid(a, b)|np.isin(a, b[:2])|np.setdiff1d(a, b[:2])|np.union1d(a, b)
    np.intersect1d(a, b[:3])|np.setxor1d(a, b[:3])|np.digitize(a, b)|np.digitize(a, b, True)|np.digitize(a, b[::-1])
    np.searchsorted(b, a)|np.searchsorted(b, 2.5)|np.searchsorted(b, 3.0, side='right')|np.interp(a, b, a)
    np.interp(2.5, b, a)|np.histogram(a, 5)|np.histogram(a, 4, (1.0, 3.5))|np.histogram(a, b)[0]
    np.percentile(a, 30)|np.percentile(a, b)|np.quantile(a, 0.75)|np.median(a)|np.partition(a, 2)[2]
    np.average(a, weights=b)|np.convolve(a, b[:3], 'same')|np.convolve(a[:2], b, mode='valid')|np.correlate(a, b)
    np.correlate(a, b[:3], 'same')|np.correlate(a[:3], b, 'same')|np.correlate(a, b[:2], 'full')|np.inner(a, b)
    np.isclose(a, b)|np.isclose(a, 3.0)|np.allclose(a, b)|np.allclose(a, b, atol=10.0)|np.meshgrid(a, b[:3])
    np.meshgrid(a, b[:2], indexing='ij')|np.diff(a)|np.diff(a, 2)|np.ediff1d(a)|np.flip(a)|np.expand_dims(a, 0)
    np.expand_dims(a, -1)|np.atleast_2d(a)|np.broadcast_to(a, (3, 5))|np.array_split(a, 2)|np.vander(a, 3)|np.diag(a)
    np.diag(a, 1)|np.diag(a, -2)|np.tri(3, 4, 1) + a[0]|np.sinc(a)|np.unwrap(a * 3)|np.angle(a + 1j * b)|np.fix(a / 2)
    np.round(a)|np.round(a * 1.234, 2)|np.extract(a > 2, b)|np.resize(a, (2, 3))|np.repeat(a, 2)|np.where(a > 2)
    np.argwhere(a > 2)|np.nonzero(a > 2)|(a > 2).nonzero()|np.delete(a, 2)|np.delete(a, np.array([0, -1]))
    np.take(a, np.array([1, 2]))|np.outer(a, b)|np.cross(a[:3], b[:3])|np.logspace(0, 2, 5) + a|np.hamming(5) + a
    np.hanning(5) + a|np.blackman(5) + a|np.kaiser(5, 2.0) + a|np.bartlett(5) + a|np.eye(5) @ a|np.add.reduce(a)
    np.geomspace(1, 100, 5) + a|np.ptp(a)|a.sum(dtype=np.float32)|np.linalg.norm(a, 1)|np.linalg.norm(a, np.inf)
    np.triu_indices(3)[0] + a[0]|np.tril_indices(4, -1)[1] + a[0]|np.bincount(np.array([1, 1, 3]), a[:3])
    np.array_split(a, [1, 3])|np.array_split(a, (2,))|np.split(a, np.array([1, 4]))|np.hsplit(a, 5)|np.split(a, 5)
    np.atleast_3d(a)|np.asfortranarray(a)|np.asarray_chkfinite(a)|np.average(a, 0)|np.average(a, axis=0, weights=b)
    np.searchsorted(b, [1.5, 9])|np.searchsorted(b, (1.5, 2), 'right')|np.isposinf(a / (b - 1))|np.isneginf(-a / (b - 1))
    np.isposinf(a[0])|np.isreal(a)|np.isreal(a * 1j)|np.iscomplex(a + 1j * (b - 2))|np.iscomplex(a[0])|np.iscomplexobj(a)
    np.iscomplexobj(a * 1j)|np.isrealobj(a[0])|np.isscalar(a[0])|np.isscalar(a)|np.size(a, 0)|np.size(a, -1)
    np.sort(np.roots(np.array([1.0, -3.0, 2.0, 0.0])))|np.roots(np.array([0.0, 2.0, 1.0]))|np.roots(a[:1])|np.roots(a[:3] * 1j)
    np.polynomial.polynomial.polyval(2.0, a)|np.polynomial.polynomial.polyval(b, a)|np.polynomial.polynomial.polyadd(a, b[:2])
    np.polynomial.polynomial.polysub(a, a)|np.polynomial.polynomial.polymul(a, b)|np.ravel_multi_index((1, 2), (2, 3))
    np.indices((3,)) + a[0]|np.swapaxes(a, 0, 0)
    np.full_like(a, 2)|np.finfo(np.float32).eps + a|np.iinfo(np.int16).max + a|np.clip(a, None, 3)""".replace(
        "\n", "|"
    ).split("|"),
)
def test_functions_of_vectors(text):
    agree(text.strip(), V, W)


@pytest.mark.parametrize(
    "text",
    """np.concatenate((a, a), axis=0)|np.concatenate((a, a), 1)|np.vstack((a, a))|np.hstack((a, a))|np.stack((a, a), 2)
    np.flip(a)|np.flip(a, 1)|np.fliplr(a)|np.flipud(a)|np.rot90(a)|np.rot90(a, 3)|np.tril(a)|np.triu(a, 1)|np.kron(a, a)
    np.cov(a)|np.argmin(a, axis=0)|np.argmax(a, axis=1)|a.argmax(axis=-1)|np.std(a, axis=0)|np.var(a, 1)|np.median(a)
    np.cumsum(a, axis=0)|np.cumsum(a, 1)|a.cumsum()|np.sort(-a)|np.transpose(a, (1, 0))|a.transpose(1, 0)|a.transpose(0, 1)
    np.swapaxes(a, 0, 1)|np.reshape(a, (2, 6))|np.ravel(a)|np.argwhere(a > 2)|np.nonzero(a > 5)|np.ndim(a)|np.size(a)
    np.concatenate((a[:, 1:], a), axis=1)|np.diag(a)|np.diag(a, 1)|np.trace(a)|np.median(a, axis=0)|np.linalg.norm(a)
    np.array_split(a, 3, 1)|np.array_split(a, [1], axis=1)|np.split(a, 2, axis=-1)|np.hsplit(a, 2)|np.vsplit(a, 3)|np.hsplit(a, [1, 2])
    np.atleast_3d(a)|np.asfortranarray(a)|np.average(a, axis=0)|np.average(a, axis=1, weights=a + 1)|np.average(a, weights=a)
    np.average(a, axis=1, weights=a[0] + 1)|np.average(a, axis=0, weights=a[:, 1])|np.size(a, 1)|a.swapaxes(1, 0)|a.swapaxes(-1, 1)
    np.indices((2, 3)) + a[0, 0]|np.indices((2, 3, 2)) + a[0, 0]|np.moveaxis(a, 0, 1)
    np.column_stack((a, a))|np.atleast_2d(a)|np.append(a, a)|np.delete(a, 3)|np.linalg.norm(a, 1)|np.linalg.norm(a, 2)
    np.linalg.norm(a, np.inf)|np.linalg.matrix_rank(a)|np.linalg.pinv(a)|np.cross(a[:, :3], a[::-1, 1:])""".replace("\n", "|").split("|"),
)  # fmt: skip
def test_functions_of_matrices(text):
    agree(text.strip(), A)


@pytest.mark.parametrize(
    "text",
    """np.transpose(a, (1, 2, 0))|np.transpose(a, (2, 0, 1))|a.transpose(0, 2, 1)|a.transpose((-1, 0, 1))|a.transpose(2, 0, 1).copy()
    a.transpose(2, 0, 1).sum(axis=0)|a.swapaxes(0, 2)|np.swapaxes(a, 1, -1)|np.moveaxis(a, 0, -1)|np.moveaxis(a, 2, 0)|np.rollaxis(a, 2)
    np.rollaxis(a, 0, 3)|np.rollaxis(a, 1, 0)|np.expand_dims(a, 0)|np.expand_dims(a, 1)|np.expand_dims(a, -1)|np.dsplit(a, 2)
    np.dsplit(a, [1, 3])|np.hsplit(a, 3)|np.vsplit(a, 2)|np.array_split(a, 3, axis=2)|np.atleast_3d(a)|np.asfortranarray(a)
    np.expand_dims(a, 1).transpose(3, 1, 0, 2)|np.transpose(a[None], (3, 1, 0, 2))""".replace("\n", "|").split("|"),
)
def test_functions_of_arrays_of_three_axes(text):
    agree(text.strip(), T)


@pytest.mark.parametrize(
    ("text", "x"),
    [("a.transpose((0, 0, 1))", T), ("a.transpose((0, 1, 3))", T), ("np.split(a, 3)", V), ("np.array_split(a, -1)", V), ("np.split(a, 0)", V),
     ("a.swapaxes(0, 2)", A), ("np.asarray_chkfinite(a)", N), ("np.average(a, axis=1, weights=a[:, 0])", A)],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_numpys_errors(text, x):
    fast, plain = compiled(text, "a")
    with pytest.raises((ValueError, ZeroDivisionError)) as wanted:
        plain(x)
    with pytest.raises(ZeroDivisionError if wanted.type is ZeroDivisionError else ValueError):
        fast(x)


@pytest.mark.parametrize(
    ("name", "x"),
    [(name, A) for name in ("sum", "prod", "mean", "min", "max", "any", "all")] + [(n, x) for n in ("sum", "any") for x in (V, T)],
)  # fmt: skip
def test_reductions_along_an_axis_that_is_known_at_run_time(name, x):
    for axis in range(-x.ndim, x.ndim):
        agree(f"np.{name}(a, axis=b)", x, axis)
        agree(f"a.{name}(b)", x, axis)
    with pytest.raises(ValueError, match="out of bounds"):
        compiled(f"np.{name}(a, b)", "a", "b")[0](x, x.ndim)


def test_edges_of_vectors():
    for x in (E, ONE, V[::2], F):
        for text in ("np.concatenate((a, a))", "np.diff(a)", "np.flip(a)", "np.where(a > 2)", "np.sort(a)", "np.unique(a)",
                     "np.cumsum(a)", "np.isin(a, a)", "np.append(a, a)", "np.hstack((a, a))", "np.bincount(a.astype(np.int64))",
                     "np.repeat(a, 3)", "np.roll(a, 2)", "np.tril(np.eye(a.size))"):  # fmt: skip
            agree(text, x)
    agree("np.percentile(a, 50)", N)
    for name in (
        "nansum",
        "nanmean",
        "nanmax",
        "nanmin",
        "nanstd",
        "nanvar",
        "nanmedian",
        "nanprod",
        "nancumsum",
        "nancumprod",
    ):
        agree(f"np.{name}(a)", N)
    agree("np.nan_to_num(a)", np.array([1.0, np.nan, np.inf, -np.inf]))
    agree("np.nan_to_num(a, copy=False)", np.array([1.0, np.nan, np.inf, -np.inf]))
    agree("np.nan_to_num(a, copy=False)", np.array([[1.0, np.nan], [np.inf, -np.inf]]).T)
    agree("np.extract(a, b)", np.array([[0, 1], [1, 0]]), np.arange(4.0).reshape(2, 2))
    agree("np.extract(a, b)", np.array([True, False, True, False]), np.arange(3.0))
    agree("np.tri(a, b, c)", -4, 3, 1)
    agree("np.tri(a, b, c)", 4, -3, 1)
    agree("np.isclose(a, a, equal_nan=True)", N)
    for bad, args in [("np.concatenate((a, b), axis=0)", (A, M)), ("np.average(a, weights=b)", (V, W[:2])),
                      ("np.interp(1.0, a, b)", (V, W[:2]))]:  # fmt: skip
        fast, plain = compiled(bad, "a", "b")
        for f in (fast, plain):
            with pytest.raises((ValueError, TypeError)):
                f(*args)


@pytest.mark.parametrize(
    "text",
    """np.linalg.inv(a)|np.linalg.det(a)|np.linalg.solve(a, b)|np.linalg.solve(a, a)|np.linalg.matrix_power(a, 3)
    np.linalg.matrix_power(a, -2)|np.linalg.cond(a)|np.linalg.slogdet(a)|np.linalg.qr(a)[0] @ np.linalg.qr(a)[1]
    np.abs(np.linalg.qr(a)[1])|np.linalg.pinv(a)|np.linalg.norm(a, 2)|np.linalg.norm(a, -1)""".replace("\n", "|").split(
        "|"
    ),
)
@pytest.mark.parametrize("x", [M, R, M.T @ R, R.T], ids=["symmetric", "general", "product", "not C"])
def test_linear_algebra(text, x):
    agree(text.strip(), x, V[:3])


def test_linear_algebra_of_symmetric_and_singular_matrices():
    agree("np.linalg.cholesky(a)", M)
    agree("np.linalg.eigvalsh(a)", M)
    agree("np.linalg.eigh(a)[0]", M)
    w, v = compiled("np.linalg.eigh(a)", "a")[0](M)
    np.testing.assert_allclose(v @ np.diag(w) @ v.T, M, atol=1e-12)
    for text in ("np.linalg.inv(a)", "np.linalg.cholesky(a)"):
        with pytest.raises(np.linalg.LinAlgError):
            compiled(text, "a")[0](np.ones((3, 3)) * -1)
    rng = np.random.default_rng(3)
    big = rng.normal(size=(40, 40))
    fast, plain = compiled("np.linalg.solve(a, b)", "a", "b")
    np.testing.assert_allclose(fast(big, big[0]), plain(big, big[0]), rtol=1e-8)


@pytest.mark.parametrize(
    "text, args",
    [("a[b]", (A, I % 3)), ("a[:, b]", (A, I % 4)), ("a[b, 1]", (A, I % 3)), ("a[2, b]", (A, I % 4)),
     ("a[b, b]", (A, I % 3)), ("a[b]", (A, np.array([True, False, True]))), ("a[:, b]", (A, np.array([True, False, True, True]))),
     ("a[b]", (T, np.array([1, 0, -1]))), ("a[b]", (A, np.zeros(0, np.int64))), ("a[-b]", (A, I % 3)), ("a[b][:, b]", (M, I % 3)),
     ("a.T[b]", (A, I % 4)), ("a[b, c]", (A, np.array([True, False, True]), I[:2] % 4))],
)  # fmt: skip
def test_index_arrays(text, args):
    agree(text, *args)


def store(kind):
    def one(a, i, v):
        a[i] = v

    def add(a, i, v):
        a[i] += v

    def shift_up(a, i, v):
        a[i] <<= v

    def shift_down(a, i, v):
        a[i, i] >>= v

    def itself(a, i, v):
        a[i] = a[::v]

    def first_row_of(a, i, v):
        a[v, i] = 9.0

    def column(a, i, v):
        a[:, i] = v

    def points(a, i, v):
        a[i, i] = v

    def masked(a, i, v):
        a[a > v] = 0.0
        a[a <= v] = a[a <= v] * 2
        a[a > 1] -= 1

    return locals()[kind]


@pytest.mark.parametrize(
    "kind, x, i, v",
    [("shift_up", I, np.array([0, 2, 0]), 3), ("shift_down", np.arange(9).reshape(3, 3) * 8, np.array([1, 2, 1]), 2),
     ("itself", V, np.array([4, 3, 2, 1, 0]), 1), ("itself", V, np.array([0, 1, 2, 3, 4]), -1),
     ("itself", A, np.array([2, 1, 0]), 1), ("first_row_of", A, np.array([1, 3]), np.array([0])),
     ("column", A, np.array([1, 3, 1]), np.arange(3.0)), ("column", A, np.array([1, 3]), np.arange(3.0).reshape(3, 1)),
     ("one", T, np.array([1, 0]), np.arange(12.0).reshape(3, 4)), ("one", V, np.array([0, 2]), 7.0), ("one", V, np.array([0, -1]), W[:2]), ("one", A, np.array([0, 2]), 7.0),
     ("one", A, np.array([0, 2]), np.arange(4.0)), ("one", A, np.array([2, 0]), A[:2] * 3),
     ("one", A, np.array([True, False, True]), 1.5), ("one", A, A > 4, A[A > 4] * 2), ("one", V, V > 2, V[V > 2] * 2),
     ("add", V, np.array([0, 2]), 1.0), ("add", V, np.array([1, 1, 3]), np.array([1.0, 2.0, 3.0])),
     ("add", A, np.array([0, 1]), 2.0), ("column", A, np.array([0, 3]), 5.0), ("points", M, np.array([0, 2]), W[:2]),
     ("masked", V, np.array([0]), 3.0), ("masked", A, np.array([0]), 3.0)],
)  # fmt: skip
def test_stores_through_index_arrays(kind, x, i, v):
    function = store(kind)
    got, want = x.copy(), x.copy()
    function(want, i, v)
    ks.njit(function)(got, i, v)
    np.testing.assert_array_equal(got, want)


def test_index_arrays_that_do_not_fit():
    f = ks.njit(store("one"))
    with pytest.raises(IndexError):
        f(A.copy(), np.array([0, 3]), 1.0)
    with pytest.raises(IndexError):
        f(A.copy(), np.array([True, False]), 1.0)
    with pytest.raises(ValueError):
        f(V.copy(), np.array([0, 1, 2]), W[:2])
    mask = np.array([True, False, True])  # of rows, where columns are asked for
    for text in ("a[:, b]", "a[1, b]"):
        with pytest.raises(IndexError, match="boolean index did not match"):
            compiled(text, "a", "b")[0](A, mask)
    with pytest.raises(IndexError, match="boolean index did not match"):
        ks.njit(store("column"))(A.copy(), mask, 1.0)
    with pytest.raises(ks._jit.TypingError):  # None is a new axis there
        agree("a[b, None]", A, I % 3)


def test_numbers_at_the_edges():
    agree("math.comb(a, b)", 62, 31)
    agree("pow(a, b, c)", 3, 100, 10**12 + 39)
    agree("pow(a, b, c)", 2**62 - 1, 2**61 - 1, 2**62 - 57)
    agree("pow(a, b, c)", 3, 101, -7)
    for x in (
        np.array([math.inf, 1.0]),
        np.array([1e300, -math.inf, 1e300]),
        np.array([math.nan, 1.0]),
        np.array([0.1] * 10),
    ):
        agree("math.fsum(a)", x)
    agree("math.prod(a)", np.array([math.inf, 2.0]))
    agree("math.prod(a)", np.array([3, 2]))
    agree("math.prod(a)", E)
    agree("np.unique(a)", np.array([np.nan, 1.0, np.nan, 1.0]))
    for axis in (2, -3):
        with pytest.raises(ValueError, match="axis"):
            compiled("np.cumsum(a, axis=b)", "a", "b")[0](A, axis)


def test_draws_have_their_moments():
    @ks.njit
    def moments(n):
        np.random.seed(7)
        x = np.empty((9, n))
        for i in range(n):
            x[0, i] = np.random.gamma(2.5, 2.0)
            x[1, i] = np.random.beta(2.0, 3.0)
            x[2, i] = np.random.poisson(4.5)
            x[3, i] = np.random.binomial(20, 0.3)
            x[4, i] = np.random.geometric(0.25)
            x[5, i] = np.random.poisson(300.0)
            x[6, i] = np.random.binomial(1000, 0.9)
            x[7, i] = np.random.triangular(0.0, 1.0, 5.0)
            x[8, i] = np.random.gamma(0.5, 1.0)
        return x

    n = 40000
    x = moments(n)
    wanted = [(5, 10), (0.4, 0.04), (4.5, 4.5), (6, 4.2), (4, 12), (300, 300), (900, 90), (2, 7 / 6), (0.5, 0.5)]
    for row, (mean, variance) in zip(x, wanted, strict=True):
        assert abs(row.mean() - mean) < 6 * np.sqrt(variance / n)
        assert abs(row.var() / variance - 1) < 0.1


def test_shuffles_and_choices():
    @ks.njit
    def f(x, n):
        np.random.seed(3)
        y = x.copy()
        np.random.shuffle(y)
        return y, np.random.permutation(n), np.random.choice(x, 3, replace=False), np.random.choice(n, 100)

    shuffled, order, some, many = f(V, 10)
    assert sorted(shuffled) == sorted(V) and sorted(order) == list(range(10))
    assert len(set(some)) == 3 and set(some) <= set(V)
    assert many.size == 100 and many.min() >= 0 and many.max() < 10
    with pytest.raises(ValueError, match="larger sample"):
        ks.njit(lambda n: np.random.choice(n, 11, replace=False))(10)


@ks.jit
def chained(x, y):
    a = np.where(x > 1.0, x * 2, y - x)
    b = np.where(a > 2.0, a * 2, y - a)
    c = np.where(b > 3.0, b * 2, y - b)
    d = np.where(c > 4.0, c * 2, y - c)
    e = np.where(d > 5.0, d * 2, y - d)
    f = np.where(e > 6.0, e * 2, y - e)
    return np.where(f > 7.0, f * 2, y - f)


@ks.jit
def chained_sums(x, y):
    a = np.where(x > 1.0, x * 2, y - x)
    b = np.where(a > 2.0, a * 2, y - a)
    total = (np.where(b > 3.0, b * 2, y - b) * b).sum()
    c = np.where(x > 1.0, x * 2, y - x)
    d = np.where(c > 2.0, c * 2, y - c)
    return total, (d * d - d).sum(axis=0)


def test_arrays_that_each_read_the_one_before_more_than_once_are_named_in_the_loop():
    x, y = np.random.default_rng(4).random((2, 7, 5)) * 9
    for a, b in [(x, y), (x[:, ::2], y[:, ::2]), (x[0], y[0]), (x[:0], y[:0]), (x, y[0])]:
        np.testing.assert_array_equal(chained(a, b), chained.py_func(a, b))
    for got, wanted in zip(chained_sums(x, y), chained_sums.py_func(x, y), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    text = next(iter(chained.inspect_text().values()))
    assert text.count("> ks_t") == 2 * 7  # once in each of two loops


@pytest.mark.parametrize("name", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
def test_integers_of_both_signs_are_compared_as_numbers(name):
    signed, unsigned = np.array([-1, -1, 2**63 - 1, 5]), np.array([0, 2**64 - 1, 2**63, 5], np.uint64)
    for a, b in [(signed, unsigned), (unsigned, signed), (signed[2], unsigned[2]), (unsigned[1], signed[1])]:
        agree(f"np.{name}(a, b)", a, b)


def test_few_elements_are_reduced_by_the_tree_of_all_lengths():
    def both(x):
        return x.sum(), x.max(), x.min(), (x * x).sum()

    compiled = ks.njit(both)
    rng = np.random.default_rng(5)
    for n in range(1, 40):
        x = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n)
        a = ks.array(x)
        assert compiled(x) == (float(a.sum()), x.max(), x.min(), float((a * a).sum()))
    assert np.isnan(compiled(np.array([1.0, np.nan, 2.0]))).all()
    assert compiled(np.array([-0.0, -0.0]))[0] == 0 and np.signbit(compiled(np.array([-0.0, -0.0]))[0])


def test_quotients_by_powers_of_two_are_those_of_python():
    def parts(n):
        return n // 2, n % 2, n // 4096, n % 4096, n // 1, n % 1, n // 2147483648, n % 2147483648, n // -4, n % -4

    compiled = ks.njit(parts)
    for n in (0, 1, -1, 7, -7, 4095, -4096, 2**62, -(2**63), 2**63 - 1):
        assert compiled(n) == parts(n)

    def arrays(x):
        return x[0] // 8, x[0] % 8

    for dtype in (np.int8, np.uint8, np.int16, np.uint64, np.int32, np.bool_):
        x = np.array([-77 if np.dtype(dtype).kind == "i" else 77], np.int64).astype(dtype)
        assert ks.njit(arrays)(x) == (int(x[0]) // 8, int(x[0]) % 8)


grid, line = np.arange(12.0).reshape(3, 4), np.arange(6.0)
OF_SHAPES = [
    (lambda x, y: np.broadcast_shapes(x.shape, (5, 1, 1), 1, y.shape), (grid, np.arange(4.0))),
    (lambda x, y: np.broadcast_shapes(x.shape, y.shape), (grid, line)),
    (lambda x, y: np.broadcast_arrays(x, y)[0] + np.broadcast_arrays(x, y, 2 * x)[1], (grid, np.arange(4.0))),
    (lambda x: np.lib.stride_tricks.as_strided(x, shape=(3, 2), strides=(16, 8)).sum(axis=0), (line,)),
    (lambda x: np.lib.stride_tricks.as_strided(x, (2, 2, 3), (0, x.strides[0], 8)), (line,)),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, 3), (line,)),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x[::-2], (2,)), (line,)),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 3)), (grid,)),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1), (grid.T,)),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=0), (grid,)),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, 7), (line,)),
    (lambda x: np.frombuffer(x, dtype=np.int32), (np.arange(16, dtype=np.uint8),)),
    (lambda x: np.frombuffer(x), (np.arange(16, dtype=np.uint8),)),
    (lambda x: np.frombuffer(x, np.int16, 3, 2), (np.arange(16, dtype=np.uint8),)),
    (lambda x: np.frombuffer(x, np.int32, offset=2), (np.arange(16, dtype=np.uint8),)),
    (lambda x: (x.flags.c_contiguous, x.flags.f_contiguous, x.flags.contiguous, x.T.flags.c_contiguous), (grid,)),
    (lambda x: (x.flags.c_contiguous, x.flags.f_contiguous), (grid[:, ::2],)),
    (lambda x: (x.flags.c_contiguous, x[:1, 1:].flags.c_contiguous, x[:0].flags.f_contiguous), (grid,)),
    (lambda x: np.ldexp(x, 3), (line,)),
    (lambda x, n: np.ldexp(x, n), (grid.astype(np.float32), np.array([1, -2, 3, 200]))),
    (lambda x, n: np.ldexp(x, n), (np.arange(3), np.array([[1], [1023]]))),
    (lambda x: (np.finfo(x.dtype).eps, np.finfo(x.dtype).max, np.finfo(x.dtype).min, np.finfo(x.dtype).tiny), (line,)),
    (lambda x: (np.finfo(x.dtype).eps, np.finfo(x.dtype).bits), (line.astype(np.float32),)),
    (lambda x: np.array([x, x * 2]), (line,)),
    (lambda x: np.array((x[0], x[1] + 1, x[2])), (grid,)),
    (lambda x: np.array([x, x]), (grid,)),
    (lambda n: np.array([[i * j for i in range(n)] for j in range(3)]), (5,)),
]


@pytest.mark.parametrize("f, given", OF_SHAPES, ids=range(len(OF_SHAPES)))
def test_views_and_what_is_known_of_arrays(f, given):
    try:
        wanted = f(*given)
    except Exception as error:
        with pytest.raises(type(error)):
            ks.njit(f)(*given)
        return
    mine = ks.njit(f)(*given)
    if not isinstance(wanted, tuple):
        assert mine.dtype == wanted.dtype and mine.shape == wanted.shape
    np.testing.assert_array_equal(mine, wanted)


@pytest.mark.parametrize("dtype", "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
def test_limits_of_integers(dtype):
    f = ks.njit(lambda x: (np.iinfo(x.dtype).max, np.iinfo(x.dtype).min, np.iinfo(x.dtype).bits))
    limits = np.iinfo(dtype)
    assert f(np.zeros(2, dtype)) == (limits.max, limits.min, limits.bits)
