"""cupyx.scipy.sparse beside the same computation on whole matrices, by NumPy."""

import operator
import sys
import types

import numpy as np
import pytest

from kasoku.compat import cupy as cp
from kasoku.compat.cupyx import scipy
from kasoku.compat.cupyx.scipy import sparse
from kasoku.compat.cupyx.scipy.sparse import linalg

rng = np.random.default_rng(5)
formats = ("csr", "csc", "coo", "dia")
A, B = (rng.random((7, 5)) * (rng.random((7, 5)) < 0.4) for _ in range(2))
S = rng.random((6, 6)) * (rng.random((6, 6)) < 0.5) + 3 * np.eye(6)


@pytest.fixture(autouse=True)
def on_device(device):
    with cp.cuda.Device(0):
        yield


def made(format, x):
    return getattr(sparse, format + "_matrix")(cp.asarray(x))


def whole(x):
    return (x.toarray() if sparse.issparse(x) else cp.asarray(x)).get()


def same(got, want):
    got, want = whole(got), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("format", formats)
class TestAlgebra:
    def test_of_products(self, format):
        a, b = made(format, A), made(format, B)
        for x in (
            rng.random(5),
            rng.random((5, 3)),
            rng.random((5, 3)).astype("float32"),
            rng.random((3, 5)).T,
            np.ones((5, 0)),
        ):
            same(a @ cp.asarray(x), A @ x)
            same(a * cp.asarray(x), A @ x)
        x = rng.random((2, 7))
        same(cp.asarray(x) @ a, x @ A)
        same(cp.asarray(x[0]) @ a, x[0] @ A)
        same(a @ b.T, A @ B.T)
        same(a.T @ b, A.T @ B)
        with pytest.raises(ValueError, match="dimension mismatch"):
            a @ b

    def test_of_sums_and_numbers(self, format):
        a, b = made(format, A), made(format, B)
        same(a + b, A + B)
        same(a - b, A - B)
        same(a - a, A * 0)
        same(a + cp.asarray(B), A + B)
        same(cp.asarray(B) - a, B - A)
        for got, want in (a * 2, A * 2), (3j * a, 3j * A), (a / 4, A / 4), (-a, -A), (abs(-a), A), (a + 0, A):
            same(got, want)
        with pytest.raises(NotImplementedError):
            a + 1

    def test_by_elements(self, format):
        a, b = made(format, A), made(format, B)
        same(a.multiply(b), A * B)
        same(a.multiply(cp.asarray(B)), A * B)
        same(a.multiply(cp.asarray(B[:1])), A * B[:1])
        same(a.multiply(cp.asarray(B[:, :1])), A * B[:, :1])
        same(a.maximum(b), np.maximum(A, B))
        same(a.minimum(-b), np.minimum(A, -B))
        for of in (operator.gt, operator.ne, operator.lt, operator.eq):
            same(of(a, b), of(A, B))
            same(of(a, 0.25), of(A, 0.25))
        same(a.sqrt(), np.sqrt(A))
        same(a.power(2), A**2)

    def test_of_reductions(self, format):
        a = made(format, A - B)
        for axis in None, 0, 1:
            keep = {} if axis is None else {"keepdims": True}
            same(a.sum(axis), (A - B).sum(axis, **keep))
            same(a.mean(axis), (A - B).mean(axis, **keep))
            same(a.max(axis), (A - B).max(axis, **keep))
            same(a.min(axis), (A - B).min(axis, **keep))
        for k in -2, 0, 3:
            same(a.diagonal(k), np.diagonal(A - B, k))
        if format != "dia":
            assert a.nnz == np.count_nonzero(A - B)
            assert whole(a.getnnz(0)).tolist() == np.count_nonzero(A - B, 0).tolist()

    def test_that_formats_hold_the_same(self, format):
        a = made(format, A)
        for other in formats:
            assert a.asformat(other).format == other
            same(a.asformat(other), A)
        same(a.T, A.T)
        same(a.reshape((5, 7)), A.reshape(5, 7))
        same(a.astype("complex64").getH(), A.astype("complex64").T)
        same(made(format, S) ** 3, S @ S @ S)


