"""What CuPy's face has from ks under CuPy's names, and complex numbers in order, against NumPy."""

import io
import math
import threading

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import cupy

rng = np.random.default_rng(31)
M = rng.standard_normal((3, 4))
V = rng.standard_normal(6)
N = np.where(rng.random((3, 4)) < 0.3, np.nan, M)
I = np.array([[3, 1, 2], [9, 7, 8]])  # noqa: E741
Z = np.round(M, 0) + 1j * rng.integers(-2, 3, M.shape)
W = Z[::-1, ::-1].copy()
ZN = np.where(rng.random((3, 4)) < 0.2, np.nan, Z)

CASES = {
    "angle": lambda xp, a: xp.angle(a(Z)), "array_split": lambda xp, a: xp.array_split(a(V), 4)[1],
    "average": lambda xp, a: xp.average(a(M), 1, a(V[:4])), "bartlett": lambda xp, a: xp.bartlett(7),
    "block": lambda xp, a: xp.block([[a(M), a(M)], [a(M), a(M)]]), "column_stack": lambda xp, a: xp.column_stack([a(V), a(V)]),
    "divmod": lambda xp, a: xp.divmod(a(V), 0.5)[1], "dstack": lambda xp, a: xp.dstack([a(M), a(M)]),
    "fix": lambda xp, a: xp.fix(a(V * 3)), "frexp": lambda xp, a: xp.frexp(a(V))[1], "geomspace": lambda xp, a: xp.geomspace(1, 1000, 4),
    "hsplit": lambda xp, a: xp.hsplit(a(M), 2)[1], "i0": lambda xp, a: xp.i0(a(V)), "isclose": lambda xp, a: xp.isclose(a(V), a(V + 1e-9)),
    "ix_": lambda xp, a: a(M)[xp.ix_([0, 2], [1, 3])], "kaiser": lambda xp, a: xp.kaiser(5, 3.0), "ldexp": lambda xp, a: xp.ldexp(a(V), 3),
    "logspace": lambda xp, a: xp.logspace(0, 2, 5), "mask_indices": lambda xp, a: a(M[:, :3])[xp.mask_indices(3, xp.triu)],
    "matrix_transpose": lambda xp, a: xp.matrix_transpose(a(M)), "mgrid": lambda xp, a: xp.mgrid[0:3, 0:2], "modf": lambda xp, a: xp.modf(a(V))[0],
    "nan_to_num": lambda xp, a: xp.nan_to_num(a(N)), "nanmean": lambda xp, a: xp.nanmean(a(N), 1), "nanstd": lambda xp, a: xp.nanstd(a(N)),
    "ogrid": lambda xp, a: xp.ogrid[0:3, 0:2][0], "packbits": lambda xp, a: xp.packbits(a(M > 0)), "piecewise": lambda xp, a: xp.piecewise(a(V), [a(V) < 0, a(V) >= 0], [-1, 1]),
    "polyfit": lambda xp, a: xp.polyfit(a(V), a(V**2), 2), "polyval": lambda xp, a: xp.polyval(a(V), 2.0), "poly1d": lambda xp, a: xp.poly1d(a(V))(0.5),
    "ptp": lambda xp, a: xp.ptp(a(M), 0), "r_": lambda xp, a: xp.r_[a(V), 1.0, a(V)], "c_": lambda xp, a: xp.c_[a(V), a(V)],
    "rollaxis": lambda xp, a: xp.rollaxis(a(M), 1), "roots": lambda xp, a: xp.roots(a(np.array([1.0, -3, 2]))), "sinc": lambda xp, a: xp.sinc(a(V)),
    "trim_zeros": lambda xp, a: xp.trim_zeros(a(np.array([0, 1, 0, 2, 0]))), "unique_counts": lambda xp, a: xp.unique_counts(a(I)).counts,
    "unstack": lambda xp, a: xp.unstack(a(M), axis=1)[2], "unwrap": lambda xp, a: xp.unwrap(a(V * 9)), "vander": lambda xp, a: xp.vander(a(V), 3),
    "vecdot": lambda xp, a: xp.vecdot(a(M), a(M)), "size": lambda xp, a: xp.size(a(M), 1), "shape": lambda xp, a: np.array(xp.shape(a(M))),
    "linspace of arrays": lambda xp, a: xp.linspace(a(V[:2]), a(V[2:4]), 5), "linspace along an axis": lambda xp, a: xp.linspace(a(V[:2]), 3, 4, axis=1),
    "linspace's step": lambda xp, a: xp.linspace(0, 1, 5, retstep=True)[1], "linspace open": lambda xp, a: xp.linspace(a(V[:2]), 9, 4, endpoint=False),
    "linspace of integers": lambda xp, a: xp.linspace(-3, 8, 7, dtype=int), "linspace of complex": lambda xp, a: xp.linspace(1j, 2, 5),
    "linspace of halves": lambda xp, a: xp.linspace(a(np.float16([0, 120])), a(np.float16([100, 0])), 50, dtype=int), "logaddexp2": lambda xp, a: xp.logaddexp2(a(np.int8([3, 1])), a(np.int8([1, 1]))),
    "linspace of one": lambda xp, a: xp.linspace(a(V[:2]), 9, 1),
    "complex less": lambda xp, a: xp.less(a(Z), a(W)), "complex greater_equal": lambda xp, a: xp.greater_equal(a(Z), a(W)), "complex and real": lambda xp, a: xp.less_equal(a(Z), 1.0),
    "complex maximum": lambda xp, a: xp.maximum(a(ZN), a(W)), "complex fmin": lambda xp, a: xp.fmin(a(ZN), a(W)),
    "complex max": lambda xp, a: xp.max(a(Z)), "complex min along": lambda xp, a: xp.min(a(Z), axis=1), "complex max kept": lambda xp, a: xp.max(a(Z), axis=(0, 1), keepdims=True),
    "complex max of two axes": lambda xp, a: xp.max(a(np.stack([Z, W, Z * 2])), axis=(0, 2)), "complex max with NaN": lambda xp, a: xp.max(a(ZN), 1).real,
    "complex argmax": lambda xp, a: xp.argmax(a(Z), 0), "complex argmin of all": lambda xp, a: xp.argmin(a(Z)), "complex round": lambda xp, a: xp.round(a(Z / 3), 2),
    "maximum.accumulate": lambda xp, a: xp.maximum.accumulate(a(M), 1), "add.reduceat": lambda xp, a: xp.add.reduceat(a(V), [0, 2, 5]),
    "subtract.outer": lambda xp, a: xp.subtract.outer(a(V), a(V)), "nextafter of halves": lambda xp, a: xp.nextafter(
        a(np.float16([0, 0, 1, -1, 1, 65504, np.nan, 2])), a(np.float16([1, -1, 2, 0, 0, np.inf, 1, 2]))),
}  # fmt: skip


