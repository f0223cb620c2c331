"""Every row of ops.def against NumPy, on every dtype and device. Adding a row adds its tests."""

import itertools
import warnings

import hypothesis
import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64"]  # fmt: skip
DOMAINS = ["any", "nonzero", "nonzero_right", "positive", "nonnegative", "small",
           "above_minus_one", "above_one", "unit", "shift", "no_half"]  # fmt: skip
ROWS = [row for row in _core._ops() if hasattr(np, row[0])]
ULPS = {"float16": 2, "float32": 4, "float64": 4}


def samples(domain, dtype, n, seed):
    """Values inside a row's domain, with the dtype's edges among them."""
    g = np.random.default_rng(seed)
    d = np.dtype(dtype)
    if d.kind == "b":
        return g.random(n) < 0.5
    if d.kind in "iu":
        low, high = (0, 20) if domain in ("shift", "positive", "small") else (-50 if d.kind == "i" else 0, 50)
        x = g.integers(low, high, n).astype(d)
        if domain == "any":
            x[:4] = [np.iinfo(d).min, np.iinfo(d).max, 0, 1]
        if domain in ("positive", "nonzero", "nonzero_right", "above_one"):
            x[x == 0] = 1
        if domain in ("positive", "nonnegative", "above_one", "above_minus_one"):
            x = np.abs(np.maximum(x, -np.iinfo(d).max if d.kind == "i" else 0)).astype(d)
        if domain == "unit":
            x = (x > 0).astype(d)
        return x
    x = g.normal(0, 3, n)
    x = {"positive": np.abs(x) + 0.1, "nonnegative": np.abs(x), "above_minus_one": np.abs(x) - 0.9,
         "above_one": np.abs(x) + 1, "unit": np.tanh(x) * 0.99, "nonzero": np.where(x == 0, 1, x)}.get(domain, x)  # fmt: skip
    x = x.astype(d)
    if domain == "any":
        x[:6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0]
    return x


def agree(got, want, name, exact=False):
    assert str(got.dtype) == str(want.dtype), (name, got.dtype, want.dtype)
    assert got.shape == want.shape
    g, w = got.numpy(), want
    if w.dtype.kind != "f" or exact:
        np.testing.assert_array_equal(g, w)
        return
    np.testing.assert_array_equal(np.isnan(g), np.isnan(w))
    ok = ~np.isnan(w)
    np.testing.assert_array_equal(np.isinf(g[ok]), np.isinf(w[ok]))
    finite = np.isfinite(w)
    tolerance = ULPS[w.dtype.name] * np.spacing(np.maximum(np.abs(w[finite]), np.finfo(w.dtype).tiny))
    assert (np.abs(g[finite].astype("f8") - w[finite].astype("f8")) <= tolerance.astype("f8")).all(), name


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_agrees_with_numpy(row, dtype, device):
    name, arity, _, _, domain, _ = row
    domain = DOMAINS[domain]
    args = [samples(domain if k == 0 or domain != "shift" else "shift", dtype, 50, seed=k + 1) for k in range(arity)]
    if name == "where":
        args[0] = args[0] > 0 if dtype != "bool" else args[0]
    if domain == "nonzero_right":
        args[1][args[1] == 0] = 1
    ours = [ks.array(x, device=device) for x in args]
    with np.errstate(all="ignore"):
        try:
            want = getattr(np, name)(*args)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(ks, name)(*ours).numpy()
            return
    if domain == "no_half" and want.dtype == np.float16:
        with pytest.raises(TypeError, match="not defined for float16 arrays"):
            getattr(ks, name)(*ours)
        return
    got = getattr(ks, name)(*ours)
    agree(
        got, want, name, exact=name in ("nextafter", "copysign", "spacing")
    )  # a float beside the right one is a wrong one
    long = [ks.array(np.tile(x, 30), device=device) for x in args]  # too many elements to run at once: a group's
    assert getattr(ks, name)(*long).numpy()[:50].tobytes() == got.numpy().tobytes()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_complex_numbers_agree_with_numpy(row, dtype, device):
    """To some steps of the magnitude. The first ones are equal in both operands, the next ones in one part alone."""
    name, arity, _, texts, *_ = row
    g = np.random.default_rng(3)
    args = [(g.uniform(-2, 2, 40) + 1j * g.uniform(0.1, 2, 40)).astype(dtype) for _ in range(arity)]
    if arity > 1:
        args[-1][:6] = args[0][:6].real + 1j * np.where(np.arange(6) < 4, args[0][:6].imag, args[-1][:6].imag)
    if name.startswith("is"):  # one part is what is asked for, or both, or none
        kinds = 1.0, np.inf, -np.inf, np.nan
        args[0][:16] = [complex(real, imag) for real in kinds for imag in kinds]
    if name == "where":
        args[0] = args[0].real > 0
    ours = [ks.array(x, device=device) for x in args]
    if not texts[3] and not name.startswith("logical"):
        with pytest.raises(TypeError):
            getattr(ks, name)(*ours)
        return
    got, want = getattr(ks, name)(*ours), getattr(np, name)(*args)
    assert str(got.dtype) == str(want.dtype)
    if want.dtype.kind == "b":
        np.testing.assert_array_equal(got.numpy(), want)
    else:
        assert (abs(got.numpy() - want) <= 16 * np.finfo(dtype).eps * np.maximum(abs(want), 1e-3)).all()


