"""What CuPy's programs use beyond NumPy's names: distributions by rows, padding, polynomials by rising powers, interfaces."""

import gc
import importlib
import inspect
import operator
import os
import types
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

from kasoku import _core
from kasoku.compat import cupy, cupyx

rng = np.random.default_rng(47)
M = rng.integers(-9, 10, (3, 4))


@pytest.fixture
def cp(device):
    with cupy.cuda.Device(0):
        yield cupy


# ── random numbers ────────────────────────────────────────────────────────────────────────────

# name -> parameters, with the mean that they give where there is one
DRAWS = {
    "beta": ((2.0, 6.0), 0.25), "binomial": ((10, 0.3), 3.0), "chisquare": ((4.0,), 4.0), "exponential": ((2.0,), 2.0),
    "gamma": ((3.0, 0.5), 1.5), "geometric": ((0.25,), 4.0), "gumbel": ((0.0, 1.0), 0.5772), "laplace": ((1.0, 0.5), 1.0),
    "logistic": ((2.0, 0.5), 2.0), "lognormal": ((0.0, 0.25), 1.0317), "normal": ((3.0, 0.5), 3.0), "pareto": ((4.0,), 1 / 3),
    "poisson": ((3.5,), 3.5), "power": ((3.0,), 0.75), "rayleigh": ((1.0,), 1.2533), "standard_gamma": ((2.0,), 2.0),
    "triangular": ((0.0, 1.0, 2.0), 1.0), "uniform": ((-1.0, 3.0), 1.0), "wald": ((2.0, 8.0), 2.0), "weibull": ((1.0,), 1.0),
    "hypergeometric": ((6, 4, 5), 3.0), "negative_binomial": ((4, 0.5), 4.0), "noncentral_chisquare": ((3.0, 2.0), 5.0),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWS)
def test_distributions_have_one_row_each(cp, name):
    parameters, mean = DRAWS[name]
    cp.random.seed(5)
    kind = "i" if name in ("binomial", "geometric", "poisson", "hypergeometric", "negative_binomial") else "f"
    function, state = getattr(cp.random, name), cp.random.RandomState(5)
    drawn = function(*parameters, 20000)
    assert drawn.shape == (20000,) and drawn.dtype.kind == kind and drawn.dtype.itemsize == 8
    assert abs(float(drawn.mean()) - mean) < 0.05 * max(mean, 1) + 0.02
    np.testing.assert_array_equal(drawn.get(), getattr(state, name)(*parameters, size=20000).get())
    small = function(*parameters, (2, 3), np.int16 if kind == "i" else np.float32)
    assert small.shape == (2, 3) and small.dtype == (np.int16 if kind == "i" else np.float32)
    arrays = getattr(cp.random.default_rng(1), name)(*(cp.full((3, 1), p) for p in parameters), size=(3, 2))
    assert arrays.shape == (3, 2)
    assert list(inspect.signature(function).parameters)[-2:] == ["size", "dtype"]


def test_what_random_numbers_refuse(cp):
    with pytest.raises(ValueError, match="lam is None"):
        cp.random.poisson(None)
    with pytest.raises(ValueError, match="scale has to be >= 0"):
        cp.random.exponential(cp.array([2.0, -1.0]))
    with pytest.raises(TypeError, match="float32 or float64, not int8"):
        cp.random.default_rng(1).standard_gamma(1.0, dtype="b")
    with pytest.raises(TypeError, match="a seed is an integer"):
        cp.random.XORWOW(1.5)
    with pytest.raises(ValueError, match="must be greater than 0"):
        cp.random.RandomState(1).choice(-3)
    with pytest.raises(ValueError, match="lies in C order"):
        cp.random.default_rng(1).random(out=cp.zeros((3, 4), order="F"))


def test_seeds_may_be_arrays_and_states_are_of_devices(cp):
    seeds = np.arange(40) * 7919
    draws = [cp.random.Philox4x3210(s).random_raw(5).get() for s in (seeds, seeds.copy(), seeds[::-1])]
    assert (draws[0] == draws[1]).all() and (draws[0] != draws[2]).any()
    state = cp.random.RandomState(3)
    cp.random.set_random_state(state)
    assert cp.random.get_random_state() is state
    cp.random.reset_states()
    assert cp.random.get_random_state() is not state


def test_counts_are_tested_by_chi_square(cp):
    pytest.importorskip("kasoku_testing", reason="a wheel has no helpers of peers' tests")
    from kasoku_testing.cupy._hypothesis import _chance_above, chi_square_test

    # By tables: the numbers that are exceeded with a chance of 5 %.
    for df, limit in [(1, 3.841), (2, 5.991), (3, 7.815), (5, 11.070), (10, 18.307), (29, 42.557)]:
        assert abs(_chance_above(limit, df) - 0.05) < 1e-4
    assert chi_square_test([10, 12, 9], [31 / 3] * 3) and not chi_square_test([30, 1, 0], [31 / 3] * 3)