keys = [
    (2, slice(None)), (slice(None), 3), 4, -1, slice(1, 6, 2), (slice(None, None, -1), slice(0, 3)), ([3, 0, 3], slice(None)),
    (slice(2, 6), [4, 0, 0]), (slice(5, 2), 1), np.arange(7) % 2 == 0, (np.array([[1], [3]]), np.array([[4, 0]])), (Ellipsis, 2),
]  # fmt: skip


@pytest.mark.parametrize("format", ("csr", "csc"))
class TestParts:
    @pytest.mark.parametrize("key", keys, ids=str)
    def test_that_are_read(self, format, key):
        same(
            made(format, A)[key],
            A[key]
            if A[key].ndim == 2
            else A[key].reshape((1, -1) if not isinstance(key, tuple) or isinstance(key[0], int) else (-1, 1)),
        )

    def test_that_are_elements(self, format):
        a = made(format, A)
        assert float(a[2, 3]) == A[2, 3]
        same(a[[1, 3, -1], [2, 0, 4]], A[[1, 3, -1], [2, 0, 4]])
        for key in (7, 0), (0, -6), ([0, 7], 1):
            with pytest.raises(IndexError):
                a[key]

    @pytest.mark.parametrize(
        "key", [(2, 3), (slice(None), 2), 3, (slice(1, 4), slice(0, 2)), ([1, 3, 1], [2, 4, 2])], ids=str
    )
    def test_that_are_stored(self, format, key):
        a, b = made(format, A), A.copy()
        a[key] = b[key] = 5.0
        same(a, b)
        a.setdiag(2.0)
        np.fill_diagonal(b[:5], 2.0)
        same(a, b)


class TestMade:
    def test_of_elements_at_one_place(self):
        row, column = cp.asarray([1, 0, 1, 1]), cp.asarray([2, 0, 2, 0])
        a = sparse.coo_matrix((cp.asarray([1.0, 2, 4, 8]), (row, column)), shape=(2, 3))
        assert a.nnz == 4
        for x in a, a.tocsr(), a.tocsc():
            same(x, [[2.0, 0, 0], [8, 0, 5]])
        a.sum_duplicates()
        assert a.nnz == a.tocsr().nnz == 3

    def test_of_rows(self):
        a = sparse.csr_matrix((cp.asarray([1.0, 2, 3]), cp.asarray([2, 0, 1]), cp.asarray([0, 2, 3])))
        same(a, [[2.0, 0, 1], [0, 3, 0]])
        assert not a.has_sorted_indices
        a.sort_indices()
        assert a.indices.get().tolist() == [0, 2, 1] and a.has_canonical_format

    def test_of_other_dtypes_is_refused(self):
        with pytest.raises(ValueError, match="Only bool, float32"):
            sparse.csr_matrix(cp.asarray([[1, 2]]))

    def test_of_diagonals_and_blocks(self):
        same(sparse.eye(3, 4, 1), np.eye(3, 4, 1))
        same(sparse.identity(3, "float32", "csr"), np.eye(3, dtype="float32"))
        same(sparse.diags([1.0, -2, 1], [-1, 0, 1], shape=(4, 4)), np.eye(4, k=-1) - 2 * np.eye(4) + np.eye(4, k=1))
        same(sparse.diags([cp.arange(3.0), cp.ones(2)], [0, -1]), np.diag(np.arange(3.0)) + np.eye(3, k=-1))
        same(
            sparse.spdiags(cp.asarray([[1.0, 2, 3], [4, 5, 6]]), cp.asarray([0, 1]), 3, 3),
            [[1.0, 5, 0], [0, 2, 6], [0, 0, 3]],
        )
        a, b = made("csr", A), made("coo", B)
        same(sparse.vstack([a, b]), np.vstack([A, B]))
        same(sparse.hstack([a, b], format="csc"), np.hstack([A, B]))
        same(sparse.bmat([[a, None], [None, b.T]]), np.block([[A, np.zeros((7, 7))], [np.zeros((5, 5)), B.T]]))
        same(sparse.kron(a, b), np.kron(A, B))
        same(sparse.tril(a, 1), np.tril(A, 1))
        same(sparse.triu(a, -1), np.triu(A, -1))
        row, column, data = sparse.find(a)
        assert row.get().tolist() == np.nonzero(A)[0].tolist() and data.get().tolist() == A[np.nonzero(A)].tolist()

    def test_of_arrays_of_a_device(self):
        a = sparse.eye(3)
        assert cp.get_array_module(a) is cp and scipy.get_array_module(a) is scipy

    def test_by_chance(self):
        a = sparse.random(30, 20, 0.25, format="csr", random_state=1)
        assert a.nnz == 150 and a.getnnz() == np.count_nonzero(whole(a))


