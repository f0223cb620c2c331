"""Products of matrices and numpy.linalg in compiled functions, by the machine's library."""

import itertools
import subprocess
import sys
import threading

import kasoku as ks
import numpy as np
import pytest

rng = np.random.default_rng(5)
dtypes = "?bBhHiIlLfdFD"


def numbers(dtype, *shape):
    dtype = np.dtype(dtype)
    x = rng.integers(-4 if dtype.kind in "ifc" else 0, 5, shape)
    if dtype.kind == "c":
        return (x + 1j * rng.integers(-4, 5, shape)).astype(dtype)
    return x.astype(dtype)


def layouts(x):
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    every_other = tuple(slice(None, None, 2) for _ in x.shape)
    wide[every_other] = x
    backwards = tuple(slice(None, None, -1) for _ in x.shape)
    return {"C": x, "F": np.asfortranarray(x), "strided": wide[every_other], "reversed": x[backwards].copy()[backwards]}


@ks.njit
def product(a, b):
    return a @ b


@ks.njit
def dot(a, b):
    return np.dot(a, b)


def same(got, want):
    assert np.shape(got) == np.shape(want) and (np.ndim(want) == 0 or got.dtype == want.dtype)
    np.testing.assert_allclose(got, want, rtol=1e-6 if np.asarray(want).dtype.char in "fF" else 1e-12)


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("m, k, n", [(3, 4, 5), (40, 30, 20), (1, 50, 60), (60, 50, 1), (33, 1, 65)])
def test_products_are_numpys(dtype, m, k, n):
    a, b, x, y = numbers(dtype, m, k), numbers(dtype, k, n), numbers(dtype, k), numbers(dtype, m)
    for f in (product, dot):
        same(f(a, b), a @ b)
        same(f(a, x), a @ x)
        same(f(y, a), y @ a)
        same(f(x, x), x @ x)


@pytest.mark.parametrize("dtype", "lfD")
@pytest.mark.parametrize("m, k, n", [(5, 4, 3), (70, 50, 60)])
def test_products_of_any_layout(dtype, m, k, n):
    a, b, x = numbers(dtype, m, k), numbers(dtype, k, n), numbers(dtype, k)
    for one, other in itertools.product(layouts(a), layouts(b)):
        same(product(layouts(a)[one], layouts(b)[other]), a @ b)
        same(product(layouts(a)[one], layouts(x)[other]), a @ x)
        same(product(layouts(x)[other], layouts(b)[one]), x @ b)
    same(product(a.T, a), a.T @ a)
    same(product(a, a.T), a @ a.T)


@pytest.mark.parametrize("one, other", ["fd", "lf", "id", "dD", "bl", "?f", "FD"])
def test_products_of_two_dtypes(one, other):
    for m in (4, 40):
        a, b = numbers(one, m, m), numbers(other, m, m)
        same(product(a, b), a @ b)
        same(product(b.T, a[0]), b.T @ a[0])


def test_products_without_elements():
    for m, k, n in [(0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)]:
        a, b = np.ones((m, k)), np.ones((k, n))
        same(product(a, b), a @ b)
        same(product(a, np.ones(k)), a @ np.ones(k))
        same(product(np.ones(m), a), np.ones(m) @ a)
    with pytest.raises(ValueError):
        product(np.ones((30, 40)), np.ones((30, 40)))


def test_a_compiled_product_is_the_arrays_bit_by_bit():
    a, b = rng.random((300, 200)), rng.random((200, 250))
    assert np.array_equal(product(a, b), (ks.array(a) @ ks.array(b)).numpy())
    assert np.array_equal(product(a, b[:, 0].copy()), (ks.array(a) @ ks.array(b[:, 0].copy())).numpy())


def test_products_in_the_iterations_of_a_parallel_loop():
    @ks.njit(parallel=True)
    def products(a, out):
        for i in ks.prange(a.shape[0]):
            out[i] = a[i] @ a[i].T

    a, out = rng.random((20, 30, 40)), np.zeros((20, 30, 30))
    products(a, out)
    np.testing.assert_allclose(out, a @ a.transpose(0, 2, 1), rtol=1e-12)


def test_products_with_nan_and_infinity():
    a = rng.random((40, 40))
    a[3, 4], a[5, 6] = np.nan, np.inf
    b = np.abs(rng.random((40, 40)))
    np.testing.assert_allclose(product(a, b), a @ b)
    np.testing.assert_allclose(product(a[:4, :6].copy(), b[:6, :3].copy()), a[:4, :6] @ b[:6, :3])


