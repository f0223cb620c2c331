"""What arrays share, how they lie, their elements in a row; complex results beyond real domains; polynomials as objects."""

import itertools
import pickle

import kasoku as ks
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("on_device")

VIEWS = [
    lambda x: x, lambda x: x[::2], lambda x: x[1::2], lambda x: x[2:4], lambda x: x[4:], lambda x: x[:0],
    lambda x: x.T, lambda x: x[:, 1], lambda x: x[:, ::2], lambda x: x[:, 1::2], lambda x: x[::-1, ::-1], lambda x: x + 0,
]  # fmt: skip


@pytest.mark.parametrize("i, j", itertools.combinations_with_replacement(range(len(VIEWS)), 2))
def test_memory_is_shared_as_numpys(i, j):
    host, ours = np.arange(30.0).reshape(6, 5), ks.arange(30.0).reshape(6, 5)
    of_host, of_ours = (VIEWS[i](host), VIEWS[j](host)), (VIEWS[i](ours), VIEWS[j](ours))
    for name in ("shares_memory", "may_share_memory"):
        want = getattr(np, name)(*of_host)
        assert getattr(ks, name)(*of_ours) == want
        assert getattr(np, name)(*of_ours) == want  # NumPy's function of our arrays


def test_memory_is_shared_with_numpys_arrays(device):
    x = np.arange(6.0)
    assert ks.shares_memory(ks.asarray(x), x) == (device == "cpu")
    assert not ks.may_share_memory(ks.array(x), x) and not ks.may_share_memory(x, ks.ones(3))
    assert not ks.may_share_memory(ks.ones(3, device="cpu"), ks.ones(3, device="null"))


def same_flags(ours, host):
    names = ("c_contiguous", "f_contiguous", "forc", "fnc", "owndata", "aligned")
    assert [getattr(ours.flags, name) for name in names] == [getattr(host.flags, name) for name in names]
    for key in ("C", "F", "W", "A", "X", "B", "CA", "CONTIGUOUS", "FORTRAN", "FNC", "FORC", "BEHAVED"):
        assert ours.flags[key] == host.flags[key]
    assert ours.flags.fortran == host.flags.fortran and ours.flags["F_CONTIGUOUS"] == host.flags["F_CONTIGUOUS"]


def test_an_array_is_made_read_only(device):
    for forbid in (
        lambda x: x.setflags(write=False),
        lambda x: setattr(x.flags, "writeable", False),
        lambda x: x.flags.__setitem__("W", False),
    ):
        x = ks.arange(6, device=device).reshape(2, 3)
        other = x[:1]
        x.setflags(write=True)
        forbid(x)
        assert not x.flags.writeable and not x[1:].flags.writeable and other.flags.writeable
        for write in ("x[0, 0] = 1", "x[1] = 2", "x += 1", "x[:, 1] -= 1", "x.fill(0)"):
            with pytest.raises(ValueError, match="read-only"):
                exec(write)
        other[0, 0] = 9
        assert x.tolist() == [[9, 1, 2], [3, 4, 5]] and x.copy().flags.writeable and (x + 1).flags.writeable
        with pytest.raises(KeyError):
            x.flags["C"] = False
        x.setflags(write=True)
        x[0, 0] = 7
        assert x.flags.writeable and other[0, 0] == 7
    theirs = ks.asarray(np.frombuffer(b"abcd", dtype=np.uint8), device="cpu")
    with pytest.raises(ValueError, match="WRITEABLE"):
        theirs.setflags(write=True)


def test_flags_are_numpys():
    host, ours = np.zeros((3, 4)), ks.zeros((3, 4))
    for view in (lambda x: x, lambda x: x[1:], lambda x: x[:, ::2], lambda x: x[:1, ::2], lambda x: x[:, :0]):
        same_flags(view(ours), view(host))
    assert ours.T.flags.fnc and ours.flags.writeable and not ks.broadcast_to(ours, (2, 3, 4)).flags.writeable
    with pytest.raises(KeyError):
        ours.flags["no_such_flag"]
    assert str(ours.flags).splitlines()[0] == "  C_CONTIGUOUS : True"


def test_a_view_tells_of_its_memory():
    x = ks.arange(12.0)
    assert x.base is None and (x + 1).base is None and x[::2].base.tolist() == x.tolist()
    x[2:].base[0] = 7
    assert float(x[0]) == 7
    assert ks.arange(12.0).reshape(3, 4)[1].base.shape == (12,)


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.T, lambda x: x[:, ::2]])
def test_elements_in_a_row(view):
    host, ours = view(np.arange(12).reshape(3, 4)), view(ks.arange(12).reshape(3, 4))
    assert len(ours.flat) == len(host.flat) and [int(v) for v in ours.flat] == list(host.flat)
    assert int(ours.flat[3]) == host.flat[3]
    np.testing.assert_array_equal(ours.flat[1:5:2].numpy(), host.flat[1:5:2])
    host.flat[2], ours.flat[2] = 50, 50
    host.flat[3:5], ours.flat[3:5] = [60, 70], [60, 70]
    np.testing.assert_array_equal(ours.numpy(), host)
    host.flat, ours.flat = [1, 2], [1, 2]
    np.testing.assert_array_equal(ours.numpy(), host)
    with pytest.raises(IndexError):
        ours.flat[12]


