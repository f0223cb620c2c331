"""ks.ReductionKernel in both spellings and the scans, on every device."""

import numpy as np
import pytest

import kasoku as ks

sizes = [1, 2, 3, 31, 255, 256, 257, 1000, 1023, 1024, 1025, 8191, 8192, 8193, 100_001, 1 << 20]


@pytest.fixture
def on(device):
    return lambda x: ks.array(x, device=device)


@pytest.mark.parametrize("n", sizes)
def test_sums_of_any_length(on, n):
    total = ks.ReductionKernel(np.int64, "0", "a+b", "x[i]", "long long *x", "total")
    x = np.arange(n, dtype=np.int64)
    result = total(on(x))
    assert result.shape == () and result.dtype == np.int64
    assert result.item() == x.sum()


def test_map_range_slice_and_default_map(on):
    dot = ks.ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y", "dot")
    x, y = np.arange(300, dtype=np.float32), np.ones(300, np.float32)
    assert dot(on(x), on(y)).item() == x.sum()
    assert dot(on(x), on(y), slice=slice(10, 100, 3)).item() == x[10:100:3].sum()
    largest = ks.ReductionKernel(np.float32, "-1e30f", "a > b ? a : b")
    assert largest(on(x)).item() == 299
    out = on(np.zeros((), np.float32))
    assert dot(on(x), on(y), out=out) is out and out.item() == x.sum()


def test_nothing_gives_the_neutral(on):
    total = ks.ReductionKernel(np.float64, "42", "a+b", "x[i]", "double *x")
    assert total(on(np.zeros(0))).item() == 42
    largest = ks.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None)
    with pytest.raises(ValueError, match="no elements to reduce"):
        largest(on(np.zeros((0, 3))), axis=0)
    assert largest(on(np.zeros((0, 3))), axis=1).shape == (0,)


axes = [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (2, 0), (0, 1, 2), ()]


@pytest.mark.parametrize("axis", axes)
@pytest.mark.parametrize("shape", [(3, 5, 7), (2, 300, 3), (4, 3, 5000), (1, 1, 1), (70, 2, 65), (30, 20, 1500)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_as_numpys(on, shape, axis, keepdims):
    norm = ks.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "norm")
    x = np.random.default_rng(1).integers(-9, 9, shape)
    got = norm(on(x), axis=axis, keepdims=keepdims)
    want = (x * x).sum(axis=axis, keepdims=keepdims)
    assert got.shape == want.shape
    assert (got.numpy() == want).all()


def test_broadcast_scalars_and_types(on):
    f = ks.ReductionKernel("T x, U y, float64 s", "float64 z", "s * x * y", "a + b", "z = sqrt(a)", "0",
                           reduce_type="double")  # fmt: skip
    x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.arange(4)
    got = f(on(x), on(y), 2, axis=1)
    np.testing.assert_allclose(got.numpy(), np.sqrt((2.0 * x * y).sum(1)), rtol=1e-15)
    out = on(np.zeros(3))
    assert f(on(x), on(y), 2, axis=1, out=out) is out
    np.testing.assert_allclose(out.numpy(), got.numpy())


def test_strides(device):
    if device != "cpu":
        pytest.skip("host arrays are the cpu's")
    total = ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
    x = np.arange(40 * 50).reshape(40, 50)
    for view in (x.T, x[::2, ::-3], x[:, None, 4:9]):
        for axis in (None, 0, 1):
            assert (total(view, axis=axis).numpy() == view.sum(axis=axis)).all()


def test_several_outputs(on):
    f = ks.ReductionKernel("T x", "T y, T z", "x", "a + b", "y = a; z = -a", "0")
    y, z = f(on(np.arange(5.0)))
    assert (y.item(), z.item()) == (10, -10)


def test_errors(on):
    f = ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "f")
    with pytest.raises(IndexError, match="f: axis 2 is out of bounds"):
        f(on(np.zeros((2, 2))), axis=2)
    with pytest.raises(ValueError, match="Invalid kernel name"):
        ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", name="1")
    with pytest.raises(ks.CompileError, match=r"test_kernel_reduction.py:\d+:1: error: .*nothing"):
        ks.ReductionKernel("T x", "T y", "nothing", "a + b", "y = a", "0", "g")(on(np.zeros(3)))


@pytest.mark.parametrize(
    "shape", [(7,), (1025,), (3_000_017,), (300, 1000), (1000, 300), (20_000, 5), (5, 20_000), (4, 3, 9000)]
)
def test_bits_are_those_of_arrays(on, shape):
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    total = ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
    for axis in (None, *range(len(shape))):
        assert (total(on(x), axis=axis).numpy() == on(x).sum(axis=axis).numpy()).all(), axis
    flat = ks.ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x")
    assert flat(on(x)).numpy() == on(x).sum().numpy()
    # A function that no compiler makes vectors of is joined in the same way.
    called = ks.ReductionKernel(
        "T x", "T y", "own(x)", "a + b", "y = a", "0", preamble="__device__ float own(float x) { return x; }"
    )
    for axis in (None, *range(len(shape))):
        assert (called(on(x), axis=axis).numpy() == on(x).sum(axis=axis).numpy()).all(), axis