# ── padding ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("width", [2, (1, 3), ((0, 2), (3, 1))])
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
@pytest.mark.parametrize(
    "mode, options",
    [
        ("maximum", {}), ("minimum", {"stat_length": 2}), ("mean", {}), ("mean", {"stat_length": ((1, 2), (3, 1))}),
        ("median", {}), ("linear_ramp", {"end_values": ((5, -4), (-4, 9))}), ("linear_ramp", {}),
        ("reflect", {"reflect_type": "odd"}), ("symmetric", {"reflect_type": "odd"}), ("edge", {}),
    ],
)  # fmt: skip
def test_padding_by_what_is_computed(cp, mode, options, dtype, width):
    a = M.astype(dtype)
    got = cp.pad(cp.array(a), width, mode, **options)
    want = np.pad(a, width, mode, **options)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.get(), want)


def test_padding_by_a_function(cp):
    def tens(vector, widths, axis, options):
        vector[: widths[0]] = options["with_"]
        vector[vector.size - widths[1] :] = axis

    got = cp.pad(cp.array(M), ((1, 2), (2, 1)), tens, with_=10)
    np.testing.assert_array_equal(got.get(), np.pad(M, ((1, 2), (2, 1)), tens, with_=10))
    for width, error in [(2.5, TypeError), (-1, ValueError)]:
        with pytest.raises(error):
            cp.pad(cp.array(M), width, "mean")


# ── polynomials ───────────────────────────────────────────────────────────────────────────────


def test_series_of_rising_powers(cp):
    ours, numpys = cp.polynomial, np.polynomial
    c = np.array([2.0, -3, 0.5, 1, 0, 0])
    x = np.array([0.5, 2, -1])
    for name, args in [
        ("polyvander", (x, 3)),
        ("polycompanion", (c[:4],)),
        ("polyval", (x, c)),
        ("polyroots", (c[:4],)),
    ]:
        got = getattr(ours.polynomial, name)(*(cp.array(a) if isinstance(a, np.ndarray) else a for a in args)).get()
        if name == "polyroots":  # a GPU's library gives conjugates in another order
            got = got[np.lexsort((got.imag, got.real.round(9)))]
        np.testing.assert_allclose(got, getattr(numpys.polynomial, name)(*args), atol=1e-12)
    np.testing.assert_array_equal(ours.polyutils.trimseq(cp.array(c)).get(), c[:4])
    np.testing.assert_array_equal(ours.polyutils.trimcoef(cp.array(c), 0.6).get(), numpys.polyutils.trimcoef(c, 0.6))
    assert [a.dtype.char for a in ours.polyutils.as_series([cp.array(3), cp.array([1j])])] == ["D", "D"]
    for call, error in [
        (lambda: ours.polynomial.polyvander(cp.array(x), -1), ValueError),
        (lambda: ours.polynomial.polyvander(cp.array(x), 1.5), TypeError),
        (lambda: ours.polynomial.polycompanion(cp.array([1.0])), ValueError),
        (lambda: ours.polyutils.trimseq([1, 0]), TypeError),
        (lambda: ours.polyutils.as_series([cp.array([True])]), ValueError),
        (lambda: ours.polyutils.trimcoef(cp.array(c), -1), ValueError),
    ]:
        with pytest.raises(error):
            call()


def test_polynomials_give_polynomials(cp):
    p = cp.poly1d(np.poly1d([1, 2, 3], variable="z"))
    assert p.variable == "z"
    for name in ("polyadd", "polysub", "polymul"):
        for a, b in [([1, 2, 3], [4, 5]), ([1, 2], 3), ([0], [2, 1, 1])]:
            got, want = getattr(cp, name)(cp.poly1d(a), cp.array(b)), getattr(np, name)(np.poly1d(a), b)
            assert isinstance(got, cp.poly1d)
            np.testing.assert_array_equal(got.coeffs.get(), want.coeffs)
    with pytest.raises(TypeError, match="are a row"):
        cp.polyval(cp.array(3), cp.array([1]))
    with pytest.warns(np.exceptions.RankWarning):
        cp.polyfit(cp.array([1.0, 1.0]), cp.array([1.0, 2.0]), 3)


# ── arrays ────────────────────────────────────────────────────────────────────────────────────


def test_views_know_of_what_they_are(cp):
    z = cp.array([1 + 2j, 3])
    assert z.real.base is z and z.imag[1:].base is not None and z.view().base is z
    a = cp.arange(6).reshape(2, 3)
    assert cp.einsum("ij->ji", a).base is (a if a.base is None else a.base)
    assert z.flags.owndata and not z.view().flags.owndata