def matrix(dtype, n, seed=0):
    """A regular matrix; Hermitian and positive definite is x @ x^H of it."""
    made = np.random.default_rng(seed)
    x = made.normal(size=(n, n)) + np.eye(n)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * made.normal(size=(n, n))
    return (4 * x).astype(dtype)


def compiled(text, *names):
    import linecache

    file, source = f"<linear {text}>", f"def f({', '.join(names)}):\n    return {text}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np}
    exec(compile(source, file, "exec"), space)
    return ks.njit(space["f"]), space["f"]


def near(got, want):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            near(one, other)
        return
    single = np.asarray(want).dtype.char in "fF"
    assert np.shape(got) == np.shape(want) and (np.ndim(want) == 0 or got.dtype == want.dtype)
    scale = np.abs(want).max() if np.size(want) else 1
    np.testing.assert_allclose(got, want, rtol=2e-3 if single else 1e-9, atol=scale * (2e-4 if single else 1e-11))


@pytest.mark.parametrize("dtype", "bHilfdFD")
@pytest.mark.parametrize(
    "text",
    ["np.linalg.inv(a)", "np.linalg.solve(a, b)", "np.linalg.solve(a, a[:, :3])", "np.linalg.det(a)", "np.linalg.slogdet(a)",
     "np.linalg.norm(a, 2)", "np.linalg.cond(a)", "np.linalg.pinv(a)", "np.linalg.matrix_rank(a)", "np.linalg.svd(a)[1]",
     "np.linalg.lstsq(a, b)[0]"],
)  # fmt: skip
def test_linalg_is_numpys(text, dtype):
    fast, plain = compiled(text, "a", "b")
    for n in (1, 3, 20):
        a = (
            matrix(dtype, n)
            if np.dtype(dtype).kind in "fc"
            else (np.arange(n * n).reshape(n, n) % 7 + 9 * np.eye(n)).astype(dtype)
        )
        for x in layouts(a).values():
            near(fast(x, x[0].copy()), plain(x, x[0].copy()))


@pytest.mark.parametrize("dtype", "lfdFD")
@pytest.mark.parametrize("n", [1, 3, 20])
def test_hermitian_matrices(dtype, n):
    x = np.round(matrix(dtype, n).real).astype(dtype) if dtype == "l" else matrix(dtype, n)
    a = x @ x.conj().T
    for text in ("np.linalg.cholesky(a)", "np.linalg.eigvalsh(a)", "np.linalg.eigh(a)[0]"):
        fast, plain = compiled(text, "a")
        for each in layouts(a).values():
            near(fast(each), plain(each))
        below = np.tril(a) + np.triu(np.full_like(a, 99), 1)  # what is above the diagonal does not count
        near(fast(below), plain(below))
    w, v = compiled("np.linalg.eigh(a)", "a")[0](a)
    near(v @ np.diag(w).astype(v.dtype) @ v.conj().T, (a * 1.0).astype(v.dtype))


@pytest.mark.parametrize("dtype", "ilfdFD")
@pytest.mark.parametrize("shape", [(12, 5), (5, 12), (7, 7), (1, 4), (4, 1)])
def test_factors_of_matrices_of_any_shape(dtype, shape):
    a = matrix(dtype, 12)[: shape[0], : shape[1]]
    q, r = compiled("np.linalg.qr(a)", "a")[0](a)
    near(q @ r, a.astype(q.dtype))
    near(np.abs(q), np.abs(np.linalg.qr(a)[0]))
    near(q.conj().T @ q, np.eye(min(shape)).astype(q.dtype))
    for full in (True, False):
        u, s, vh = compiled(f"np.linalg.svd(a, {full})", "a")[0](a)
        want = np.linalg.svd(a, full)
        assert (u.shape, vh.shape, s.dtype, u.dtype) == (want[0].shape, want[2].shape, want[1].dtype, want[0].dtype)
        k = min(shape)
        near(u[:, :k] * s @ vh[:k], a.astype(u.dtype))
        near(u.conj().T @ u, np.eye(len(u.T)).astype(u.dtype))
    near(compiled("np.linalg.pinv(a)", "a")[0](a), np.linalg.pinv(a))
    for b in (a[:, 0].copy(), a[:, :2] * 2):
        got, want = compiled("np.linalg.lstsq(a, b)", "a", "b")[0](a, b), np.linalg.lstsq(a, b)
        near(a @ got[0], (a @ want[0]).astype(got[0].dtype))
        assert got[1].shape == want[1].shape and got[2] == want[2]
        near(got[3], want[3])


