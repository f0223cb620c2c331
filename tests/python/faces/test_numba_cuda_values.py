"""numba.cuda's kernels: numbers and objects as arguments, atomics beside NaN, names that are constants."""

import operator

import kasoku as ks
import numpy as np
import pytest
from kasoku.compat import numba
from kasoku.compat.numba import cuda, njit

nan = np.nan


@pytest.mark.parametrize(
    "dtype",
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split(),
)
def test_a_number_arrives_as_it_is(dtype):
    @cuda.jit
    def kernel(out, value, pair):
        out[0] = value
        out[1] = pair[1]

    number = np.dtype(dtype).type(4 + 5j if dtype.startswith("complex") else 1)
    out = np.zeros(2, dtype)
    kernel[1, 1](out, number, (7, number))
    np.testing.assert_array_equal(out, [number, number])


@pytest.mark.parametrize("value", [np.complex64(4 + 5j), 4 + 5j, np.complex64(-0.0 + nan * 1j), np.float32(2)])
def test_a_complex_field_of_a_record(value):
    @cuda.jit
    def kernel(records, value):
        records[1].c = value

    if ks.has_device("cuda"):
        pytest.skip("structured arrays are taken on a CPU alone")
    records = np.zeros(3, np.dtype([("a", "f8"), ("b", "i4"), ("c", "c8")], align=True))
    wanted = records.copy()
    wanted["c"][1] = value
    kernel[1, 1](records, value)
    for field in "abc":
        np.testing.assert_array_equal(records[field], wanted[field])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_atomics_beside_nan(name, dtype):
    change = getattr(cuda.atomic, name)

    @cuda.jit
    def kernel(x, values, old):
        i = cuda.grid(1)
        old[i] = change(x, i, values[i])

    there, given = map(np.ravel, np.meshgrid([nan, -np.inf, -1, 0, 2, np.inf], [nan, -np.inf, -1, 0, 2, np.inf]))
    x, old = there.astype(dtype), np.zeros(there.size, dtype)
    kernel[1, x.size](x, given.astype(dtype), old)
    if name.startswith("nan"):
        wanted = getattr(np, "f" + name[3:])(there, given)
    else:  # what is there stays beside a NaN
        better = given > there if name == "max" else given < there
        wanted = np.where(better, given, there)
    np.testing.assert_array_equal(x, wanted)
    np.testing.assert_array_equal(old, there)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_atomics_on_parts_of_complex_arrays(dtype):
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        cuda.atomic.add(x.real, (i % 2, 1), 1.5)
        cuda.atomic.max(x.imag, (1, i % 3), i)

    x = np.zeros((2, 3), dtype)
    kernel[2, 32](x)
    wanted = np.zeros((2, 3), dtype)
    wanted.real[:, 1] = 48
    wanted.imag[1] = [63, 61, 62]
    np.testing.assert_array_equal(x, wanted)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_parts_of_complex_arrays_are_views(dtype):
    def change(x, y):
        x.real[1] = 7
        x.imag[:] = y
        part = x.T.imag
        part[0] += 2
        x[1:].real[0] *= y[0]
        return x.real, x.imag.sum() + (x * 2).real[1]

    x = np.array([1 + 2j, 3 - 4j, 5], dtype)
    wanted, y = x.copy(), np.arange(3.0) + 3
    results, by_python = njit(change)(x, y), change(wanted, y)
    np.testing.assert_array_equal(x, wanted)
    np.testing.assert_array_equal(results[0], by_python[0])
    assert results[0].dtype == by_python[0].dtype and results[1] == by_python[1]
    empty = np.zeros(0, dtype)
    assert njit(lambda a: a.imag)(empty).shape == (0,)


binary = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt le eq ne gt ge is_not".split()


@pytest.mark.parametrize("name", binary)
def test_operators_as_values_outside(name):
    op = getattr(operator, name)

    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[i] = op(a[i], b[i])

    a, b = np.array([7, 0, 5, 9]), np.array([2, 1, 5, 3])
    if name != "is_not":
        out = np.zeros(4)
        kernel[1, 4](a, b, out)
        np.testing.assert_array_equal(out, op(a, b))
    assert njit(lambda a, b: op(a, b))(7, 2) == op(7, 2)


