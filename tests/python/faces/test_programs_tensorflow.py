"""Small programs for TensorFlow, as people write them, against the same in NumPy."""

import math

import numpy as np
import pytest

from kasoku.compat import tensorflow as tf

rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def place(device):
    with tf.device("/GPU:0" if device != "cpu" else "/CPU:0"):
        yield


def close(mine, expected, **limits):
    np.testing.assert_allclose(mine.numpy(), expected, **{"rtol": 1e-5, "atol": 1e-6, **limits})


def test_the_tensor_guide():
    rank_2 = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
    assert rank_2.shape == (3, 2) and rank_2.dtype == tf.float16 and rank_2.ndim == 2
    a, b = tf.constant([[1, 2], [3, 4]]), tf.ones([2, 2], dtype=tf.int32)
    assert tf.add(a, b).numpy().tolist() == (a + b).numpy().tolist() == [[2, 3], [4, 5]]
    assert tf.multiply(a, b).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.matmul(a, b).numpy().tolist() == (a @ b).numpy().tolist() == [[3, 3], [7, 7]]
    c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
    assert tf.reduce_max(c) == 10 and tf.math.argmax(c).numpy().tolist() == [1, 0]
    close(tf.nn.softmax(c), np.exp(c.numpy() - 10) / np.exp(c.numpy() - 10).sum(1, keepdims=True) * 1.0, rtol=1e-4)
    rank_4 = tf.zeros([3, 2, 4, 5])
    assert tf.rank(rank_4).numpy() == 4 and tf.size(rank_4).numpy() == 120 and rank_4.shape[-1] == 5
    fib = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
    assert fib[::-1].numpy()[0] == 34 and fib[2:7].numpy().tolist() == [1, 2, 3, 5, 8]
    x = tf.constant([[1], [2], [3]])
    assert tf.reshape(x, [1, 3]).shape == (1, 3) and tf.reshape(tf.zeros([3, 2, 5]), [3, -1]).shape == (3, 10)
    assert tf.cast(tf.constant([2.2, 3.3, 4.4], tf.float64), tf.uint8).numpy().tolist() == [2, 3, 4]
    assert (x * tf.range(1, 5)).shape == (3, 4)
    assert tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3]).shape == (3, 3)
    assert tf.convert_to_tensor(np.ones(3)).dtype == tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add(tf.constant([1.0]), tf.constant([1], tf.int32))


def test_the_variable_guide():
    mine = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="mine")
    assert mine.shape == (2, 2) and mine.dtype == tf.float32
    assert tf.math.argmax(mine).numpy().tolist() == [1, 1]
    a = tf.Variable([2.0, 3.0])
    b = tf.Variable(a)
    a.assign([5, 6])
    assert a.numpy().tolist() == [5, 6] and b.numpy().tolist() == [2, 3]
    assert a.assign_add([2, 3]).numpy().tolist() == [7, 9]
    assert a.assign_sub([7, 9]).numpy().tolist() == [0, 0]
    with pytest.raises(ValueError, match="shape"):
        a.assign([1.0, 2.0, 3.0])
    step = tf.Variable(1, trainable=False)
    assert not step.trainable and int(step + 1) == 2


def test_a_linear_fit_by_hand():
    x = rng.standard_normal(200).astype(np.float32)
    y = 3 * x + 2 + 0.1 * rng.standard_normal(200).astype(np.float32)
    w, b, n_w, n_b = tf.Variable(5.0), tf.Variable(0.0), 5.0, 0.0
    tx, ty = tf.constant(x), tf.constant(y)

    @tf.function
    def step():
        error = w * tx + b - ty
        loss = tf.reduce_mean(tf.square(error))
        w.assign_sub(0.1 * 2 * tf.reduce_mean(error * tx))
        b.assign_sub(0.1 * 2 * tf.reduce_mean(error))
        return loss

    for _ in range(40):
        error = n_w * x + n_b - y
        loss = step()
        n_w, n_b = n_w - 0.2 * (error * x).mean(), n_b - 0.2 * error.mean()
    close(w, n_w, rtol=1e-4)
    close(b, n_b, rtol=1e-4)
    assert loss.numpy() < 0.02


def test_the_function_guide():
    @tf.function
    def dense(x, w, b):
        return tf.nn.relu(tf.matmul(x, w) + b)

    x, w = rng.standard_normal((3, 4)).astype(np.float32), rng.standard_normal((4, 2)).astype(np.float32)
    close(dense(x, w, np.ones(2, np.float32)), np.maximum(x @ w + 1, 0))

    @tf.function
    def power(base, n):
        result = tf.constant(1, base.dtype)
        while n > 0:
            if n % 2 == 1:
                result *= base
            base *= base
            n //= 2
        return result

    assert power(tf.constant(3), tf.constant(7)).numpy() == 3**7

    @tf.function
    def collatz(n):
        steps = tf.constant(0)
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    assert int(collatz(tf.constant(27))) == 111

    @tf.function
    def sums(values):
        total = tf.constant(0.0)
        for v in values:
            total += v
        return total

    assert sums(tf.constant([1.0, 2.0, 3.0])).numpy() == 6
    counted, total = tf.while_loop(lambda i, s: i < 10, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0)))
    assert (int(counted), int(total)) == (10, 45)