NUMBERS = [True, 0, 2, -1, 300, -300, 2**40, 2**63, -(2**70), 2.5, 1e6, float("inf"), 1 + 2j]
COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
ORDERS = {*COMPARISONS, "clip", "fmax", "fmin", "maximum", "minimum"} - {"equal", "not_equal"}


def arguments(name, x, number, xp):
    """The places that a number can have beside arrays."""
    if name == "where":
        chosen = np.array([True, False, True, False, True])
        if xp is ks:
            chosen = ks.asarray(chosen, device=x.device)
        return [(chosen, number, x), (chosen, x, number)]
    if name == "clip":
        return [(x, number, x), (x, x, number), (x, number, number)]
    return [(x, number), (number, x)]


def reference(name):
    """NumPy's function; of floats of which one is infinite, // is the array API's: the quotient."""

    def floor_quotient(x, y):
        want = np.floor_divide(x, y)
        if want.dtype.kind != "f":
            return want
        x, y = (np.asarray(v if isinstance(v, np.ndarray) else float(v)).astype(want.dtype) for v in (x, y))
        return np.where(np.isinf(x) | np.isinf(y), x / y, want)

    return floor_quotient if name == "floor_divide" else getattr(np, name)


def outcome(function, args):
    """The value, or the class of what is raised."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*args))
    except (TypeError, OverflowError, ValueError) as error:
        return next(kind for kind in (TypeError, OverflowError, ValueError) if isinstance(error, kind))


def differs(name, number, want, got):
    """Where docs/differences.md says so."""
    is_large = isinstance(number, int) and abs(number) >= 2**63
    if got is TypeError:  # complex numbers have no order, float16 numbers no next one
        return (name in ORDERS and "1+2j" in str(number)) or (name == "nextafter" and want.dtype == np.float16)
    if got is OverflowError:
        return name == "where"  # NumPy cuts off what the array cannot hold
    return want is OverflowError and is_large and (name in COMPARISONS | {"clip"} or name.startswith("logical"))


@pytest.mark.parametrize("row", [row for row in ROWS if row[1] > 1], ids=lambda row: row[0])
def test_numbers_meet_arrays_as_in_numpy(row, device):
    """The result's dtype and values, for every dtype and every kind of Python number at every place."""
    name, limits = row[0], {"float16": 5e-3, "float32": 1e-5, "complex64": 1e-5}
    for dtype, number in itertools.product([*DTYPES, "complex64", "complex128"], NUMBERS):
        if dtype.startswith("complex") and name in ORDERS:
            continue  # no order
        x = np.array([0, 1, 2, 3, 5], dtype)
        ours = arguments(name, ks.array(x, device=device), number, ks)
        for of_numpy, of_ours in zip(arguments(name, x, number, np), ours, strict=True):
            want, got = outcome(reference(name), of_numpy), outcome(getattr(ks, name), of_ours)
            case = (name, dtype, number, want, got)
            if isinstance(want, type) or isinstance(got, type):
                assert want is got or differs(name, number, want, got), case
                continue
            assert got.dtype == want.dtype and got.shape == want.shape, case
            if want.dtype.kind == "c":  # C leaves open what lies beyond the largest
                got, want = got[np.isfinite(want)], want[np.isfinite(want)]
            np.testing.assert_allclose(got, want, limits.get(want.dtype.name, 1e-12), err_msg=str(case))