class TestEquations:
    n = 120
    laplace = 2.1 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)

    @pytest.mark.parametrize("name", "cg cgs bicgstab gmres minres".split())
    @pytest.mark.parametrize("with_preconditioner", (False, True))
    def test_that_are_solved_step_by_step(self, name, with_preconditioner):
        b, seen = rng.random(self.n), []
        more = {"M": sparse.identity(self.n, format="csr") / 2.1} if with_preconditioner else {}
        x, info = getattr(linalg, name)(
            made("csr", self.laplace), cp.asarray(b), tol=1e-11, callback=seen.append, **more
        )
        assert info == 0 and seen
        np.testing.assert_allclose(x.get(), np.linalg.solve(self.laplace, b), rtol=1e-7)
        x, info = getattr(linalg, name)(made("csr", self.laplace), cp.asarray(b), maxiter=2)
        assert info > 0

    @pytest.mark.parametrize("name", "cg cgs bicgstab".split())
    def test_whose_callback_has_every_step(self, name):
        """Of a multiple of the identity the first step, or the first half of it, is the last one."""
        b, seen = rng.random(self.n), []
        x, info = getattr(linalg, name)(2 * sparse.identity(self.n, format="csr"), cp.asarray(b), callback=seen.append)
        assert info == 0 and len(seen) == 1
        np.testing.assert_allclose(seen[0].get(), b / 2, rtol=1e-12)
        np.testing.assert_array_equal(x.get(), seen[0].get())

    @pytest.mark.parametrize("name", "cg cgs bicgstab".split())
    def test_of_nothing_are_nothing_wherever_they_begin(self, name):
        start = cp.asarray(rng.random(self.n))
        x, info = getattr(linalg, name)(made("csr", self.laplace), cp.zeros(self.n), x0=start)
        assert info == 0 and not x.any()

    @pytest.mark.parametrize("name, row", (("cgs", [-1.0, 1.0]), ("bicgstab", [-1.0, 0.0])))
    def test_that_have_no_next_step_say_so(self, name, row):
        """The second residual is orthogonal to the first one."""
        matrix = np.array([[-1.0, 0.0 if name == "cgs" else -1.0], row])
        seen = []
        x, info = getattr(linalg, name)(made("csr", matrix), cp.asarray([1.0, 0.0]), callback=seen.append)
        assert info == -10 and len(seen) == 1
        np.testing.assert_array_equal(x.get(), seen[0].get())

    @pytest.mark.parametrize("dtype", ("float64", "complex128"))
    def test_that_are_solved_at_once(self, dtype):
        band = (
            self.laplace.astype(dtype)
            + 0.5 * np.eye(self.n, k=3)
            + (1j if dtype[0] == "c" else 1) * np.diag(rng.random(self.n - 2), -2)
        )
        wide = rng.random((30, 30)).astype(dtype)
        for matrix in band, wide:
            for b in rng.random(len(matrix)), rng.random((len(matrix), 3)):
                np.testing.assert_allclose(
                    linalg.spsolve(made("csc", matrix), cp.asarray(b)).get(), np.linalg.solve(matrix, b), rtol=1e-9
                )
        b = rng.random(self.n)
        np.testing.assert_allclose(
            linalg.splu(made("csc", band)).solve(cp.asarray(b), "T").get(), np.linalg.solve(band.T, b), rtol=1e-9
        )
        for lower, part in (True, np.tril), (False, np.triu):
            np.testing.assert_allclose(
                linalg.spsolve_triangular(made("csr", wide + 30 * np.eye(30)), cp.asarray(b[:30]), lower).get(),
                np.linalg.solve(part(wide + 30 * np.eye(30)), b[:30]),
                rtol=1e-9,
            )

    def test_that_have_no_solution(self):
        singular = np.eye(40)
        singular[3, 3] = 0
        with pytest.warns(linalg.MatrixRankWarning):
            assert np.isnan(linalg.spsolve(made("csr", singular), cp.ones(40)).get()).all()

    def test_of_eigenvalues(self):
        values = np.linalg.eigvalsh(self.laplace)
        a = made("csr", self.laplace)
        w, v = linalg.eigsh(a, 4)
        np.testing.assert_allclose(w.get(), values[-4:], rtol=1e-9)
        np.testing.assert_allclose((a @ v).get(), (v * w).get(), atol=1e-6)
        np.testing.assert_allclose(
            linalg.eigsh(a, 3, which="SA", return_eigenvectors=False).get(), values[:3], rtol=1e-7
        )
        u, s, vt = linalg.svds(made("csr", A), 3)
        np.testing.assert_allclose(s.get(), np.linalg.svd(A)[1][2::-1], rtol=1e-9)
        np.testing.assert_allclose((u.T @ u).get(), np.eye(3), atol=1e-9)
        np.testing.assert_allclose((u.T @ made("csr", A) @ vt.T).get(), np.diag(s.get()), atol=1e-9)

    def test_of_norms_and_operators(self):
        a = made("coo", A)
        for ord in None, 1, np.inf:
            np.testing.assert_allclose(float(linalg.norm(a, ord)), np.linalg.norm(A, ord))
        np.testing.assert_allclose(linalg.norm(a, axis=1).get(), np.linalg.norm(A, axis=1))
        operator = linalg.aslinearoperator(a)
        x, y = cp.asarray(rng.random(5)), cp.asarray(rng.random(7))
        same(operator.matvec(x), A @ x.get())
        same(operator.rmatvec(y), A.T @ y.get())
        same(operator.H @ y, A.T @ y.get())
        same(linalg.LinearOperator((7, 5), matvec=lambda v: a @ v, dtype="d") @ x, A @ x.get())


