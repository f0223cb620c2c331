"""ks.ElementwiseKernel in both spellings, on every device."""

import numpy as np
import pytest

import kasoku as ks

dtypes = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()


@pytest.fixture
def on(device):
    return lambda x: ks.array(x, device=device)


# ── over pointers ─────────────────────────────────────────────────────────────────────────────


def test_pointers_compute_and_return_nothing(on):
    kernel = ks.ElementwiseKernel("int *x, int *y", "y[i] = x[i] + 1", "plus_one")
    x, y = on(np.arange(1000, dtype=np.int32)), on(np.zeros(1000, np.int32))
    assert kernel(x, y) is None
    assert (y.numpy() == np.arange(1000) + 1).all()


def test_scalars_take_the_declared_type(on):
    kernel = ks.ElementwiseKernel("float a, float *x, double b, int c, float *z", "z[i] = a*x[i]+b+c")
    x, z = on(np.arange(5, dtype=np.float32)), on(np.zeros(5, np.float32))
    kernel(2, x, np.float32(0.5), True, z)
    assert (z.numpy() == 2 * np.arange(5) + 1.5).all()


@pytest.mark.parametrize(
    "s", [slice(5, 20000), slice(5, 20000, 17), slice(3000, 5, -1), slice(1000, -1), slice(7, 7), slice(None)]
)
def test_slices_are_pythons(on, s):
    kernel = ks.ElementwiseKernel("float *z", "z[i] = 7", "set_to_seven")
    z = on(np.zeros(50000, np.float32))
    kernel(z, slice=s)
    want = np.zeros(50000, np.float32)
    want[s] = 7
    assert (z.numpy() == want).all()


def test_a_range_is_taken_as_it_is(on):
    kernel = ks.ElementwiseKernel("int *z", "z[i] = i", "index")
    z = on(np.full(10, -1, np.int32))
    kernel(z, range=slice(2, 9, 3))
    assert z.numpy().tolist() == [-1, -1, 2, -1, -1, 5, -1, -1, 8, -1]
    with pytest.raises(TypeError, match="range= and slice="):
        kernel(z, range=slice(1, 2), slice=slice(1, 2))
    with pytest.raises(OverflowError, match="too large"):
        kernel(z, range=slice(2, 2**70))


def test_n_and_the_names_of_the_loop_are_there(on):
    kernel = ks.ElementwiseKernel(
        "int *z", "z[i] = n + base; if (i == 3) continue; z[i] += 1", "parts",
        loop_prep="int base = 100", after_loop="if (tid == 0 && cta_start == 0) z[0] = total_threads > 0",
    )  # fmt: skip
    z = on(np.zeros(6, np.int32))
    kernel(z)
    assert z.numpy()[1:].tolist() == [107, 107, 106, 107, 107]
    assert z.numpy()[0] == 1


def test_a_parameter_may_be_called_n(on):
    kernel = ks.ElementwiseKernel(
        "float64 x, raw float64 a, int64 n", "float64 y", "for (int k = 0; k < n; ++k) y += x * a[k]"
    )
    x, y = np.arange(5.0), on(np.ones(5))
    kernel(on(x), on(np.array([1.0, 2.0, 4.0])), 2, y)
    np.testing.assert_array_equal(y.numpy(), 1 + 3 * x)


def test_preamble_options_and_no_elements(on):
    kernel = ks.ElementwiseKernel(
        "float *x", "x[i] = twice(x[i]) + SHIFT", preamble="__device__ float twice(float v) { return 2*v; }",
        options=["-DSHIFT=3"],
    )  # fmt: skip
    x = on(np.ones(4, np.float32))
    kernel(x)
    assert (x.numpy() == 5).all()
    kernel(on(np.zeros(0, np.float32)))