def test_matrices_without_the_property_are_errors():
    for n in (3, 20):
        a = np.ones((n, n))
        for text in ("np.linalg.inv(a)", "np.linalg.solve(a, a[0])", "np.linalg.solve(a, a)", "np.linalg.cholesky(-a)"):
            for f in compiled(text, "a"):
                with pytest.raises(np.linalg.LinAlgError):
                    f(a)
        assert compiled("np.linalg.det(a)", "a")[0](a) == 0
        assert compiled("np.linalg.slogdet(a)", "a")[0](a) == (0, -np.inf)
    with pytest.raises(np.linalg.LinAlgError):
        compiled("np.linalg.svd(a)", "a")[0](np.full((20, 20), np.nan))
    with pytest.raises(ValueError):
        compiled("np.linalg.inv(a)", "a")[0](np.ones((3, 4)))


def test_the_loops_do_what_the_library_does(tmp_path):
    """Where no library is, the same functions are there, slower."""
    program = tmp_path / "program.py"
    program.write_text(
        """
import kasoku as ks, numpy as np
from kasoku._library import linear
linear.worth_it = 10**9  # nothing is sent to the library
@ks.njit
def f(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a), np.linalg.cholesky(a @ a.T)
a = np.random.default_rng(1).normal(size=(20, 20))
for got, want in zip(f(a, a[0].copy()), (np.linalg.solve(a, a[0]), np.linalg.inv(a), np.linalg.det(a), np.linalg.cholesky(a @ a.T))):
    np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9)
"""
    )
    subprocess.run([sys.executable, program], check=True, timeout=120)


@pytest.mark.parametrize("dtype", "ifdFD")
@pytest.mark.parametrize("n", [1, 4, 20])
def test_eigenvalues_of_any_matrix(dtype, n):
    a = np.diag(np.arange(1, n + 1)).astype(dtype) + np.triu(numbers(dtype, n, n), 1)  # real ones
    w, v = compiled("np.linalg.eig(a)", "a")[0](a)
    assert w.dtype == v.dtype == np.linalg.det(a).dtype  # NumPy 2.5 makes them complex, Numba does not
    near(np.sort(w.real), np.sort(np.linalg.eigvals(a).real))
    near(a.astype(v.dtype) @ v, v * w)
    near(np.sort(compiled("np.linalg.eigvals(a)", "a")[0](a.T).real), np.sort(w.real))


def test_a_real_matrix_with_complex_eigenvalues_is_an_error():
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    f, _ = compiled("np.linalg.eig(a)", "a")
    with pytest.raises(ValueError, match="domain change"):
        f(turn)
    w = f(turn.astype(complex))[0]
    near(w[np.argsort(w.imag)], np.array([-1j, 1j]))


def test_matmul_is_the_operator():
    a, b = rng.random((30, 20)), rng.random((20, 40))
    assert np.array_equal(compiled("np.matmul(a, b)", "a", "b")[0](a, b), product(a, b))


@pytest.mark.parametrize("is_of_others", [True, False])
def test_others_products_keep_their_threads(is_of_others, tmp_path):
    """A library that somebody opened before has the threads that they gave it, at every moment; one that only we have
    has one, except for large factors."""
    openblas = pytest.importorskip("scipy_openblas64")
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import ctypes, threading
import kasoku as ks, numpy as np

def opened():
    return ctypes.CDLL({openblas.get_lib_dir() + "/libscipy_openblas64_.so"!r})

@ks.njit
def products(a):
    for _ in range(3):
        b = a @ a
        c = np.linalg.inv(a)
    return b, c

a = np.random.default_rng(5).random((300, 300))
if {is_of_others}:
    opened().scipy_openblas_set_num_threads64_(2)
else:
    products(a)
count = opened().scipy_openblas_get_num_threads64_
seen, is_done = {{count()}}, threading.Event()

def watch():
    while not is_done.is_set():
        seen.add(count())

watcher = threading.Thread(target=watch)
watcher.start()
for _ in range(5):
    b, c = products(a)
    d = (ks.array(a) @ ks.array(a)).numpy()