@pytest.mark.parametrize("name", "neg pos abs invert not_ truth".split())
def test_operators_of_one(name):
    op = getattr(operator, name)
    for x in (-3, 0, 5):
        compiled = njit(lambda x: op(x))
        assert compiled(x) == op(x) and type(compiled(x)) is type(op(x))


def test_operators_that_look_into_things():
    @njit
    def f(x, n):
        return operator.getitem(x, n), operator.contains((1, 2, n), 2), operator.matmul(x, x)

    x = np.arange(4.0)
    assert f(x, 3) == (3.0, True, 14.0)


@pytest.mark.parametrize("n, shape", [(16, (4, 4)), (np.int64(16), (2, 8))])
def test_shapes_of_memory_by_constants(n, shape):
    rows, columns = shape

    @cuda.jit
    def kernel(x):
        length = n
        sides = (rows, columns)
        a = cuda.shared.array(length, np.float64)
        b = cuda.local.array(sides, np.float64)
        c = cuda.local.array((rows, n // rows), np.float64)
        d = cuda.local.array(shape=rows * columns + 2 - 1 - length % 3, dtype=np.float64)
        e = cuda.local.array(shape, np.float64)
        i = cuda.threadIdx.x
        a[i] = x[i]
        b[i // columns, i % columns] = c[i // columns, i % columns] = d[i] = e[i // columns, i % columns] = 1
        cuda.syncthreads()
        x[i] = a[length - 1 - i] + b.size + 100 * c.size + 10000 * d.size + e.size

    x = np.arange(16.0)
    kernel[1, 16](x)
    np.testing.assert_array_equal(x, 15 - np.arange(16.0) + 16 + 1600 + 160000 + 16)


@pytest.mark.parametrize("case", ["argument", "two values", "loop"])
def test_shapes_of_memory_that_are_no_constants(case):
    @cuda.jit
    def of_argument(x):
        n = x.size
        cuda.local.array(n, np.float64)[0] = 1

    @cuda.jit
    def of_two(x):
        n = 4
        if x[0] > 1:
            n = 8
        cuda.local.array(n, np.float64)[0] = 1

    @cuda.jit
    def of_loop(x):
        n = 1
        for _ in range(3):
            n = n * 2
        cuda.local.array(n, np.float64)[0] = 1

    kernel = {"argument": of_argument, "two values": of_two, "loop": of_loop}[case]
    with pytest.raises(numba.core.errors.TypingError, match="must be known when compiling"):
        kernel[1, 1](np.zeros(4))


class Shown:
    """Somebody else's array: nothing but its interface."""

    def __init__(self, array, name):
        setattr(self, name, getattr(array, name))
        self.kept = array


@pytest.mark.parametrize("step", [1, 2, -1])
def test_objects_that_show_an_array(step):
    @cuda.jit
    def kernel(x, pair):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += pair[0][i]

    x = np.arange(8.0)[::step]
    wanted = x + np.arange(x.size)
    on_device = cuda.to_device(np.arange(8.0))
    kernel[1, 8](Shown(x, "__array_interface__"), (np.arange(8.0), 1))
    np.testing.assert_array_equal(x, wanted)
    kernel[1, 8](Shown(on_device, "__cuda_array_interface__"), (on_device, 1))
    np.testing.assert_array_equal(on_device.copy_to_host(), 2 * np.arange(8.0))
    assert (
        cuda.as_cuda_array(Shown(on_device, "__cuda_array_interface__")).device_ctypes_pointer.value
        == on_device.device_ctypes_pointer.value
    )
    empty = cuda.device_array((0, 3), np.int16)
    assert cuda.as_cuda_array(Shown(empty, "__cuda_array_interface__")).shape == (0, 3)
    with pytest.raises(TypeError, match="argument 1 of kernel is a object"):
        kernel[1, 8](object(), (x, 1))
