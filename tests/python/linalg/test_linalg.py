"""ks.linalg against NumPy: residuals, orthogonality and the matrices put together again, never raw vectors."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import kasoku as ks

dtypes = ["float32", "float64", "complex64", "complex128"]
shapes = [(1, 1), (2, 2), (5, 5), (33, 33), (3, 4, 4), (2, 3, 5, 5), (0, 4, 4), (2, 0, 0), (0, 0)]


def matrix(shape, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def regular(shape, dtype="float64", seed=0):
    """Far from singular."""
    return (matrix(shape, dtype, seed) / max(2 * shape[-1], 1) + np.eye(shape[-1])).astype(dtype)


def positive(shape, dtype="float64"):
    x = matrix(shape, dtype)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def close(got, want, factor=1):
    got, want = got.numpy() if isinstance(got, ks.Array) else np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    size = max(1, *want.shape[-2:]) if want.ndim else 1
    eps = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
    scale = np.abs(want[np.isfinite(want)]).max(initial=1)
    np.testing.assert_allclose(got, want, rtol=100 * factor * size * eps, atol=100 * factor * size * eps * scale)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", shapes)
def test_solutions_inverses_and_determinants_are_numpys(on_device, shape, dtype):
    a, b, v = regular(shape, dtype), matrix((*shape[:-1], 3), dtype, 1), matrix(shape[-1:], dtype, 2)
    x = ks.array(a)
    close(ks.linalg.solve(x, ks.array(b)), np.linalg.solve(a, b))
    close(ks.linalg.solve(x, ks.array(v)), np.linalg.solve(a, v))
    close(ks.linalg.inv(x), np.linalg.inv(a))
    close(ks.linalg.det(x), np.linalg.det(a))
    for got, want in zip(ks.linalg.slogdet(x), np.linalg.slogdet(a)):
        close(got, want)


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("n", [65, 255, 256, 257, 300, 513])
def test_large_matrices_whose_rows_change_places(on_device, n, dtype):
    # Of a determinant that no type is too narrow for.
    a = (matrix((n, n), dtype) / np.sqrt((2 if dtype[0] == "c" else 1) * n / np.e)).astype(dtype)
    x, wide = ks.array(a), a.astype("complex128" if dtype[0] == "c" else "float64")
    eps = np.finfo(dtype).eps * n * np.linalg.cond(wide)
    b = matrix((n, 3), dtype, 1)
    for got, want in (
        (ks.linalg.inv(x), np.linalg.inv(wide)),
        (ks.linalg.solve(x, ks.array(b)), np.linalg.solve(wide, b)),
        (ks.linalg.det(x), np.linalg.det(wide)),
        (ks.linalg.slogdet(x)[0], np.linalg.slogdet(wide)[0]),
        (ks.linalg.slogdet(x)[1], np.linalg.slogdet(wide)[1]),
    ):
        assert np.abs(got.numpy() - want).max() <= eps * np.abs(want).max()
    turned = ks.linalg.det(x[::-1]).numpy()
    sign = (-1) ** (n * (n - 1) // 2)
    assert np.abs(turned - sign * np.linalg.det(wide)) <= eps * np.abs(np.linalg.det(wide))
    a[:, n // 2 :] = 0  # found in a panel behind the first
    assert ks.linalg.det(ks.array(a)).item() == 0
    for f in (ks.linalg.inv, lambda y: ks.linalg.solve(y, ks.array(b))):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            f(ks.array(a))


@hypothesis.given(st.data())
def test_stacks_of_small_products_are_numpys(on_device, data):
    dtype = data.draw(st.sampled_from([*dtypes, "int32"]))
    m, k, n = (data.draw(st.sampled_from([1, 2, 3, 8, 16, 17, 33, 129])) for _ in range(3))
    batches = [(), (3,), (1,), (2, 3), (2, 1), (40,), (0,), (4, 1, 3)]
    first, second = data.draw(
        st.sampled_from([(p, q) for p in batches for q in batches if (p or q) and can_stretch(p, q)])
    )

    def operand(batch, rows, columns, seed):
        """Its memory in C order, with the last axes turned, or with gaps."""
        kind = data.draw(st.sampled_from(["as it is", "turned", "gaps"]))
        x = (matrix((*batch, rows, columns), dtype if dtype != "int32" else "float64", seed) * 5).astype(dtype)
        if kind == "turned":
            return x, ks.array(np.ascontiguousarray(np.swapaxes(x, -1, -2))).swapaxes(-1, -2)
        return x, ks.array(x) if kind == "as it is" else ks.array(np.repeat(x, 2, -1))[..., ::2]

    (a, x), (b, y) = operand(first, m, k, 0), operand(second, k, n, 1)
    close(ks.matmul(x, y), np.matmul(a, b))


def can_stretch(p, q):
    try:
        return np.broadcast_shapes(p, q) is not None
    except ValueError:
        return False


def test_right_sides_and_matrices_stretch_to_each_other(on_device):
    a, b = regular((4, 4)), matrix((3, 4, 2))
    close(ks.linalg.solve(ks.array(a), ks.array(b)), np.linalg.solve(a, b))
    close(
        ks.linalg.solve(ks.array(regular((3, 4, 4))), ks.array(matrix((4, 2)))),
        np.linalg.solve(regular((3, 4, 4)), matrix((4, 2))),
    )
    close(ks.linalg.solve(ks.array(a), np.arange(4)), np.linalg.solve(a, np.arange(4)))


def test_a_determinants_sign_counts_the_swaps(on_device):
    for order in ([0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0]):
        p = np.eye(3)[order]
        close(ks.linalg.det(ks.array(p)), np.linalg.det(p))
    assert ks.linalg.slogdet(ks.zeros((2, 2))) == (0, -np.inf)
    assert float(ks.linalg.det(ks.ones((3, 3)))) == 0


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", shapes)
def test_cholesky_factors_are_numpys(on_device, shape, dtype):
    a = positive(shape, dtype)
    close(ks.linalg.cholesky(ks.array(a)), np.linalg.cholesky(a))
    lower = np.tril(a)  # the other triangle is not read
    close(ks.linalg.cholesky(ks.array(lower)), np.linalg.cholesky(a))
    upper = ks.linalg.cholesky(ks.array(np.triu(a)), upper=True)
    close(upper, adjoint(np.linalg.cholesky(a)))


rectangles = [
    (4, 4),
    (5, 3),
    (3, 5),
    (1, 1),
    (1, 4),
    (4, 1),
    (40, 17),
    (17, 40),
    (2, 3, 4, 2),
    (2, 2, 4),
    (0, 3),
    (3, 0),
    (0, 3, 2),
]


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", rectangles)
def test_qr_gives_orthonormal_columns_and_a_triangle(on_device, shape, dtype):
    a = matrix(shape, dtype)
    x = ks.array(a)
    for mode in ("reduced", "complete"):
        q, r = (part.numpy() for part in ks.linalg.qr(x, mode))
        for part, want in zip((q, r), np.linalg.qr(a, mode)):
            assert part.shape == want.shape and part.dtype == want.dtype
        close(q @ r, a, 10)
        close(
            adjoint(q) @ q,
            np.broadcast_to(np.eye(q.shape[-1], dtype=dtype), (*shape[:-2], q.shape[-1], q.shape[-1])),
            10,
        )
        assert (np.tril(r, -1) == 0).all()
    close(np.abs(ks.linalg.qr(x, mode="r").numpy()), np.abs(np.linalg.qr(a, mode="r")), 10)
    for part, want in zip(ks.linalg.qr(x, mode="raw"), np.linalg.qr(a, mode="raw")):
        assert part.shape == want.shape


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", rectangles)
def test_svd_gives_the_matrix_back(on_device, shape, dtype):
    a = matrix(shape, dtype)
    x = ks.array(a)
    for full in (False, True):
        u, s, vh = (part.numpy() for part in ks.linalg.svd(x, full))
        for part, want in zip((u, s, vh), np.linalg.svd(a, full)):
            assert part.shape == want.shape and part.dtype == want.dtype
        k = s.shape[-1]
        close((u[..., :k] * s[..., None, :]).astype(dtype) @ vh[..., :k, :], a, 10)
        for part in (u, adjoint(vh)):
            close(
                adjoint(part) @ part,
                np.broadcast_to(np.eye(part.shape[-1], dtype=dtype), (*shape[:-2], part.shape[-1], part.shape[-1])),
                10,
            )
        assert (np.diff(s) <= 0).all()
    values = np.linalg.svd(a, compute_uv=False)
    close(ks.linalg.svd(x, compute_uv=False), values, 10)
    close(ks.linalg.svdvals(x), values, 10)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("shape", [(200, 200), (2, 120, 90)])
def test_single_precision_keeps_its_digits_in_the_factors_of_many_rows(on_device, shape, dtype):
    a = matrix(shape, dtype)
    u, s, vh = (part.numpy() for part in ks.linalg.svd(ks.array(a), full_matrices=False))
    values = np.linalg.svd(a.astype(np.result_type(dtype, "float64")), compute_uv=False)
    most = 40 * np.finfo(dtype).eps
    assert s.dtype == a.real.dtype and u.dtype == vh.dtype == a.dtype
    assert (
        abs(s - values).max() <= most * values.max()
        and abs(ks.linalg.svdvals(ks.array(a)).numpy() - s).max() <= most * s.max()
    )
    for part in (u, adjoint(vh)):
        assert abs(adjoint(part) @ part - np.eye(part.shape[-1])).max() <= most


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", shapes)
def test_eigh_gives_the_matrix_back_from_one_triangle(on_device, shape, dtype):
    a = matrix(shape, dtype)
    a = (a + adjoint(a)).astype(dtype)
    for uplo, cut in (("L", np.tril), ("U", np.triu)):
        w, v = (part.numpy() for part in ks.linalg.eigh(ks.array(cut(a)), UPLO=uplo))
        close(w, np.linalg.eigvalsh(a), 10)
        close((v * w[..., None, :]).astype(dtype) @ adjoint(v), a, 10)
        close(adjoint(v) @ v, np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape), 10)
        close(ks.linalg.eigvalsh(ks.array(cut(a)), uplo), np.linalg.eigvalsh(a), 10)


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", shapes)
def test_eigenvectors_are_only_stretched(on_device, shape, dtype):
    a = matrix(shape, dtype)
    w, v = (part.numpy() for part in ks.linalg.eig(ks.array(a)))
    want = np.linalg.eig(a)
    assert w.shape == want[0].shape and v.shape == want[1].shape
    assert w.dtype == v.dtype == np.result_type(dtype, np.complex64)
    close(a.astype(v.dtype) @ v, v * w[..., None, :], 100)
    if a.size:
        close(np.linalg.norm(v, axis=-2), np.ones(w.shape, w.real.dtype), 10)
    if a.size and shape[-1] < 6:  # the same characteristic polynomial
        np.testing.assert_allclose(
            np.poly(w.reshape(-1, shape[-1])[0]), np.poly(a.reshape(-1, *shape[-2:])[0]), rtol=1e-3, atol=1e-3
        )
    assert ks.linalg.eigvals(ks.array(a)).shape == w.shape


def test_eigenvalues_are_complex_whatever_the_values(on_device):
    w, v = ks.linalg.eig(ks.array([[2.0, 1.0], [0.0, 3.0]]))
    assert w.dtype == v.dtype == ks.linalg.eigvals(ks.eye(2)).dtype == np.complex128
    np.testing.assert_allclose(np.sort(w.numpy()), [2, 3])
    w, v = ks.linalg.eig(ks.array([[0.0, 1.0], [-1.0, 0.0]]))
    assert w.dtype == v.dtype == np.complex128
    np.testing.assert_allclose(sorted(w.numpy().imag), [-1, 1])


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", [(4, 4), (7, 3), (3, 7), (1, 1), (0, 3), (3, 0)])
def test_least_squares_are_numpys(on_device, shape, dtype):
    a, b = matrix(shape, dtype), matrix((shape[0], 2), dtype, 1)
    for right in (b, b[:, 0]):
        got, want = ks.linalg.lstsq(ks.array(a), ks.array(right)), np.linalg.lstsq(a, right)
        close(got[0], want[0], 10)
        close(got[1], want[1], 10)
        assert got[2] == want[2]
        close(got[3], want[3], 10)


def test_least_squares_of_a_matrix_without_full_rank_are_the_shortest(on_device):
    a, b = np.outer(np.arange(1.0, 6), [1, 2, 3]), np.arange(5.0)
    got, want = ks.linalg.lstsq(ks.array(a), ks.array(b)), np.linalg.lstsq(a, b)
    close(got[0], want[0], 10)
    assert got[1].shape == (0,) and got[2] == want[2] == 1


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", [(4, 4), (7, 3), (3, 7), (2, 5, 3), (0, 3, 2), (3, 0)])
def test_pseudoinverses_and_ranks_are_numpys(on_device, shape, dtype):
    a = matrix(shape, dtype)
    close(ks.linalg.pinv(ks.array(a)), np.linalg.pinv(a), 10)
    if a.size:
        assert (ks.linalg.matrix_rank(ks.array(a)).numpy() == np.linalg.matrix_rank(a)).all()
    flat = np.ones((5, 3), dtype)
    assert ks.linalg.matrix_rank(ks.array(flat)) == 1
    close(ks.linalg.pinv(ks.array(flat), rcond=1e-4), np.linalg.pinv(flat, rcond=1e-4), 10)
    assert ks.linalg.matrix_rank(ks.array(flat), tol=100.0) == 0


@pytest.mark.parametrize("dtype", ["float32", "complex64", "float64", "complex128"])
def test_pseudoinverses_of_matrices_of_one_direction(on_device, dtype):
    """Where a is u v^H, it is v u^H / (|u| |v|)^2: the other singular values are what rounding leaves of 0."""
    for n in range(2, 7):
        u, v = np.linspace(0.1, 0.9, n).astype(dtype), np.geomspace(0.2, 3, n).astype(dtype)
        want = np.outer(v, u.conj()) / (np.linalg.norm(u) * np.linalg.norm(v)) ** 2
        rcond = None if dtype in ("float32", "complex64") else 1e-12
        close(ks.linalg.pinv(ks.array(np.outer(u, v.conj())), rcond), want, 100)


orders = [None, 0, 1, -1, 2, -2, 3, -3, 0.5, np.inf, -np.inf]


@pytest.mark.parametrize("dtype", [*dtypes, "int32", "float16"])
def test_norms_of_vectors_are_numpys(on_device, dtype):
    x = (matrix((3, 4, 5), dtype if dtype in dtypes else "float64") * 5).astype(dtype)
    for order in orders:
        for axis in (0, 1, -1):
            for keep in (False, True):
                with np.errstate(divide="ignore"):
                    want = np.linalg.norm(x, order, axis, keep)
                got = ks.linalg.norm(ks.array(x), order, axis, keep)
                assert got.shape == want.shape
                np.testing.assert_allclose(got.numpy(), want, rtol=1e-2 if dtype == "float16" else 1e-5)
    np.testing.assert_allclose(
        ks.linalg.norm(ks.array(x)).numpy(), np.linalg.norm(x), rtol=1e-2 if dtype == "float16" else 1e-5
    )
    assert ks.linalg.norm(ks.array(x), keepdims=True).shape == (1, 1, 1)
    assert ks.linalg.norm(ks.zeros(0)) == 0


@pytest.mark.parametrize("dtype", [*dtypes, "int64"])
def test_norms_of_matrices_are_numpys(on_device, dtype):
    x = (matrix((3, 4, 5), dtype if dtype in dtypes else "float64") * 5).astype(dtype)
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        for axes in ((0, 1), (1, 2), (2, 0), (-1, -2)):
            for keep in (False, True):
                close(ks.linalg.norm(ks.array(x), order, axes, keep), np.linalg.norm(x, order, axes, keep), 10)
    close(
        ks.linalg.matrix_norm(ks.array(x)),
        np.linalg.matrix_norm(x) if hasattr(np.linalg, "matrix_norm") else np.linalg.norm(x, axis=(-2, -1)),
    )
    for p in (None, 1, -1, 2, -2, "fro", "nuc", np.inf):
        a = (10 * regular((3, 4, 4), dtype if dtype in dtypes else "float64")).astype(dtype)
        close(ks.linalg.cond(ks.array(a), p), np.linalg.cond(a, p), 100)


def test_the_condition_of_a_singular_matrix_is_infinite(on_device):
    a = np.stack([np.zeros((2, 2)), np.eye(2)])
    for p in (None, 1, 2, -2, "fro"):
        np.testing.assert_array_equal(ks.linalg.cond(ks.array(a), p).numpy(), np.linalg.cond(a, p))
    with pytest.raises(np.linalg.LinAlgError, match="empty"):
        ks.linalg.cond(ks.zeros((0, 0)))


def test_products_and_parts_are_numpys(on_device):
    a, b, c = matrix((6, 4)), matrix((4, 9)), matrix((9, 2))
    close(ks.linalg.multi_dot([ks.array(a), ks.array(b), ks.array(c)]), np.linalg.multi_dot([a, b, c]))
    close(
        ks.linalg.multi_dot([ks.array(a[0]), ks.array(b), ks.array(c), ks.array(c[0])]),
        np.linalg.multi_dot([a[0], b, c, c[0]]),
    )
    s = regular((2, 3, 3))
    for n in (-3, -1, 0, 1, 2, 3, 7, 8):
        close(ks.linalg.matrix_power(ks.array(s), n), np.linalg.matrix_power(s, n), 10)
    i = np.array([[1, 1], [1, 0]])
    close(ks.linalg.matrix_power(ks.array(i), 30), np.linalg.matrix_power(i, 30))
    t = matrix((6, 4, 2, 3, 4))
    close(ks.linalg.tensorsolve(ks.array(t), ks.array(matrix((6, 4)))), np.linalg.tensorsolve(t, matrix((6, 4))), 100)
    close(ks.linalg.tensorinv(ks.array(matrix((4, 6, 8, 3)))), np.linalg.tensorinv(matrix((4, 6, 8, 3))), 100)
    close(ks.linalg.outer(ks.arange(3.0), ks.arange(4.0)), np.outer(np.arange(3.0), np.arange(4.0)))
    x, y = matrix((5, 3), "complex128"), matrix((5, 3), "complex128", 1)
    close(ks.linalg.cross(ks.array(x), ks.array(y)), np.cross(x, y))
    close(ks.cross(ks.array(x.T), ks.array(y.T), axis=0), np.cross(x.T, y.T, axis=0))
    close(ks.cross(ks.array(x.T), ks.array(y), axisa=0, axisc=0), np.cross(x.T, y, axisa=0, axisc=0))
    close(ks.linalg.vecdot(ks.array(x), ks.array(y)), (np.conj(x) * y).sum(-1))
    close(ks.vecdot(ks.array(x), ks.array(y), axis=0), (np.conj(x) * y).sum(0))
    m = np.arange(60).reshape(3, 4, 5)
    for offset in (-5, -3, -2, -1, 0, 1, 3, 4, 5, 9):
        close(ks.diagonal(ks.array(m), offset, 1, 2), np.diagonal(m, offset, 1, 2))
        close(ks.trace(ks.array(m), offset, 2, 0), np.trace(m, offset, 2, 0))
        close(ks.linalg.diagonal(ks.array(m), offset=offset), np.diagonal(m, offset, -2, -1))
    close(ks.trace(ks.array(m.astype("int8"))), np.trace(m.astype("int8")))
    close(ks.linalg.matrix_transpose(ks.array(m)), np.swapaxes(m, -1, -2))


def test_a_product_of_several_goes_into_an_array_of_its_shape():
    a, into = ks.ones((3, 3)), ks.zeros((3, 3))
    assert ks.linalg.multi_dot([a, a, a], out=into) is into
    assert (into.numpy() == 9).all()
    with pytest.raises(ValueError, match="shape"):
        ks.linalg.multi_dot([a, a, a], out=ks.zeros((2, 2)))


def test_a_tensors_axes_move_before_it_is_solved(on_device):
    a = matrix((2, 6, 3))
    b = matrix((6,))
    close(ks.linalg.tensorsolve(ks.array(a), ks.array(b), axes=(0,)), np.linalg.tensorsolve(a, b, axes=(0,)), 100)


def test_any_memory_is_taken(on_device, layouts):
    a, b = regular((4, 4)), matrix((4, 2))
    for lies in layouts.values():
        close(ks.linalg.solve(lies(a), lies(b)), np.linalg.solve(a, b))
        close(ks.linalg.inv(lies(a)), np.linalg.inv(a))
        close(ks.linalg.svdvals(lies(b)), np.linalg.svd(b, compute_uv=False))
        q, r = ks.linalg.qr(lies(b))
        close(q @ r, b)


def test_arguments_keep_what_they_hold(on_device):
    a, b = positive((5, 5)), matrix((5,))
    x, y = ks.array(a), ks.array(b)
    for f in (
        ks.linalg.inv,
        ks.linalg.det,
        ks.linalg.cholesky,
        ks.linalg.qr,
        ks.linalg.svd,
        ks.linalg.eigh,
        ks.linalg.eig,
        ks.linalg.pinv,
    ):
        f(x)
    ks.linalg.solve(x, y), ks.linalg.lstsq(x, y)
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal(y.numpy(), b)


def test_integers_and_bools_are_computed_in_float64(on_device):
    for dtype in ("int8", "uint64", "bool"):
        a = np.array([[1, 1], [0, 1]], dtype)
        close(ks.linalg.inv(ks.array(a)), np.linalg.inv(a))
        close(ks.linalg.det(ks.array(a)), np.linalg.det(a))
    with pytest.raises(TypeError, match="float16 is unsupported in linalg"):
        ks.linalg.inv(ks.ones((2, 2), dtype="float16"))


failures = [
    (lambda la, x: la.inv(x(np.zeros((2, 2)))), "Singular matrix"),
    (lambda la, x: la.inv(x(np.stack([np.eye(2), np.ones((2, 2))]))), "Singular matrix"),
    (lambda la, x: la.solve(x(np.ones((2, 2))), x(np.ones(2))), "Singular matrix"),
    (lambda la, x: la.inv(x(np.zeros((2, 3)))), "must be square"),
    (lambda la, x: la.det(x(np.zeros((2, 3)))), "must be square"),
    (lambda la, x: la.eigh(x(np.zeros((2, 3)))), "must be square"),
    (lambda la, x: la.inv(x(np.zeros(3))), "1-dimensional array given"),
    (lambda la, x: la.svd(x(np.zeros(3))), "1-dimensional array given"),
    (lambda la, x: la.cholesky(x(-np.eye(3))), "not positive definite"),
    (lambda la, x: la.eig(x(np.array([[1.0, np.nan], [0, 1.0]]))), "infs or NaNs"),
    (lambda la, x: la.eigvals(x(np.array([[1.0, np.inf], [0, 1.0]]))), "infs or NaNs"),
    (lambda la, x: la.svd(x(np.full((3, 3), np.nan))), "SVD did not converge"),
    (lambda la, x: la.lstsq(x(np.zeros((3, 2))), x(np.zeros(4))), "Incompatible dimensions"),
    (lambda la, x: la.multi_dot([x(np.zeros((2, 2, 2))), x(np.zeros((2, 2))), x(np.zeros((2, 2)))]), "two-dimensional"),
    (lambda la, x: la.tensorsolve(x(np.zeros((2, 3, 4))), x(np.zeros((2, 3)))), "requirement"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(failures)))
def test_what_has_no_solution_is_numpys_error(on_device, case):
    f, text = failures[case]
    with pytest.raises(np.linalg.LinAlgError):
        f(np.linalg, lambda x: x)
    with pytest.raises(np.linalg.LinAlgError, match=text) as caught:
        f(ks.linalg, ks.array)
    assert isinstance(caught.value, ks.Error) and isinstance(caught.value, ks.linalg.LinAlgError)


def test_wrong_arguments_are_errors_that_say_so(on_device):
    x = ks.ones((2, 2))
    for f, text in (
        (lambda: ks.linalg.norm(x, 7), "Invalid norm order"),
        (lambda: ks.linalg.norm(x, "abc"), "abc"),
        (lambda: ks.linalg.norm(ks.ones(3), "fro"), "fro"),
        (lambda: ks.linalg.norm(ks.ones((2, 2, 2)), 2), "number of dimensions"),
        (lambda: ks.linalg.qr(x, "upside down"), "upside down"),
        (lambda: ks.linalg.eigh(x, "M"), "UPLO"),
        (lambda: ks.linalg.solve(x, ks.ones(3)), r"\(2, 2\).*\(3,\)"),
        (lambda: ks.linalg.multi_dot([x]), "at least two"),
        (lambda: ks.linalg.cross(ks.ones(2), ks.ones(2)), "3-dimensional"),
        (lambda: ks.linalg.vecdot(ks.ones(2), ks.ones(3)), "2 and of 3"),
    ):
        with pytest.raises(ValueError, match=text):
            f()


def test_numpys_functions_come_here_with_our_arrays(on_device):
    a = regular((3, 3))
    x = ks.array(a)
    for got, want in (
        (np.linalg.solve(x, ks.ones(3)), np.linalg.solve(a, np.ones(3))),
        (np.linalg.inv(x), np.linalg.inv(a)),
        (np.linalg.norm(x, axis=0), np.linalg.norm(a, axis=0)),
        (np.trace(x), np.trace(a)),
        (np.outer(x, x), np.outer(a, a)),
        (np.linalg.matrix_power(x, 3), np.linalg.matrix_power(a, 3)),
        (np.linalg.svd(x).S, np.linalg.svd(a)[1]),
    ):
        assert isinstance(got, ks.Array)
        close(got, want, 10)
    assert np.linalg.slogdet(x).logabsdet.shape == ()


def test_nothing_passes_through_the_host(on_device):
    a, b = ks.array(regular((40, 40))), ks.array(matrix((40, 3)))
    stack, tall = ks.array(positive((50, 8, 8))), ks.array(matrix((30, 20, 10)))
    ks.synchronize()
    before = ks.stats()
    for x in (a, stack):
        ks.linalg.solve(x, b[: x.shape[-1]]), ks.linalg.inv(x), ks.linalg.det(x), ks.linalg.eigh(x), ks.linalg.qr(x)
    ks.linalg.cholesky(stack), ks.linalg.svd(tall), ks.linalg.pinv(tall), ks.linalg.norm(tall, 2, (1, 2))
    ks.synchronize()
    after = ks.stats()
    moved = {k: after[k] - before[k] for k in ("bytes_to_device", "bytes_from_device")}
    # Whether a factorisation failed is a byte that is read, and of some whether the values are numbers: 14 calls.
    assert moved["bytes_to_device"] == 0 and moved["bytes_from_device"] <= 28, moved


def test_stacks_are_the_single_matrices(on_device):
    a, b = positive((300, 16, 16)), matrix((300, 16, 2))
    x = ks.array(a)
    alone = [ks.linalg.inv(ks.array(m)).numpy() for m in a[::50]]
    close(ks.linalg.inv(x).numpy()[::50], np.stack(alone))
    close(ks.linalg.solve(x, ks.array(b)), np.linalg.solve(a, b))
    close(ks.linalg.cholesky(x), np.linalg.cholesky(a))
    close(ks.linalg.eigvalsh(x), np.linalg.eigvalsh(a), 10)
    close(ks.linalg.svdvals(x), np.linalg.svd(a, compute_uv=False), 10)
    close(ks.linalg.det(x), np.linalg.det(a), 10)


def test_singular_matrices_among_others_have_determinant_0(on_device):
    for dtype in dtypes:
        a = regular((5, 6, 6), dtype)
        a[1, :, 2], a[3] = 0, 0
        x = ks.array(a)
        close(ks.linalg.det(x), np.linalg.det(a))
        for got, want in zip(ks.linalg.slogdet(x), np.linalg.slogdet(a)):
            close(got, want)


def test_work_space_is_that_of_each_matrix(on_device):
    """Lengths, types and routines in turn, as what a library asked for is remembered."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        m, n, dtype = rng.integers(1, 40), rng.integers(1, 40), rng.choice(dtypes)
        a, s, b = matrix((m, n), dtype), positive((n, n), dtype), matrix((n, 3), dtype)
        close(ks.linalg.svdvals(ks.array(a)), np.linalg.svd(a, compute_uv=False), 10)
        u, v, w = ks.linalg.svd(ks.array(a), full_matrices=bool(rng.integers(2)))
        k = min(m, n)
        close((u[:, :k] * v) @ w[:k], a, 10)
        q, r = ks.linalg.qr(ks.array(a))
        close(q @ r, a, 10)
        values, vectors = ks.linalg.eigh(ks.array(s))
        close(values, np.linalg.eigvalsh(s), 10)
        close((vectors * values) @ adjoint(vectors.numpy()), s, 10)
        close(ks.linalg.inv(ks.array(s)), np.linalg.inv(s), 10)
        close(ks.linalg.solve(ks.array(s), ks.array(b)), np.linalg.solve(s, b), 10)
        close(ks.linalg.lstsq(ks.array(a), ks.array(a[:, :1]))[0], np.linalg.lstsq(a, a[:, :1])[0], 100)


