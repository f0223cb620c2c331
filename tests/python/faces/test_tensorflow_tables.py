"""Rows of TensorFlow's tables against NumPy: what each computes, and in which type."""

import inspect
import math

import numpy as np
import pytest
from moved import bytes_to_host

from kasoku.compat import tensorflow as tf
from kasoku.compat.tensorflow.experimental import numpy as tnp

rng = np.random.default_rng(22)
M = rng.standard_normal((4, 6)).astype(np.float32)
I = rng.integers(-9, 9, (4, 6)).astype(np.int32)  # noqa: E741
X = rng.standard_normal((2, 4, 6)).astype(np.float32)
P = np.abs(M) + np.float32(0.1)
AT = rng.integers(0, 4, (2, 3)).astype(np.int32)
IDS = np.int32([0, 2, 0, 2])
C = (M + 1j * rng.standard_normal(M.shape)).astype(np.complex64)


def at_each(join, start, places, values):
    out = start.copy()
    join.at(out, places, values)
    return out


def running(scan, x, axis, exclusive, reverse, neutral):
    x = np.flip(x, axis) if reverse else x
    out = scan(x, axis)
    if exclusive:
        out = np.concatenate([np.full_like(np.take(out, [0], axis), neutral), np.delete(out, -1, axis)], axis)
    return np.flip(out, axis) if reverse else out