is_done.set()
watcher.join()
assert seen == {{{2 if is_of_others else 1}}}, seen
np.testing.assert_allclose(b, a @ a)
np.testing.assert_allclose(d, a @ a)
np.testing.assert_allclose(a @ c, np.eye(300), atol=1e-8)
"""
    )
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def test_large_factors_beside_products():
    """Large factors take the library's threads, and products in other threads meanwhile are right all the same."""

    @ks.njit(nogil=True)
    def inverse(a):
        return np.linalg.inv(a)

    @ks.njit(nogil=True)
    def factor(a):
        return np.linalg.cholesky(a)

    a, s = matrix("d", 200), np.full((1050, 1050), 0.5) + 3 * np.eye(1050)
    want, wanted, is_done, wrong = np.linalg.inv(a), np.linalg.cholesky(s), threading.Event(), []

    def others():
        while not is_done.is_set():
            if not np.allclose(product(a, want), np.eye(200)) or not np.allclose(inverse(a), want):
                wrong.append(True)

    threads = [threading.Thread(target=others) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        near(factor(s), wanted)
    is_done.set()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("n, k", [(200, 300), (301, 150)])
def test_a_matrix_with_its_transpose_is_symmetric(dtype, n, k):
    a = matrix(dtype, max(n, k))[:n, :k]
    for name, x in layouts(a).items():
        got = product(x, x.T)
        near(got, x @ x.T)
        assert np.array_equal(got, got.T) or name not in "CF"  # what the library cannot read is copied, each by itself
    shifted = matrix(dtype, n)
    near(product(shifted[:, 1:], shifted[:, :-1].T), shifted[:, 1:] @ shifted[:, :-1].T)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("n", [63, 65, 100, 257])
def test_inverses_of_larger_matrices(dtype, n):
    a = matrix(dtype, n)
    f, _ = compiled("np.linalg.inv(a)", "a")
    for x in layouts(a).values():
        near(x @ f(x), np.eye(n).astype(dtype))
    a[:, 3] = a[:, 5]
    a[:3] = 0
    with pytest.raises(np.linalg.LinAlgError):
        f(a)


@ks.njit
def dot_into(a, b, out):
    return np.dot(a, b, out=out)


@pytest.mark.parametrize("dtype", "lfdFD")
def test_dot_writes_into_an_array(dtype):
    a, b, x = numbers(dtype, 40, 30), numbers(dtype, 30, 20), numbers(dtype, 30)
    for one, other in [(a, b), (a, x), (x, b), (a[:2, :3], b[:3, :4]), (x, x), (a[:0], b), (a[:, :0], b[:0])]:
        want = np.dot(one, other)
        out = np.full(np.shape(want), 7, dtype)
        got = dot_into(one, other, out)
        assert np.shares_memory(got, out) or out.size == 0
        same(out, want)
    square = numbers(dtype, 5, 5)
    want = square @ square
    same(dot_into(square, square, square), want)  # what is written is read before


@pytest.mark.parametrize(
    "out",
    [np.zeros((40, 21)), np.zeros((20, 40)).T, np.zeros((40, 20), "f"), np.zeros((40, 20), "D"), np.zeros(800),
     np.zeros((80, 40))[::2, ::2], np.zeros((40, 20))[::-1], np.zeros(())],
)  # fmt: skip
def test_dot_refuses_other_arrays_as_numpy_does(out):
    a, b = numbers("d", 40, 30), numbers("d", 30, 20)
    for f in (dot_into.py_func, dot_into):
        with pytest.raises(ValueError, match="output array"):
            f(a, b, out)
    assert not out.any()


def test_matrices_without_elements_and_ranks_are_numpys():
    texts = ["norm(a)", "norm(a, 1)", "norm(a, 2)", "norm(a, np.inf)", "matrix_rank(a)", "cond(a)", "cond(a, 1)", "det(a)",
             "slogdet(a)", "matrix_power(a, 3)"]  # fmt: skip
    ones, holes = np.ones((3, 3)), np.eye(3)
    holes[1, 1] = np.nan
    endless = np.array([[np.inf, 1.0], [2.0, 3.0]])
    for text in texts:
        fast, plain = compiled(f"np.linalg.{text}", "a")
        for a in (
            np.ones((0, 0)),
            np.ones((0, 3)),
            np.ones((3, 0)),
            ones,
            ones.astype("F"),
            np.zeros((3, 3)),
            holes,
            endless,
        ):
            try:
                want = plain(a)
            except (np.linalg.LinAlgError, ValueError) as error:
                with pytest.raises(type(error)):
                    fast(a)
            else:
                got = fast(a)
                # The condition of a singular matrix is rounding over rounding: each library has its own.
                singular = 1e6 if np.asarray(want).dtype == "f" else 1e15
                if text.startswith("cond") and np.isfinite(want) and min(got, want) > singular:
                    continue
                near(got, want)
    near(compiled("np.linalg.cholesky(a)", "a")[0](holes), np.linalg.cholesky(holes))
    assert compiled("np.linalg.matrix_rank(a)", "a")[0](np.zeros(3)) == 0


def test_an_error_of_an_algorithm_names_no_line_of_ours():
    with pytest.raises(np.linalg.LinAlgError) as caught:
        ks.njit(lambda a: np.linalg.inv(a))(np.zeros((2, 2)))
    assert str(caught.value) == "Singular matrix"
