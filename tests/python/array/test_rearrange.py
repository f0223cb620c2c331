"""Elements in other places, and parts of matrices: NumPy's, where the array lies."""

# ruff: noqa: B023 (each lambda is called at once)
import hypothesis
import hypothesis.extra.numpy as of_numpy
import hypothesis.strategies as st
import numpy as np
import pytest
from alike import agree

import kasoku as ks

rng = np.random.default_rng(13)
matrix, cube = rng.random((30, 40)), rng.integers(-9, 9, (4, 5, 6))


@hypothesis.given(st.data())
def test_repeating_any_layout(form, layouts, data):
    x = data.draw(of_numpy.arrays("int16", of_numpy.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)))
    laid = layouts[data.draw(st.sampled_from(sorted(layouts)))](x)
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    n = x.size if axis is None else x.shape[axis]
    counts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    assert np.array_equal(
        ks.repeat(laid, ks.array(np.array(counts, "int64")), axis).numpy(), np.repeat(x, counts, axis)
    )
    assert np.array_equal(ks.repeat(laid, 3, axis).numpy(), np.repeat(x, 3, axis))
    times = data.draw(st.lists(st.integers(0, 3), max_size=4))
    assert np.array_equal(ks.tile(laid, tuple(times)).numpy(), np.tile(x, times))
    shift = data.draw(st.integers(-9, 9))
    assert np.array_equal(ks.roll(laid, shift, axis).numpy(), np.roll(x, shift, axis))


@pytest.mark.parametrize("axis", [None, 0, -1, 1])
@pytest.mark.parametrize("times", [2, [3], 0])
def test_repeating_a_single_number(form, times, axis):
    agree(lambda np, x: np.repeat(x, times, axis), np.array(4.5))


def test_what_cannot_be_repeated(form):
    agree(lambda np, x: np.repeat(x, [1, 2], 0), matrix)
    agree(lambda np, x: np.repeat(x, -1), matrix)
    agree(lambda np, x, n: np.repeat(x, n, 0), matrix, np.full(30, -1))
    agree(lambda np, x, n: np.repeat(x, n, 0), matrix, np.full(30, 1.5))
    agree(lambda np, x: np.repeat(x, 2, 5), matrix)
    for times in (2**61, 2**61 + 1):  # times eight elements that are 0 and 8 in 64 bits
        for axis in (None, 0):
            with pytest.raises((ValueError, MemoryError)):
                ks.repeat(ks.ones(8), times, axis)
    assert ks.repeat(ks.arange(3), ks.array(200_000)).shape == (600_000,)
    agree(lambda np, x, n: np.repeat(x, n), rng.random(50_000), rng.integers(0, 4, 50_000))


@hypothesis.given(st.data())
def test_padding_any_layout(form, layouts, data):
    x = data.draw(of_numpy.arrays("int16", of_numpy.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)))
    laid = layouts[data.draw(st.sampled_from(sorted(layouts)))](x)
    widths = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=x.ndim, max_size=x.ndim))
    mode = data.draw(st.sampled_from(["constant", "edge", "reflect", "symmetric", "wrap"]))
    assert np.array_equal(ks.pad(laid, widths, mode).numpy(), np.pad(x, widths, mode))


def test_widths_and_values_of_borders(form):
    for width in [2, (1, 2), [(1, 2)], [(1, 2), (0, 3)], np.array([[1, 2], [3, 4]]), {1: (2, 3)}, {-1: 4}]:
        agree(lambda np, x: np.pad(x, width), matrix)
    agree(lambda np, x: np.pad(x, 2, constant_values=((1, 2), (3, 4))), matrix)
    agree(lambda np, x: np.pad(x, 2, constant_values=7), cube)
    agree(lambda np, x: np.pad(x, -1), matrix)
    agree(lambda np, x: np.pad(x, ((1, 2), (3, 4), (5, 6))), matrix)
    agree(lambda np, x: np.pad(x, 1, "edge"), np.zeros((0, 3)))
    agree(lambda np, x: np.pad(x, 1, "nothing"), matrix)
    agree(lambda np, x: np.pad(x, 1, "edge", constant_values=3), matrix)