def logs(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


CASES = {
    "tile": (lambda: tf.tile(I, [2, 3]), np.tile(I, (2, 3))),
    "tile by names": (lambda: tf.tile(input=M, multiples=tf.constant([1, 2]), name="t"), np.tile(M, (1, 2))),
    "repeat": (lambda: tf.repeat(M, [1, 0, 2, 1], axis=0), np.repeat(M, [1, 0, 2, 1], 0)),
    "reverse": (lambda: tf.reverse(M, [1]), M[:, ::-1]),
    "pad": (lambda: tf.pad(M, [[1, 0], [0, 2]], constant_values=3), np.pad(M, [(1, 0), (0, 2)], constant_values=3)),
    "pad by reflection": (lambda: tf.pad(M, tf.constant([[1, 1], [2, 2]]), "REFLECT"), np.pad(M, [(1, 1), (2, 2)], "reflect")),
    "meshgrid": (lambda: tf.meshgrid([1, 2], [3, 4, 5])[0], np.meshgrid(np.int32([1, 2]), np.int32([3, 4, 5]))[0]),
    "strided_slice": (lambda: tf.strided_slice(M, [0, 1], [4, 6], [2, 2]), M[0:4:2, 1:6:2]),
    "gather": (lambda: tf.gather(M, AT, axis=0), M[AT]),
    "gather by batches": (lambda: tf.gather(X, AT, batch_dims=1), np.stack([x[at] for x, at in zip(X, AT)])),
    "gather_nd": (lambda: tf.gather_nd(M, [[0, 1], [3, 5]]), M[[0, 3], [1, 5]]),
    "gather_nd by batches": (lambda: tf.gather_nd(X, [[[1]], [[2]]], batch_dims=1), X[[0, 1], [1, 2]][:, None]),
    "tensor_scatter_nd_update": (lambda: tf.tensor_scatter_nd_update(M, [[1], [3]], M[:2]), np.stack([M[0], M[0], M[2], M[1]])),
    "tensor_scatter_nd_add": (lambda: tf.tensor_scatter_nd_add(M, [[1], [1]], M[:2]), at_each(np.add, M, [1, 1], M[:2])),
    "tensor_scatter_nd_max": (lambda: tf.tensor_scatter_nd_max(M, [[1], [1]], M[2:]), at_each(np.maximum, M, [1, 1], M[2:])),
    "scatter_nd": (lambda: tf.scatter_nd([[0], [2], [0]], np.int32([1, 2, 3]), [4]), np.int32([4, 0, 2, 0])),
    "one_hot": (lambda: tf.one_hot([0, 2], 3, on_value=5, off_value=-1, axis=0, dtype=tf.int32), np.where(np.eye(3)[[0, 2]].T > 0, 5, -1).astype(np.int32)),
    "sequence_mask": (lambda: tf.sequence_mask([1, 3], 4), np.array([[1, 0, 0, 0], [1, 1, 1, 0]], bool)),
    "dynamic_partition": (lambda: tf.dynamic_partition(M, IDS, 3)[2], M[[1, 3]]),
    "unravel_index": (lambda: tf.unravel_index([7, 3], [4, 6]), np.stack(np.unravel_index([7, 3], (4, 6))).astype(np.int32)),
    "searchsorted": (lambda: tf.searchsorted([1.0, 2.0, 3.0], [2.0, 2.5], side="right"), np.int32([2, 2])),
    "searchsorted by rows": (
        lambda: tf.searchsorted(np.sort(M), M), np.stack([np.searchsorted(np.sort(r), r) for r in M]).astype(np.int32)),
    "unique_with_counts": (lambda: tf.unique_with_counts([7, 5, 7, 9])[2], np.int32([2, 1, 1])),
    "unique's order": (lambda: tf.unique([7, 5, 7, 9])[0], np.int32([7, 5, 9])),
    "cumsum": (lambda: tf.cumsum(I, 1, exclusive=True, reverse=True), running(np.cumsum, I, 1, True, True, 0).astype(np.int32)),
    "cumprod": (lambda: tf.math.cumprod(M, axis=0, exclusive=True), running(np.cumprod, M, 0, True, False, 1)),
    "cumulative_logsumexp": (lambda: tf.math.cumulative_logsumexp(M, 1), np.logaddexp.accumulate(M, 1)),
    "bincount": (lambda: tf.math.bincount([1, 1, 3], minlength=6), np.int32([0, 2, 0, 1, 0, 0])),
    "bincount with weights": (lambda: tf.math.bincount([1, 1], weights=[0.5, 2.0], dtype=tf.float32), np.float32([0, 2.5])),
    "histogram": (lambda: tf.histogram_fixed_width([-1.0, 0.1, 0.9, 5.0], [0.0, 1.0], 2), np.int32([2, 2])),
    "segment_sum": (lambda: tf.math.segment_sum(M, [0, 0, 1, 3]), np.stack([M[0] + M[1], M[2], M[2] * 0, M[3]])),
    "unsorted_segment_max": (lambda: tf.math.unsorted_segment_max(M, IDS, 3)[2], np.maximum(M[1], M[3])),
    "unsorted_segment_mean": (lambda: tf.math.unsorted_segment_mean(M, IDS, 3), np.stack([(M[0] + M[2]) / 2, M[0] * 0, (M[1] + M[3]) / 2])),
    "unsorted_segment_sqrt_n": (lambda: tf.math.unsorted_segment_sqrt_n(M, IDS, 1 + 2)[0], (M[0] + M[2]) / np.float32(math.sqrt(2))),
    "in_top_k": (lambda: tf.math.in_top_k(np.int32([0, 1, 2, 3]), M, 2), np.array([(row > row[k]).sum() < 2 for k, row in enumerate(M)])),
    "confusion_matrix": (lambda: tf.math.confusion_matrix([0, 1, 1], [1, 1, 0], weights=[2, 3, 4]), np.int32([[0, 2], [4, 3]])),
    "invert_permutation": (lambda: tf.math.invert_permutation([2, 0, 1]), np.int32([1, 2, 0])),
    "truncatediv": (lambda: tf.truncatediv(np.int64([-7, 7, 2**62 + 1]), np.int64([2, -2, 1])), np.int64([-3, -3, 2**62 + 1])),
    "truncatemod": (lambda: tf.truncatemod([-7, 7], [3, -3]), np.int32([-1, 1])),
    "complex": (lambda: tf.complex(M, M), (M + 1j * M).astype(np.complex64)),
    "imag of reals": (lambda: tf.math.imag(M), M * 0),
    "angle of reals": (lambda: tf.math.angle(M), np.where(M < 0, np.float32(math.pi), np.float32(0))),
    "imag": (lambda: tf.math.imag(C), C.imag),
    "bitcast": (lambda: tf.bitcast(M, tf.int32), M.view(np.int32)),
    "saturate_cast": (lambda: tf.saturate_cast([300.0, -5.0], tf.uint8), np.uint8([255, 0])),
    "reduce_logsumexp": (lambda: tf.reduce_logsumexp(X, [0, 2]), np.log(np.exp(X).sum((0, 2)))),
    "reduce_std": (lambda: tf.math.reduce_std(M, 1), M.std(1)),
    "xlog1py": (lambda: tf.math.xlog1py([0.0, 2.0], [-1.0, 3.0]), np.float32([0, 2 * math.log(4)])),
    "divide_no_nan": (lambda: tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]), np.float32([0, 0.5])),
    "count_nonzero": (lambda: tf.math.count_nonzero(I, axis=0, keepdims=True), np.count_nonzero(I, 0, keepdims=True)),
    "is_non_decreasing": (lambda: tf.math.is_non_decreasing([1, 1, 2]), np.bool_(True)),
    "is_strictly_increasing": (lambda: tf.math.is_strictly_increasing([1, 1, 2]), np.bool_(False)),
    "where": (lambda: tf.where(I > 0), np.argwhere(I > 0)),
    "einsum": (lambda: tf.einsum("ij,kj->ki", M, M), M @ M.T),
    "matmul of transposed matrices": (lambda: tf.matmul(X, X, transpose_b=True), X @ X.transpose(0, 2, 1)),
    "matmul of adjoint matrices": (lambda: tf.matmul(C, C, adjoint_a=True), C.conj().T @ C),
    "matvec of adjoint matrices": (lambda: tf.linalg.matvec(C, C[:, 0], adjoint_a=True), C.conj().T @ C[:, 0]),
    "matrix_transpose": (lambda: tf.linalg.matrix_transpose(X), X.transpose(0, 2, 1)),
    "top_k by name": (lambda: tf.math.top_k(M, 2).indices, np.argsort(-M)[:, :2].astype(np.int32)),
    "unique by name": (lambda: tf.unique_with_counts(np.int32([3, 1, 3])).count, np.int32([2, 1])),
    "dynamic_stitch": (lambda: tf.dynamic_stitch([[3, 0], [1, 2]], [M[:2], M[2:]]), M[[1, 2, 3, 0]]),
    "tensordot": (lambda: tf.tensordot(X, X, [[1, 2], [1, 2]]), np.tensordot(X, X, ([1, 2], [1, 2]))),
    "diag": (lambda: tf.linalg.diag(M, k=1), np.stack([np.diag(row, 1) for row in M])),
    "diag_part": (lambda: tf.linalg.diag_part(X), np.diagonal(X, 0, 1, 2)),
    "set_diag": (lambda: tf.linalg.set_diag(M, [1.0, 2.0, 3.0, 4.0]), np.where(np.eye(4, 6, dtype=bool), np.float32([[1], [2], [3], [4]]), M)),
    "expm": (lambda: tf.linalg.expm([[0.0, 1.0], [-1.0, 0.0]]), np.float32([[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]])),
    "l2_normalize": (lambda: tf.linalg.l2_normalize(M, axis=1), M / np.linalg.norm(M, axis=1, keepdims=True)),
    "lbeta": (lambda: tf.math.lbeta(P), (np.vectorize(math.lgamma)(P).sum(-1) - np.vectorize(math.lgamma)(P.sum(-1))).astype(np.float32)),
    "weighted_moments": (lambda: tf.nn.weighted_moments(M, [1], P)[1], np.array([np.cov(m, aweights=w, ddof=0) for m, w in zip(M, P)]).astype(np.float32)),
    "compute_average_loss": (lambda: tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=8), np.float32(0.5)),
    "crelu": (lambda: tf.nn.crelu(M), np.maximum(np.concatenate([M, -M], -1), 0)),
    "weighted_cross_entropy": (
        lambda: tf.nn.weighted_cross_entropy_with_logits(np.float32(M > 0), M, 2.0),
        np.where(M > 0, 2 * np.log1p(np.exp(-M)), np.log1p(np.exp(M)))),
    "sparse cross entropy": (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 2, 3], logits=M), -logs(M)[range(4), range(4)]),
    "depth_to_space": (lambda: tf.nn.depth_to_space(np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4), 2)[0, :, :, 0], np.float32([[0, 1, 4, 5], [2, 3, 6, 7]])),
    "space_to_depth": (lambda: tf.nn.space_to_depth(np.float32([[0, 1, 4, 5], [2, 3, 6, 7]])[None, :, :, None], 2), np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4)),
    "rfft3d": (lambda: tf.signal.rfft3d(X), np.fft.rfftn(X).astype(np.complex64)),
    "hann_window": (lambda: tf.signal.hann_window(8, periodic=False), np.hanning(8).astype(np.float32)),
    "experimental numpy": (lambda: tnp.percentile(tf.constant(M), 30, axis=1), np.percentile(M, 30, axis=1).astype(np.float32)),
    "experimental numpy of lists": (lambda: tnp.stack([tf.constant(M), tf.constant(M)]), np.stack([M, M])),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_values(case, device):
    with tf.device("/CPU:0" if device == "cpu" else "/GPU:0"):
        found, wanted = np.asarray(CASES[case][0]().numpy()), np.asarray(CASES[case][1])
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, 2e-5, 1e-6)