@pytest.mark.parametrize("format", formats)
@pytest.mark.parametrize("other", formats)
@pytest.mark.parametrize("dtypes", ["dd", "fd", "?d", "dF", "??"])
def test_two_matrices_meet_place_by_place(format, other, dtypes):
    a, b = (np.asarray(x * 4).astype(dtype) for x, dtype in zip((A, B), dtypes))
    for operation in (operator.add, operator.sub) if dtypes != "??" else (operator.add,):
        same(operation(made(format, a), made(other, b)), operation(a, b))
    same(made(format, a).multiply(made(other, b)), a * b)


@pytest.mark.parametrize("of", [sparse.csr_matrix, sparse.csc_matrix])
def test_places_that_come_twice_and_in_no_order_are_joined(of):
    lines = [cp.asarray(x) for x in (np.array([1.0, 2, 4, 8, 16]), np.array([3, 1, 3, 0, 0]), np.array([0, 3, 3, 5]))]
    a = of(tuple(lines), shape=(3, 4) if of is sparse.csr_matrix else (4, 3))
    b = of(cp.asarray(np.arange(12.0).reshape(a.shape)))
    before = a.indices.get()
    same(a + b, a.toarray().get() + b.toarray().get())
    same(a.multiply(b), a.toarray().get() * b.toarray().get())
    same(b - a, b.toarray().get() - a.toarray().get())
    np.testing.assert_array_equal(a.indices.get(), before)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (4, 4)])