def test_products_have_the_same_bits_with_any_number_of_threads_where_they_are_to(clean_process):
    text = """
import numpy as np, kasoku as ks, hashlib
rng, made = np.random.default_rng(0), hashlib.sha256()
with ks.deterministic():
    for shape, other in (((300, 400), (400, 350)), ((700, 700), (700, 700)), ((2000, 30), (30, 2000)), ((40, 9000), (9000, 40)),
                         ((600, 900), (900,)), ((900,), (900, 600)), ((50, 64, 64), (50, 64, 64)), ((3, 400, 300), (300, 200))):
        for dtype in ("float32", "float64", "complex128", "float16"):
            a, b = (ks.array(rng.standard_normal(s).astype(dtype)) for s in (shape, other))
            made.update((a @ b).tobytes())
            if a.ndim == 2 and dtype != "float16":
                made.update((a @ a.T).tobytes())
print(made.hexdigest())
"""
    found = {clean_process(text, env={"KASOKU_NUM_THREADS": str(n)}).stdout for n in (1, 2, 3, 7)}
    assert len(found) == 1


def test_deterministic_lasts_for_its_block():
    assert not ks.deterministic(False).before
    with ks.deterministic():
        assert ks.deterministic(True).before
    assert not ks.deterministic(False).before


@hypothesis.given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.lists(st.integers(0, 3), max_size=2),
    st.sampled_from(dtypes),
    st.integers(0, 99),
)
def test_factors_put_together_are_the_matrix(on_device, m, n, batch, dtype, seed):
    a = matrix((*batch, m, n), dtype, seed)
    x = ks.array(a)
    q, r = ks.linalg.qr(x)
    close(q @ r, a, 10)
    u, s, vh = ks.linalg.svd(x, full_matrices=False)
    close((u * ks.expand_dims(s, -2)) @ vh, a, 10)
    h = ks.matmul(x, ks.conjugate(x.mT))
    w, v = ks.linalg.eigh(h)
    close((v * ks.expand_dims(w, -2)) @ ks.conjugate(v.mT), h.numpy(), 10)
    p = ks.linalg.pinv(x)
    close(x @ p @ x, a, 100)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32", "bool", "float16"])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 63, 64, 65, 511, 513, 3000])