def test_borders_that_are_computed(form):
    for x in (matrix, cube.astype("int32"), matrix.T):
        for mode in ["linear_ramp", "maximum", "mean", "median", "minimum"]:
            for width in (2, (0, 3), {-1: (1, 2)}):
                agree(lambda np, x: np.pad(x, width, mode), x, close=True)
        agree(lambda np, x: np.pad(x, 2, "mean", stat_length=((1, 2),)), x, close=True)
        agree(lambda np, x: np.pad(x, (1, 3), "linear_ramp", end_values=(5, -4)), x, close=True)
        for mode in ["reflect", "symmetric"]:
            agree(lambda np, x: np.pad(x, (7, 9), mode, reflect_type="odd"), x, close=True)
            agree(lambda np, x: np.pad(x, 2, mode, reflect_type="odd"), np.array([7]))
            agree(lambda np, x: np.pad(x, 2, mode, reflect_type="odd"), np.zeros(0))
    agree(lambda np, x: np.pad(x, 3, "linear_ramp", end_values=5), np.array([9, 2], dtype="uint16"))
    agree(lambda np, x: np.pad(x, 1, "linear_ramp"), np.zeros((0, 3)))
    agree(lambda np, x: np.pad(x, -1, "mean"), matrix)
    agree(lambda np, x: np.pad(x, 1, "mean", end_values=2), matrix)
    agree(lambda np, x: np.pad(x, 1, "median"), np.zeros((0, 3)))

    def marked(line, widths, axis, options):
        line[: widths[0]], line[line.shape[0] - widths[1] :] = axis + 1, options.get("last", 0)

    agree(lambda np, x: np.pad(x, ((1, 2), (2, 0)), marked), matrix)
    agree(lambda np, x: np.pad(x, 2, marked, last=7), matrix)


@pytest.mark.parametrize("k", [-50, -3, 0, 2, 50])
def test_diagonals_and_triangles(k, form):
    agree(lambda np, x: (np.diag(x, k), np.diag(x[0], k), np.diagflat(x[:3, :2], k)), matrix)
    agree(lambda np, x: (np.diagonal(x, k), np.diagonal(x, k, 2, 1), np.diagonal(x, k, -1, 0)), cube)
    agree(lambda np, x: (np.trace(x, k), np.trace(x, k, 1, 2, dtype="float64")), cube)
    agree(lambda np, x: (np.tril(x, k), np.triu(x, k)), cube)
    agree(lambda np, x: (np.tril(x, k), np.triu(x, k)), matrix[0])
    agree(
        lambda np: (np.tri(5, 7, k), np.tri(-4, k=k), np.tri(4, -2, k), np.tril_indices(6, k, 4), np.triu_indices(6, k))
    )
    agree(lambda np, x: (np.tril_indices_from(x, k), np.triu_indices_from(x, k)), matrix)


def test_filled_diagonals(form):
    def filled(np, x, value, wrap=False):
        np.fill_diagonal(x, value, wrap)
        return x

    for wrap in (False, True):
        for shape in [(4, 4), (20, 3), (3, 20), (7, 3)]:
            agree(filled, np.zeros(shape), 3.0, wrap)
            agree(filled, np.zeros(shape), np.array([1.0, 2.0]), wrap)
    agree(filled, np.zeros((3, 3, 3)), 2)
    agree(filled, np.zeros((3, 3, 4)), 2)
    agree(filled, np.zeros(3), 2)


def test_rot90_and_flips_are_numpys(form):
    for k in range(-1, 5):
        agree(lambda np, x: (np.rot90(x, k), np.rot90(x, k, (1, 0))), matrix)
        agree(lambda np, x: np.rot90(x, k, (2, 1)), cube)
    agree(lambda np, x: (np.fliplr(x), np.flipud(x)), matrix)
    agree(lambda np, x: np.fliplr(x), matrix[0])
    agree(lambda np, x: np.rot90(x, 1, (1, 1)), matrix)


places = [3, -1, 0, [1, 3, -1], [2, 2], slice(3, 30, 2), slice(None, None, -3), [], rng.random(40) < 0.5]