def test_matrices_without_elements_meet(shape):
    same(sparse.csr_matrix(shape) + sparse.csr_matrix(shape), np.zeros(shape))
    same(sparse.csc_matrix(shape).multiply(sparse.csr_matrix(shape)), np.zeros(shape))


@pytest.mark.parametrize("dtype", "?fdFD")
@pytest.mark.parametrize("lengths", [[0, 1, 16, 0, 17], [15, 33, 2], [1000, 1, 0], [64, 128, 31, 0]])
def test_lines_are_sorted_stably_and_joined(lengths, dtype):
    indptr = np.cumsum([0, *lengths])
    indices, data = rng.integers(0, 50, indptr[-1]), (rng.random(indptr[-1]) * 8 - 2).astype(dtype)
    given = (cp.asarray(data), cp.asarray(indices), cp.asarray(indptr))
    a = sparse.csr_matrix(given, shape=(len(lengths), 50))
    a.sort_indices()
    order = np.lexsort((indices, np.repeat(np.arange(len(lengths)), lengths)))
    np.testing.assert_array_equal(a.indices.get(), indices[order])
    np.testing.assert_array_equal(a.data.get(), data[order])
    want = np.zeros(a.shape, dtype)
    np.add.at(want, (np.repeat(np.arange(len(lengths)), lengths), indices), data)
    a.sum_duplicates()
    assert a.has_canonical_format and a.nnz == len(set(zip(np.repeat(np.arange(len(lengths)), lengths), indices)))
    np.testing.assert_allclose(a.toarray().get(), want, rtol=1e-5 if dtype in "fF" else 1e-13)


@pytest.mark.parametrize("formats_of", [("csr", "csc"), ("csc", "coo"), ("dia", "csr")])
@pytest.mark.parametrize("dtypes", ["dd", "fF", "dD"])
def test_products_of_wide_lines(formats_of, dtypes):
    a, b = ((rng.random((40, 40)) * (rng.random((40, 40)) < 0.3)).astype(dtype) for dtype in dtypes)
    got = made(formats_of[0], a) @ made(formats_of[1], b)
    assert got.dtype == (a @ b).dtype and got.has_canonical_format
    np.testing.assert_allclose(got.toarray().get(), a @ b, rtol=1e-5)


@pytest.mark.parametrize("connection", ["weak", "strong"])
@pytest.mark.parametrize("n, share", [(1, 0), (9, 0.05), (30, 0.04), (60, 0.03), (40, 0.2)])
def test_components_are_the_nodes_between_which_ways_lead(n, share, connection):
    draw = np.random.default_rng(n)
    graph = draw.random((n, n)) * (draw.random((n, n)) < share)
    reached = (graph != 0) | np.eye(n, dtype=bool)
    for k in range(n):
        reached |= reached[:, k : k + 1] & reached[k]
    for directed in (True, False):
        if connection == "weak" or not directed:
            joined = (graph != 0) | (graph.T != 0) | np.eye(n, dtype=bool)
            for k in range(n):
                joined |= joined[:, k : k + 1] & joined[k]
        else:
            joined = reached & reached.T
        first = joined.argmax(1)
        want = np.searchsorted(np.unique(first), first)
        for given in (cp.asarray(graph), *(made(format, graph) for format in ("csr", "csc", "coo"))):
            count, labels = sparse.csgraph.connected_components(given, directed, connection)
            assert count == want.max() + 1 and labels.dtype == "int32"
            np.testing.assert_array_equal(cp.asarray(labels).get(), want)
            assert sparse.csgraph.connected_components(given, directed, connection, return_labels=False) == count


