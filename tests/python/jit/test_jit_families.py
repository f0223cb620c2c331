"""Families of NumPy's functions, compiled against called: dtypes, ranks, layouts, empty arrays, NaN and infinity.

A family is compiled for a few dtypes and ranks, which follow from its name, so that all of them together see every
dtype, rank and layout; Hypothesis gives the values and the lengths.
"""

import cmath
import itertools
import linecache
import random
import warnings

import hypothesis
import hypothesis.strategies as st
import kasoku as ks
import numpy as np
import pytest

settings = hypothesis.settings(deadline=None, max_examples=15, derandomize=True, database=None,
                               suppress_health_check=list(hypothesis.HealthCheck))  # fmt: skip
booleans, integers, floats, complexes = "?", "bBhHiIlL", "fd", "FD"
real, numbers, every = (
    booleans + integers + floats,
    integers + floats + complexes,
    booleans + integers + floats + complexes,
)
layouts = ["C", "F", "strided", "reversed"]
# Sums of these are exact in single precision, so that their order does not matter.
plain = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.25, 7.0, 100.0]
special = [*plain, np.nan, np.inf, -np.inf]
small = [0, 1, 2, 3, 7, 100, -1, -5]


def compiled(name, parameters, expressions):
    """(the function, compiled) that gives all of these, or the only one."""
    file, lines = f"<family {name}>", [f"def family({', '.join(parameters)}):"]
    lines += [f"    r{k} = {expression}" for k, expression in enumerate(expressions)]
    lines.append(f"    return {', '.join(f'r{k}' for k in range(len(expressions)))}")
    text = "\n".join(lines) + "\n"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"np": np, "cmath": cmath}
    exec(compile(text, file, "exec"), space)
    return space["family"], ks.njit(space["family"])


@st.composite
def an_array(draw, dtype, ndim, layout, values=special, shortest=0, most=5):
    dtype = np.dtype(dtype)
    shape = tuple(draw(st.integers(shortest, most)) for _ in range(ndim))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        extreme = [limits.min, limits.max] if values is special else []
        pool = [n for n in small + extreme if n >= limits.min]
    else:
        pool = [True, False] if dtype.kind == "b" else values
    n = int(np.prod(shape))
    chosen = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    flat = np.array(chosen, float if dtype.kind in "fc" else dtype)
    if dtype.kind == "c":
        parts = np.array(draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)), float)
        flat = np.empty(n, complex)
        flat.real, flat.imag = chosen, parts
    x = flat.astype(dtype).reshape(shape)
    if layout == "F" or ndim == 0:
        return np.asfortranarray(x)
    every_other = tuple(slice(None, None, 2 if layout == "strided" else -1) for _ in shape)
    if layout == "strided":
        wide = np.zeros([2 * length for length in shape], dtype)
        wide[every_other] = x
        return wide[every_other]
    return x[every_other].copy()[every_other] if layout == "reversed" else x


def beside(z, part, other):
    return np.where(np.isnan(getattr(z, other)), np.abs(getattr(z, part)), getattr(z, part))


def same(got, want):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other)
        return
    if isinstance(want, np.ndarray) and want.ndim:
        assert got.dtype == want.dtype
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape and np.iscomplexobj(got) == np.iscomplexobj(want)
    if want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    near = 2e-5 if want.dtype.char in "fF" or got.dtype.char in "fF" else 1e-12
    if want.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=near, atol=near)
        return
    for parts in (("real", "imag"), ("imag", "real")):  # beside a NaN an infinity has any sign
        np.testing.assert_allclose(beside(got, *parts), beside(want, *parts), rtol=near, atol=near)


def chosen(name, dtypes, ndims, count):
    """Some of all (dtype, rank, layout), which are others for each name."""
    pick = random.Random(name)
    kinds = [pick.choice(list(group)) for _, group in itertools.groupby(dtypes, lambda c: np.dtype(c).kind)]
    pick.shuffle(kinds)
    places = [(n, layout) for n in ndims for layout in layouts]
    pick.shuffle(places)
    return [(kinds[k % len(kinds)], *places[k % len(places)]) for k in range(count)]


# name: expressions of a, dtypes, ranks, {options of the arrays}
# Since 2.5 NumPy finds other places in what is not sorted, which its words leave open.
in_any_order = ["np.searchsorted(a, a, side='right')"] if np.lib.NumpyVersion(np.__version__) < "2.5.0" else []

