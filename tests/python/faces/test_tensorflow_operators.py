"""TensorFlow's operators and functions of two operands, against NumPy, and what they refuse."""

import operator

import numpy as np
import pytest

from kasoku.compat import tensorflow as tf

floats = ["float32", "float64"]
integers = "int8 int16 int32 int64 uint8 uint16".split()


@pytest.fixture(autouse=True)
def place(device):
    with tf.device("/GPU:0" if device != "cpu" else "/CPU:0"):
        yield


def pair(dtype):
    return np.array([[1, 2, 3], [4, 5, 6]]).astype(dtype), np.array([3, 2, 1]).astype(dtype)


operators = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod,
             operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]  # fmt: skip


@pytest.mark.parametrize("dtype", floats + integers)
@pytest.mark.parametrize("f", operators)
def test_operators(f, dtype):
    a, b = pair(dtype)
    x, y = tf.constant(a), tf.constant(b)
    for mine, expected in [
        (f(x, y), f(a, b)),
        (f(x, tf.Variable(b)), f(a, b)),
        (f(tf.Variable(a), y), f(a, b)),
        (f(x, 2), f(a, a.dtype.type(2))),
        (f(2, y), f(b.dtype.type(2), b)),
        (f(tf.Variable(a), 2), f(a, a.dtype.type(2))),
        (f(x, b), f(a, b)),
        (f(x, [3, 2, 1]), f(a, b)),
        (f(x[:0], y), f(a[:0], b)),
        (f(x[0, 0], y[0]), f(a[0, 0], b[0])),
    ]:
        assert isinstance(mine, tf.Tensor)
        assert mine.dtype.name == np.asarray(expected).dtype.name
        np.testing.assert_array_equal(mine.numpy(), expected)


@pytest.mark.parametrize("dtype", floats + integers)
def test_true_division(dtype):
    a, b = pair(dtype)
    to = dtype if dtype in floats else "float32" if np.dtype(dtype).itemsize < 4 else "float64"
    for mine in (tf.constant(a) / tf.constant(b), tf.divide(tf.constant(a), b), tf.constant(a) / tf.Variable(b)):
        assert mine.dtype.name == to
        np.testing.assert_array_equal(mine.numpy(), a.astype(to) / b.astype(to))


def test_functions_and_signs():
    a = np.array([-1.5, 0.0, 2.0, np.nan], np.float32)
    x = tf.constant(a)
    np.testing.assert_array_equal((-x).numpy(), -a)
    np.testing.assert_array_equal(abs(tf.Variable(a)).numpy(), np.abs(a))
    np.testing.assert_array_equal(tf.square(x, name="squares").numpy(), a * a)
    np.testing.assert_array_equal(tf.maximum(x, 0.0).numpy(), np.maximum(a, 0))
    np.testing.assert_array_equal(tf.math.is_nan(x).numpy(), np.isnan(a))
    np.testing.assert_array_equal(tf.add([1.0, 2.0], [3.0, 4.0]).numpy(), [4, 6])
    assert tf.sin(0.5).dtype == tf.float32
    assert (x == None) is False and (x != None) is True  # noqa: E711 - the operator is asked
    truth = tf.constant([True, False])
    assert (truth & [True, True]).numpy().tolist() == [True, False]
    assert (truth ^ True).numpy().tolist() == [False, True]
    assert tf.squared_difference([3.0], [1.0]).numpy() == [4.0]