@pytest.fixture
def cp(device):
    with cupy.cuda.Device(0):
        yield cupy


@pytest.mark.parametrize("case", CASES)
def test_values(case, cp):
    found, wanted = CASES[case](cp, cp.array), np.asarray(CASES[case](np, np.asarray))
    assert type(found) is not ks.Array
    found = cp.asnumpy(found) if isinstance(found, cp.ndarray) else np.asarray(found)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, 1e-12, 1e-12)


def test_names_that_numpy_has_no_more(cp):
    assert cp.in1d(cp.array([[1, 2], [3, 1]]), cp.array([1])).tolist() == [True, False, False, True]
    assert cp.msort(cp.array([[3, 1], [2, 5]])).tolist() == [[2, 1], [3, 5]]


def test_what_repeats_is_joined_at_its_place(cp):
    a = cp.zeros(3)
    cp.add.at(a, cp.array([0, 0, 2]), cp.array([1.0, 2.0, 4.0]))
    assert a.tolist() == [3, 0, 4]


def test_names_that_are_looked_up_when_asked_for(cp):
    from kasoku.compat.cupy import _table

    assert all(callable(getattr(cp, name)) or name in dir(cp) for name in _table.later)
    assert {"hanning", "add", "ndarray", "polyfit"} <= set(cp.__all__) and "Delayed" not in dir(cp)
    everything = {}
    exec("from kasoku.compat.cupy import *", everything)
    assert everything["hanning"] is cp.hanning
    file = io.BytesIO()
    cp.save(file, cp.array(M))
    file.seek(0)
    assert (cp.asnumpy(cp.load(file)) == M).all()
    with pytest.raises(AttributeError, match="kasoku does not have cupy.from_arrow yet"):
        cp.from_arrow