def test_a_table_may_have_another_length(on):
    kernel = ks.ElementwiseKernel("int *t, int *i_, int *z", "z[i] = t[i_[i]]", "look_up")
    z = on(np.zeros(5, np.int32))
    kernel(on(np.array([10, 20], np.int32)), on(np.array([0, 1, 1, 0, 1], np.int32)), z)
    assert z.numpy().tolist() == [10, 20, 20, 10, 20]


def test_wrong_arguments_are_named(on):
    kernel = ks.ElementwiseKernel("int *x, int n_, int *y", "y[i] = x[i] + n_", "f")
    x, y = on(np.zeros(4, np.int32)), on(np.zeros(4, np.int32))
    for wrong, kind, text in [
        ((x, 1), TypeError, "f takes 3 arguments, got 2"),
        ((x, 1, on(np.zeros(4))), TypeError, "'y' is int \\*, got a float64 array of shape \\(4,\\)"),
        ((x, 1, on(np.zeros(5, np.int32))), ValueError, "'y' has 5 elements, 'x' has 4"),
        ((x, 1.5, y), TypeError, "'n_' is int, got float 1.5"),
        ((x, 2**31, y), TypeError, "'n_' is int, got int 2147483648"),
        ((x, "a", y), TypeError, "a str cannot be"),
        ((x, None, y), TypeError, "'n_' is int, got None"),
    ]:
        with pytest.raises(kind, match=text):
            kernel(*wrong)


def test_wrong_text_shows_the_users_line(on):
    kernel = ks.ElementwiseKernel("int *x", "x[i] =\n  undeclared + 1", "bad")
    with pytest.raises(ks.CompileError, match=r"test_kernel_elementwise.py:\d+:\d+: error: .*undeclared"):
        kernel(on(np.zeros(3, np.int32)))


# ── over elements ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", dtypes)
def test_placeholders_take_every_dtype(on, dtype):
    kernel = ks.ElementwiseKernel("T x", "T y", "y = x", "copy")
    x = np.arange(7).astype(dtype)
    y = kernel(on(x))
    assert y.dtype == x.dtype
    assert (y.numpy() == x).all()