@pytest.mark.parametrize("where", places, ids=str)
def test_delete_is_numpys(where, form):
    agree(lambda np, x: np.delete(x, where, 1), matrix)
    agree(lambda np, x: np.delete(x, where), matrix[0])


def test_insert_is_numpys(form):
    row = rng.random(40)
    for where, values in [
        (3, 7.0),
        (-1, 7.0),
        (40, 1.0),
        ([1, 1, 30], [1.0, 2, 3]),
        ([5, 2, 2, 0], [1, 2, 3, 4]),
        ([3], [1, 2]),
        (slice(0, 9, 4), 5),
    ]:
        agree(lambda np, x: np.insert(x, where, values), row)
    agree(lambda np, x: np.insert(x, [1, 1, 30], [[1.0], [2], [3]], 0), matrix)
    agree(lambda np, x: np.insert(x, 2, np.arange(40.0), 0), matrix)
    agree(lambda np, x: np.insert(x, 2, np.arange(30.0), 1), matrix)
    agree(lambda np, x: np.insert(x, [2], np.ones((30, 2)), 1), matrix)
    agree(lambda np, x: np.append(x, [[1.0] * 40], 0), matrix)
    agree(lambda np, x: np.append(x, [1, 2]), matrix)
    agree(lambda np, x: (np.resize(x, (7, 5)), np.resize(x, 3)), row)
    for where in [41, -42, [1, 99]]:
        agree(lambda np, x: np.insert(x, where, 1), row)
    agree(lambda np, x: np.delete(x, [40]), row)
    agree(lambda np, x, m: np.delete(x, m), row, np.ones(39, bool))


def test_grids_and_numbers_of_elements(form):
    agree(
        lambda np: (
            np.indices((3, 4)),
            np.indices((3, 4), sparse=True),
            np.indices((0, 2)),
            np.indices((2,), dtype="float32"),
        )
    )
    for indexing in ("xy", "ij"):
        for sparse in (False, True):
            agree(
                lambda np, a, b, c: np.meshgrid(a, b, c, indexing=indexing, sparse=sparse),
                *(rng.random(n) for n in (2, 3, 4)),
            )
    agree(lambda np: (np.diag_indices(4), np.diag_indices(3, 3)))
    for order in "CF":
        at = rng.integers(0, 60, (3, 4))
        agree(lambda np, i: np.unravel_index(i, (3, 4, 5), order), at)
        agree(
            lambda np, a, b: np.ravel_multi_index((a, b), (3, 4), order=order),
            rng.integers(0, 3, 10),
            rng.integers(0, 4, 10),
        )
        agree(
            lambda np, a, b: np.ravel_multi_index((a, b), (3, 4), ("clip", "wrap"), order),
            rng.integers(-3, 6, 10),
            rng.integers(-4, 9, 10),
        )
    agree(lambda np, i: np.unravel_index(i, (3, 4)), np.array([12]))
    agree(lambda np, a: np.ravel_multi_index((a, a), (3, 4)), np.array([3]))
    agree(lambda np, a: np.ravel_multi_index((a, a), (2**40, 2**40)), np.array([3]))


def test_numpys_functions_find_ours(on_device):
    x = ks.array(matrix)
    for name, args in [
        ("tril", ()),
        ("tile", (2,)),
        ("repeat", (2,)),
        ("rot90", ()),
        ("diagonal", ()),
        ("pad", (1,)),
        ("argwhere", ()),
    ]:
        result = getattr(np, name)(x, *args)
        assert isinstance(result, ks.Array) and np.array_equal(result.numpy(), getattr(np, name)(matrix, *args))
    assert np.array_equal(x.repeat(2, 1).numpy(), matrix.repeat(2, 1)) and float(x.trace()) == pytest.approx(
        matrix.trace()
    )


calls = {
    "repeat": lambda x: ks.repeat(x, 2, 0),
    "tile": lambda x: ks.tile(x, 2),
    "pad": lambda x: ks.pad(x, 3, "reflect"),
    "roll": lambda x: ks.roll(x, 7, 0),
    "tril": lambda x: ks.tril(x),
    "diag": lambda x: ks.diag(x),
    "fill_diagonal": lambda x: ks.fill_diagonal(x, x[0, :1]),
    "trace": lambda x: ks.trace(x),
    "delete": lambda x: ks.delete(x, slice(3, 20), 0),
    "append": lambda x: ks.append(x, x, 0),
}