def test_states_of_the_generator_are_refused(cp):
    state = cp.random.RandomState(7)
    first = state.rand(3)
    state.seed(7)
    assert (first == state.rand(3)).all()
    with pytest.raises(NotImplementedError, match="keep the seed"):
        state.get_state()
    with pytest.raises(NotImplementedError, match="keep the seed"):
        state.set_state(None)
    assert sorted(cp.random.default_rng(1).choice(5, 5, replace=False).tolist()) == [0, 1, 2, 3, 4]


def test_special_functions(cp):
    from kasoku.compat.cupyx.scipy import special

    x = np.abs(V) + 0.25
    for name, wanted in {
        "erf": np.vectorize(math.erf)(x), "gammaln": np.vectorize(math.lgamma)(x), "gamma": np.vectorize(math.gamma)(x),
        "expit": 1 / (1 + np.exp(-x)), "i0": np.i0(x), "exp10": 10**x, "entr": -x * np.log(x), "sinc": np.sinc(x),
        "ndtr": 0.5 * np.vectorize(math.erfc)(-x / math.sqrt(2)), "log_softmax": x - np.log(np.exp(x).sum()),
        "logsumexp": np.log(np.exp(x).sum()), "softmax": np.exp(x) / np.exp(x).sum(),
    }.items():  # fmt: skip
        np.testing.assert_allclose(cp.asnumpy(getattr(special, name)(cp.array(x))), wanted, 1e-11)
    out = cp.empty(6)
    assert special.xlogy(cp.array([0.0] * 6), cp.array(x), out=out) is out and not out.any()
    np.testing.assert_allclose(
        cp.asnumpy(special.kl_div(cp.array(x), cp.array(x + 1))), x * np.log(x / (x + 1)) + 1, 1e-12
    )
    assert special.erf(cp.array([0, 1])).dtype == np.float64
    with pytest.raises(AttributeError, match="kasoku does not have cupyx.scipy.special.wright_bessel yet"):
        special.wright_bessel


def test_matrices_by_name(cp):
    from kasoku.compat.cupyx.scipy import linalg

    def host(x):
        return cp.asnumpy(x).tolist()

    assert host(linalg.toeplitz(cp.array([1, 2, 3]), cp.array([1, 4]))) == [[1, 4], [2, 1], [3, 2]]
    assert host(linalg.circulant(cp.array([1, 2, 3]))) == [[1, 3, 2], [2, 1, 3], [3, 2, 1]]
    assert host(linalg.hankel(cp.array([1, 2, 3]))) == [[1, 2, 3], [2, 3, 0], [3, 0, 0]]
    assert host(linalg.block_diag(cp.array([[1, 2]]), cp.array([3]))) == [[1, 2, 0], [0, 0, 3]]
    np.testing.assert_allclose(cp.asnumpy(linalg.expm(cp.zeros((2, 2)))), np.eye(2))


