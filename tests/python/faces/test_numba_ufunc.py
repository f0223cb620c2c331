"""vectorize, guvectorize and stencil against NumPy and serial loops."""

import numpy as np
import pytest
import kasoku as ks
from kasoku.compat.numba import cuda, float32, float64, guvectorize, int32, int64, njit, stencil, vectorize

targets = pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
declared = [int32(int32, int32), float32(float32, float32), float64(float64, float64)]
rng = np.random.default_rng(1)


def plus(a, b):
    return a + b


@targets
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
@pytest.mark.parametrize("shapes", [((7,), (7,)), ((3, 1), (4,)), ((2, 3), ()), ((0,), (0,)), ((), (2, 0))])
def test_broadcasting_and_dtypes(target, dtype, shapes):
    f = vectorize(declared, target=target)(plus)
    a, b = ((rng.random(shape) * 100).astype(dtype) for shape in shapes)
    got = f(a, b)
    np.testing.assert_array_equal(got, a + b, strict=True)
    if len(shapes[0]) == 1:
        np.testing.assert_array_equal(f(a[::-2], b[::-2]), a[::-2] + b[::-2])


def test_the_declared_loop_is_found_as_numpy_finds_it():
    f = vectorize(declared)(plus)
    assert f.types == ["ii->i", "ff->f", "dd->d"] and f.nin == 2 and f.nargs == 3
    assert f(np.int8(1), np.int8(2)).dtype == np.int32
    assert f(np.ones(1, np.int64), np.ones(1, np.int64)).dtype == np.float64
    assert f(np.ones(1, np.float32), 2).dtype == np.float32
    assert f(1.2, 2.3) == 3.5 and f(1, 2).dtype == np.float64
    with pytest.raises(TypeError, match="ufunc 'plus' not supported for the input types"):
        f(1j, 2)
    with pytest.raises(TypeError, match="positional arguments"):
        f(1)
    with pytest.raises(ValueError):
        f(np.ones(2), np.ones(3))


def test_without_signatures_loops_come_with_their_arguments():
    f = vectorize(lambda a, b: a if a > b else b)
    assert f(np.arange(3), np.ones(3, int)).dtype == np.int64
    assert f(np.arange(3.0), 1).dtype == np.float64 and f.ntypes == 2
    np.testing.assert_array_equal(f(np.arange(4).reshape(2, 2), np.array([1, 2])), [[1, 2], [2, 3]])


@pytest.mark.parametrize("signatures", [[], declared])
def test_compiled_code_calls_them_with_arrays(signatures):
    f, g = vectorize(signatures)(plus), vectorize([float64(float64)])(lambda x: np.sin(x))

    @njit
    def call(a, b):
        return f(a, b), f(a, 1), f(2, b[:, None]), f(a[0], 3), g(f(a, a)), g(0.5)

    a, b = rng.random(5), rng.random(5)
    want = a + b, a + 1, 2 + b[:, None], a[0] + 3, np.sin(a + a), np.sin(0.5)
    for got, wanted in zip(call(a, b), want, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-15)
    assert call(a[:1], b)[0].shape == (5,)
    with pytest.raises(ValueError):
        call(a[:2], b)