VIEWS = {
    "part": lambda cp, a: a[2:], "part of a part": lambda cp, a: a[2:][1:, ::2], "element": lambda cp, a: a[1, 2], "row": lambda cp, a: next(iter(a)),
    "axis": lambda cp, a: a[None], "all": lambda cp, a: a[...], "T": lambda cp, a: a.T, "mT": lambda cp, a: a.mT, "reshape": lambda cp, a: a.reshape(-1),
    "shape of words": lambda cp, a: cp.reshape(a, newshape=(4, 3)), "ravel": lambda cp, a: cp.ravel(a), "transpose": lambda cp, a: cp.transpose(a),
    "swapaxes": lambda cp, a: a.swapaxes(0, 1), "moveaxis": lambda cp, a: cp.moveaxis(a, 0, 1), "squeeze": lambda cp, a: a[None].squeeze(),
    "expand": lambda cp, a: cp.expand_dims(a, 0), "broadcast": lambda cp, a: cp.broadcast_to(a, (2, 3, 4)), "diagonal": lambda cp, a: a.diagonal(),
    "split": lambda cp, a: cp.split(a, 2, 1)[1], "flip": lambda cp, a: cp.flip(a), "rot90": lambda cp, a: cp.rot90(a), "view": lambda cp, a: a.view("i8"),
    "strides": lambda cp, a: cp.lib.stride_tricks.as_strided(a, (2, 2), (8, 8)), "windows": lambda cp, a: cp.lib.stride_tricks.sliding_window_view(a, 2, 0),
}  # fmt: skip
COPIES = {
    "copy": lambda cp, a: a.copy(), "sum": lambda cp, a: a + 1, "list": lambda cp, a: a[[0, 2]], "mask": lambda cp, a: a[a > 3],
    "flatten": lambda cp, a: a.flatten(), "astype": lambda cp, a: a.astype("f4"), "take": lambda cp, a: cp.take(a, [1], 0),
    "concatenate": lambda cp, a: cp.concatenate([a]), "array": lambda cp, a: cp.array(a), "ravel": lambda cp, a: a.T.ravel(),
}  # fmt: skip


@pytest.mark.parametrize(
    "made_of", [lambda cp: cp.zeros((3, 4)), lambda cp: cp.ones((3, 4)) * 2], ids=["there", "pending"]
)
@pytest.mark.parametrize("name", VIEWS)
def test_the_base_of_a_view_is_the_array_that_it_was_made_of(cp, made_of, name):
    a = made_of(cp)
    view = VIEWS[name](cp, a)
    assert view.base is a and a.base is None and view[...].base is a


@pytest.mark.parametrize("name", COPIES)
def test_what_has_memory_of_its_own_has_no_base(cp, name):
    assert COPIES[name](cp, cp.arange(12.0).reshape(3, 4).copy()).base is None


def test_a_view_keeps_the_array_that_it_was_made_of(cp):
    view = cp.arange(10)[2:]
    assert isinstance(view.base, cp.ndarray) and view.base.tolist() == list(range(10))
    there = weakref.ref(view.base)
    assert there() is view.base
    del view
    gc.collect()
    assert there() is None


def test_the_interface_says_where_an_array_lies(cp):
    a = cp.zeros((10, 20))
    shown = a[::2, ::5].__cuda_array_interface__
    assert shown["data"] == (a.data.ptr, False) and shown["strides"] == (320, 40) and shown["descr"] == [("", "<f8")]
    assert a.__cuda_array_interface__["strides"] is None and a[:0].__cuda_array_interface__["data"][0] == 0
    assert a[:0].data.ptr == 0
    with pytest.raises(ValueError, match="does not support masked arrays"):
        cp.array(type("Masked", (), {"__cuda_array_interface__": {**a.__cuda_array_interface__, "mask": a}})())
    assert cp.byte_bounds(a[::2, ::-1]) == (a.data.ptr, a.data.ptr + 9 * 160)


def test_values_are_not_read_where_that_is_forbidden(cp):
    a = cp.array([2, 3])
    with cupyx.allow_synchronize(False):
        for read in (a.get, lambda: cp.asnumpy(a)):
            with pytest.raises(cupyx.DeviceSynchronized):
                read()
        with cupyx.allow_synchronize(True):
            assert a.get().tolist() == [2, 3]


def test_scattered_values_take_the_arrays_dtype(cp):
    for scatter, want in [
        (cupyx.scatter_add, [3, 0, 5]),
        (cupyx.scatter_max, [2, 0, 5]),
        (cupyx.scatter_min, [0, 0, 0]),
    ]:
        a = cp.zeros(3, np.uint32)
        scatter(a, cp.array([0, 0, 2]), cp.array([1.0, 2.0, 5.0]))
        assert a.get().tolist() == want


def test_arrays_of_numpy_are_refused_where_cupy_refuses_them(cp):
    with pytest.raises(TypeError, match="asarray"):
        cp.add(cp.array([1]), np.array([1]))
    assert isinstance(cp.sum(np.arange(3)), np.generic)  # its own method, as in CuPy
    assert cp.abs is cp.absolute and cp.conj is cp.conjugate


def test_elements_in_a_row_are_an_iterator(cp):
    a = cp.arange(6).reshape(2, 3)
    flat = a.flat
    assert iter(flat) is flat and int(next(flat)) == 0 and int(next(flat)) == 1
    a.flat[1:] = cp.array([7, 8])
    assert a.get().ravel().tolist() == [0, 7, 8, 7, 8, 7]


def test_products_along_other_axes(cp):
    x, y = rng.standard_normal((2, 3, 4)), rng.standard_normal((4, 5, 2))
    axes = [(1, 2), (0, 1), (0, 2)]
    np.testing.assert_allclose(cp.matmul(cp.array(x), cp.array(y), axes=axes).get(), np.matmul(x, y, axes=axes))