def test_files_and_pickles(tmp_path):
    x = ks.arange(6.0).reshape(2, 3)
    x.T.tofile(tmp_path / "bytes")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "bytes"), x.numpy().T.ravel())
    x.tofile(tmp_path / "text", sep=" ", format="%g")
    assert (tmp_path / "text").read_text() == "0 1 2 3 4 5"
    x.dump(tmp_path / "pickle")
    for loaded in (pickle.loads(x.dumps()), pickle.loads((tmp_path / "pickle").read_bytes())):
        np.testing.assert_array_equal(loaded.numpy(), x.numpy())


def test_require_copies_only_what_is_not_so():
    x = ks.arange(6.0).reshape(2, 3)
    assert ks.require(x, requirements=["C", "W", "A"]) is x
    turned = ks.require(x, requirements="F")
    assert turned.flags.f_contiguous and turned.tolist() == x.tolist()
    assert ks.require(x[:, ::2], "float32", "C").dtype == "float32"
    assert ks.require(ks.broadcast_to(x, (2, 2, 3)), requirements="W").flags.writeable
    for wrong in (["C", "F"], "Q"):
        with pytest.raises(ValueError):
            ks.require(x, requirements=wrong)
    assert ks.isfortran(x.T) and not ks.isfortran(x)


@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"])
@pytest.mark.parametrize("x", [[0.5, 0.25], [-0.5, 0.5], [2.0, -3.0], 1, [-4, 9], [1j, 2], []], ids=str)
def test_results_beyond_the_domain_are_complex(name, x):
    with np.errstate(all="ignore"):
        want = getattr(np.emath, name)(x)
    got = getattr(ks.emath, name)(ks.array(x))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12, atol=1e-12)
    assert got.device == ks.default_device()


def test_powers_and_logarithms_beyond_the_domain():
    for x, p in [([2, 4], 2), ([2, 4], -2), ([-2, 4], 2), ([-2.0, 4], 0.5), ([2, 4], [0.5, 2])]:
        want, got = np.emath.power(x, p), ks.emath.power(x, p)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ks.emath.logn(2, [-4.0, 8]).numpy(), np.emath.logn(2, [-4.0, 8]))


ROWS = [[1, 2, 3], [0, 0, 2, -1], [2.5], [1, 0, 1], [0]]


@pytest.mark.parametrize("a", ROWS, ids=str)
@pytest.mark.parametrize("b", ROWS, ids=str)
def test_polynomials_compute_as_numpys(a, b):
    p, q, host_p, host_q = ks.poly1d(a), ks.poly1d(b), np.poly1d(a), np.poly1d(b)
    calls = [
        lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: -p, lambda p, q: p**2, lambda p, q: 3 * p,
        lambda p, q: 1 - p, lambda p, q: p + [1, 2], lambda p, q: p(q), lambda p, q: p.deriv(), lambda p, q: p.integ(),
        lambda p, q: p.integ(2, [1, 2]), lambda p, q: p.deriv(2),
    ]  # fmt: skip
    for call in calls:
        want, got = call(host_p, host_q), call(p, q)
        np.testing.assert_allclose(got.coeffs.numpy(), want.coeffs)
    if np.any(b):
        for got, want in zip(p / q, host_p / host_q):
            np.testing.assert_allclose(got.coeffs.numpy(), want.coeffs, atol=1e-12)
    points = np.linspace(-1, 1, 7)
    np.testing.assert_allclose(p(ks.array(points)).numpy(), host_p(points))
    assert (p == q) == (host_p == host_q) and p.order == host_p.order and str(p) == str(host_p)
    assert p[0] == host_p[0] and p[9] == 0 and len(p) == len(host_p)
    np.testing.assert_allclose(*(np.sort(np.round(roots, 9) + 0) for roots in (p.r.numpy(), host_p.r)))


def test_polynomials_from_roots_and_by_their_coefficients():
    p = ks.poly1d([1, 2], True, variable="t")
    assert p.coeffs.tolist() == [1, -3, 2] and "t" in str(p) and repr(ks.poly1d([1, 2])) == "poly1d([1, 2])"
    p[3] = 5
    assert p.coeffs.tolist() == [5, 1, -3, 2] and np.asarray(p).tolist() == [5, 1, -3, 2]
    with pytest.raises(ValueError):
        ks.poly1d([[1, 2], [3, 4]])
    with pytest.raises(ValueError):
        p ** (-1)