def test_out():
    f = vectorize(declared)(plus)
    out = np.empty((2, 3), np.float64)
    assert f(np.ones((2, 3), np.float32), np.float32(1), out=out) is out and (out == 2).all()
    strided = np.zeros((3, 4))[:, ::2]
    f(1.0, np.ones((3, 2)), strided)
    assert (strided == 2).all()
    with pytest.raises(ValueError, match="doesn't match the broadcast shape"):
        f(np.ones(3), np.ones(3), out=np.empty(2))


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 1, 3)])
def test_reduce_accumulate_outer_at(shape):
    f = vectorize(["int64(int64, int64)"], identity=0)(lambda a, b: a - 2 * b)
    reference = np.frompyfunc(lambda a, b: a - 2 * b, 2, 1)
    x = rng.integers(-9, 9, shape)
    for axis in range(len(shape)):
        np.testing.assert_array_equal(f.reduce(x, axis), np.asarray(reference.reduce(x, axis), int))
        np.testing.assert_array_equal(
            f.reduce(x, axis, keepdims=True), np.asarray(reference.reduce(x, axis, keepdims=True), int)
        )
        np.testing.assert_array_equal(f.accumulate(x, axis), reference.accumulate(x, axis).astype(int))
    np.testing.assert_array_equal(f.outer(x, [1, 2]), reference.outer(x, [1, 2]).astype(int))
    np.testing.assert_array_equal(f.reduceat(x, [0, 1, 0]), reference.reduceat(x, [0, 1, 0]).astype(int)) if shape[
        0
    ] > 1 else None
    got, want = x.copy(), x.copy()
    f.at(got, [0, 1 % shape[0], 0], 3)
    for i in (0, 1 % shape[0], 0):
        want[i] = want[i] - 6
    np.testing.assert_array_equal(got, want)
    total = vectorize(["int64(int64, int64)"])(plus)
    for axis in (None, tuple(range(len(shape)))[:2], (-1,)):
        np.testing.assert_array_equal(total.reduce(x, axis), x.sum(axis))
        np.testing.assert_array_equal(total.reduce(x, axis, keepdims=True), x.sum(axis, keepdims=True))
        assert total.reduce(x, axis, dtype="float32").dtype == np.float32
    assert f.reduce(np.empty(0, int)) == 0
    with pytest.raises(ValueError, match="no identity"):
        vectorize(["int64(int64, int64)"])(plus).reduce(np.empty(0, int))


def test_reductions_into_an_array():
    f = vectorize(["int64(int64, int64)"], identity=0)(plus)
    x = np.arange(10).reshape(5, 2)
    for method, arguments in (("reduceat", ([0, 2, 1],)), ("accumulate", ()), ("reduce", ())):
        want = getattr(np.add, method)(x, *arguments)
        for wrap in (lambda out: out, lambda out: (out,)):
            out = np.zeros_like(want)
            assert getattr(f, method)(x, *arguments, out=wrap(out)) is out
            np.testing.assert_array_equal(out, want)


@targets
def test_elements_that_fail_leave_the_others_computed(target):
    """As in Numba: what fails stays as it was, and the last exception is raised."""

    @vectorize([float64(float64)], target=target)
    def picky(x):
        if x == 2:
            raise ValueError("two")
        if x == 4:
            raise KeyError("four")
        return x + 1

    x, out = np.arange(7.0), np.zeros(7)
    with pytest.raises(KeyError, match="four"):
        picky(x, out)
    assert out.tolist() == [1, 2, 0, 4, 0, 6, 7]
    with pytest.raises(ValueError, match="two"):
        picky(x[:4], out=x[:4])
    assert x.tolist() == [1, 2, 2, 4, 4, 5, 6]
    quotient = vectorize([float64(float64, float64)], target=target)(lambda a, b: a / b)
    np.testing.assert_array_equal(quotient(np.ones(2), 0.0), [np.inf, np.inf])  # NumPy's error model


def test_results_may_lie_over_operands():
    f = vectorize([float64(float64, float64)])(plus)
    x = np.arange(6.0)
    f(x[:-1], x[1:], out=x[1:])
    assert x.tolist() == [0, 1, 3, 5, 7, 9]


def test_device_arrays_stay_on_the_device():
    f = vectorize(declared, target="cuda")(plus)
    a, b = rng.random((3, 4)), rng.random(4)
    got = f(cuda.to_device(a), cuda.to_device(b))
    np.testing.assert_array_equal(got.copy_to_host(), a + b)
    out = cuda.device_array(4)
    assert f(cuda.to_device(b), 1.0, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), b + 1)


def test_unknown_options_are_errors():
    with pytest.raises(TypeError, match="Unrecognized options: nonexistent"):
        vectorize(declared, nonexistent=2)(plus)
    with pytest.raises(TypeError):
        vectorize([int64(int64)])(plus)