@pytest.mark.usefixtures("on_device")
@hypothesis.settings(max_examples=5 * hypothesis.settings.default.max_examples)
@hypothesis.given(data=st.data())
def test_any_operands(data, layouts):
    """Of any dtypes and shapes that stretch to one another, however they lie, at once or in the graph."""
    name, arity, _, _, domain, _ = data.draw(st.sampled_from(ROWS))
    domain = DOMAINS[domain]
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=arity, max_dims=3, min_side=0, max_side=4))
    times = data.draw(st.sampled_from([1, 1, 300]))  # along an axis of their own, for more than a few elements
    args = []
    for k, shape in enumerate(shapes.input_shapes):
        dtype = "bool" if name == "where" and k == 0 else data.draw(st.sampled_from(DTYPES))
        x = samples(domain if k == 0 or domain != "shift" else "shift", dtype, max(int(np.prod(shape)), 6), seed=k)
        if domain == "nonzero_right" and k == 1:
            x[x == 0] = 1
        x = x[: int(np.prod(shape))].reshape(shape)
        if times > 1:
            x = np.repeat(x.reshape(1, *(1,) * (len(shapes.result_shape) - x.ndim), *shape), times, 0)
        args.append(x)
    ours = [layouts[data.draw(st.sampled_from([*layouts]))](x) for x in args]
    want = outcome(reference(name), args)
    before = _core._few_at_once(data.draw(st.booleans()))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = outcome(getattr(ks, name), ours)
    finally:
        _core._few_at_once(before)
    if isinstance(want, type) or isinstance(got, type):
        assert want is got or (domain == "no_half" and want.dtype == np.float16), (name, want, got)
    else:
        agree(ks.array(got), want, (name, args))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_one_element_meets_few_time_and_again(dtype, shape, device):
    """The first time finds the kernel, later ones come to it by a shorter way."""
    few, one = (ks.array(x, device=device).astype(dtype).eval() for x in ([1.0, 0.0, 3.0], np.full(shape, 2.0)))
    for _ in range(3):
        for both in (few + one, one + few):
            np.testing.assert_array_equal(
                both.astype("int64").numpy().ravel(), [1, 1, 1] if dtype == "bool" else [3, 2, 5]
            )


