"""TensorFlow's further functions against NumPy, and what its tensors, shapes and variables answer."""

import itertools
import math

import numpy as np
import pytest

from kasoku.compat import tensorflow as tf

rng = np.random.default_rng(7)
M = rng.random((4, 5)).astype(np.float32)
S = rng.random((3, 3)).astype(np.float32) + 4 * np.eye(3, dtype=np.float32)
C = (rng.random((3, 4)) + 1j * rng.random((3, 4))).astype(np.complex64)
X = rng.standard_normal((2, 7, 6, 3)).astype(np.float32)
W = rng.standard_normal((3, 2, 3, 4)).astype(np.float32)


def convolved(x, w, strides, same, gaps=(1, 1)):
    """Four loops; TensorFlow's padding leaves ceil(length / stride) places."""
    size = [g * (k - 1) + 1 for g, k in zip(gaps, w.shape)]
    if same:
        total = [max(0, (-(-n // s) - 1) * s + k - n) for n, k, s in zip(x.shape[1:3], size, strides)]
        x = np.pad(x, [(0, 0), *[(t // 2, t - t // 2) for t in total], (0, 0)])
    shape = [(n - k) // s + 1 for n, k, s in zip(x.shape[1:3], size, strides)]
    y = np.zeros((x.shape[0], *shape, w.shape[3]))
    for i, j, o in itertools.product(range(shape[0]), range(shape[1]), range(w.shape[3])):
        a, b = i * strides[0], j * strides[1]
        part = x[:, a : a + size[0] : gaps[0], b : b + size[1] : gaps[1]]
        y[:, i, j, o] = (part * w[..., o]).sum((1, 2, 3))
    return y


def each_channel(x, w):
    """Filters that are one each of channel and multiplier."""
    return np.concatenate(
        [convolved(x[..., c : c + 1], w[:, :, c : c + 1], (1, 1), True) for c in range(x.shape[3])], 3
    )


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


CASES = {
    "argmax": (lambda: tf.argmax(M), M.argmax(0)),
    "argmin of rows": (lambda: tf.argmin(M, axis=1, output_type=tf.int32), M.argmin(1).astype(np.int32)),
    "switch": (lambda: tf.switch_case(tf.constant(1), [lambda: tf.constant(7), lambda: tf.constant(8)]), np.int32(8)),
    "switch by default": (lambda: tf.switch_case(5, {0: lambda: tf.constant(7)}, lambda: tf.constant(9)), np.int32(9)),
    "clip_by_norm": (lambda: tf.clip_by_norm(M, 0.5), M * 0.5 / np.linalg.norm(M)),
    "global norm": (lambda: tf.linalg.global_norm([M, S]), np.float32(np.hypot(np.linalg.norm(M), np.linalg.norm(S)))),
    "truncatediv": (lambda: tf.truncatediv([-7, 7], [2, 2]), np.int32([-3, 3])),
    "unravel_index": (lambda: tf.unravel_index([5, 11], [3, 4]), np.int32(np.unravel_index([5, 11], (3, 4)))),
    "partition": (lambda: tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)[0], np.int32([1, 3])),
    "real": (lambda: tf.math.real(C), C.real),
    "angle": (lambda: tf.math.angle(C), np.angle(C)),
    "conj": (lambda: tf.math.conj(C), C.conj()),
    "erf": (lambda: tf.math.erf(M), np.vectorize(math.erf)(M).astype(np.float32)),
    "erfc": (lambda: tf.math.erfc(M.astype(np.float64)), np.vectorize(math.erfc)(M.astype(np.float64))),
    "lgamma": (lambda: tf.math.lgamma(M), np.vectorize(math.lgamma)(M).astype(np.float32)),
    "ndtri": (lambda: tf.math.erfc(-tf.math.ndtri(M) / math.sqrt(2)) / 2, M),
    "xlogy": (lambda: tf.math.xlogy([0.0, 2.0], [0.0, 3.0]), np.float32([0, 2 * math.log(3)])),
    "multiply_no_nan": (lambda: tf.math.multiply_no_nan([math.nan, 2.0], [0.0, 3.0]), np.float32([0, 6])),
    "confusion": (lambda: tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]), np.int32([[1, 0], [1, 1]])),
    "in_top_k": (lambda: tf.math.in_top_k([1, 0], [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], 1), np.array([False, True])),
    "segment_mean": (lambda: tf.math.unsorted_segment_mean(M, [0, 2, 2, 0], 3), np.stack([M[[0, 3]].mean(0), 0 * M[0], M[[1, 2]].mean(0)])),
    "gelu": (lambda: tf.nn.gelu(X), (X * np.vectorize(math.erfc)(-X / math.sqrt(2)) / 2).astype(np.float32)),
    "cross entropy": (lambda: tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[1.0, 2.0]]), -np.log(softmax(np.float32([[1, 2]])))[:, 1]),
    "sparse cross entropy": (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([4, 0, 1, 2], M), -np.log(softmax(M))[range(4), [4, 0, 1, 2]]),
    "sigmoid cross entropy": (lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=M, logits=M), np.log1p(np.exp(M)) - M * M),
    "conv2d": (lambda: tf.nn.conv2d(X, W, 1, "VALID"), convolved(X, W, (1, 1), False).astype(np.float32)),
    "conv2d same": (lambda: tf.nn.conv2d(X, W, [1, 2, 3, 1], "SAME"), convolved(X, W, (2, 3), True).astype(np.float32)),
    "conv2d with gaps": (lambda: tf.nn.conv2d(X, W, 1, "SAME", dilations=2), convolved(X, W, (1, 1), True, (2, 2)).astype(np.float32)),
    "conv2d channels first": (lambda: tf.nn.conv2d(np.moveaxis(X, 3, 1), W, 1, "VALID", "NCHW"), np.moveaxis(convolved(X, W, (1, 1), False), 3, 1).astype(np.float32)),
    "depthwise": (lambda: tf.nn.depthwise_conv2d(X, W[..., :1], [1, 1, 1, 1], padding="SAME"), each_channel(X, W[..., :1]).astype(np.float32)),
    "max_pool": (lambda: tf.nn.max_pool2d(X[:, :6], 2, 2, "VALID"), X[:, :6].reshape(2, 3, 2, 3, 2, 3).max((2, 4))),
    "avg_pool at the edge": (lambda: tf.nn.avg_pool2d(X[:, :, :1], [2, 1], 2, "SAME")[:, -1], X[:, 6:, :1][:, 0]),
    "logdet": (lambda: tf.linalg.logdet(S @ S.T), np.linalg.slogdet(S @ S.T)[1]),
    "triangular": (lambda: tf.linalg.triangular_solve(S, M[:3]), np.linalg.solve(np.tril(S), M[:3])),
    "lstsq": (lambda: tf.linalg.lstsq(M.T, S[:1].repeat(5, 0)), np.linalg.lstsq(M.T, S[:1].repeat(5, 0), None)[0]),
    "set_diag": (lambda: tf.linalg.set_diag(S, [1.0, 2.0, 3.0]), S - np.diag(np.diag(S)) + np.diag(np.float32([1, 2, 3]))),
    "number of a dtype": (lambda: tf.constant([1, 2], dtype=1), np.float32([1, 2])),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_against_numpy(name):
    function, want = CASES[name]
    got, want = np.asarray(function().numpy()), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=5e-4, atol=5e-5)


def test_clipping_a_list_by_its_norm():
    parts, norm = tf.clip_by_global_norm([M, S], 1.0)
    want = math.hypot(np.linalg.norm(M), np.linalg.norm(S))
    assert abs(float(norm) - want) < 1e-4
    np.testing.assert_allclose(parts[1].numpy(), S / want, rtol=1e-5)


def test_shapes_answer_as_lists():
    x = tf.zeros([2, 3])
    assert x.shape == [2, 3] and x.shape == (2, 3) and x.shape != [3, 2] and x.shape.dims == [2, 3]
    assert {x.shape: 1}[(2, 3)] == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="6 values, but the requested shape is \\[7, -1\\]"):
        tf.reshape(x, [7, -1])


def test_variables_compare_by_element():
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 3.0])
    assert (a == b).numpy().tolist() == [True, False] and (a != b).numpy().tolist() == [False, True]
    assert a.ref() == a.ref() != b.ref() and {a.ref(): 1}[a.ref()] == 1 and a.ref().deref() is a
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    a.scatter_nd_update([[1]], [9.0])
    a.scatter_nd_add([[0], [0]], [1.0, 1.0])
    assert a.numpy().tolist() == [3, 9]


def test_draws():
    tf.random.set_seed(3)
    z = tf.random.truncated_normal([4000], 1.0, 0.5).numpy()
    assert abs(z - 1).max() <= 1 and abs(z.mean() - 1) < 6 * 0.5 / math.sqrt(4000)
    at = tf.random.categorical(tf.math.log([[0.1, 0.0, 0.9]]), 3000).numpy()
    assert at.shape == (1, 3000) and not (at == 1).any() and abs((at == 2).mean() - 0.9) < 6 * math.sqrt(0.09 / 3000)