@pytest.mark.parametrize("shape", [(5, 3), (40, 700), (3000, 40), (20_000, 9), (9, 20_000)])
def test_an_identity_is_joined_with_nothing(on, shape):
    x = -1 - np.random.default_rng(4).random(shape)
    largest = ks.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "0")
    any_of = ks.ReductionKernel("T x", "T y", "x", "better(a, b)", "y = a", None,
                                preamble="__device__ double better(double a, double b) { return a < b ? b : a; }")  # fmt: skip
    for axis in (None, 0, 1):
        assert (largest(on(x), axis=axis).numpy() == x.max(axis=axis)).all()
        assert (any_of(on(x), axis=axis).numpy() == x.max(axis=axis)).all()


def test_results_are_made_of_scalars_and_whole_arrays_too(on):
    f = ks.ReductionKernel("T x, raw T w, float64 by", "T y", "x * w[_j]", "a + b", "y = a / by + w[0]", "0")
    for shape in ((6, 5), (3, 20_000)):
        x, w = np.ones(shape), np.arange(1.0, shape[1] + 1)
        np.testing.assert_allclose(f(on(x), on(w), 4.0, axis=1).numpy(), (x * w).sum(1) / 4 + 1, rtol=1e-13)


def test_the_number_of_an_element_and_of_its_output(on):
    f = ks.ReductionKernel(
        "T x", "int64 y", "x * 0 + _j + 1000000 * _o + i", "a + b", "y = a", "0", reduce_type="int64"
    )
    for shape in ((3, 4), (6, 300), (300, 6), (40, 3000)):
        rows, columns = np.indices(shape)
        for axis, (o, j) in enumerate([(columns, rows), (rows, columns)]):
            want = (j + 1000000 * o + o * shape[axis] + j).sum(axis)
            assert (f(on(np.zeros(shape, np.int64)), axis=axis).numpy() == want).all()


def test_bits_do_not_depend_on_workers(clean_process):
    program = """
import numpy as np, kasoku as ks
f = ks.ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x")
x = np.random.default_rng(1).random(3_000_017, dtype=np.float32)
with ks.default_device("cpu"):
    print(f(x).numpy().tobytes().hex())
"""
    results = {clean_process(program, env={"KASOKU_NUM_THREADS": n}).stdout for n in ("1", "2", "7")}
    assert len(results) == 1


@pytest.mark.parametrize("n", [0, *sizes, 5_000_000])
@pytest.mark.parametrize("kind", ["inclusive", "exclusive"])
def test_scans(on, kind, n):
    cls = ks.InclusiveScanKernel if kind == "inclusive" else ks.ExclusiveScanKernel
    scan = cls(np.int32, "a+b", "0")
    x = np.random.default_rng(n).integers(0, 10, n).astype(np.int32)
    want = np.cumsum(x, dtype=np.int32) - (0 if kind == "inclusive" else x)
    got = scan(on(x), "new")
    assert (got.numpy() == want).all()
    in_place = on(x)
    assert scan(in_place) is in_place
    assert (in_place.numpy() == want).all()


@pytest.mark.parametrize("n", [1000, 1024, 5000, 3_000_017])
def test_scans_have_the_bits_of_arrays(on, n):
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    want = on(x).cumsum().numpy()
    assert (ks.InclusiveScanKernel(np.float32, "a+b")(on(x), "new").numpy() == want).all()
    before = ks.ExclusiveScanKernel(np.float32, "a+b", "7")(on(x), "new").numpy()
    chunk = 1024 if n <= 1024 else 128
    inside = np.arange(1, n) % chunk != 0  # a chunk's first element is given what the chunks before it give together
    assert before[0] == 7 and (before[1:] == want[:-1])[inside].all()
    np.testing.assert_allclose(before[1:], want[:-1], rtol=1e-4, atol=1e-2)


def test_scans_keep_order(on):
    # Composition of affine maps does not commute: (s, t) means v -> s*v + t, packed as two int16.
    scan = ks.InclusiveScanKernel(
        np.uint32, "then_(a, b)",
        preamble="""__device__ unsigned then_(unsigned a, unsigned b) {
          const unsigned s = (a & 0xffff) * (b & 0xffff), t = (b & 0xffff) * (a >> 16) + (b >> 16);
          return (s & 0xffff) | t << 16; }""",
    )  # fmt: skip
    x = np.random.default_rng(1).integers(0, 2**32, 10_000).astype(np.uint32)
    want, state = [], None
    for v in x.tolist():
        s, t = v & 0xFFFF, v >> 16
        state = (s, t) if state is None else ((state[0] * s) & 0xFFFF, (s * state[1] + t) & 0xFFFF)
        want.append(state[0] | state[1] << 16)
    assert (scan(on(x), "new").numpy() == np.array(want, np.uint32)).all()


def test_scan_errors(on):
    with pytest.raises(ValueError, match="needs its neutral"):
        ks.ExclusiveScanKernel(np.int32, "a+b")
    scan = ks.InclusiveScanKernel(np.int32, "a+b")
    with pytest.raises(TypeError, match="the input must be int32"):
        scan(on(np.zeros(4)))
    with pytest.raises(ValueError, match="different lengths"):
        scan(on(np.zeros(4, np.int32)), on(np.zeros(5, np.int32)))


def test_a_reduction_has_at_most_64_parameters(on):
    x = on(np.arange(3.0))
    for inputs in (63, 64):
        names = [f"x{k}" for k in range(inputs)]
        total = ks.ReductionKernel(
            ", ".join(f"T {name}" for name in names), "T y", " + ".join(names), "a + b", "y = a", "0"
        )
        if inputs == 63:
            assert total(*[x] * inputs).item() == 63 * 3
        else:
            with pytest.raises(ks.errors.UnsupportedError, match="has 65 parameters; at most 64 are possible"):
                total(*[x] * inputs)