@pytest.mark.parametrize("format", formats)
def test_get_gives_scipys_matrix(format, monkeypatch):
    """SciPy is not needed otherwise: what is asked of it is its public constructor and the change of format."""

    class Coo:
        def __init__(self, parts, shape):
            (self.data, (self.row, self.col)), self.shape = parts, shape

        def asformat(self, format):
            self.format = format
            return self

    package, scipys = types.ModuleType("scipy"), types.ModuleType("scipy.sparse")
    package.sparse, scipys.coo_matrix = scipys, Coo
    monkeypatch.setitem(sys.modules, "scipy", package)
    monkeypatch.setitem(sys.modules, "scipy.sparse", scipys)
    got = made(format, A).get()
    want = np.zeros(got.shape)
    want[got.row, got.col] = got.data
    assert isinstance(got, Coo) and got.format == format and type(got.data) is np.ndarray
    np.testing.assert_array_equal(want, A)


@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_components_of_long_ways(connection):
    """Nodes one after the other in any order: what took a round for each of them took minutes."""
    n = 100_000
    way = np.random.default_rng(4).permutation(n).astype("int32")
    begins, ends = way[:-1], way[1:]
    ring = n // 2
    if connection == "strong":  # the first half of the way leads back to its begin
        begins, ends = np.append(begins, way[ring - 1]), np.append(ends, way[0])
    ones = cp.ones(len(begins))
    graph = sparse.coo_matrix((ones, (cp.asarray(begins), cp.asarray(ends))), shape=(n, n)).tocsr()
    count, labels = sparse.csgraph.connected_components(graph, connection=connection)
    together = np.arange(n)
    together[way if connection == "weak" else way[:ring]] = (way if connection == "weak" else way[:ring]).min()
    assert count == len(np.unique(together))
    np.testing.assert_array_equal(cp.asarray(labels).get(), np.unique(together, return_inverse=True)[1])


def test_graphs_that_are_none_are_refused():
    with pytest.raises(ValueError, match="shape"):
        sparse.csgraph.connected_components(made("csr", A))
    with pytest.raises(ValueError, match="strong"):
        sparse.csgraph.connected_components(made("csr", S), connection="some")
    assert sparse.csgraph.connected_components(made("csr", np.zeros((0, 0))))[0] == 0


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg_finds_eigenvalues_at_an_end(dtype, largest):
    """Of a matrix alone, with another, near an inverse, beside vectors that are known, and from functions."""
    rng = np.random.default_rng(8)
    n, k = 120, 4
    a = np.diag(np.arange(1.0, n + 1)) + np.diag(np.full(n - 1, 0.4), 1) + np.diag(np.full(n - 1, 0.4), -1)
    a = (
        a + (1j * (np.diag(np.full(n - 1, 0.2), 1) - np.diag(np.full(n - 1, 0.2), -1)) if dtype == "complex128" else 0)
    ).astype(dtype)
    b = np.diag(rng.random(n) + 1).astype(dtype)
    start = cp.asarray(rng.random((n, k)).astype(dtype))
    half = np.diag(1 / np.sqrt(np.diagonal(b)))
    tol = 2e-3 if dtype == "float32" else 1e-7
    rtol = 1e-4 if dtype == "float32" else 1e-8
    for matrix in (made("csr", a), cp.asarray(a), linalg.aslinearoperator(made("csr", a)), lambda v: cp.asarray(a) @ v):
        for second in (None, made("csr", b)):
            full = np.linalg.eigvalsh(a if second is None else half @ a @ half)
            want = full[::-1][:k] if largest else full[:k]
            near = None if largest else cp.asarray(np.diag(1 / np.diagonal(a)).astype(dtype))
            w, v = linalg.lobpcg(matrix, start, second, near, tol=tol, maxiter=200, largest=largest)
            assert w.dtype == np.dtype(dtype).char.lower() and v.shape == (n, k) and v.dtype == dtype
            np.testing.assert_allclose(w.get(), want, rtol=rtol)
            bv = v.get() if second is None else b @ v.get()
            np.testing.assert_allclose(v.get().conj().T @ bv, np.eye(k), atol=1e-4 if dtype == "float32" else 1e-9)
            assert np.linalg.norm(a @ v.get() - bv * w.get(), axis=0).max() <= 2 * tol
    vectors = cp.asarray(np.linalg.eigh(a)[1][:, -2:] if largest else np.linalg.eigh(a)[1][:, :2])
    values = np.linalg.eigvalsh(a)
    w, v, then, norms = linalg.lobpcg(
        made("csr", a),
        start,
        Y=vectors,
        tol=tol,
        maxiter=200,
        largest=largest,
        retLambdaHistory=True,
        retResidualNormsHistory=True,
    )
    np.testing.assert_allclose(w.get(), values[::-1][2 : k + 2] if largest else values[2 : k + 2], rtol=rtol)
    assert len(then) == len(norms) and float(norms[-1].max()) <= tol