def test_orders_and_views_are_numpys(cp):
    host = np.arange(24.0).reshape(2, 3, 4)
    a = cp.array(host)
    for index in (
        (slice(None), 1, [1, 0]),
        (slice(0, 3, 2), [0, 1], [1, 0]),
        (slice(None), [1, 0], 1),
        ([1, 0], slice(None), 2),
    ):
        ours, numpys = a[index], host[index]
        assert (ours.get() == numpys).all() and ours.flags.f_contiguous == numpys.flags.f_contiguous
    assert a[1, 2, 3].base is not None and a[1, 2, 3].shape == ()
    for letters in ("ijk->ijk...", "ijk->i...jk", "ijk...->ijk", "i...->...i", "..."):
        ours, numpys = cp.einsum(letters, a), np.einsum(letters, host)
        assert (ours.get() == numpys).all() and cp.shares_memory(ours, a) and ours.strides == numpys.strides
    f = cp.asfortranarray(a)
    assert cp.empty_like(f, order="A", shape=(4, 2)).flags.f_contiguous
    assert cp.argwhere(a > 3).flags.f_contiguous and cp.linspace(a[0, 0], 3, 5, dtype=int, axis=1).flags.f_contiguous


def test_masks_and_outputs_that_do_not_fit(cp):
    a = cp.arange(6).reshape(2, 3)
    with pytest.raises(TypeError, match="mask of bools"):
        cp.copyto(a, 1, where=cp.ones(3, int))
    with pytest.raises(ValueError, match=r"has the shape \(3,\), not \(2, 4\)"):
        cp.take(a, cp.array([0, 1, 2, 0]), 1, out=cp.empty(3, int))
    out = cp.empty((2, 2), int)
    assert cp.take(a, cp.array([2, 0]), -1, out=out) is out and out.tolist() == [[2, 0], [5, 3]]
    assert cp.ndim(None) == cp.ndim("abc") == cp.ndim({1, 2}) == 0 and cp.ndim([[a, a]]) == 4


def test_compiled_functions_call_cupys(cp):
    x = cp.array([0.5, 1.5, 2.5])
    assert np.allclose(
        cp.vectorize(lambda v: cp.sin(v) + cp.maximum(v, 1.0))(x).get(), np.sin(x.get()) + np.maximum(x.get(), 1)
    )
    assert cp.vectorize(lambda v: cp.where(v > 1, v, 0.0))(x).tolist() == [0, 1.5, 2.5]


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda xp, a: xp.pad(a, []), TypeError, "integral"),
        (lambda xp, a: xp.pad(a, 1.5, "edge"), TypeError, "integral"),
        (lambda xp, a: xp.putmask(xp.arange(3, dtype="f4"), a > 1, a), TypeError, "safe"),
        (lambda xp, a: a.fill(xp.ones(1)), ValueError, ""),
        (lambda xp, a: xp.gradient(a > 1), TypeError, ""),
        (lambda xp, a: xp.polynomial.polyutils.trimseq(xp.sum(a)), TypeError, ""),
        (lambda xp, a: xp.cov(a, ddof=1.5), ValueError, "ddof must be integer"),
        (lambda xp, a: xp.poly1d(a) ** 2.0, TypeError, ""),
        (lambda xp, a: xp.polyval(3.0, xp.poly1d(a)), TypeError, ""),
    ],
)
def test_what_numpy_refuses_is_refused(call, error, text, cp):
    for xp in (np, cp):
        with pytest.raises(error, match=text):
            call(xp, xp.array([1.0, 2.0, 3.0]))


def test_outputs_numbers_and_no_elements(cp):
    a = cp.arange(6, dtype="f4").reshape(2, 3)
    cp.putmask(a, a > 2, 30)
    assert a.tolist() == [[0, 1, 2], [30, 30, 30]]
    out = cp.empty(3)
    assert cp.nanmean(a, 0, out=out) is out and out.tolist() == [15, 15.5, 16]
    assert cp.empty((0, 4), "i4")[:, ::2].view("i8").shape == np.empty((0, 4), "i4")[:, ::2].copy().view("i8").shape
    for shape in ((3, 0), (0, 0), (2, 0, 3), (0, 2, 3)):
        found, wanted = cp.linalg.pinv(cp.empty(shape, int)), np.linalg.pinv(np.empty(shape, int))
        assert found.shape == wanted.shape and found.dtype == wanted.dtype