@pytest.mark.parametrize(
    "shapes",
    [((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((2, 3, 4), (3, 1)), ((0, 4), (4,)), ((1,), (1,)),
     ((200, 300), (200, 1)), ((70, 1, 90), (50, 1))],
)  # fmt: skip
def test_shapes_broadcast_as_numpys(on, shapes):
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x - 2 * y", "f")
    rng = np.random.default_rng(1)
    x, y = rng.random(shapes[0]), rng.random(shapes[1])
    np.testing.assert_allclose(kernel(on(x), on(y)).numpy(), x - 2 * y, rtol=1e-15)


@pytest.mark.parametrize("view", [
    lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[::-1, ::3], lambda a: a[5],
    lambda a: a[:, 7], lambda a: a[:, None], lambda a: a.swapaxes(0, 1)[3:9],
])  # fmt: skip
def test_any_strides_of_host_arrays(view):
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x + 10 * y", "g")
    base = np.arange(100 * 130, dtype=np.float32).reshape(100, 130)
    x = view(base)
    y = np.asfortranarray(view(base + 1))
    with ks.default_device("cpu"):
        np.testing.assert_array_equal(kernel(x, y).numpy(), x + 10 * y)


def test_outputs_that_are_passed_are_returned_and_decide_types(on):
    kernel = ks.ElementwiseKernel("float32 x", "T y, T z", "y = x; z = 2 * x", "two")
    x = on(np.arange(4, dtype=np.float32))
    y, z = on(np.zeros(4)), on(np.zeros(4))
    result = kernel(x, y, z)
    assert result[0] is y and result[1] is z
    assert z.numpy().tolist() == [0, 2, 4, 6]
    with pytest.raises(TypeError, match="dtype of the output 'y' is not known"):
        kernel(x)


def test_scalars_and_placeholders(on):
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    x = on(np.arange(4, dtype=np.int8))
    assert kernel(x, 2**32 + 1).numpy().tolist() == [1, 2, 3, 4]  # C's wrap, as CuPy has it
    assert kernel(x, -1).dtype == np.int8
    assert kernel(np.float32(1.5), x.numpy().astype(np.float32)).dtype == np.float32
    with pytest.raises(TypeError, match="'y' is int8, got float 1.5"):
        kernel(x, 1.5)


def test_raw_arrays_are_indexed_by_the_operation(on):
    kernel = ks.ElementwiseKernel("raw T x, raw T y", "raw T z", "z[i] = x[i] + y[_ind.size() - 1 - i]", "rev")
    x, y = np.arange(6.0), np.arange(6.0) * 10
    z = kernel(on(x), on(y), size=6)
    assert (z.numpy() == x + y[::-1]).all()


def test_raw_arrays_know_size_shape_strides_and_indices(on):
    x = on(np.arange(24, dtype=np.int32).reshape(2, 3, 4))
    size = ks.ElementwiseKernel("raw int32 x", "int32 y", "y = x.size()", "s")(x, size=1)
    assert size.numpy().tolist() == [24]
    shape = ks.ElementwiseKernel("raw int32 x", "int32 y", "y = x.shape()[i]", "s")(x, size=3)
    assert shape.numpy().tolist() == [2, 3, 4]
    strides = ks.ElementwiseKernel("raw int32 x", "int32 y", "y = x.strides()[i]", "s")(x, size=3)
    assert strides.numpy().tolist() == [48, 16, 4]
    y = ks.ElementwiseKernel("raw T x", "int32 y", "ptrdiff_t at[] = {i / 12, i / 4 % 3, i % 4}; y = x[at]", "at")(
        x, on(np.zeros((2, 3, 4), np.int32))
    )
    assert (y.numpy() == x.numpy()).all()


def test_raw_arrays_with_strides(device):
    if device != "cpu":
        pytest.skip("host arrays are the cpu's")
    x = np.arange(20.0).reshape(4, 5)[::2, ::-2]
    got = ks.ElementwiseKernel("raw T x", "T y", "y = x[i]", "walk")(x, size=x.size)
    assert (got.numpy() == x.ravel()).all()


def test_the_index_of_an_element(on):
    kernel = ks.ElementwiseKernel(
        "T x", "T y", "y = _ind.get()[0] * 100 + _ind.get()[1] + 0 * x", "where", reduce_dims=False
    )
    y = kernel(on(np.zeros((3, 5)))).numpy()
    assert (y == np.arange(3)[:, None] * 100 + np.arange(5)).all()


def test_an_output_may_be_an_input_or_overlap_one(on):
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x + y; z += x", "h")
    x = on(np.arange(5.0))
    kernel(x, x, x)
    assert x.numpy().tolist() == [0, 3, 6, 9, 12]
    host = np.arange(10.0)
    with ks.default_device("cpu"):
        kernel(host[:-1], host[:-1], host[1:])
    assert host.tolist() == [0, 0, 3, 6, 9, 12, 15, 18, 21, 24]


def test_what_cupy_refuses(on):
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x + y", "f")
    x = on(np.zeros((3, 4)))
    with pytest.raises(
        TypeError, match=r"(?s)Wrong number of arguments for 'f'.*takes 2 inputs, or these and 1 outputs, got 1"
    ):
        kernel(x)
    total = ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "f")
    with pytest.raises(
        TypeError, match=r"(?s)Wrong number of arguments for 'f'.*takes 1 inputs, or these and 1 outputs, got 3"
    ):
        total(x, x, x)
    with pytest.raises(TypeError, match="Type is mismatched"):
        kernel(x, on(np.zeros((3, 4), np.float32)))
    with pytest.raises(ValueError, match="Loop size is undecided"):
        kernel(1, 2)
    with pytest.raises(ValueError, match="Out shape is mismatched"):
        kernel(x, x, on(np.zeros(4)))
    with pytest.raises(ValueError, match="only if all of the ndarray are 'raw'"):
        kernel(x, x, size=3)
    with pytest.raises(ValueError, match="block_size"):
        kernel(x, 1, block_size=0)
    with pytest.raises(ValueError, match="Invalid kernel name"):
        ks.ElementwiseKernel("T x", "", "", "1")
    assert (kernel(x, 1, block_size=1).numpy() == 1).all()


def test_returns(on):
    x = on(np.ones(3))
    assert isinstance(ks.ElementwiseKernel("T x", "T y", "y = x", "f", return_tuple=True)(x), tuple)
    y = on(np.zeros(3))
    assert ks.ElementwiseKernel("T x", "T y", "y = x", "f", no_return=True)(x, y) is None
    assert (y.numpy() == 1).all()


def test_text_does_not_depend_on_sizes(on):
    kernel = ks.ElementwiseKernel("T x, T y", "T z", "z = x * y", "sizes")
    for shape in [(100,), (5,), (7, 11), (2, 3, 4)]:
        x = on(np.ones(shape))
        kernel(x, x)
    assert len(kernel.texts()) == 1


def test_the_preamble_may_use_the_placeholders(on):
    half = ks.ElementwiseKernel("T x", "T y", "y = half_of(x)", "halved",
                                preamble="__device__ T half_of(T x) { return x / 2; }")  # fmt: skip
    for dtype in ("float32", "float64", "int32"):
        x = np.arange(7).astype(dtype)
        expected = x // 2 if dtype == "int32" else x / 2
        assert half(on(x)).numpy().tolist() == expected.tolist()
    total = ks.ReductionKernel("T x", "T y", "twice(x)", "a + b", "y = a", "0", "doubled",
                               preamble="__device__ T twice(T x) { return 2 * x; }")  # fmt: skip
    assert total(on(np.arange(5, dtype="float32"))).item() == 20


def test_indices_in_a_list_may_be_of_64_bits(on):
    count = ks.ElementwiseKernel("int64 label", "raw int32 bins", "int at[] = {label, i % 2}; atomicAdd(&bins[at], 1)")
    bins = on(np.zeros((3, 2), "int32"))
    labels = np.array([0, 1, 1, 2, 2, 2])
    count(on(labels), bins)
    expected = np.zeros((3, 2), int)
    np.add.at(expected, (labels, np.arange(6) % 2), 1)
    assert (bins.numpy() == expected).all()


@pytest.mark.parametrize(
    "operation", ["z = 3 * x - y + i", "T t = y; z = x > t ? x : t - i;", "if (x > y) z = x; else z = i;"]
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_layouts(on, dtype, operation):
    """Rows, columns, steps, transposed memory and short rows, with the element's number in C order."""
    rng = np.random.default_rng(5)
    kernel = ks.ElementwiseKernel("T x, T y", "T z", operation, "layouts")

    def expected(x, y):
        x, y = np.broadcast_arrays(x, y)
        i = np.arange(x.size).reshape(x.shape)
        results = {"z": 3 * x - y + i, "T": np.where(x > y, x, y - i), "i": np.where(x > y, x, i)}
        return results[operation[0]].astype(dtype)

    def check(x, y, out=None):
        given = on(x), on(y)
        if out is None:
            return np.testing.assert_array_equal(kernel(*given).numpy(), expected(x, y))
        result = on(out)
        kernel(*given, result)
        np.testing.assert_array_equal(result.numpy(), expected(x, y))

    for shape in [(5, 70), (300, 3), (3, 1), (40, 2, 65), (6, 5, 4, 3)]:
        x, y = (rng.integers(0, 50, shape).astype(dtype) for _ in range(2))
        check(x, y)
        check(x, y[0])
        check(x, y[..., :1])
        check(x.T, y.T)
        check(x.T, y.T, np.zeros(shape, dtype).T)
        check(x, y, np.zeros(shape[::-1], dtype).T)
        check(x[..., ::2], y[..., ::-2][..., : x[..., ::2].shape[-1]])
        check(x[::-1], np.zeros((2, *shape), dtype)[1] + y)