def multiply(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@targets
@pytest.mark.parametrize("outer", [(), (5,), (2, 3), (0,)])
def test_generalized_functions_loop_over_the_other_axes(target, outer):
    f = guvectorize(["void(float64[:, :], float64[:, :], float64[:, :])"], "(m,n),(n,p)->(m,p)", target=target)(
        multiply
    )
    a, b = rng.random((*outer, 2, 3)), rng.random((3, 4))
    np.testing.assert_allclose(f(a, b), a @ b, rtol=1e-14)
    out = np.empty((*outer, 2, 4))
    assert f(a, b, out) is out
    np.testing.assert_allclose(out, a @ b, rtol=1e-14)
    with pytest.raises(ValueError, match="mismatch in its core dimension 0"):
        f(a, rng.random((4, 4)))
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        f(a, rng.random(3))


def test_scalars_of_a_layout():
    @guvectorize([(int64[:], int64, int64[:])], "(n),()->(n)")
    def add_to(x, y, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + y

    np.testing.assert_array_equal(add_to(np.arange(4), 2), np.arange(4) + 2)
    np.testing.assert_array_equal(add_to(np.arange(6).reshape(2, 3), np.array([10, 20])), [[10, 11, 12], [23, 24, 25]])

    @guvectorize(["float64[:], float64[:]"], "(n)->()")
    def total(x, out):
        out[0] = 0
        for i in range(x.size):
            out[0] += x[i]

    x = rng.random((3, 5))
    np.testing.assert_allclose(total(x), x.sum(1), rtol=1e-14)
    np.testing.assert_allclose(total(x, axis=0), x.sum(0), rtol=1e-14)

    @guvectorize([(float64[:], float64[:], float64[:])], "(n)->(),()")
    def both(x, low, high):
        low[0], high[0] = x.min(), x.max()

    low, high = both(x)
    np.testing.assert_array_equal([low, high], [x.min(1), x.max(1)])


def test_inputs_that_are_written():
    """As in Numba: they are the caller's if nothing was converted, and with writable_args in any case."""

    def mark(x, out):
        x[0] = 7
        for i in range(x.size):
            out[i] = x[i]

    f = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(mark)
    for x in (
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(12.0).reshape(2, 6)[:, ::2],
    ):
        want = x.copy()
        want[:, 0] = 7
        np.testing.assert_array_equal(f(x), want)
        np.testing.assert_array_equal(x, want)
    x = np.arange(3)
    assert f(x).tolist() == [7, 1, 2] and x.tolist() == [0, 1, 2]
    x = np.arange(3.0)
    x.flags.writeable = False
    assert f(x).tolist() == [7, 1, 2] and x.tolist() == [0, 1, 2]
    for writable in ((0,), ("x",)):
        f = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", writable_args=writable)(mark)
        x = np.arange(3)
        assert f(x).tolist() == [7, 1, 2] and x.tolist() == [7, 1, 2]


@stencil
def cross(a):
    return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])


@stencil(cval=-1.0, neighborhood=((-2, 0),), standard_indexing=("w",))
def weighted(a, w):
    total = 0.0
    for k in range(-2, 1):
        total += a[k] * w[k + 2]
    return total