@pytest.mark.parametrize("name", calls)
def test_elements_stay_where_they_are(name, device):
    if device == "cpu":
        pytest.skip("a CPU's memory is the host's")
    with ks.default_device(device):
        x = ks.random.rand(300, 400)
        ks.eval(x)
        calls[name](x)
        before = ks.stats()
        result = calls[name](x)
        if isinstance(result, ks.Array):
            result.eval()
        copied = ks.stats() - before
        assert copied.bytes_from_device <= 64 and copied.bytes_to_device == 0


@pytest.mark.parametrize("name", ["concatenate", "hstack", "vstack", "dstack", "column_stack", "stack"])
def test_arrays_put_together(name, device):
    """Short rows and long ones, of elements of each size, with gaps and of two dtypes, pending and there, and of no elements."""
    g = np.random.default_rng(8)
    shapes = [
        [(3,), (3,)],
        [(2, 3), (2, 3), (2, 3)],
        [(2, 1, 4), (2, 1, 4)],
        [(0,), (0,)],
        [(0, 3), (0, 3)],
        [(3000, 7), (3000, 7)],
    ]
    if name in ("concatenate", "vstack"):
        shapes += [[(5, 2), (1, 2), (0, 2)], [(1, 70000), (2, 70000)]]
    if name in ("hstack", "column_stack"):
        shapes += [[(5, 2), (5, 1), (5, 0), (5, 31)]]
    if name in ("vstack", "hstack", "dstack", "column_stack"):
        shapes += [[(), ()]]
    for each in shapes:
        for dtype in ("int8", "float16", "float32", "complex128", "bool"):
            a = [np.asarray(g.integers(0, 2, shape)).astype(dtype) for shape in each]
            x = [ks.array(v, device=device) for v in a]
            want = getattr(np, name)(a)
            forms = [
                x,
                tuple(x),
                [v + v if dtype != "bool" else v | v for v in x],
                [ks.array(np.repeat(v, 2, -1), device=device)[..., ::2] if v.ndim else v for v in x],
            ]
            for k, parts in enumerate(forms):
                got = getattr(ks, name)(parts)
                assert got.dtype == want.dtype and got.shape == want.shape
                np.testing.assert_array_equal(got.numpy(), want + want if k == 2 and dtype != "bool" else want)
            mixed = [a[0].astype("float64"), *a[1:]]
            got = getattr(ks, name)([ks.array(v, device=device) for v in mixed])
            want = getattr(np, name)(mixed)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.numpy(), want)
    if name not in ("concatenate", "stack"):
        np.testing.assert_array_equal(
            getattr(ks, name)(ks.ones((3, 2), device=device)).numpy(), getattr(np, name)(np.ones((3, 2)))
        )
        with pytest.raises(ValueError, match="need at least one array to stack"):
            getattr(ks, name)([])
        with pytest.raises(TypeError, match="a sequence of arrays"):
            getattr(ks, name)(3)
    if name in ("hstack", "vstack"):
        got = getattr(ks, name)([ks.ones(2, device=device), ks.zeros(2, device=device)], dtype="float32")
        assert got.dtype == np.float32
        with pytest.raises(TypeError, match="cannot cast"):
            getattr(ks, name)([ks.ones(2, device=device)], dtype="int32")