def test_products_of_nothing_have_a_shape(cp):
    assert cp.dot(cp.zeros((2, 3, 0)), cp.zeros((3, 0, 2))).get().tolist() == np.zeros((2, 3, 3, 2)).tolist()
    assert cp.dot(cp.zeros((0, 2)), cp.zeros((3, 2, 4))).shape == (0, 3, 4)


def test_scans_and_quotients_with_outputs(cp):
    for name in ("cumsum", "cumprod"):
        with pytest.raises(TypeError, match=name):
            getattr(cp, name)([1, 2])
    rest = cp.empty(2, np.int64)
    quotient, same = cp.divmod(cp.array([7, -7]), 4, None, rest)
    assert quotient.get().tolist() == [1, -2] and same is rest and rest.get().tolist() == [3, 1]


def test_diagonals_positions_and_sides(cp):
    assert cp.eye(3, 4, 2**63).get().sum() == 0 and cp.diag_indices(-2)[0].size == 0
    index = (np.array([1, 2]), np.array([3, 0]))
    np.testing.assert_array_equal(
        cp.ravel_multi_index(tuple(map(cp.array, index)), (3, 4), order=None).get(), np.ravel_multi_index(index, (3, 4))
    )
    with pytest.raises(ValueError, match="more elements than"):
        cp.ravel_multi_index(tuple(map(cp.array, index)), (2**62, 4))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [None, 1, 4, 5, 9])
