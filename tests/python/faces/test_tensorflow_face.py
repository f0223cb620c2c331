"""TensorFlow's functions against NumPy; tf.function's signature, Module, and what is refused."""

import math

import numpy as np
import pytest

from kasoku.compat import tensorflow as tf

rng = np.random.default_rng(6)
M = rng.random((4, 5)).astype(np.float32)
S = rng.random((3, 3)).astype(np.float32) + 4 * np.eye(3, dtype=np.float32)
I = rng.integers(0, 9, (4, 5)).astype(np.int32)  # noqa: E741

CASES = {
    "eye": (lambda: tf.eye(2, 3), np.eye(2, 3, dtype=np.float32)),
    "unstack": (lambda: tf.unstack(M, axis=1)[2], M[:, 2]),
    "split": (lambda: tf.split(M, [1, -1], axis=1)[1], M[:, 1:]),
    "split evenly": (lambda: tf.split(M, 2)[1], M[2:]),
    "slice": (lambda: tf.slice(M, [1, 2], [2, -1]), M[1:3, 2:]),
    "tile": (lambda: tf.tile(I, [2, 1]), np.tile(I, (2, 1))),
    "repeat": (lambda: tf.repeat(I, 2, axis=0), np.repeat(I, 2, 0)),
    "roll": (lambda: tf.roll(I, 2, 1), np.roll(I, 2, 1)),
    "reverse": (lambda: tf.reverse(M, [0, 1]), M[::-1, ::-1]),
    "pad": (lambda: tf.pad(I, [[1, 0], [0, 2]]), np.pad(I, [[1, 0], [0, 2]])),
    "pad by reflection": (lambda: tf.pad(M, [[1, 1], [0, 0]], "REFLECT"), np.pad(M, [[1, 1], [0, 0]], "reflect")),
    "gather": (lambda: tf.gather(M, [3, 0], axis=0), M[[3, 0]]),
    "gather_nd": (lambda: tf.gather_nd(M, [[0, 1], [3, 4]]), M[[0, 3], [1, 4]]),
    "boolean_mask": (lambda: tf.boolean_mask(M, M[:, 0] > 0.5), M[M[:, 0] > 0.5]),
    "scatter_nd": (lambda: tf.scatter_nd([[1], [1]], [2, 3], [4]), np.int32([0, 5, 0, 0])),
    "scatter update": (lambda: tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [9, 8]), np.int32([9, 2, 8])),
    "scatter add": (lambda: tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [9, 8]), np.int32([18, 2, 3])),
    "one_hot": (lambda: tf.one_hot([0, 2, -1], 3), np.float32([[1, 0, 0], [0, 0, 1], [0, 0, 0]])),
    "sequence_mask": (lambda: tf.sequence_mask([1, 3]), np.array([[1, 0, 0], [1, 1, 1]], bool)),
    "sort": (lambda: tf.sort(M, axis=0, direction="DESCENDING"), -np.sort(-M, 0)),
    "argsort": (lambda: tf.argsort([3, 1, 2]), np.int32([1, 2, 0])),
    "argsort down": (lambda: tf.argsort([1, 2, 1], direction="DESCENDING"), np.int32([1, 0, 2])),
    "top_k": (lambda: tf.math.top_k(M, 2)[0], -np.sort(-M)[:, :2]),
    "top_k places": (lambda: tf.nn.top_k([1.0, 3.0, 2.0], 2)[1], np.int32([1, 2])),
    "unique": (lambda: tf.unique([5, 2, 5, 1])[0], np.int32([5, 2, 1])),
    "unique's places": (lambda: tf.unique([5, 2, 5, 1])[1], np.int32([0, 1, 0, 2])),
    "searchsorted": (lambda: tf.searchsorted([1, 3, 5], [3, 6]), np.int32([1, 3])),
    "cumsum": (lambda: tf.cumsum(M, axis=1), np.cumsum(M, 1)),
    "cumsum back": (lambda: tf.cumsum([1, 2, 3], exclusive=True, reverse=True), np.int32([5, 3, 0])),
    "cumprod": (lambda: tf.math.cumprod([1, 2, 3]), np.int32([1, 2, 6])),
    "bincount": (lambda: tf.math.bincount([1, 1, 3]), np.int32([0, 2, 0, 1])),
    "histogram": (lambda: tf.histogram_fixed_width([-1.0, 0.1, 0.9, 5.0], [0.0, 1.0], 2), np.int32([2, 2])),
    "segment_sum": (lambda: tf.math.segment_sum(M, [0, 0, 1, 1]), np.stack([M[:2].sum(0), M[2:].sum(0)])),
    "segment_max": (lambda: tf.math.unsorted_segment_max([1, 5, 2], [1, 0, 1], 2), np.int32([5, 2])),
    "einsum": (lambda: tf.einsum("ij,kj->ik", M, M), M @ M.T),
    "tensordot": (lambda: tf.tensordot(M, M, [[1], [1]]), M @ M.T),
    "norm": (lambda: tf.norm(M), np.linalg.norm(M)),
    "norm of rows": (lambda: tf.linalg.norm(M, axis=1), np.linalg.norm(M, axis=1)),
    "inv": (lambda: tf.linalg.inv(S), np.linalg.inv(S)),
    "solve": (lambda: tf.linalg.solve(S, S[:, :1]), np.linalg.solve(S, S[:, :1])),
    "svd": (lambda: tf.linalg.svd(M)[0], np.linalg.svd(M)[1]),
    "svd back": (lambda: (lambda s, u, v: u @ tf.linalg.diag(s) @ tf.transpose(v))(*tf.linalg.svd(M)), M),
    "diag_part": (lambda: tf.linalg.diag_part(S), np.diag(S)),
    "trace": (lambda: tf.linalg.trace(S), np.trace(S)),
    "band_part": (lambda: tf.linalg.band_part(S, 0, 1), np.triu(np.tril(S, 1))),
    "map_fn": (lambda: tf.map_fn(lambda row: row * 2, M), M * 2),
    "scan": (lambda: tf.scan(lambda a, x: a + x, [1, 2, 3]), np.int32([1, 3, 6])),
    "foldl": (lambda: tf.foldl(lambda a, x: a - x, [1, 2, 3]), np.int32(-4)),
    "numpy_function": (lambda: tf.numpy_function(np.sinh, [M], tf.float32), np.sinh(M)),
    "softmax": (lambda: tf.nn.softmax(M, axis=0), np.exp(M) / np.exp(M).sum(0)),
    "log_softmax": (lambda: tf.nn.log_softmax(M), M - np.log(np.exp(M).sum(1, keepdims=True))),
    "relu": (lambda: tf.nn.relu([-1.0, 2.0]), np.float32([0, 2])),
    "elu": (lambda: tf.nn.elu([-1.0, 2.0]), np.float32([math.expm1(-1), 2])),
    "sigmoid": (lambda: tf.sigmoid(M), 1 / (1 + np.exp(-M))),
    "log_sigmoid": (lambda: tf.math.log_sigmoid(M), -np.log1p(np.exp(-M))),
    "clip": (lambda: tf.clip_by_value(I, 2, 5), np.clip(I, 2, 5)),
    "erf": (lambda: tf.math.erf(M), np.vectorize(math.erf, otypes=["f4"])(M)),
    "divide_no_nan": (lambda: tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]), np.float32([0, 0.5])),
    "polyval": (lambda: tf.math.polyval([1.0, 2.0, 3.0], M), np.polyval([1, 2, 3], M).astype("f4")),
    "reduce_std": (lambda: tf.math.reduce_std(M, axis=1), M.std(1)),
    "reduce_logsumexp": (lambda: tf.reduce_logsumexp(M), np.log(np.exp(M).sum())),
    "complex": (lambda: tf.complex([1.0], [2.0]), np.complex64([1 + 2j])),
    "saturate_cast": (lambda: tf.saturate_cast([-5, 300], tf.uint8), np.uint8([0, 255])),
    "fft": (lambda: tf.signal.fft(M.astype(np.complex64)), np.fft.fft(M).astype(np.complex64)),
    "irfft": (lambda: tf.signal.irfft(tf.signal.rfft(M[:, :4])), M[:, :4]),
    "bits": (lambda: tf.bitwise.bitwise_xor(6, 3), np.int32(5)),
    "case": (lambda: tf.case([(tf.constant(False), lambda: tf.constant(1))], default=lambda: tf.constant(2)), np.int32(2)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_against_numpy(name):
    function, want = CASES[name]
    got, want = function(), np.asarray(want)
    assert tuple(got.shape) == want.shape and got.dtype.as_numpy_dtype == want.dtype
    np.testing.assert_allclose(got.numpy(), want, rtol=2e-4, atol=2e-5)


def test_shuffled_rows_are_the_rows():
    tf.random.set_seed(3)
    shuffled = tf.random.shuffle(np.arange(50)).numpy()
    assert sorted(shuffled) == list(range(50)) and list(shuffled) != list(range(50))


def test_signatures_of_functions():
    @tf.function(input_signature=(tf.TensorSpec([None], tf.int32),))
    def collatz(x):
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    assert collatz(tf.constant([1, 2])).numpy().tolist() == [4, 1]
    with pytest.raises(TypeError, match=r"shape \(2, 2\).*wants shape"):
        collatz(tf.constant([[1, 2], [3, 4]]))
    with pytest.raises(TypeError, match="float32"):
        collatz(tf.constant([1.0]))


def test_variables_take_numbers_of_their_type():
    v = tf.Variable([2.0, 3.0])
    assert v.assign_add([2, 3]).numpy().tolist() == [4, 6] and v.assign_sub([1, 1]).numpy().tolist() == [3, 5]
    with pytest.raises(ValueError, match=r"\(3,\) and \(2,\)"):
        v.assign([1.0, 2.0, 3.0])


def test_modules_know_their_variables():
    class Line(tf.Module):
        def __init__(self):
            super().__init__(name="line")
            self.slope = tf.Variable(2.0)
            self.parts = [tf.Variable(1.0, trainable=False)]

        @tf.function
        def __call__(self, x):
            return self.slope * x + self.parts[0]

    line = Line()
    assert line(tf.constant(3.0)).numpy() == 7 and len(line.variables) == 2 and len(line.trainable_variables) == 1


def test_tensor_arrays():
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in range(3):
        array = array.write(i, tf.constant([float(i)] * 2))
    assert array.stack().numpy().tolist() == [[0, 0], [1, 1], [2, 2]] and array.size().numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="not resizeable"):
        tf.TensorArray(tf.float32, size=1).write(2, 1.0)


def test_assertions():
    tf.debugging.assert_equal([1, 2], [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="x < y did not hold"):
        tf.debugging.assert_less([1, 5], [2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        tf.debugging.check_numerics([math.nan], "here")


@pytest.mark.parametrize("call,words", [
    (lambda: tf.GradientTape(), "computes no gradients yet"),
    (lambda: tf.keras, "keras"),
    (lambda: tf.constant("text"), "hold no text"),
    (lambda: tf.split([1, 2, 3], 2), "evenly divisible"),
    (lambda: tf.split([1, 2, 3], [1, 1]), "do not add up"),
    (lambda: tf.nn.softmax([1, 2]), "tf.cast"),
    (lambda: tf.ensure_shape([1, 2], [3]), "not compatible"),
])  # fmt: skip
def test_refusals(call, words):
    with pytest.raises((AttributeError, TypeError, ValueError, NotImplementedError), match=words):
        call()


def test_shapes_say_whether_others_are_compatible():
    shape = tf.zeros((2, 3)).shape
    assert shape.is_compatible_with((2, 3)) and shape.is_compatible_with([None, 3])
    assert not shape.is_compatible_with((2,)) and not shape.is_compatible_with((3, None))