def test_rows_of_no_elements_are_called_with(cp):
    assert cp.apply_along_axis(lambda row: row.sum() + 1, 0, cp.empty((0, 3))).tolist() == [1, 1, 1]


def test_polynomials_of_numpys(cp):
    p = cp.poly1d(cp.array([1, 2], "f4"), variable="z")
    assert p.get() == np.poly1d([1, 2]) and p.get().variable == "z" and repr(p) == repr(p.get())
    p.set(np.poly1d([3.0, 4.0, 5.0], variable="y"))
    assert p.coeffs.tolist() == [3, 4, 5] and p.variable == "y"
    out = np.poly1d([1.0])
    assert p.get(out=out) is out and out == np.poly1d([3, 4, 5])
    with pytest.raises(TypeError, match="only a numpy.poly1d"):
        p.set([1, 2])


def test_special_functions_have_scipys_dtypes(cp):
    from kasoku.compat.cupyx.scipy import special

    for given, wanted in (("f2", "f4"), ("i1", "f4"), ("?", "f4"), ("i4", "f8"), ("f4", "f4"), ("f8", "f8")):
        x = cp.ones(3, given)
        for f in (special.erf, special.gammaln, special.log1p, lambda v: special.xlogy(v, 2.0)):
            assert f(x).dtype == wanted
    assert special.erf(0.5).dtype == np.float64
    a, d = np.array([3.5, 4.0, 9.25]), 3
    wanted = sum(np.vectorize(math.lgamma)(a - j / 2) for j in range(d)) + d * (d - 1) / 4 * math.log(math.pi)
    np.testing.assert_allclose(special.multigammaln(cp.array(a), d).get(), wanted, 1e-13)
    with pytest.raises(ValueError, match="not met"):
        special.multigammaln(cp.array([0.5]), d)


@pytest.mark.parametrize("kind", ["C2C", "Z2Z", "R2C", "D2Z", "C2R", "Z2D"])
@pytest.mark.parametrize("direction", [-1, 1])
def test_plans_compute_rows_as_cufft_scales_them(cp, kind, direction):
    from kasoku.compat.cupy.cuda import cufft

    batch, n = 3, 10
    single = kind in ("C2C", "R2C", "C2R")
    rng = np.random.default_rng(1)
    real = rng.random((batch, n))
    half = np.fft.rfft(real)
    whole = real + 1j * rng.random((batch, n))
    given, wanted = {
        "R2C": (real, half), "C2R": (half, real * n), "C2C": (whole, np.fft.fft(whole) if direction < 0 else np.fft.ifft(whole) * n),
    }[{"D2Z": "R2C", "Z2D": "C2R", "Z2Z": "C2C"}.get(kind, kind)]  # fmt: skip
    if single:
        given = given.astype("c8" if np.iscomplexobj(given) else "f4")
    plan = cufft.Plan1d(n, getattr(cufft, f"CUFFT_{kind}"), batch)
    a = cp.array(given)
    out = plan.get_output_array(a)
    assert (
        out.shape == wanted.shape
        and out.dtype.kind == wanted.dtype.kind
        and out.dtype.itemsize * (1 + single) == wanted.itemsize
    )
    plan.fft(a, out, direction)
    np.testing.assert_allclose(out.get(), wanted, 1e-5 if single else 1e-12, 1e-5 if single else 1e-12)


def test_what_is_set_of_the_cache_of_plans_is_remembered(cp):
    cache = cp.fft.config.get_plan_cache()
    before = cache.get_size()
    cache.set_size(0)
    assert cp.fft.config.get_plan_cache_size() == 0 and cache.get_curr_size() == 0
    cp.fft.config.set_plan_cache_size(before)
    assert cp.fft.config.get_plan_cache().get_size() == before