families = {
    "triangles": (["np.tril(a)", "np.triu(a, 1)", "np.tril(a, -1)"], every, (1, 2, 3), {}),
    "views": (["a.T", "np.ravel(a)", "np.copy(a)", "np.broadcast_to(a, (3, 2) + a.shape)", "np.ascontiguousarray(a)", "np.atleast_2d(a)"],
              every, (0, 1, 2), {}),
    "sums": (["a.sum()", "np.any(a)", "np.all(a)", "np.count_nonzero(a)", "np.nansum(a)", "np.cumsum(a)", "np.nancumsum(a)"], every, (0, 1, 2, 3), {}),
    "products": (["a.prod()", "np.nanprod(a)", "np.cumprod(a)", "np.nancumprod(a)"], every, (1, 2, 3), {"values": [0.5, 1.0, -2.0, 0.0]}),
    "means": (["a.mean()", "np.nanmean(a)"], every, (1, 2, 3), {}),
    "deviations": (["a.std()", "np.var(a)", "np.nanstd(a)", "np.nanvar(a)"], every, (1, 2, 3), {"values": [*plain, np.nan], "shortest": 1}),
    "order": (["a.min()", "np.max(a)", "np.nanmax(a)", "np.nanmin(a)", "np.argmin(a)", "np.argmax(a)", "np.median(a)", "np.nanmedian(a)"],
              real, (1, 2, 3), {"shortest": 1}),
    "spread": (["np.ptp(a)", "np.ptp(a, axis=0)", "np.ptp(a, axis=-1)"], integers + floats, (2, 3), {"shortest": 1}),
    "sorted": (["np.sort(a)", "np.unique(a[a == a])", "np.searchsorted(np.sort(a), a)", "np.searchsorted(np.sort(a), a, side='right')", "np.isin(a, a[:2])",
                *in_any_order],
               real, (1,), {}),
    "along": (["a.sum(axis=0)", "np.mean(a, axis=-1)", "np.max(a, axis=0)", "np.median(a, axis=-1)", "np.nanmean(a, axis=0)", "np.nanmax(a, axis=1)"],
              real, (2, 3), {"values": plain, "shortest": 1}),
    "deviations along": (["np.nanstd(a, axis=-1)", "np.nanvar(a, axis=0)"], integers[:6] + floats + complexes, (2, 3), {"values": plain, "shortest": 1}),
    "given dtype": (["a.sum(dtype=np.bool_)", "np.sum(a, dtype=np.int8)", "a.prod(dtype=np.int16)", "np.mean(a, dtype=np.float32)",
                     "np.sum(a, axis=0, dtype=np.float64)", "np.cumsum(a, dtype=np.int32)", "np.mean(a, dtype=np.int16)"],
                    real, (1, 2), {"values": [0.0, 1.0, -2.0, 3.0], "shortest": 1}),
    "elements": (["~a", "-a", "+a", "~a[0]", "abs(a)", "a >> 1", "a | a"], integers, (1,), {"shortest": 1}),
    "steps": (["np.diff(a)", "np.diff(a, 2)", "np.trapezoid(a)"], integers + floats, (1, 2), {"values": plain, "shortest": 3}),
    "close": (["np.isclose(a, a)", "np.allclose(a, a)", "np.array_equal(a, a)"], integers + floats + complexes, (1, 2, 3), {}),
    "parts": (["np.real(a)", "np.imag(a)", "np.conj(a)", "np.abs(a)"], floats + complexes, (0, 1, 2), {}),
    "angles": (["np.angle(a)", "np.angle(a, True)"], floats + complexes, (1, 2), {}),
    "roots": (["np.sqrt(a)", "np.exp(a)", "np.log(a)", "np.log10(a)"], floats + complexes, (1, 2), {}),
    "circular": (["np.sin(a)", "np.cos(a)", "np.tan(a)", "np.arcsin(a)", "np.arccos(a)", "np.arctan(a)"], floats + complexes, (1, 2), {}),
    "hyperbolic": (["np.sinh(a)", "np.cosh(a)", "np.tanh(a)", "np.arcsinh(a)", "np.arccosh(a)", "np.arctanh(a)"], floats + complexes, (1, 2), {}),
    "arithmetic": (["a + a", "a * a", "a - 1", "a * 3", "np.where(a == a, a, 0)"], numbers, (1, 2, 3), {"values": plain}),
    "products of vectors": (["np.vdot(a, a[::-1])", "np.dot(a, a)", "np.outer(a, a)", "np.inner(a, a)"], every, (1,), {"values": plain}),
    "products of matrices": (["a @ a.T", "np.dot(a.T, a)", "np.vdot(a, a)", "a @ a[0]", "a[:, 0] @ a", "np.kron(a, a)",
                              "np.kron(a, a[0])", "np.kron(a[:, 0], a)", "np.kron(a[0], a[:, 0])"],
                             every, (2,), {"values": plain, "shortest": 1}),
    "covariances": (["np.cov(a)", "np.cov(a, ddof=3)", "np.cov(a, bias=True)", "np.cov(a, a, ddof=0)"], integers[:6] + floats + complexes,
                    (1, 2), {"values": plain, "shortest": 2}),
    "interpolation": (["np.interp(a, a, a)", "np.interp(a, a, np.arange(a.size))", "np.interp(a[::-1], a, a * 0.5)"], integers[:6] + floats, (1,), {"shortest": 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", families)
def test_family(name):
    expressions, dtypes, ndims, options = families[name]
    called, function = compiled(name, ["a"], expressions)
    for dtype, ndim, layout in chosen(name, dtypes, ndims, 3):

        @settings
        @hypothesis.given(an_array(dtype, ndim, layout, **options))
        def agree(a):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                same(function(a), called(a))

        agree()


def quietly(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


lines = an_array("d", 1, "C", shortest=1, most=9)


def test_interpolation_where_samples_are_in_any_order():
    called, function = compiled("interp", ["x", "xp", "fp"], ["np.interp(x, xp, fp)", "np.interp(x[0], xp, fp)"])

    @hypothesis.settings(settings, max_examples=200)
    @hypothesis.given(lines, lines, lines)
    def agree(x, xp, fp):
        n = min(xp.size, fp.size)
        same(function(x, xp[:n], fp[:n]), quietly(called, x, xp[:n], fp[:n]))

    agree()


def test_covariances_of_constants_and_of_few():
    called, function = compiled(
        "cov", ["a", "ddof", "bias"], ["np.cov(a, ddof=ddof, bias=bias)", "np.corrcoef(a)", "np.corrcoef(a, a, False)"]
    )

    @settings
    @hypothesis.given(
        an_array("d", 2, "C", values=[1.0, 2.0, 4.0], shortest=2, most=3), st.integers(0, 5), st.booleans()
    )
    @hypothesis.example(np.ones((2, 3)), 0, False)
    @hypothesis.example(np.array([[1.0, 2.0], [1.0, 1.0]]), 3, True)
    def agree(a, ddof, bias):
        same(function(a, ddof, bias), quietly(called, a, ddof, bias))

    agree()
    called, function = compiled("cov of numbers", ["a"], ["np.cov(a)", "np.corrcoef(a)"])
    for a in (3.5, np.nan, np.array(2.0), np.ones(3), np.array([1j, 2.0, 3.0]), np.empty(0)):
        same(function(a), quietly(called, a))


def test_spaces():
    called, function = compiled(
        "spaces", ["a", "b", "n"], ["np.linspace(a, b, n)", "np.logspace(a, b, n)", "np.geomspace(a, b, n)"]
    )
    for a, b in [(1.0, 100.0), (-1.0, -100.0), (2, 32), (-3, 5.0), (1 + 1j, 4.0), (-1j, -8j), (2.0, 2.0), (0.5, 1j)]:
        for n in (0, 1, 2, 5):
            same(function(a, b, n), quietly(called, a, b, n))
    _, geomspace = compiled("geomspace", ["a", "b"], ["np.geomspace(a, b)"])
    with pytest.raises(ValueError, match="cannot include zero"):
        geomspace(0.0, 1.0)


def test_cmath_at_infinities_and_zeros():
    """As C has it where Python raises."""
    parts = [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan]
    names = "exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split()
    _, function = compiled("cmath", ["z"], [f"cmath.{name}(z)" for name in names])
    numpy_name = lambda name: "arc" + name[1:] if name[0] == "a" else name
    for z in itertools.starmap(complex, itertools.product(parts, parts)):
        same(function(z), tuple(quietly(getattr(np, numpy_name(name)), z) for name in names))
        for name, got in zip(names, function(z), strict=True):
            try:
                want = getattr(cmath, name)(z)
            except (ValueError, OverflowError):
                continue
            if want == want:
                assert got == want or abs(got - want) <= 1e-15 * abs(want), (name, z)
                if cmath.isfinite(z):
                    assert np.signbit([got.real, got.imag]).tolist() == np.signbit([want.real, want.imag]).tolist(), (
                        name,
                        z,
                    )
    _, logarithm = compiled("cmath.log", ["z", "base"], ["cmath.log(z, base)"])
    assert logarithm(8j, 2) == pytest.approx(cmath.log(8j, 2))


def test_broadcast_to_is_a_view_that_nobody_writes():
    _, function = compiled(
        "broadcast_to",
        ["a"],
        ["np.broadcast_to(a, (2, 3))", "np.broadcast_to(2.5, 3)", "np.broadcast_to(a + 1, (2, 3))"],
    )
    a = np.arange(3)
    view, numbers_, fresh = function(a)
    assert (
        np.shares_memory(view, a)
        and not view.flags.writeable
        and not numbers_.flags.writeable
        and not fresh.flags.writeable
    )
    np.testing.assert_array_equal(view, [a, a])
    np.testing.assert_array_equal(fresh, [a + 1, a + 1])
    np.testing.assert_array_equal(numbers_, [2.5] * 3)

    @ks.njit
    def written(a):
        b = np.broadcast_to(a, (2, 3))
        b[0, 0] = 5
        return b

    with pytest.raises(TypeError, match="read-only"):
        written(a)
    with pytest.raises(ValueError, match="broadcast"):
        function(np.arange(4))


def test_quotients_of_numpy_do_not_raise():
    _, function = compiled("divide", ["a", "b"], ["np.divide(a, b)", "np.floor_divide(a, b)"])
    assert function(1.0, 0.0) == (np.inf, np.inf)
    with pytest.raises(TypeError, match="-"):
        compiled("booleans", ["a"], ["a - a"])[1](np.array([True]))