def test_parts_of_one_array_are_put_into_others(device):
    """What is written afterwards changes nothing, also of a part that is the whole result."""
    x = ks.array(np.arange(6.0).reshape(2, 3), device=device)
    one, both = ks.concatenate([x]), ks.concatenate([x[:1], x])
    x[...] = 0
    np.testing.assert_array_equal(one.numpy(), np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(both.numpy(), np.array([[0, 1, 2], [0, 1, 2], [3, 4, 5]]))


def test_put_without_values_leaves_the_array(device):
    x = ks.arange(4, device=device)
    ks.put(x, [1, 2], [])
    assert x.tolist() == [0, 1, 2, 3]


def test_what_is_joined_has_a_place_or_a_dtype(device):
    parts = [ks.array([1.5, 2.0], device=device), ks.array([3.0], device=device)]
    host = [x.numpy() for x in parts]
    out = ks.zeros(3, "float32", device=device)
    assert ks.concatenate(parts, out=out) is out and out.tolist() == [1.5, 2, 3]
    assert ks.stack([parts[0]] * 2, dtype="float32").dtype == np.float32
    same = ks.concatenate(parts, dtype="int8", casting="unsafe")
    np.testing.assert_array_equal(same.numpy(), np.concatenate(host, dtype="int8", casting="unsafe"))
    for np_or_ks, given in ((np, host), (ks, parts)):
        with pytest.raises(TypeError):
            np_or_ks.concatenate(given, dtype="int8")
        with pytest.raises(TypeError):
            np_or_ks.stack(given[:1], out=np_or_ks.zeros((1, 2)), dtype="float32")
    square = ks.eye(2, device=device)
    for product in (ks.dot, ks.matmul):
        out = ks.zeros((2, 2), device=device)
        assert product(square, square * 3, out=out) is out and (out == square * 3).all()
        with pytest.raises(ValueError, match="the output has shape"):
            product(square, square, out=ks.zeros(3, device=device))


@pytest.mark.parametrize("decimals", [0, 1, 2, -1])
def test_parts_of_complex_numbers_are_rounded_apart(decimals, device):
    rng = np.random.default_rng(5)
    host = (rng.normal(0, 30, (4, 6)) + 1j * rng.normal(0, 30, (4, 6))).round(3)
    for x in (host, host[::2, 1::2], host.T, host[0, 0], host[:0], host.astype("complex64")):
        rounded = ks.round(ks.array(x, device=device), decimals).numpy()
        assert rounded.dtype == x.dtype and rounded.tobytes() == np.round(x, decimals).tobytes()


@pytest.mark.parametrize("value", [3, 3.5, 300, -1, True, 1j, np.float32(2)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float32", "complex64"])
def test_a_number_is_copied_where_numpy_copies_it(dtype, value, device):
    host, ours = np.zeros(3, dtype), ks.zeros(3, dtype, device=device)
    try:
        np.copyto(host, value, where=1)
    except (TypeError, OverflowError) as error:
        with pytest.raises(type(error)):
            ks.copyto(ours, value, where=1)
    else:
        ks.copyto(ours, value, where=1)
    np.testing.assert_array_equal(ours.numpy(), host)


@pytest.mark.parametrize("n, ndim", [(-3, 2), (0, 2), (2, 0), (2, -1), (3, 3)])
def test_diagonals_of_no_length(n, ndim):
    assert [x.tolist() for x in ks.diag_indices(n, ndim)] == [x.tolist() for x in np.diag_indices(n, ndim)]


@pytest.mark.parametrize("axis", [0, 1])
def test_unique_slices_lie_as_numpys(axis, device):
    host = rng.integers(0, 2, (4, 30))
    ours, numpys = ks.unique(ks.array(host, device=device), axis=axis), np.unique(host, axis=axis)
    assert ours.numpy().tolist() == numpys.tolist() and ours.strides == numpys.strides


@pytest.mark.parametrize("n", [None, 0, 1, 2, 3, 16, 17, 40])
@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "complex128"])
def test_columns_of_powers(n, dtype, device):
    for size in (0, 1, 5):
        host = (np.arange(size) % 3).astype(dtype)
        for increasing in (False, True):
            got, want = ks.vander(ks.array(host, device=device), n, increasing).numpy(), np.vander(host, n, increasing)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)  # powers of 2: exact


@pytest.mark.parametrize("at", [0, 3, 5, -1, -6])
def test_without_one_row_or_column(at):
    x = np.arange(30.0).reshape(6, 5)
    for view in (x, x[::-1], x.T, x[:, ::2].T):
        for axis in (0, 1, None):
            if -view.shape[axis or 0] <= at < view.shape[axis or 0]:
                np.testing.assert_array_equal(ks.delete(ks.array(view), at, axis).numpy(), np.delete(view, at, axis))
    with pytest.raises(IndexError):
        ks.delete(ks.array(x), 6, 0)