def test_random_numbers_of_tables():
    tf.random.set_seed(3)
    x = tf.random.gamma([20000], 3.0, 2.0).numpy()
    assert x.dtype == np.float32 and abs(x.mean() - 1.5) < 0.03
    assert abs(tf.random.poisson([20000], 4.0).numpy().mean() - 4) < 0.1
    rows = tf.random.categorical(np.log([[0.25, 0.75]]).astype(np.float32), 20000).numpy()
    assert rows.dtype == np.int64 and abs(rows.mean() - 0.75) < 0.02
    a, b = (tf.random.stateless_truncated_normal([1000], [1, 2]).numpy() for _ in range(2))
    assert (a == b).all() and np.abs(a).max() <= 2


def test_what_does_not_fit_is_refused():
    for wrong, says in (
        (lambda: tf.matmul(M, M[0]), r"In\[1\] has 1 dimensions"),
        (lambda: tf.one_hot([0], -1), "depth is -1"),
        (lambda: tf.dynamic_partition(M, [0, 1, 5, 0], 2), r"5 is not in \[0, 2\)"),
        (lambda: tf.math.segment_sum(M, [0, 1, 0, 1]), "not increasing"),
        (lambda: tf.math.segment_sum(M, [0, 1]), "one id for each of 4 rows"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            wrong()


def test_assertions():
    tf.debugging.assert_positive([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="x is not negative"):
        tf.debugging.assert_negative([1.0, -2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="x == y did not hold"):
        tf.debugging.assert_equal([1, 2], [1, 3])


def test_assertions_about_shapes_and_types():
    tf.debugging.assert_rank(M, 2)
    tf.debugging.assert_scalar(3)
    tf.debugging.assert_integer(I)
    assert tf.debugging.is_numeric_tensor(tf.constant(1)) and not tf.debugging.is_numeric_tensor(1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="x has rank 2, not 1"):
        tf.debugging.assert_rank(M, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="less than 3"):
        tf.debugging.assert_rank_at_least(M, 3)
    with pytest.raises(TypeError, match="of float32, not of int32"):
        tf.debugging.assert_type(M, tf.int32)
    with tf.control_dependencies([]), tf.init_scope():
        assert not tf.inside_function() and tf.function(lambda: tf.inside_function())()
    assert tf.dtypes.cast(M, tf.int32).dtype == tf.int32
    a, b = (tf.random.stateless_shuffle(tf.range(50), [1, 2]).numpy() for _ in range(2))
    assert (a == b).all() and sorted(a) == list(range(50))


def test_help_shows_tensorflows_arguments():
    assert str(inspect.signature(tf.tile)) == "(input, multiples)" and tf.tile.__name__ == "tile" and tf.tile.__doc__
    with pytest.raises(
        TypeError, match=r"tile\(\) got an unexpected keyword argument 'multiple'; did you mean 'multiples'"
    ):
        tf.tile(M, multiple=[1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in the list of allowed values.*\[Op:Erf\]"):
        tf.math.erf(tf.constant([1, 2]))
    with pytest.raises(AttributeError, match="kasoku does not have tensorflow.experimental.numpy.record"):
        tnp.record


@pytest.mark.parametrize("case", CASES)
def test_no_elements_go_to_the_host(case, device):
    """A length or an end may be read, as few numbers; results stay where the tensors lie."""
    with tf.device("/CPU:0" if device == "cpu" else "/GPU:0"):
        to_host, counted = bytes_to_host(CASES[case][0])
    assert to_host <= 64, counted