def test_products_of_vectors_with_gaps(dtype, length, device):
    g = np.random.default_rng(length)
    host = g.integers(-3, 4, (3 * length + 5, 4)).astype(dtype)
    x = ks.asarray(host, device=device)

    def vectors(a):
        return [
            a[:length, 1], a[1 : length + 1, 3], a[: 2 * length : 2, 0], a[length - 1 :: -1, 2][:length],
            a[:length, 2].copy(), a.reshape(-1)[3 : length + 3],
        ]  # fmt: skip

    for i, (left, host_left) in enumerate(zip(vectors(x), vectors(host), strict=True)):
        for right, host_right in zip(vectors(x)[i:], vectors(host)[i:], strict=True):
            with np.errstate(all="ignore"):
                expected = host_left @ host_right
            for ours in (left @ right, ks.dot(left, right), ks.matmul(left, right)):
                assert (ours.dtype, ours.shape) == (expected.dtype, ())
                np.testing.assert_array_equal(ours.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
def test_products_of_matrices_and_vectors_with_gaps(dtype, device):
    host = np.random.default_rng(0).integers(-3, 4, (3, 150, 170)).astype(dtype)
    x = ks.asarray(host, device=device)
    cases = [
        lambda a: a[0, 0, :150] @ a[1, :, 1:], lambda a: a[0, :, 3] @ a[1, :, 1:], lambda a: a[0, ::-1, 3] @ a[1],
        lambda a: a[1] @ a[2, 4], lambda a: a[1, :, :150] @ a[2, :, 4], lambda a: a[1, :, :70] @ a[2, 140::-2, 4][:70],
        lambda a: a @ a[0, 5], lambda a: a[0, :, 3] @ a, lambda a: a[:, :, None, :9] @ a[1, :9, 0],
        lambda a: a[0].T @ a[0, :, 7], lambda a: a[0, 9] @ a[0].T, lambda a: a[:1, :1, :5] @ a[0, :5, 0],
        lambda a: a[0, :, :0] @ a[0, 0, :0], lambda a: a[0, :0, :] @ a[0, 0], lambda a: a[0, 0, :1] @ a[0, :1],
    ]  # fmt: skip
    for case in cases:
        ours, expected = case(x), case(host)
        assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(ours.numpy(), expected)
    for left, right in ((x[0, 0], x[0]), (x[0], x[0, :, 1]), (x[0, 0], x[0, :, 0])):
        with pytest.raises(ValueError, match="do not match"):
            left @ right


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize(
    ("m", "k", "n"),
    [(1, 16384, 1), (11, 20001, 1), (1, 20001, 7), (3, 16385, 5), (20, 40959, 20), (64, 16384, 64), (65, 16384, 2)],
)
def test_products_of_long_lines_that_give_few_elements_are_exact_where_the_sums_are(dtype, m, k, n):
    rng = np.random.default_rng(k)
    a, b = (rng.integers(-3, 4, shape).astype(dtype) for shape in ((k, 2 * m), (n, k)))
    a[:, 0] *= 2
    for left, right in (
        (a[:, :m].T, b.T),
        (np.ascontiguousarray(a[:, :m].T), np.ascontiguousarray(b.T)),
        (a[:, ::2].T, b[::-1].T),
    ):
        want = np.einsum("ik,kj->ij", left, right)
        x, y = ks.asarray(left), ks.asarray(right)
        np.testing.assert_array_equal((x @ y).numpy(), want)
        if n == 1:
            np.testing.assert_array_equal((x @ y[:, 0]).numpy(), want[:, 0])


@pytest.mark.parametrize("dtype", dtypes)
def test_a_long_matrix_times_itself_is_symmetric(dtype):
    x = ks.array(matrix((30000, 13), dtype))
    square = (x.T @ x).numpy()
    assert (square == square.T).all()
    close(square, x.numpy().T @ x.numpy(), 1000)


def test_products_of_long_lines_have_the_same_bits_with_any_number_of_threads(clean_process):
    text = """
import hashlib, numpy as np, kasoku as ks
x = ks.array(np.random.default_rng(1).normal(size=(70000, 11)))
print(hashlib.sha256((x.T @ x).numpy().tobytes() + (x.T @ x[:, 3]).numpy().tobytes() + (x[:, 2:5].T @ x).numpy().tobytes()).hexdigest())
"""
    assert len({clean_process(text, env={"KASOKU_NUM_THREADS": str(n)}).stdout for n in (1, 2, 5)}) == 1


@pytest.mark.parametrize("n", [1, 2, 5, 32, 33])
@pytest.mark.parametrize("dtype", dtypes)
def test_inverses_of_small_diagonal_matrices_have_no_negative_zeros(n, dtype):
    a = np.stack([np.eye(n), 2 * np.eye(n), regular((n, n))]).astype(dtype)
    got = ks.linalg.inv(ks.asarray(a)).numpy()
    assert (got[:2] == a[:2] / np.array([1, 4]).reshape(2, 1, 1)).all()
    assert n > 32 or not np.signbit(got[:2].real).any()
    np.testing.assert_allclose(got @ a, np.stack([np.eye(n)] * 3), atol=1e-5)
    sign, log = ks.linalg.slogdet(ks.asarray(a))
    np.testing.assert_allclose(sign.numpy() * np.exp(log.numpy()), np.linalg.det(a), rtol=1e-4)


def test_vectors_of_small_matrices_have_numpys_signs():
    symmetric = np.array([[4.0, 1, 2], [1, 3, 0], [2, 0, 5]])
    for a in (symmetric, np.array([[1.0, 2], [3, 4]]), np.array([[3.0, 2, 2], [2, 3, -2]]), symmetric[:, :2]):
        for got, wanted in zip(ks.linalg.svd(ks.asarray(a), False), np.linalg.svd(a, False), strict=True):
            np.testing.assert_allclose(got.numpy(), wanted, atol=1e-12)
    got, wanted = (
        x.linalg.eigh(x.asarray(symmetric + np.triu(symmetric, 1)))[1] for x in (ks, np)
    )  # the lower triangle counts
    np.testing.assert_allclose(got.numpy(), wanted, atol=1e-12)


def test_a_determinant_of_zero_has_no_sign(device):
    for a in (
        [[0.0, 0.0], [3.0, 1.0]],
        [[-1.0, 2.0], [0.0, 0.0]],
        [[0.0]],
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -0.0]],
    ):
        x = ks.asarray(a, device=device)
        sign, size = ks.linalg.slogdet(x)
        for ours, numpys in ((ks.linalg.det(x), np.linalg.det(a)), (sign, np.linalg.slogdet(a)[0])):
            assert (float(ours), np.signbit(float(ours))) == (numpys, np.signbit(numpys))
        assert float(size) == -np.inf