def test_stencils():
    a = rng.random((5, 6))
    want = np.zeros_like(a)
    want[1:-1, 1:-1] = 0.25 * (a[1:-1, 2:] + a[2:, 1:-1] + a[1:-1, :-2] + a[:-2, 1:-1])
    np.testing.assert_array_equal(cross(a), want)
    np.testing.assert_array_equal(njit(lambda x: cross(x) + 1)(a), want + 1)
    assert cross(np.ones((1, 1))).tolist() == [[0.0]]
    x, w = rng.random(7), np.array([1.0, 2.0, 3.0])
    want = [-1, -1, *(x[i - 2] + 2 * x[i - 1] + 3 * x[i] for i in range(2, 7))]
    np.testing.assert_allclose(weighted(x, w), want, rtol=1e-15)
    out = np.full(7, 5.0)
    assert weighted(x, w, out=out) is out and out[0] == -1
    assert njit(lambda x, w, out: weighted(x, w, out=out))(x, w, np.full(7, 5.0))[1] == -1
    out = np.full((4, 4), 5.0)
    assert cross(np.ones((4, 4)), out=out)[0].tolist() == [5, 5, 5, 5] and out[1].tolist() == [5, 1, 1, 5]
    framed = stencil(lambda a: a[-1, 0] + a[0, 2], cval=np.inf)
    for shape in ((4, 5), (1, 1), (2, 3)):
        out, given = np.full(shape, np.inf), np.full(shape, 5.0)
        out[1:, :-2] = 2
        np.testing.assert_array_equal(framed(np.ones(shape), out=given), out)
        np.testing.assert_array_equal(framed(np.ones(shape)), out)
    integers = stencil(lambda a: a[-1] + a[1])
    assert integers(np.arange(4)).dtype == np.int64
    with pytest.raises(ValueError, match="of 2 axes"):
        cross(np.ones(3))
    with pytest.raises(ValueError, match="no accesses"):
        stencil(lambda a: 1.0)
    with pytest.raises(ValueError, match="neighborhood"):
        stencil(lambda a: sum_of(a[k] for k in (1, 2)))  # noqa: F821


def test_outputs_that_are_none():
    with pytest.raises(TypeError, match=r"an output is an array, not int"):
        vectorize(["f8(f8)"])(lambda x: 2 * x)(1.0, 2)
    with pytest.raises(NameError, match="undefined output symbols: m"):
        guvectorize(["(f8[:],f8[:])"], "(n)->(m)")(lambda x, y: None)


def test_loops_are_numpys_first_safe_ones():
    @vectorize(["float64(float64, float64)", "int64(int64, int64)"])
    def f(x, y):
        return x * 2 + y

    @vectorize(["int32(int32, int32)", "int64(int64, int64)", "float32(float32, float32)", "float64(float64, float64)"])
    def g(x, y):
        return x * 2 + y

    assert f(np.arange(3), 4).dtype == "f8" and f(np.arange(3), np.arange(3)).dtype == "f8"
    kinds = {
        dtype: [g(np.ones(2, dtype), y).dtype.str[1:] for y in (1, 1.5)]
        for dtype in ("?", "i1", "i4", "u4", "f4", "f8")
    }
    assert kinds == {"?": ["i8", "f8"], "i1": ["i4", "f8"], "i4": ["i4", "f8"], "u4": ["i8", "f8"],
                     "f4": ["f4", "f4"], "f8": ["f8", "f8"]}  # fmt: skip


@guvectorize(["(f8[:], f8[:])"], "(n), (k)", nopython=True)
def gaps(r, out):
    for i in range(r.shape[0]):
        out[i] = r[i] - (r[i - 1] if i else 0.0)
    out[r.shape[0]] = 1 - r[-1]


@pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")
@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_what_has_no_compiled_form_runs_in_the_interpreter(target):
    @guvectorize(["(f8[:,:], f8[:])"], "(m,n)->(m)", target=target)
    def sums(x, out):
        out[:] = 0
        for place in np.ndindex(x.shape):
            out[place[0]] += x[place]

    x = np.arange(12.0).reshape(2, 3, 2)
    np.testing.assert_array_equal(sums(x), x.sum(axis=2))


def test_the_class_of_generalized_functions_has_numbas_name():
    from kasoku.compat.numba.np.ufunc.gufunc import GUFunc

    assert isinstance(gaps, GUFunc)


def test_a_layout_without_results_writes_into_its_arguments():
    r, out = np.array([[0.25, 0.5], [0.5, 0.75]]), np.zeros((2, 3))
    gaps(r, out)
    np.testing.assert_array_equal(out, [[0.25, 0.25, 0.5], [0.5, 0.25, 0.25]])


