"""cupy.ndarray is a class of its own: what CuPy's face gives is of it, what ks gives is not, and nothing of ks's changes."""

import inspect
import pickle
import threading

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import cupy, cupyx
from kasoku.compat.cupyx.scipy import fft, linalg, special


@pytest.fixture
def cp(device):
    with ks.default_device(device), cupy.cuda.Device(0):
        yield cupy


RESULTS = {
    "operators": lambda cp, a: [a + 1, 1 + a, a + a, -a, abs(a), a**2, a @ a, a > 1, divmod(a, 2)[0], 2 ** a],
    "items": lambda cp, a: [a[0], a[1:], a[[0, 2]], a[a > 1], next(iter(a)), a.flat[0], a.flat[1:], a.take([0])],
    "methods": lambda cp, a: [a.sum(), a.max(), a.mean(), a.cumsum(), a.reshape(3, 1), a.copy(), a.astype(int), a.view(int),
                              a.transpose(), a.ravel(), a.dot(a), a.clip(1, 2), a.argmax(), a.nonzero()[0], a.round(), a.conj()],
    "properties": lambda cp, a: [a.T, a.mT if a.ndim > 1 else a.T, a.real, a.imag, a[1:].base],
    "makers": lambda cp, a: [cp.zeros(3), cp.ones_like(a), cp.full(2, 1.0), cp.arange(3), cp.eye(2), cp.asarray([1]), cp.array(a),
                             cp.linspace(0, 1, 3), cp.hanning(4), cp.ndarray((2, 3)), cp.meshgrid(a, a)[0], cp.indices((2, 2))],
    "functions": lambda cp, a: [cp.sin(a), cp.add(a, a), cp.add.outer(a, a), cp.concatenate([a, a]), cp.where(a > 1, a, 0), cp.dot(a, a),
                                cp.sort(a), cp.unique(a), cp.split(a, 3)[0], cp.einsum("i->", a), cp.einsum("i", a), cp.sum(a), cp.pad(a, 1),
                                cp.nan_to_num(a), cp.percentile(a, 50), cp.histogram(a)[0], cp.broadcast(a, a[:, None]).values[1]],
    "NumPy's": lambda cp, a: [np.add(a, a), np.sum(a), np.concatenate([a, a]), np.sin(a), np.add.outer(a, a)],
    "ks's arrays": lambda cp, a: [a + ks.ones(3), ks.ones(3) + a, cp.asarray(ks.ones(3)), cp.sin(ks.ones(3))],
    "modules": lambda cp, a: [cp.linalg.norm(a), cp.linalg.inv(cp.eye(2)), cp.fft.fft(a), cp.fft.fftfreq(3), cp.random.rand(3),
                              cp.random.default_rng(1).random(3), cp.random.RandomState(1).randn(2), cp.random.permutation(3),
                              cp.lib.stride_tricks.as_strided(a, (2,), (8,)), cp.polynomial.polynomial.polyvander(a, 2)],
    "cupyx": lambda cp, a: [cupyx.rsqrt(a), special.erf(a), fft.rfft(a), linalg.toeplitz(a)],
    "polynomials": lambda cp, a: [cp.poly1d(a)(2), (cp.poly1d(a) * cp.poly1d(a)).coeffs, (2 - cp.poly1d(a)).deriv().coeffs,
                                  cp.poly1d([1, 0, -1.0]).roots, cp.polyadd(cp.poly1d(a), a).coeffs, cp.polyval(a, 2.0)],
    "kernels": lambda cp, a: [cp.ElementwiseKernel("T x", "T y", "y = x + 1", "next_")(a), cp.vectorize(lambda x: x + 1)(a),
                              cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")(a)],
    "pickles": lambda cp, a: [pickle.loads(pickle.dumps(a)), pickle.loads(pickle.dumps(cp.zeros))(2), pickle.loads(pickle.dumps(cp.ndarray.sum))(a)],
}  # fmt: skip


@pytest.mark.parametrize("of", RESULTS)
def test_what_the_face_gives_is_of_its_class(of, cp):
    assert {type(x) for x in RESULTS[of](cp, cp.array([1.0, 2.0, 3.0]))} == {cp.ndarray}


def test_what_ks_gives_is_of_its_operands_class(cp):
    a, k = cp.array([1.0, 2.0]), ks.ones(2)
    for x in (k, k + 1, k[0], k.sum(), ks.sin(k), k > 0, k.T, ks.concatenate([k, k]), ks.nan_to_num(k)):
        assert type(x) is ks.Array
    for x in (ks.sum(a), ks.sin(a), ks.add(k, a), ks.concatenate([a, k]), ks.nan_to_num(a), ks.linalg.norm(a)):
        assert type(x) is cp.ndarray  # as its operands are
    a[0][...] = 5
    assert a.tolist() == [5, 2]  # an element is a view here, and a value there
    with pytest.raises(ValueError, match="read-only"):
        k[0][...] = 5
    assert not hasattr(k, "scatter_add") and "device" not in repr(a)


def test_an_import_changes_nothing_of_ks(clean_process):
    clean_process(
        "import kasoku as ks\n"
        "classes = ks.Array, ks.ElementwiseKernel, ks.poly1d\n"
        "before = [dict(vars(c)) for c in classes]\n"
        "import kasoku.compat.cupy as cp, kasoku.compat.cupyx.scipy.special\n"
        "cp.poly1d, cp.vectorize, cp.linalg, cp.testing\n"
        "assert [dict(vars(c)) for c in classes] == before\n"
    )


def test_a_call_that_fails_and_other_threads(cp):
    with pytest.raises(TypeError):
        cp.sin("x")
    with pytest.raises(ValueError):
        cp.ones(3) + cp.ones(4)
    assert type(ks.ones(2)) is ks.Array
    found = []

    def work():
        found.extend([cp.ones(2) + 1, ks.ones(2)])

    thread = threading.Thread(target=cp.apply_along_axis, args=(lambda row: work() or row, 0, cp.ones(1)))
    thread.start()
    thread.join()
    work()
    assert [type(x) for x in found] == [cp.ndarray, cp.ndarray, cp.ndarray, ks.Array]


def test_functions_look_like_functions(cp):
    assert str(inspect.signature(cp.linspace)).startswith("(start, stop, num=50")
    assert cp.linspace.__name__ == "linspace" and "evenly" in cp.linspace.__doc__
    assert cp.ndarray.sum.__name__ == "sum" and "axis" in inspect.signature(cp.ndarray.argsort).parameters
    assert cp.ndarray[float, float].__origin__ is cp.ndarray


def test_subclasses(cp):
    class Named(cp.ndarray):
        def __new__(cls, *args, name=None, **kwargs):
            made = super().__new__(cls, *args, **kwargs)
            made.name = name
            return made

        def __array_finalize__(self, viewed):
            self.name = getattr(viewed, "name", None)

    x = Named((2, 3), dtype=np.int32, name="x")
    x[...] = 4
    assert type(x) is Named and x.name == "x" and x.shape == (2, 3) and x.dtype == np.int32
    for y in (x + 1, 1 + x, cp.ones((2, 3), int) + x, cp.add(1, x), x[0] + 1, -x + 9):
        assert type(y) is Named and y.name == "x" and set(y.ravel().tolist()) == {5}
    assert x.tolist() == [[4] * 3] * 2 and type(x.sum()) is cp.ndarray
    assert isinstance(x, ks.Array) and ks.sum(x).item() == 24
    y = cp.arange(3.0).view(Named)
    assert type(y) is Named and y.name is None and y.tolist() == [0, 1, 2] and y.base is not None
    assert y.view(Named).name is None and type(y.view(cp.ndarray)) is cp.ndarray
