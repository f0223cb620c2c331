"""What the faces of eager packages do with operands that do not fit: by their packages' rules, and in their words."""

import numpy as np
import pytest

import kasoku
from kasoku.compat import cupy, missing, tensorflow as tf, torch
from kasoku.compat.pycuda import gpuarray

integers = "uint8 int8 int16 int32 int64".split()


@pytest.fixture(autouse=True)
def place(device):
    torch.set_default_device("cuda" if device != "cpu" else "cpu")
    yield
    torch.set_default_device(None)


def divisions(x, y):
    return [
        lambda: x // y,
        lambda: x % y,
        lambda: torch.floor_divide(x, y),
        lambda: torch.remainder(x, y),
        lambda: torch.fmod(x, y),
        lambda: torch.div(x, y, rounding_mode="trunc"),
        lambda: torch.div(x, y, rounding_mode="floor"),
        lambda: x.clone().floor_divide_(y),
        lambda: x.clone().remainder_(y),
    ]


@pytest.mark.parametrize("dtype", integers)
def test_torch_integers_over_zero(dtype, device):
    x = torch.tensor([7, 8, 9], dtype=getattr(torch, dtype))
    for y in (0, torch.tensor([2, 0, 3], dtype=x.dtype), torch.tensor(0, dtype=x.dtype)):
        for divide in divisions(x, y):
            if device != "cpu":  # a GPU says nothing and gives some number
                assert divide().shape == x.shape
                continue
            with pytest.raises(ZeroDivisionError, match="integers by 0") as caught:
                divide()
            assert isinstance(caught.value, RuntimeError)
    assert (x // 2).tolist() == [3, 4, 4]
    assert (9 % x).tolist() == [2, 1, 0]


def test_torch_divides_what_is_not_there_by_zero(device):
    none = torch.zeros(0, dtype=torch.int32)
    assert (none // 0).shape == (none % torch.tensor(0)).shape == (0,)
    assert (5 // none).shape == (0,)
    x = torch.tensor([1.0, -1.0, 0.0])
    np.testing.assert_array_equal((x // 0).numpy(force=True), [np.inf, -np.inf, np.nan])
    assert torch.isnan(x % 0).all()


@pytest.mark.parametrize("dtype", integers[:-1])
@pytest.mark.parametrize("number", [300, -300, 40000, 2**31, -(2**40)])
def test_torch_numbers_wrap_in_the_tensors_dtype(dtype, number):
    values = np.array([0, 1, 2, 100], dtype)
    x, wrapped = torch.tensor(values), np.array(number).astype(dtype)
    where = torch.where(x > 1, x, number)
    for mine, expected in [
        (x + number, values + wrapped),
        (number - x, wrapped - values),
        (x * number, values * wrapped),
        (x & number, values & wrapped),
        (torch.add(x, number), values + wrapped),
        (where, np.where(values > 1, values, wrapped)),
        (x.clone().add_(number), values + wrapped),
    ]:
        assert mine.dtype is x.dtype
        np.testing.assert_array_equal(mine.numpy(force=True), expected)
    # comparisons are by value: the tensor's numbers and the other are not made alike first
    assert (x < number).tolist() == [int(v) < number for v in values]
    assert (x == number).tolist() == [int(v) == number for v in values]
    np.testing.assert_array_equal(x.clamp(-(2**40), 2**40).numpy(force=True), values)


@pytest.mark.parametrize(
    ("make", "fits"),
    [
        (lambda n: torch.full((2,), n, dtype=torch.int8), [127, -128]),
        (lambda n: torch.zeros(2, dtype=torch.int8).fill_(n), [127, -128]),
        (lambda n: torch.full((2,), n, dtype=torch.uint8), [255, -255]),
    ],
)
def test_torch_fills_with_what_the_dtype_holds(make, fits):
    for n in fits:
        assert make(n).tolist() == [n % 256 if n == -255 else n] * 2
        with pytest.raises(RuntimeError, match="cannot be converted to type u?int8_t without overflow"):
            make(n + (1 if n > 0 else -1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: torch.add(t), r"add\(\) received an invalid combination of arguments - got \(Tensor\)"),
        (lambda t: torch.add(t, 1, 2), r"add\(\) received an invalid combination .* got \(Tensor, int, int\)"),
        (lambda t: t.add(), r"add\(\) received an invalid combination"),
        (lambda t: torch.sin(), r'sin\(\) missing 1 required positional arguments: "input"'),
        (lambda t: torch.sin(1), r"sin\(\): argument 'input' \(position 1\) must be Tensor, not int"),
        (lambda t: torch.add(t, "a"), r"add\(\): argument 'other' \(position 2\) must be Tensor, not str"),
        (lambda t: torch.matmul(t), r"matmul\(\) received an invalid combination"),
        (lambda t: torch.matmul(t, 2), r"matmul\(\): argument 'other' \(position 2\) must be Tensor, not int"),
        (lambda t: torch.sum(), r"sum\(\) missing 1 required positional argument: 'input'"),
        (lambda t: torch.sum([1.0]), r"sum\(\): argument 'input' \(position 1\) must be Tensor, not list"),
        (lambda t: t.sum(foo=3), r"sum\(\) got an unexpected keyword argument 'foo'"),
        (lambda t: t + "a", "unsupported operand"),
    ],
)
def test_torch_says_which_argument_does_not_fit(call, words):
    with pytest.raises(TypeError, match=words) as caught:
        call(torch.ones(2))
    assert "nanobind" not in str(caught.value) and "kasoku._core" not in str(caught.value)


@pytest.mark.parametrize("number", [256, -256, 1e3, float("inf"), float("nan"), np.int64(300)])
@pytest.mark.parametrize(
    "store",
    [
        lambda t, number: t.fill_(number),
        lambda t, number: t.__setitem__(0, number),
        lambda t, number: t.__setitem__(t == 1, number),
        lambda t, number: t.masked_fill(t == 1, number),
        lambda t, number: t.index_fill(0, torch.tensor([0]), number),
        lambda t, number: t.reshape(1, 2).fill_diagonal_(number),
        lambda t, number: torch.full((2,), number, dtype=t.dtype),
        lambda t, number: torch.full_like(t, number),
        lambda t, number: torch.tensor([0, number], dtype=t.dtype),
        lambda t, number: torch.tensor(number, dtype=t.dtype) if type(number) in (int, float) else t.fill_(number),
    ],
)
def test_torch_stores_no_number_that_does_not_fit(store, number):
    t = torch.tensor([1, 2], dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        store(t, number)
    assert t.tolist() == [1, 2]


def test_torch_stores_numbers_that_fit():
    t = torch.tensor([-1, 255, 1.75], dtype=torch.uint8)  # unsigned dtypes take negative ones
    assert t.tolist() == [255, 255, 1]
    t[0] = -2
    t[1] = 2.9
    assert t.tolist() == [254, 2, 1]
    assert torch.tensor(np.array([300]), dtype=torch.uint8).tolist() == [44]  # an array is converted
    assert torch.tensor([], dtype=torch.int8).shape == (0,)


def test_torch_outputs(device):
    x = torch.tensor([1.0, 2.0])
    for shape in ((0,), (2,), (3, 2), ()):  # an output of another shape gets the result's
        out = torch.empty(shape)
        assert torch.add(x, 1, out=out) is out and out.tolist() == [2.0, 3.0]
    assert torch.cat([x, x], out=torch.empty(0)).tolist() == [1, 2, 1, 2]
    assert torch.matmul(x[None], x[:, None], out=torch.empty(0)).tolist() == [[5.0]]
    assert torch.eq(x, 1, out=torch.empty(2)).tolist() == [1.0, 0.0]
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.add(x, 1, out=torch.zeros(2, dtype=torch.int64))
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not ndarray"):
        torch.add(x, 1, out=np.zeros(2))


def test_torch_clamps_in_what_the_operands_meet_in(device):
    x = torch.tensor([1, 5, 9], dtype=torch.int8)
    for low, high, dtype in (
        (2, 300, torch.int8),
        (torch.tensor([2]), None, torch.int64),
        (torch.tensor(2), 300, torch.int8),
        (torch.tensor([2]), torch.tensor([1.5, 2, 3]), torch.float32),
        (1.5, None, torch.float32),
    ):
        result = torch.clamp(x, low, high)
        bounds = [b.numpy(force=True) if isinstance(b, torch.Tensor) else b for b in (low, high)]
        assert result.dtype is dtype
        wide = np.array([1.0, 5.0, 9.0])
        np.testing.assert_array_equal(result.numpy(force=True), np.clip(wide, *bounds))


def test_an_output_is_an_array():
    with pytest.raises(TypeError, match="out is an array, not a int"):
        kasoku.add(kasoku.ones(2), 1, 2)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: torch.ones(2), "torch.Tensor"),
        (lambda: tf.constant([1.0]), "tensorflow.Tensor"),
        (lambda: tf.Variable([1.0]), "tensorflow.Tensor"),
        (lambda: gpuarray.zeros(2, np.float32), "pycuda.gpuarray.GPUArray"),
        (lambda: cupy.ones(2), "cupy.ndarray"),
        (lambda: cupy.cuda.Stream(), "cupy.cuda.Stream"),
        (lambda: cupy.cuda.Device(), "cupy.cuda.Device"),
        (lambda: cupy.get_default_memory_pool(), "cupy.cuda.MemoryPool"),
        (lambda: cupy.RawModule(code='extern "C" __global__ void f() {}'), "cupy.RawModule"),
        (lambda: cupy.RawKernel('extern "C" __global__ void f() {}', "f"), "cupy.RawKernel"),
    ],
)
def test_what_an_object_lacks_is_named(make, name):
    with pytest.raises(AttributeError) as caught:
        make().no_such_thing  # noqa: B018 - the asking raises
    assert str(caught.value) == missing(f"{name}.no_such_thing")
    assert not hasattr(make(), "no_such_thing")