def test_mandelbrot_and_waves():
    y, x = np.mgrid[-1.3:1.3:0.1, -2:1:0.1]
    z = (x + 1j * y).astype(np.complex64)
    xs = tf.constant(z)
    zs, ns = tf.Variable(xs), tf.Variable(tf.zeros(xs.shape, tf.float32))
    n, m = z.copy(), np.zeros(z.shape)
    with np.errstate(all="ignore"):
        for _ in range(20):
            moved = zs * zs + xs
            inside = tf.abs(moved) < 4
            zs.assign(moved)
            ns.assign_add(tf.cast(inside, tf.float32))
            n = n * n + z
            m += np.abs(n) < 4
    assert (ns.numpy() == m).mean() > 0.99
    kernel = tf.reshape(tf.constant([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]]), [3, 3, 1, 1])
    u = rng.random((16, 16)).astype(np.float32)
    laplace = tf.nn.depthwise_conv2d(tf.reshape(tf.constant(u), [1, 16, 16, 1]), kernel, [1, 1, 1, 1], padding="SAME")
    padded = np.pad(u, 1)
    expected = sum(kernel.numpy()[i, j, 0, 0] * padded[i : i + 16, j : j + 16] for i in range(3) for j in range(3))
    close(laplace[0, :, :, 0], expected, atol=1e-4)


def test_k_means_and_gathering():
    x = np.concatenate([rng.normal(c, 0.2, (50, 2)) for c in (0, 3)]).astype(np.float32)
    points, centres, c = tf.constant(x), tf.constant(x[[0, 60]]), x[[0, 60]]
    for _ in range(5):
        d = tf.reduce_sum(tf.square(tf.expand_dims(points, 1) - tf.expand_dims(centres, 0)), axis=2)
        at = tf.argmin(d, axis=1)
        centres = tf.math.unsorted_segment_sum(points, at, 2) / tf.cast(tf.math.bincount(tf.cast(at, tf.int32)), tf.float32)[:, tf.newaxis]  # fmt: skip
        label = ((x[:, None] - c) ** 2).sum(2).argmin(1)
        c = np.stack([x[label == k].mean(0) for k in range(2)])
    close(centres, c, rtol=1e-4)
    close(tf.gather(centres, at), c[label], rtol=1e-4)
    close(tf.boolean_mask(points, at == 1), x[label == 1])
    close(tf.where(points > 1.0, points, tf.zeros_like(points)), np.where(x > 1, x, 0))
    one = tf.one_hot([0, 2, 1], 3)
    assert tf.argmax(one, 1).numpy().tolist() == [0, 2, 1]
    assert tf.tensor_scatter_nd_update(tf.zeros(4), [[1], [3]], [5.0, 6.0]).numpy().tolist() == [0, 5, 0, 6]


def test_monte_carlo_and_linear_algebra():
    tf.random.set_seed(1)
    points = tf.random.uniform([100_000, 2])
    inside = tf.reduce_sum(points**2, axis=1) < 1.0
    assert abs(4 * tf.reduce_mean(tf.cast(inside, tf.float32)).numpy() - math.pi) < 0.03
    a = rng.random((5, 5)) + 5 * np.eye(5)
    t, b = tf.constant(a), tf.constant(rng.random((5, 2)))
    close(tf.linalg.solve(t, b), np.linalg.solve(a, b.numpy()))
    close(tf.linalg.inv(t) @ t, np.eye(5), atol=1e-10)
    close(tf.linalg.det(t), np.linalg.det(a))
    s = a @ a.T
    w, v = tf.linalg.eigh(tf.constant(s))
    close(v @ tf.linalg.diag(w) @ tf.transpose(v), s, atol=1e-8)
    close(tf.linalg.cholesky(tf.constant(s)), np.linalg.cholesky(s))
    close(tf.einsum("ij,kj->ik", t, t), s)
    close(tf.reduce_logsumexp(t, axis=1), np.log(np.exp(a).sum(1)))
    close(tf.math.cumsum(t, axis=1), a.cumsum(1))


@pytest.mark.parametrize(
    "program",
    [
        lambda: tf.GradientTape(),
        lambda: tf.keras.Sequential(),
        lambda: tf.data.Dataset,
        lambda: tf.constant("text"),
        lambda: tf.ragged.constant([[1], [2, 3]]),
        lambda: tf.sparse.SparseTensor,
    ],
)
def test_what_is_out_of_reach_says_so(program):
    with pytest.raises((AttributeError, TypeError, NotImplementedError, tf.errors.UnimplementedError), match="kasoku"):
        program()