def test_plans_that_are_kept_go_when_others_were_used_since(cp):
    cache = cp.fft.config.PlanCache(size=2)
    for name in "abc":
        cache[name] = name.upper()
        assert cache.get("a") == "A"  # used, so that "b" goes
    assert cache.get_curr_size() == 2 and cache.get("b") is None and cache["c"] == "C"
    with pytest.raises(KeyError, match="plan not found"):
        cache["b"]
    said = repr(cache)
    assert (
        "current / max size   : 2 / 2 (counts)" in said
        and "hits / misses: 4 / 1 (counts)" in said
        and "(unlimited)" in said
    )
    assert said.index("key: c") < said.index("key: a")
    cache.set_size(1)
    assert cache.get_curr_size() == 1 and cache.get_size() == 1 and cache.get("c") == "C"
    cache.set_memsize(0)
    cache["d"] = "D"
    assert cache.get_curr_size() == cache.get_curr_memsize() == 0 and "cache enabled? False" in repr(cache)
    cache.set_memsize(-1)
    cache.set_size(-1)
    for k in range(40):
        cache[k] = k
    assert cache.get_curr_size() == 40
    cache.clear()
    assert cache.get_curr_size() == 0 and cache.get_size() == -1


def test_a_cache_of_plans_is_a_threads_own(cp):
    from kasoku.compat.cupyx.scipy import fft

    config = cp.fft.config
    mine, others = config.get_plan_cache(), []
    other = threading.Thread(target=lambda: others.append(config.get_plan_cache()))
    other.start()
    other.join()
    assert config.get_plan_cache() is mine and others[0] is not mine
    plan = fft.get_fft_plan(cp.array(V))
    mine[plan.nx, plan.fft_type, plan.batch, None] = plan
    assert fft.get_fft_plan(cp.array(V)) is plan and fft.get_fft_plan(cp.array(V[:2])) is not plan
    config.clear_plan_cache()
    assert fft.get_fft_plan(cp.array(V)) is not plan


@pytest.mark.parametrize("axes", [None, (1, 2), (0, 1), (2, 1), (1,), 0])
@pytest.mark.parametrize("kind", ["C2C", "R2C", "C2R"])
@pytest.mark.parametrize("single", [False, True])
def test_plans_of_several_axes_compute_what_numpy_does(cp, axes, kind, single):
    from kasoku.compat.cupyx.scipy import fftpack

    rng = np.random.default_rng(5)
    x = rng.random((4, 5, 6)).astype("f4" if single else "f8")
    over = (0, 1, 2) if axes is None else (axes,) if isinstance(axes, int) else axes
    given = {"C2C": x + 1j * x[::-1], "R2C": x, "C2R": np.fft.rfftn(x, axes=over)}[kind].astype(
        x.dtype if kind == "R2C" else f"c{x.itemsize * 2}"
    )
    a = cp.array(given)
    plan = fftpack.get_fft_plan(
        a, shape=[x.shape[k] for k in over] if kind == "C2R" else None, axes=axes, value_type=kind
    )
    assert type(plan) is (cp.cuda.cufft.Plan1d if len(over) == 1 else cp.cuda.cufft.PlanNd)
    assert plan.batch == x.size // np.prod([x.shape[k] for k in over])
    if len(over) == 1:
        return
    out = plan.get_output_array(a)
    plan.check_output_array(a, out)
    with pytest.raises(ValueError, match="PlanNd: the output"):
        plan.check_output_array(a, out[1:])
    with plan:
        plan.fft(a, out, cp.cuda.cufft.CUFFT_INVERSE if kind == "C2R" else cp.cuda.cufft.CUFFT_FORWARD)
    count = np.prod([x.shape[k] for k in over])
    wanted = {"C2C": np.fft.fftn, "R2C": np.fft.rfftn, "C2R": lambda g, axes: x * count}[kind](given, axes=over)
    assert out.shape == wanted.shape and out.dtype == wanted.astype(out.dtype).dtype
    np.testing.assert_allclose(out.get(), wanted, *((1e-4, 1e-4) if single else (1e-11, 1e-11)))