def test_least_squares_of_nearly_dependent_columns_in_single_precision(device):
    x = np.linspace(1, 2, 30, dtype=np.float32)
    a, b = np.vander(x, 6).astype(np.float32), np.cos(x)
    ours, numpys = ks.linalg.lstsq(ks.asarray(a, device=device), ks.asarray(b, device=device)), np.linalg.lstsq(a, b)
    for result, wanted in zip(ours, numpys):
        np.testing.assert_allclose(
            np.asarray(result.numpy() if isinstance(result, ks.Array) else result), wanted, rtol=1e-5
        )
    assert [x.dtype for x in ours[:2]] == [np.float32] * 2 and ours[3].dtype == np.float32


def test_one_bound_for_singular_values(device):
    with pytest.raises(ValueError, match="rcond and rtol"):
        ks.linalg.pinv(ks.eye(2, device=device), rcond=0.1, rtol=0.1)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 17, 64, 1001, 32768, 32769, 600_003])
def test_a_row_times_a_column_of_complex_numbers(device, dtype, n):
    x, y = matrix((2 * n,), dtype), matrix((n,), dtype, 1)
    a, b = ks.array(x, device=device), ks.array(y, device=device)
    wide = lambda z: z.astype(np.clongdouble)
    near = 40 * np.finfo(dtype).eps * max(np.sqrt(n), 1)
    for got, left in (
        (a[:n] @ b, x[:n]),
        (a[::2] @ b, x[::2]),
        (a[:n][::-1] @ b, x[:n][::-1]),
        (ks.vdot(a[:n], b), np.conj(x[:n])),
    ):
        assert got.dtype == dtype
        assert abs(complex(got) - complex((wide(left) * wide(y)).sum())) <= near