@pytest.mark.parametrize("signatures", [[], ["int64(int64, int64)", "float64(float64, float64)"]])
def test_calls_after_the_first_give_the_same(signatures):
    @vectorize(signatures)
    def f(x, y):
        return x * 3 - y

    m = np.arange(12.0).reshape(3, 4)
    given = [(m, m + 1), (m.astype(int), m.astype(int)), (m.T, m.T), (m, m.astype(int)), (m, 2), (m, m[0]), (m[::2], m[::2]),
             (m[0, 0], m[1, 1]), (np.array(2.0), np.array(3.0)), (m[:0], m[:0]), (m.astype(">f8"), m)]  # fmt: skip
    for x, y in given * 2:
        got, want = f(x, y), x * 3 - y
        assert type(got) is type(want), (x, y)
        assert (got.shape, got.dtype) == (want.shape, want.dtype.newbyteorder("="))
        np.testing.assert_array_equal(got, want)


def test_loops_are_given_arrays_of_a_device_as_they_lie():
    """Rows that lie flat are no copies: results go beside them, and what is written to inputs is not the caller's."""

    @vectorize
    def added(x, y):
        return x + y

    @guvectorize(["void(float64[:],float64[:])"], "(n)->(n)")
    def turned(x, out):
        x[0] = -1
        out[:] = x

    for _ in range(2):
        x = ks.array([1.0, 2, 3, 4])
        added(x[:-1], x[1:], out=x[1:])
        assert x.tolist() == [1, 3, 5, 7]
        added(x, x, out=x)
        assert x.tolist() == [2, 6, 10, 14]
        assert turned(x).tolist() == [-1, 6, 10, 14] and x.tolist() == [2, 6, 10, 14]


def test_a_loop_that_is_added_is_found():
    @vectorize(["float64(float64)"])
    def half(x):
        return x / 2

    @guvectorize(["void(float64[:],float64[:])"], "(n)->(n)")
    def same(x, out):
        out[:] = x

    whole = np.arange(3, dtype=np.int32)
    assert half(whole).dtype == same(whole).dtype == np.float64
    half.add("float64(int32)")
    same.add("void(int32[:],int32[:])")
    assert same(whole).dtype == np.int32  # an exact one comes first, as if it had been there before
    assert half(whole).dtype == np.float64 and half.types == ["d->d", "i->d"]  # here the first that fits


def test_arrays_for_results_take_part_in_the_shapes_of_a_gufunc():
    @guvectorize(["(float64[:], float64[:], float64[:])"], "(n),(n)->(n)")
    def add(x, y, out):
        for i in range(len(x)):
            out[i] = x[i] + y[i]

    out = np.zeros((4, 3))
    add(np.arange(3.0), np.ones(3), out)
    np.testing.assert_array_equal(out, np.broadcast_to([1, 2, 3], (4, 3)))
    with pytest.raises(ValueError, match=r"Output operand 0 is for rows of shape \(2,\), and there are \(1, 2\)"):
        add(np.ones((1, 2, 5)), np.ones(5), np.zeros((2, 5)))
    with pytest.raises(ValueError, match="Output operand 0 has a mismatch in its core dimension 0"):
        add(np.ones((2, 5)), np.ones(5), np.zeros((5, 2)))
    out = np.zeros((3, 2))
    assert add(np.ones((3, 2)), np.arange(6.0).reshape(3, 2), out=out, axis=0) is out
    np.testing.assert_array_equal(out, 1 + np.arange(6.0).reshape(3, 2))


def test_types_of_a_gufunc_fit_its_layout():
    def nothing(a, b):
        pass

    with pytest.raises(TypeError, match=r"argument 1 of nothing is array\(int32, 1d, A\), and \(m,n\)"):
        guvectorize(["(int32[:], int32[:])"], "(m,n)->(n)")(nothing)
    with pytest.raises(TypeError, match=r"argument 1 of nothing is int32, and \(n\)"):
        guvectorize(["(int32, int32[:])"], "(n)->(n)")(nothing)