@pytest.mark.parametrize("window, axis", [((2, 3), None), (2, 0), ((3,), -1), ((1, 2, 2), (0, 1, 0)), ((6, 5), None)])
def test_windows_are_views_as_numpys(window, axis, device):
    host, ours = np.arange(30.0).reshape(6, 5), ks.arange(30.0).reshape(6, 5)
    for index in (np.s_[:], np.s_[::-1], np.s_[:, 1:]):
        try:
            want = np.lib.stride_tricks.sliding_window_view(host[index], window, axis)
        except ValueError:
            with pytest.raises(ValueError, match="cannot be larger"):
                ks.lib.stride_tricks.sliding_window_view(ours[index], window, axis)
            continue
        got = ks.lib.stride_tricks.sliding_window_view(ours[index], window, axis)
        assert got.tolist() == want.tolist() and ks.shares_memory(got, ours)


def test_views_by_strides_stay_in_their_memory():
    x = ks.arange(6)
    assert ks.lib.stride_tricks.as_strided(x, (2, 5), (8, 8)).tolist() == [[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]
    assert ks.lib.stride_tricks.as_strided(x[5:], 6, -8).tolist() == [5, 4, 3, 2, 1, 0]
    view = ks.lib.stride_tricks.as_strided(x)
    view[0] = 7
    assert x[0] == 7
    assert not ks.lib.stride_tricks.as_strided(x, writeable=False).flags.writeable
    for shape, strides in (((2, 6), (8, 8)), ((2,), (-8,))):
        with pytest.raises(ValueError, match="would reach bytes"):
            ks.lib.stride_tricks.as_strided(x, shape, strides)
    with pytest.raises(IndexError):
        ks.lib.stride_tricks.sliding_window_view(x, 2, 1)
    with pytest.raises(ValueError, match="2 lengths of a window for 1 axes"):
        ks.lib.stride_tricks.sliding_window_view(x, (2, 2))


def test_bytes_and_records_under_numpys_dtypes(device):
    x = ks.arange(3.0)
    if device != "cpu":
        with pytest.raises(TypeError, match="no kasoku array can hold"):
            x.view("V8")
        with pytest.raises(TypeError, match="no buffer shows it"):
            x.data
        return
    raw = x.view("V8")
    assert type(raw) is np.ndarray and raw[1].tobytes() == np.float64(1).tobytes() and raw.ctypes.data == x.ptr
    assert x.view([("re", "f4"), ("im", "f4")])["im"].tolist() == np.arange(3.0).view("f4")[1::2].tolist()
    assert type(x.view(np.ndarray)) is np.ndarray
    x.data[1:2] = memoryview(np.array([5.0]))
    assert isinstance(x.data, memoryview) and x.tolist() == [0, 5, 2]


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("view", VIEWS)
def test_methods_take_an_order(view, order):
    host, ours = view(np.arange(30.0).reshape(6, 5)), view(ks.arange(30.0).reshape(6, 5).eval())
    assert ours.ravel("K").tolist() == host.ravel("K").tolist()
    assert ours.ravel(order).tolist() == host.ravel(order).tolist()
    assert ours.flatten(order=order).tolist() == host.flatten(order).tolist() and not ks.shares_memory(
        ours.flatten(order), ours
    )
    for shape in ((-1,), (host.size, 1), (1, -1), (-1, 2)):
        if host.size % 2 == 0 and (host.size or -1 not in shape):
            assert ours.reshape(*shape, order=order).tolist() == host.reshape(*shape, order=order).tolist()
            assert ours.reshape(shape, order=order).shape == host.reshape(shape, order=order).shape


def test_reshape_copies_as_it_is_told():
    x = ks.arange(6)
    assert ks.shares_memory(x.reshape(2, 3, copy=False), x) and not ks.shares_memory(x.reshape(2, 3, copy=True), x)
    with pytest.raises(ValueError, match="copy=False"):
        x.reshape(2, 3).T.reshape(6, copy=False)
    with pytest.raises(ValueError, match="order must be"):
        x.reshape(2, 3, order="Q")


@pytest.mark.parametrize("seed", range(40))
def test_rows_in_the_order_of_memory(seed):
    """Also where axes repeat their elements, or have one."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 4, rng.integers(1, 5))
    host = rng.integers(0, 99, shape).transpose(rng.permutation(len(shape)))
    repeated = tuple(slice(0, 1) if rng.random() < 0.4 else slice(None) for _ in shape)
    host = np.broadcast_to(host[repeated], host.shape)[tuple(slice(None, None, rng.choice([1, -1, 2])) for _ in shape)]
    x = ks.asarray(host)
    if x.device == "cpu":  # on its way to a GPU memory becomes C's
        assert x.ravel("K").tolist() == host.ravel("K").tolist()
    else:
        assert x.numpy().tolist() == host.tolist()


def test_an_axis_of_what_has_none():
    x = ks.array(3.0)
    assert x.squeeze(axis=0).shape == x.squeeze(-1).shape == () and ks.argsort(x).tolist() == [0]
    for f in (lambda: x.squeeze(1), lambda: ks.argsort(x, 1)):
        with pytest.raises(np.exceptions.AxisError):
            f()