def test_in_a_graph_operations_wait_and_agree():
    @tf.function
    def f(x, y):
        return -x * y + tf.sin(x) / 2.0 - abs(y)

    a, b = np.linspace(-2, 2, 5, dtype=np.float32), np.linspace(0, 1, 5, dtype=np.float32)
    np.testing.assert_allclose(f(tf.constant(a), tf.Variable(b)).numpy(), -a * b + np.sin(a) / 2 - np.abs(b), rtol=1e-6)

    @tf.function
    def fails(x):
        raise KeyError(x.dtype.name)

    with pytest.raises(KeyError):
        fails(tf.constant(1.0))
    assert tf.executing_eagerly()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tf.constant([1.0]) + tf.constant([1]), tf.errors.InvalidArgumentError, r"float tensor but is a int32 tensor \[Op:AddV2\]"),
        (lambda: tf.constant([1]) * 1.5, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        (lambda: tf.constant([1]) + True, TypeError, "Cannot convert True"),
        (lambda: tf.constant([True]) & 1, TypeError, "Cannot convert 1"),
        (lambda: tf.constant([1], tf.int8) + 300, TypeError, "Cannot convert 300 to EagerTensor of dtype int8"),
        (lambda: tf.constant(-1, tf.uint8), TypeError, "Cannot convert -1 to EagerTensor of dtype uint8"),
        (lambda: tf.ones([2]) + tf.ones([3]), tf.errors.InvalidArgumentError, r"Incompatible shapes: \(2,\) vs. \(3,\) \[Op:AddV2\]"),
        (lambda: tf.constant([2]) ** -1, tf.errors.InvalidArgumentError, r"negative integer powers.*\[Op:Pow\]"),
        (lambda: tf.add(tf.ones(2)), TypeError, "missing 1 required positional argument"),
    ],
)  # fmt: skip
def test_refusals(call, error, words):
    with pytest.raises(error, match="(?s)" + words):
        call()


@pytest.mark.parametrize("dtype", integers)
def test_integers_over_zero(dtype, device):
    if device != "cpu":
        pytest.skip("a GPU says nothing")
    x = tf.constant([1, 2], dtype)
    for divide in (
        lambda: x // 0,
        lambda: x % 0,
        lambda: x // tf.constant([1, 0], dtype),
        lambda: tf.math.floormod(x, 0),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            divide()
    assert (x[:0] // 0).shape == (0,)


def test_integer_powers_are_not_negative(device):
    x, n = tf.constant([2, 1]), tf.constant([-1, 2])
    for power in (lambda: x**n, lambda: 2**n, lambda: x**-1, lambda: tf.pow(x, n), lambda: tf.Variable(x) ** n):
        with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
            power()
    np.testing.assert_array_equal((x ** tf.constant([3, 0])).numpy(), [8, 1])
    np.testing.assert_array_equal((tf.constant([2.0, 4.0]) ** -1).numpy(), [0.5, 0.25])


@pytest.mark.parametrize("dtype", integers)
def test_integers_are_round(dtype, device):
    x = tf.round(tf.constant([1, 7], dtype))
    assert x.dtype.name == dtype and x.numpy().tolist() == [1, 7]
    assert tf.round(tf.Variable([0.5, 1.5])).numpy().tolist() == [0.0, 2.0]


def test_numbers_of_a_list_fit(device):
    u, v = tf.constant([1, 2], tf.uint8), tf.Variable([1, 2])
    for call in (
        lambda: u + [300, 2],
        lambda: u + [-1, 2],
        lambda: tf.constant([300], tf.uint8),
        lambda: v + [2**40, 1],
        lambda: v.assign([2**40, 1]),
    ):
        with pytest.raises(TypeError, match="it holds"):
            call()
    assert (u + [3, 253]).numpy().tolist() == [4, 255]
    assert tf.constant([2**40, 1]).dtype.name == "int64"
    assert tf.constant([2**31 - 1]).dtype.name == tf.constant([], tf.int32).dtype.name == "int32"
    assert (tf.constant([1])[:0] + []).dtype.name == "int32"
    assert tf.cast(tf.constant([300]), tf.uint8).numpy().tolist() == [44]


def test_a_variable_keeps_its_type(device):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="conversion requested dtype float32 for Tensor with dtype int32"):
        v.assign(tf.constant([1, 2]))
    assert v.assign([3, 4]).dtype.name == "float32" and v.numpy().tolist() == [3.0, 4.0]