def test_transforms_of_real_numbers_side_by_side(cp, n, dtype):
    from kasoku.compat.cupyx.scipy import fftpack

    for axis in (0, 1):
        x = rng.random((6, 7)).astype(dtype)
        length = x.shape[axis] if n is None else n
        y = np.moveaxis(np.fft.rfft(x, length, axis), axis, -1)
        parts = np.stack((y.real, y.imag), -1).reshape(len(y), -1)
        packed = np.moveaxis(np.delete(parts, 1, -1)[:, :length], -1, axis)
        got = fftpack.rfft(cp.asarray(x), n, axis)
        assert type(got) is cp.ndarray and got.dtype == dtype and got.shape == packed.shape
        np.testing.assert_allclose(got.get(), packed, rtol=1e-5, atol=1e-5)
        whole = np.take(x, range(min(length, x.shape[axis])), axis)
        whole = np.pad(whole, [(0, length - whole.shape[k] if k == axis else 0) for k in range(2)])
        np.testing.assert_allclose(fftpack.irfft(got, axis=axis).get(), whole, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(
            fftpack.ifft(fftpack.fft(cp.asarray(x), n, axis), None, axis).get(), whole, atol=1e-5
        )
    np.testing.assert_allclose(fftpack.fft2(cp.asarray(x), (3, 4)).get(), np.fft.fft2(x, (3, 4)), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(fftpack.ifftn(cp.asarray(x)).get(), np.fft.ifftn(x), rtol=1e-4, atol=1e-6)


def test_inverses_of_positive_definite_matrices(cp):
    from kasoku.compat.cupyx.linalg import invh

    a = rng.random((3, 5, 5)) + 1j * rng.random((3, 5, 5))
    a = a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(5)
    below = cp.asarray(np.tril(a))  # what stands above the diagonal is not read
    for one in (cp.asarray(a), below):
        assert type(invh(one)) is cp.ndarray
        np.testing.assert_allclose(invh(one).get(), np.linalg.inv(a), rtol=1e-10, atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        invh(-cp.eye(2))


def test_who_lists_arrays(cp, capsys):
    cp.who({"x": cp.ones(10), "n": 3})
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["x", "10", "80", "float64"] and lines[-1].split()[-1] == "80"


def test_repeated_tests_say_what_failed_first(cp):
    pytest.importorskip("kasoku_testing", reason="a wheel has no helpers of peers' tests")
    count = iter(range(9))

    def fails():
        raise AssertionError(f"number {next(count)}")

    with pytest.raises(AssertionError, match="first error message: number 0"):
        cp.testing._condition.repeat_with_success_at_least(3, 1)(fails)()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        with pytest.raises(DeprecationWarning):
            cp.testing.numpy_cupy_raises()


def test_hermitian_transforms_of_several_axes(cp):
    from kasoku.compat.cupyx.scipy import fft

    y = rng.uniform(-1, 1, (4, 6))
    half = np.conj(np.fft.rfftn(y))
    for axes, scale in [(None, 24), ((0, 1), 24)]:
        np.testing.assert_allclose(cp.asnumpy(fft.ihfftn(cp.array(y), axes=axes)), half / scale)
        np.testing.assert_allclose(cp.asnumpy(fft.hfftn(cp.array(half), (4, 6), axes, norm="forward")), y * 1)
    np.testing.assert_allclose(cp.asnumpy(fft.ihfft2(cp.array(y), norm="ortho")), half / np.sqrt(24))
    np.testing.assert_allclose(cp.asnumpy(fft.hfft2(fft.ihfft2(cp.array(y)), (4, 6))), y)
    with pytest.raises(NotImplementedError, match="plan= is not yet supported"):
        fft.hfft(cp.array(half), plan=fft.get_fft_plan(cp.array(half)))


def test_bytes_and_ufuncs_of_several_axes_read_arrays_wherever_they_lie(cp):
    x = rng.integers(0, 99, (2, 3)).astype("int16")
    assert bytes(cp.array(x)) == bytes(x) and bytes(cp.array(x)[0, 0]) == bytes(x[0, 0].reshape(()))
    a, b = rng.uniform(size=(2, 10, 5)), rng.uniform(size=(10, 2, 5))
    axes = [(0, 1), (0, 1), (0, 1)]
    got = np.matmul(cp.array(a), cp.array(b), axes=axes)
    assert isinstance(got, cp.ndarray)
    np.testing.assert_allclose(cp.asnumpy(got), np.matmul(a, b, axes=axes))


# ── functions of numbers ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", ["int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("as_device", [False, True])
def test_functions_with_branches_are_compiled_wherever_arrays_lie(cp, device, dtype, as_device):
    if as_device and device != "cpu":
        pytest.skip("it is a device")

    def f(x, k):
        while k > 0:
            x = x * x - x if x < 2 else x - k
            k -= 1
        return x

    x, k = rng.integers(-3, 4, (5, 40)).astype(dtype), np.arange(40) % 4
    before = _core._jit_offload_to_cpu(as_device)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it runs in the interpreter
            function = cp.vectorize(f)
            got = function(cp.array(x), cp.array(k).astype(dtype))
    finally:
        _core._jit_offload_to_cpu(before)
    assert ("parallel, on the device" if as_device else "parallel") in function._compiled._device_loop.report()
    np.testing.assert_array_equal(got.get(), np.vectorize(f, otypes=[dtype])(x, k.astype(dtype)))
    assert got.dtype == dtype


def test_numbers_among_arrays_have_their_types(cp):
    add = cp.vectorize(lambda x, y: x + y)
    x = np.linspace(0, 1, 7).astype("float16")
    got, want = add(cp.array(x), 1), np.vectorize(lambda x, y: x + y)(x, 1)
    assert got.dtype == want.dtype == np.float64
    np.testing.assert_array_equal(got.get(), want)


# ── what CuPy refuses ─────────────────────────────────────────────────────────────────────────

REFUSED = {
    "text in r_": (NotImplementedError, lambda cp, a: cp.r_["0,2", a, a]),
    "steps that count": (NotImplementedError, lambda cp, a: cp.r_[-1:1:6j, 5]),
    "positions in a row": (IndexError, lambda cp, a: a.flat[[0, 1]]),
    "positions of a row that is set": (IndexError, lambda cp, a: a.flat.__setitem__(cp.array([0]), 1)),
    "sorting what has gaps": (NotImplementedError, lambda cp, a: a[::2].sort()),
    "partitioning what has gaps": (NotImplementedError, lambda cp, a: a[::-1].partition(1)),
    "keys of two axes": (NotImplementedError, lambda cp, a: cp.lexsort(cp.ones((2, 3, 3)))),
    "pieces by functions": (NotImplementedError, lambda cp, a: cp.piecewise(a, [a > 1], [lambda x: x, 0])),
    "a choice of arrays": (TypeError, lambda cp, a: cp.select([a > 1], [a], [2])),
    "an output with gaps": (RuntimeError, lambda cp, a: cp.ones((2, 2)).get(out=np.empty((3, 3))[:2, :2])),
    "arrays of two places": (TypeError, lambda cp, a: np.add(np.ones(6), a)),
    "a sum that goes elsewhere": (TypeError, lambda cp, a: np.add(a, a, out=np.ones(6))),
    "windows to write to": (NotImplementedError, lambda cp, a: cp.lib.stride_tricks.sliding_window_view(a, 2, writeable=True)),
    "too few windows": (ValueError, lambda cp, a: cp.lib.stride_tricks.sliding_window_view(cp.ones((2, 3)), (2,))),
    "no dtype": (ValueError, lambda cp, a: cp.require(a, "random")),
    "complex weights": (TypeError, lambda cp, a: cp.polyfit(a, a, 1, w=a + 1j)),
    "texts": (ValueError, lambda cp, a: cp.array(["a", "b"])),
    "times": (ValueError, lambda cp, a: cp.asarray(np.arange(3).astype("m8[s]"))),
    "the next complex number": (TypeError, lambda cp, a: cp.nextafter(a + 1j, 9)),
    "labels of complex numbers": (TypeError, lambda cp, a: importlib.import_module("kasoku.compat.cupyx.scipy.ndimage").label(a + 1j)),
    "an erosion of complex numbers": (TypeError, lambda cp, a: importlib.import_module("kasoku.compat.cupyx.scipy.ndimage").binary_erosion(a + 1j)),
    "an error mode that is none": (NotImplementedError, lambda cp, a: importlib.import_module("kasoku.compat.cupyx").seterr(linalg="some")),
    "a dtype that no loop gives": (TypeError, lambda cp, a: cp.sqrt(a, dtype="i4")),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cupy_refuses(cp, what):
    error, call = REFUSED[what]
    with pytest.raises(error):
        call(cp, cp.arange(6.0))


def test_what_fuse_keeps_can_be_cleared(cp):
    @cp.fuse(kernel_name="twice")
    def twice(x):
        return x + x

    twice.clear_cache()
    assert cp.fuse(len) is len and float(twice(cp.ones(2)).sum()) == 4


def test_arrays_that_differ_in_last_places_are_told(cp):
    one = cp.ones(2)
    cp.testing.assert_array_max_ulp(one, cp.nextafter(one, 2 * one))
    with pytest.raises(AssertionError):
        cp.testing.assert_array_max_ulp(one, one + 1e-9)


def test_what_is_sorted_in_place_has_no_gaps(cp):
    a = cp.array([3.0, 1.0, 2.0])
    a.sort()
    assert a.tolist() == [1.0, 2.0, 3.0] and cp.sort(a[::-1]).tolist() == [1.0, 2.0, 3.0]
    a.partition(1)
    assert a.tolist()[1] == 2.0 and a.flat[1] == 2.0 and a.flat[1:].tolist() == [2.0, 3.0]


def test_the_truth_of_nothing_is_warned_of(cp):
    with pytest.warns(DeprecationWarning):
        assert not cp.array([])


# ── memory ────────────────────────────────────────────────────────────────────────────────────


def test_a_pool_of_page_locked_memory_uses_blocks_again(cp):
    pool = cp.cuda.PinnedMemoryPool()
    block = pool.malloc(1000)
    address, shown = block.ptr, np.frombuffer(block, np.float32, 250)
    shown[...] = 7
    del block
    gc.collect()
    assert pool.n_free_blocks() == 0 and (shown == 7).all()  # an array over it is there
    other = pool.malloc(1000)
    assert other.ptr != address
    del shown
    gc.collect()
    assert pool.n_free_blocks() == 1 and pool.malloc(900).ptr == address
    other.mem.free()
    other.mem.free()
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0 and not isinstance(pool.malloc(0).mem, cp.cuda.pinned_memory.PooledPinnedMemory)


def test_hosts_read_arrays_by_dlpack(cp):
    class Shown:
        __dlpack_device__ = lambda self: (1, 0)
        __dlpack__ = lambda self, **kwargs: a.__dlpack__(dl_device=(1, 0), **kwargs)

    a = cp.arange(6.0)
    np.testing.assert_array_equal(np.from_dlpack(Shown()), np.arange(6.0))


def test_compiled_code_is_kept_in_a_folder(cp):
    cp.ElementwiseKernel("T x", "T y", "y = x + 1", "kept")(cp.ones(2))
    assert os.path.isdir(cp.cuda.compiler.get_cache_dir())


def test_a_stream_that_joined_a_capture_cannot_end_it(cp):
    first, second, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
    with first:
        first.begin_capture()
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="IllegalState"):
            second.end_capture()
        event.record(first)
        second.wait_event(event)
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="Unmatched"):
            second.end_capture()
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="Invalidated"):
            first.end_capture()
    assert not first.is_capturing() and not second.is_capturing()


def test_a_reduced_view_has_as_few_axes_as_its_strides_allow(cp):
    a = cp.arange(24).reshape(2, 3, 4)
    shapes = [
        (a, (24,)),
        (a[:, :2], (2, 8)),
        (a[:, :, ::2], (12,)),
        (a.T, (4, 3, 2)),
        (a[None, :, :1], (2, 4)),
        (a[0, 0, 0], ()),
    ]
    for x, shape in shapes:
        view = x.reduced_view()
        assert view.shape == shape and view.ravel().tolist() == x.ravel().tolist()
    a.reduced_view()[23] = -1
    assert a[1, 2, 3] == -1 and cp.zeros((0, 3)).reduced_view().size == 0


# ── the array API standard ────────────────────────────────────────────────────────────────────


def test_array_api_has_the_names_of_the_standard(cp):
    import array_api_strict

    from kasoku.compat.cupy import array_api

    for part in ("", "linalg", "fft"):
        theirs, ours = (getattr(space, part) if part else space for space in (array_api_strict, array_api))
        wanted = {
            name for name in theirs.__all__ if "strict" not in name.lower() and name not in ("Device", "__version__")
        }
        assert wanted - {*dir(ours)} <= {"broadcast_shapes", "isin"}  # which are of a later version of the standard


def test_array_api_gives_cupys_arrays_on_the_current_device(cp):
    import array_api_strict

    from kasoku.compat.cupy import array_api

    def values(xp):
        x = xp.asarray([[3.0, 1.0], [1.0, 2.0]])
        found = xp.unique_all(x)
        return [
            xp.sort(x, axis=1, descending=True), xp.concat([x, xp.zeros((1, 2))]), xp.permute_dims(x, (1, 0)), found.values,
            found.counts, xp.var(x, correction=1), xp.linalg.vector_norm(x), xp.linalg.solve(x, xp.ones((2, 1))),
            xp.fft.rfft(xp.arange(4.0)), *xp.nonzero(x > 1), xp.cumulative_sum(x, axis=0, include_initial=True),
        ]  # fmt: skip

    for a, b in zip(values(array_api), values(array_api_strict), strict=True):
        assert type(a) is cp.ndarray and a.device == cp.empty(0).device
        np.testing.assert_allclose(a.get(), np.asarray(b))


@pytest.mark.parametrize(
    "op", [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge, operator.add]
)
def test_numbers_of_numpys_stand_before_arrays(cp, op):
    x = cp.arange(6.0)
    for number in (np.int16(3), np.float32(2.5), np.bool_(True)):
        assert np.array_equal(op(number, x).get(), op(number, x.get()))
    with pytest.raises(TypeError):
        op(np.arange(6.0), x)


# ── functions with a signature ────────────────────────────────────────────────────────────────

A, B = rng.random((2, 3, 4)), rng.random((3, 4, 5))


@pytest.mark.parametrize("batched", [False, True])
def test_functions_with_a_signature_are_called_for_each_place(cp, batched):
    f = cupyx.GeneralizedUFunc(lambda x, y: x @ y, "(i,j),(j,k)->(i,k)", supports_batched=batched)
    a, b = cp.asarray(A), cp.asarray(B)
    product = np.matmul(A[:, None], B)
    np.testing.assert_allclose(f(a[:, None], b).get(), product)
    turned = f(a[:, None], b, axes=[(-2, -1), (-2, -1), (0, 1)])
    np.testing.assert_allclose(turned.get(), np.moveaxis(product, (-2, -1), (0, 1)))
    out = cp.empty(product.shape, "f4")
    assert f(a[:, None], b, out=out) is out and np.allclose(out.get(), product)
    assert f(a[:, None], b, dtype="f4").dtype == "f4" and f(a[:, None], b, order="F").flags.f_contiguous
    for bad in (out[:1], cp.empty(product.shape, "i4")):
        with pytest.raises((ValueError, TypeError), match="output|cast"):
            f(a[:, None], b, out=bad)
    with pytest.raises(ValueError, match="the axis j is of 4 and of 5 elements"):
        f(a, b.swapaxes(1, 2))


def test_functions_with_a_signature_of_one_axis(cp):
    f = cupyx.GeneralizedUFunc(lambda x: (x.min(), x.max()), "(i)->(),()", name="ends")
    low, high = f(cp.asarray(A), axis=1)
    assert np.array_equal(low.get(), A.min(1)) and np.array_equal(high.get(), A.max(1)) and f.__name__ == "ends"
    assert np.array_equal(f(cp.asarray(A), axis=1, keepdims=True)[0].get(), A.min(1, keepdims=True))
    with pytest.raises(ValueError, match="axis is a number"):
        f(cp.asarray(A), axis=(0, 1))
    with pytest.raises(ValueError, match="Not a valid gufunc signature"):
        cupyx.GeneralizedUFunc(abs, "(i)")
    parsed = cp._core._gufuncs._parse_gufunc_signature  # private, and CuPy's tests call it
    assert parsed("(i,j),(j)->(i)") == ([("i", "j"), ("j",)], [("i",)])


def test_functions_with_a_signature_have_forms_by_type(cp):
    forms = [("ii->i", lambda x, y: x + y), ("dd->d", lambda x, y: x - y)]
    f = cupyx.GeneralizedUFunc(lambda x, y: x * y, "(i),(i)->(i)", signatures=forms)
    results = {t: f(cp.full(2, 3, t), cp.full(2, 2, t), casting="no").tolist() for t in "ifd"}
    assert results == {"i": [5, 5], "f": [6, 6], "d": [1, 1]}
    for asked in ("ii->i", "i", ("i", "i", "i")):
        x = f(cp.full(2, 3.5), cp.full(2, 2.5), casting="unsafe", signature=asked)
        assert x.dtype == "i4" and x.tolist() == [5, 5]
    with pytest.raises(TypeError, match="no form 'id->i'"):
        f(cp.ones(2), cp.ones(2), casting="unsafe", signature="id->i")


# ── names ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name, of", [("alltrue", "all"), ("sometrue", "any"), ("product", "prod"), ("cumproduct", "cumprod"), ("round_", "round")])  # fmt: skip
def test_names_of_numpys_past_say_what_they_are_called_now(cp, name, of):
    x = cp.asarray(A[0])
    with pytest.warns(DeprecationWarning, match=rf"cupy\.{of} now"):
        found = getattr(cp, name)(x)
    np.testing.assert_allclose(found.get(), getattr(np, of)(A[0]))


def test_annotations_and_errors_have_their_names(cp):
    from kasoku.compat.cupy import typing

    assert typing.NDArray[np.float32] == types.GenericAlias(cp.ndarray, (Any, np.dtype[np.float32]))
    assert cp.AxisError is np.exceptions.AxisError and cp.exceptions.ComplexWarning is cp.ComplexWarning


@pytest.mark.parametrize("tensor", [True, False])
def test_polynomials_by_their_roots(cp, tensor):
    r, x = A[0], B[0, 0][:4]
    found = cp.polynomial.polynomial.polyvalfromroots(cp.asarray(x), cp.asarray(r), tensor)
    np.testing.assert_allclose(found.get(), np.polynomial.polynomial.polyvalfromroots(x, r, tensor))


@pytest.mark.parametrize("dtype", [*"?bHiqefdFD"])
@pytest.mark.parametrize("inplace", [False, True])
def test_bytes_of_numbers_are_turned_as_numpys_are(cp, dtype, inplace):
    for shape, order in (((), "C"), ((0, 3), "C"), ((2, 3, 4), "C"), ((4, 6), "F")):
        n = int(np.prod(shape))
        host = np.asarray((np.arange(n) % (2 if dtype == "?" else 100)).astype(dtype).reshape(shape), order=order)
        for part in (
            lambda x: x,
            lambda x: x.T,
            lambda x: x[::-1] if x.ndim else x,
            lambda x: x[..., ::2] if x.ndim else x,
        ):
            ours, theirs = part(cp.asarray(host.copy(order))), part(host.copy(order))
            found, wanted = ours.byteswap(inplace=inplace), theirs.byteswap(inplace=inplace)
            assert (found is ours) == inplace and found.dtype == wanted.dtype
            assert found.get().tobytes() == wanted.tobytes()


def test_ufuncs_store_where_a_mask_is_true(cp):
    x, mask = np.arange(6.0).reshape(2, 3), np.array([True, False, True])
    for function in (np.add, np.greater, np.arctan2):
        wanted = function(x, 2.0, out=np.full((2, 3), 7.0 if function is not np.greater else True), where=mask)
        out = cp.full((2, 3), wanted.dtype.type(7.0 if function is not np.greater else True))
        found = getattr(cp, function.__name__)(cp.asarray(x), 2.0, out=out, where=cp.asarray(mask))
        assert found is out
        np.testing.assert_allclose(found.get(), wanted, 1e-15)
    with pytest.raises(TypeError, match="cannot"):
        cp.add(cp.asarray(x), 0.5, out=cp.zeros((2, 3), int), where=cp.asarray(mask))


def test_arrays_keep_the_greater_and_the_less_index_by_index(cp):
    a = cp.zeros(3)
    a.scatter_max(cp.array([0, 0, 2]), cp.array([1.0, 3, -1]))
    assert a.get().tolist() == [3, 0, 0]
    a.scatter_min(cp.array([0, 2, 2]), cp.array([1.0, 3, -1]))
    assert a.get().tolist() == [1, 0, -1]


def test_arguments_have_cupys_names(cp):
    x = cp.asarray([[4.0, 1], [0, 2.5]])
    calls = {
        "around": {"a": x}, "broadcast_to": {"array": x, "shape": (3, 2, 2)}, "expand_dims": {"a": x, "axis": 0}, "flip": {"a": x},
        "moveaxis": {"a": x, "source": 0, "destination": 1}, "nancumsum": {"a": x}, "roll": {"a": x, "shift": 1}, "rot90": {"a": x},
        "squeeze": {"a": x}, "swapaxes": {"a": x, "axis1": 0, "axis2": 1}, "transpose": {"a": x}, "union1d": {"arr1": x, "arr2": x},
        "delete": {"arr": x, "indices": 0, "axis": 0}, "ediff1d": {"arr": x},
        "empty_like": {"prototype": x}, "stack": {"tup": [x, x]}, "cov": {"a": x}, "asanyarray": {"a": x, "copy": True},
        "reshape": {"a": x, "newshape": -1, "copy": True}, "intersect1d": {"arr1": x, "arr2": x}, "histogram": {"x": x},
        "corrcoef": {"a": x, "bias": None, "ddof": None},
    }  # fmt: skip
    for name, given in calls.items():
        assert isinstance(getattr(cp, name)(**given), (cp.ndarray, tuple)), name
    weights = cp.asarray([1.0, 2, 3, 4])
    counts = cp.histogram2d(x.ravel(), x.ravel(), 2, None, weights)[0]
    want = np.histogram2d(*[cp.asnumpy(x).ravel()] * 2, 2, weights=cp.asnumpy(weights))[0]
    assert np.array_equal(cp.asnumpy(counts), want)
    assert np.array_equal(cp.asnumpy(cp.histogramdd([x.ravel(), x.ravel()], 2, None, weights)[0]), want)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("shape", [(4,), (4, 3), (2, 4, 3)])
def test_systems_are_solved_by_a_factor_that_is_there(cp, dtype, lower, shape):
    x = np.random.default_rng(3)
    a = (x.random((*shape[:-2], 4, 4)) + (1j * x.random((4, 4)) if dtype == "complex128" else 0)).astype(dtype)
    a = a @ a.conj().swapaxes(-1, -2) + 4 * np.eye(4)
    b = x.random(shape).astype(dtype)
    factor = np.linalg.cholesky(a)
    factor = cp.asarray(factor if lower else factor.conj().swapaxes(-1, -2))
    want = np.linalg.solve(a, b)
    lapack, linalg = (importlib.import_module(f"kasoku.compat.cupyx.{name}") for name in ("lapack", "linalg"))
    np.testing.assert_allclose(cp.asnumpy(lapack.potrs(factor, cp.asarray(b), lower)), want, 1e-12)
    np.testing.assert_allclose(cp.asnumpy(linalg.cho_solve((factor, lower), cp.asarray(b))), want, 1e-12)
    with pytest.raises(ValueError, match="infs or NaNs"):
        linalg.cho_solve((factor * np.nan, lower), cp.asarray(b))