def test_plans_that_cannot_be_are_refused(cp):
    from kasoku.compat.cupyx.scipy import fft

    x = cp.zeros((2, 3, 4, 5), complex)
    for options, said in (
        ({"axes": (0, 2)}, "first or of the last"), ({"axes": (0, 1, 2, 3)}, "three axes"), ({"shape": (2,), "axes": (0, 1)}, "different lengths"),
        ({"axes": 9}, "axis 9"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            fft.get_fft_plan(x, **options)
    with pytest.raises(ValueError, match="contiguous"):
        fft.get_fft_plan(x[:, ::2])


def test_plans_of_transforms(cp):
    from kasoku.compat.cupyx.scipy import fft, linalg

    x = cp.array(V)
    plan = fft.get_fft_plan(x)
    np.testing.assert_allclose(fft.fft(x, plan=plan).get(), np.fft.fft(V), 1e-12, 1e-12)
    with plan:
        assert cp.cuda.cufft.get_current_plan() is plan
        with pytest.raises(RuntimeError, match="current already"):
            plan.__enter__()
    assert cp.cuda.cufft.get_current_plan() is None
    with pytest.raises(ValueError, match="C2C"):
        fft.get_fft_plan(x, value_type="Z2Z")
    with pytest.raises(ValueError, match="infs or NaNs"):
        linalg.solve_triangular(cp.array([[np.inf, 0.0], [0.0, 1.0]]), cp.ones(2), check_finite=True)


def test_a_plan_is_of_the_transform_that_it_is_given_to(cp):
    from kasoku.compat.cupyx.scipy import fft, fftpack

    rng = np.random.default_rng(6)
    x, z = rng.random((4, 6)), rng.random((4, 6)) + 1j * rng.random((4, 6))
    a, c = cp.array(x), cp.array(z)
    rows, both, real = fft.get_fft_plan(c, axes=1), fft.get_fft_plan(c), fft.get_fft_plan(a, axes=1, value_type="R2C")
    with both:
        for of in (cp.fft.fftn, fft.fftn, fftpack.fftn, fft.ifft2, fftpack.fft2):
            np.testing.assert_allclose(of(c).get(), (np.fft.ifftn if of is fft.ifft2 else np.fft.fftn)(z), 1e-12, 1e-12)
        with pytest.raises(ValueError, match="type cufft.Plan1d"):
            fft.fft(c)
    np.testing.assert_allclose(fft.fft(c, plan=rows).get(), np.fft.fft(z), 1e-12, 1e-12)
    np.testing.assert_allclose(fftpack.ifft(c, plan=rows).get(), np.fft.ifft(z), 1e-12, 1e-12)
    np.testing.assert_allclose(fft.rfft(a, plan=real).get(), np.fft.rfft(x), 1e-12, 1e-12)
    half = fft.get_fft_plan(c, axes=1, value_type="C2R")
    np.testing.assert_allclose(fft.irfft(c, plan=half).get(), np.fft.irfft(z), 1e-12, 1e-12)
    for of, plan, options, said in (
        (fft.fft, both, {}, "type cufft.Plan1d"), (fft.fftn, rows, {}, "type cufft.PlanNd"), (fft.fft, rows, {"n": 5}, "its nx is 6, not 5"),
        (fft.fft, rows, {"axis": 0}, "its nx is 6, not 4"), (fft.fft, real, {}, "its fft_type"), (fft.irfft, rows, {}, "its nx is 6, not 10"),
        (fftpack.fftn, both, {"shape": (3, 6)}, r"its shape is \(4, 6\), not \(3, 6\)"), (fft.fft2, both, {"axes": (1, 0)}, r"its shape is \(4, 6\), not \(6, 4\)"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            of(c, plan=plan, **options)
    with pytest.raises(ValueError, match="its batch is 4, not 3"):
        fft.fft(c[:3], plan=rows)