def test_constants_and_slices_among_the_indices_of_a_stencil():
    @stencil
    def steps(a):
        t = 1
        return a[t + 1, 0] - a[-t, 0]

    @stencil
    def mean(a):
        return a[-1:2].mean()

    x = np.arange(20.0).reshape(5, 4) ** 2
    expected = np.zeros_like(x)
    expected[1:-2] = x[3:] - x[:-3]
    np.testing.assert_array_equal(steps(x), expected)
    np.testing.assert_allclose(mean(np.arange(6.0) ** 2), [0, 5 / 3, 14 / 3, 29 / 3, 50 / 3, 0])


@pytest.mark.parametrize("length", [0, 1, 2])
def test_a_stencil_of_an_array_below_its_reach_is_its_border(length):
    @stencil(cval=7.0)
    def third(a):
        return a[2]

    np.testing.assert_array_equal(third(np.ones(length)), np.full(length, 7.0))


def test_an_argument_of_a_stencil_may_be_called_out():
    @stencil
    def scaled(a, out):
        return out * a[0]

    np.testing.assert_array_equal(scaled(np.arange(3.0), 2.0), [0, 2, 4])


class Shown:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def test_arrays_that_show_a_devices_memory_go_into_ufuncs_for_cuda():
    total = vectorize(["f8(f8, f8)"], target="cuda")(lambda a, b: a + b)

    @guvectorize(["(f8[:], f8, f8[:])"], "(n),()->(n)", target="cuda")
    def scaled(x, by, out):
        for i in range(x.size):
            out[i] = by * x[i]

    x = cuda.to_device(np.arange(4.0))
    assert total(Shown(x), 6).copy_to_host().tolist() == [6, 7, 8, 9]
    assert scaled(Shown(x), 2.0).copy_to_host().tolist() == [0, 2, 4, 6]
    out = cuda.device_array(4)
    for function in (total, scaled):
        function(np.arange(4.0), 3.0, out=Shown(out))
        np.testing.assert_array_equal(out.copy_to_host(), function(np.arange(4.0), 3.0))


def test_functions_for_cuda_narrow_integers_and_refuse_what_has_no_meaning():
    @guvectorize(["void(int32, int32[:])"], "()->()", target="cuda")
    def twice(x, out):
        out[0] = 2 * x

    assert twice(np.int64(10)) == 20 and twice(np.arange(3)).dtype == np.int32
    with pytest.raises(TypeError):
        twice(1.5)
    with pytest.raises(ValueError, match="by place and as out="):
        twice(np.int32(1), np.zeros((), np.int32), out=np.zeros((), np.int32))
    with pytest.raises(TypeError, match="nopython"):
        guvectorize(["void(int32, int32[:])"], "()->()", target="cuda", nopython=False)(lambda x, out: None)


def test_casting_of_outputs():
    half = vectorize(["f8(f8)"])(lambda x: x / 2)
    out = np.zeros(2, np.int64)
    with pytest.raises(TypeError, match="Cannot cast ufunc .* with casting rule 'same_kind'"):
        half(np.array([3.0, 5.0]), out=out)
    assert half(np.array([3.0, 5.0]), out=out, casting="unsafe").tolist() == [1, 2]
    assert half(np.array([3.0, 5.0]), out=np.zeros(2, "f4")).tolist() == [1.5, 2.5]


def test_reduce_and_accumulate_take_the_loop_of_the_elements_dtype():
    @vectorize(["float64(float64, float64)", "int64(int64, int64)"])
    def add(a, b):
        return a + b

    total = add.reduce(np.arange(5))
    assert (total, total.dtype) == (10, np.int64)
    assert add.accumulate(np.arange(5)).dtype == np.int64
    assert (
        add(np.arange(3), np.arange(3)).dtype == np.float64
    )  # the first that the elements convert to, as NumPy's ufuncs


@pytest.mark.parametrize("given", [np.array(["a"]), np.array([None]), np.array(["2020-01-01"], "M8[D]")])
def test_arguments_that_are_no_numbers_are_of_the_wrong_type(given):
    f = vectorize(["float64(float64, float64)"])(plus)
    with pytest.raises(TypeError):
        f(given, 1)
    with pytest.raises(TypeError):
        f(given, given)