def test_lobpcg_says_what_is_wrong():
    a = made("csr", np.diag(np.arange(1.0, 11)))
    with pytest.raises(ValueError, match="rank-2"):
        linalg.lobpcg(a, cp.ones(10))
    with pytest.raises(ValueError, match="exceeds"):
        linalg.lobpcg(a, cp.ones((10, 11)))
    with pytest.raises(ValueError, match="dependent"):
        linalg.lobpcg(a, cp.ones((10, 2)))
    with pytest.warns(UserWarning, match="iteration 1"):
        linalg.lobpcg(a, cp.asarray(np.random.default_rng(0).random((10, 2))), tol=1e-14, maxiter=1)


def test_solvers_take_rtol_and_operators_know_their_transpose():
    dense = np.diag([4.0, 5, 6, 7]) + np.eye(4, k=1) + np.eye(4, k=-1)
    a, b = sparse.csr_matrix(cp.asarray(dense)), cp.asarray([1.0, 2, 3, 4])
    for solve in (linalg.cg, linalg.cgs, linalg.bicgstab, linalg.gmres):
        x, left = solve(a, b, rtol=1e-12)
        assert left == 0 and np.allclose(cp.asnumpy(x), np.linalg.solve(dense, [1, 2, 3, 4]), rtol=1e-9)
    upper = sparse.csr_matrix(cp.asarray(np.triu(dense)))
    operator = linalg.aslinearoperator(upper)
    assert np.allclose(cp.asnumpy(operator.rmatmat(cp.eye(4))), np.triu(dense).T)
    assert np.allclose(cp.asnumpy(operator.transpose().matvec(b)), np.triu(dense).T @ [1, 2, 3, 4])
    assert np.allclose(cp.asnumpy(linalg.matrix_power(a, 3).toarray()), np.linalg.matrix_power(dense, 3))
    with pytest.raises(ValueError, match="exponent"):
        linalg.matrix_power(a, -1)
    with pytest.raises(TypeError, match="sparse matrix"):
        linalg.matrix_power(b, 2)


def test_axes_of_a_matrix_are_swapped():
    a = made("csr", A)
    same(sparse.permute_dims(a), A.T)
    same(sparse.permute_dims(a, (0, 1), copy=True), A)
    same(sparse.swapaxes(a, 0, -1), A.T)
    same(sparse.swapaxes(a, 1, 1), A)
    same(sparse.matrix_transpose(a), A.T)
    a.set_shape((5, 7))
    same(a, A.reshape(5, 7))
    assert made("csr", A > 0).asfptype().dtype == "float64" and made("csr", A).asfptype().dtype == "float64"
    with pytest.raises(ValueError):
        sparse.permute_dims(a, (0, 0))
    with pytest.raises(TypeError, match="sparse matrix"):
        sparse.swapaxes(A, 0, 1)