@pytest.mark.parametrize("other", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_promotes_as_numpy(dtype, other):
    x, y = np.ones(3, dtype), np.ones(3, other)
    assert (ks.array(x) + ks.array(y)).dtype == (x + y).dtype
    assert (ks.array(x) / ks.array(y)).dtype == (x / y).dtype
    assert (ks.array(x) < ks.array(y)).dtype == np.bool_


@pytest.mark.parametrize("dtype", DTYPES)
def test_three_promote_in_no_order(dtype):
    for a, b in itertools.product(DTYPES, repeat=2):
        host = [np.ones(1, each) for each in (dtype, a, b)]
        ours = [ks.array(x) for x in host]
        assert ks.concatenate(ours).dtype == np.concatenate(host).dtype, (a, b)
        assert ks.clip(*ours).dtype == np.clip(*host).dtype, (a, b)


@pytest.mark.parametrize("number", [True, 2, 2.5])
@pytest.mark.parametrize("dtype", DTYPES)
def test_python_numbers_adapt(dtype, number):
    x = np.ones(3, dtype)
    for f in (lambda a: a + number, lambda a: number * a, lambda a: a / number, lambda a: a == number):
        want, got = f(x), f(ks.array(x))
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("a", DTYPES)
@pytest.mark.parametrize("b", DTYPES)
def test_astype(a, b):
    x = samples("small", a, 40, 1)
    np.testing.assert_array_equal(ks.array(x).astype(b).numpy(), x.astype(b))


@pytest.mark.parametrize("n", [1, 17, 5000])
@pytest.mark.parametrize("to", [d for d in DTYPES if np.dtype(d).kind in "iu"])
@pytest.mark.parametrize("of", ["float32", "float64"])
def test_floats_out_of_range_become_the_integers_that_numpy_has(of, to, n, device):
    edges = [
        s * (2.0**bits + more) for bits in (7, 8, 15, 16, 31, 32, 63, 64) for more in (-1, 0, 0.5, 1) for s in (1, -1)
    ]
    x = np.tile(np.array([*edges, np.nan, np.inf, -np.inf, 300.7, -129.9, 1e30, -0.5, -1e5], of), n)
    with np.errstate(invalid="ignore"):
        want = x.astype(to)
    np.testing.assert_array_equal(ks.array(x, device=device).astype(to).numpy(), want)
    if n == 1:
        ones = [ks.full((), v, of, device=device).astype(to).item() for v in x.tolist()]
        np.testing.assert_array_equal(np.array(ones, to), want)


@pytest.mark.parametrize("f", ["exp", "log", "sin", "cos"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elementary_functions_to_one_ulp(f, dtype):
    g = np.random.default_rng(5)
    x = np.concatenate([g.uniform(-700, 700, 20000), g.normal(0, 1, 20000), 10 ** g.uniform(-30, 30, 20000)]).astype(
        dtype
    )
    if f == "log":
        x = np.abs(x) + np.finfo(dtype).tiny
    if f == "exp":
        x = x[np.abs(x) < (700 if dtype == "float64" else 87)]
    if f in ("sin", "cos"):
        x = x[np.abs(x) < 1e6]
    with np.errstate(all="ignore"):
        wide = getattr(np, f)(x.astype(np.longdouble))
    got = getattr(ks, f)(ks.array(x)).numpy()
    error = np.abs(got.astype(np.longdouble) - wide) / np.spacing(np.abs(wide).astype(dtype))
    assert error.max() < 1.5, (error.max(), x[error.argmax()])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_arrays(device, dtype):
    rng = np.random.default_rng(2)
    x = (rng.standard_normal((30, 7)) + 1j * rng.standard_normal((30, 7))).astype(dtype)
    a = ks.array(x, device=device)
    near = dict(rtol=1e-5 if dtype is np.complex64 else 1e-13)
    for ours, numpys in [
        (a * (2 - 1j) + a / a[::-1] - 1j, x * dtype(2 - 1j) + x / x[::-1] - dtype(1j)),
        (a.T.sum(axis=0), x.T.sum(axis=0)), (a.prod(axis=1), x.prod(axis=1)), (a.mean(axis=0), x.mean(axis=0)),
        (a.var(axis=0), x.var(axis=0)), (a.std(), x.std()), (abs(a), abs(x)), (a.real, x.real),
        (ks.exp(a), np.exp(x)), (a[:0].sum(axis=0), x[:0].sum(axis=0)), (a.conj(), x.conj()),
        (a.round(1), x.round(1)), (ks.round(a), np.round(x)),
    ]:  # fmt: skip
        assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
        np.testing.assert_allclose(ours.numpy(), numpys, atol=1e-5 if dtype is np.complex64 else 1e-12, **near)
    assert (
        bool((a == a).all())
        and not bool((a != a).any())
        and int(ks.count_nonzero(a * (a.real > 0))) == (x.real > 0).sum()
    )
    with pytest.raises(TypeError, match="not defined for complex"):
        ks.floor(a)


@pytest.mark.parametrize("value", [0, 1, -3, 200.75, -0.0, float("nan"), float("inf"), 2.5 - 1j, 1 + 1j, 0j, True])
@pytest.mark.parametrize(
    "dtype",
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split(),
)
def test_one_value_everywhere(value, dtype, device):
    """Computed alone it is filled in, beside something else it is part of a kernel."""
    with np.errstate(all="ignore"):
        kind = np.dtype(dtype).kind
        if (
            kind in "biuf"
            and isinstance(value, complex)
            or kind in "biu"
            and value != value
            or kind in "iu"
            and value == float("inf")
        ):
            pytest.skip("not a value of the dtype")
        if kind == "u" and value < 0 or kind == "i" and abs(value) > 127:
            pytest.skip("not a value of all such dtypes")
        for shape in ((), (1,), (3, 5), (0, 4), (70000,)):
            filled = ks.full(shape, value, dtype=dtype, device=device)
            want = np.full(shape, value, dtype)
            got = filled.numpy()
            assert got.dtype == want.dtype and got.shape == want.shape
            assert got.tobytes() == want.tobytes()


def test_one_value_everywhere_needs_no_kernel(device):
    ks.zeros(3, device=device).numpy()
    before = ks.stats()
    for dtype in ("int8", "float16", "float64", "complex128"):
        ks.zeros((7, 3), dtype=dtype, device=device).numpy()
        ks.full((7, 3), 5, dtype="int16", device=device).numpy()
    between = ks.stats() - before
    assert between["misses"] == 0 and between["memory_hits"] == 0 and between["disk_hits"] == 0


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 10, 16, 17, 64, 100])
def test_division_by_a_number_that_the_text_holds(device, dtype, divisor):
    limits = np.iinfo(dtype)
    x = np.array(
        [limits.min, limits.min + 1, *range(0 if limits.min == 0 else -40, 41), limits.max - 1, limits.max], dtype
    )
    got = ks.array(x, device=device)
    np.testing.assert_array_equal((got // divisor).numpy(), x // np.dtype(dtype).type(divisor))
    np.testing.assert_array_equal((got % divisor).numpy(), x % np.dtype(dtype).type(divisor))
    assert int((got % divisor).sum(dtype="int64")) == int((x % np.dtype(dtype).type(divisor)).sum(dtype="int64"))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_quotients_and_products_are_numpys(dtype):
    parts = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]
    z = np.array([complex(a, b) for a in parts for b in parts], dtype)
    a, b = np.meshgrid(z, z)
    with np.errstate(all="ignore"):
        for want, got in ((a / b, ks.array(a) / ks.array(b)), (a * b, ks.array(a) * ks.array(b))):
            np.testing.assert_array_equal(got.numpy(), want)
