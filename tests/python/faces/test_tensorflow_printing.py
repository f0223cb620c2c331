"""How TensorFlow's face prints tensors, what tf.print writes, and parts of variables that are assigned."""

import io

import numpy as np
import pytest

from kasoku.compat import tensorflow as tf


@pytest.mark.parametrize(
    "value, text, shown",
    [
        (3, "tf.Tensor(3, shape=(), dtype=int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
        (1 / 3, "tf.Tensor(0.33333334, shape=(), dtype=float32)",
         "<tf.Tensor: shape=(), dtype=float32, numpy=0.3333333432674408>"),
        ([1.5, 2], "tf.Tensor([1.5 2. ], shape=(2,), dtype=float32)",
         "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2. ], dtype=float32)>"),
        ([[1, 2], [3, 4]], "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)",
         "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>"),
        (True, "tf.Tensor(True, shape=(), dtype=bool)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ],
)  # fmt: skip
def test_tensors_print_as_tensorflows(value, text, shown):
    t = tf.constant(value)
    assert str(t) == text and repr(t) == shown and f"{t}" == format(t.numpy())


def printed(*values, **options):
    stream = io.StringIO()
    tf.print(*values, output_stream=stream, **options)
    return stream.getvalue()


def test_tf_print_writes_numbers_without_needless_digits():
    assert (
        printed(tf.constant([1.0, 2.5]), 1 / 3, tf.constant(1 / 3), "s") == "[1 2.5] 0.3333333333333333 0.333333343 s\n"
    )
    assert printed(tf.constant([0.1, 1e10, 1e-7])) == "[0.1 1e+10 1e-07]\n"
    assert (
        printed(tf.constant(1 / 3, tf.float64), tf.constant(0.1, tf.float16), sep="|")
        == "0.33333333333333331|0.0999755859\n"
    )
    assert printed(tf.constant(True), tf.constant([True, False]), True) == "1 [1 0] True\n"
    assert printed([tf.constant(1), 2], {"a": tf.constant(2.0)}, (1,), None, tf.Variable([1, 2]), end="!") == (
        "[1, 2] {'a': 2} (1,) None [1 2]!"
    )


def test_tf_print_shows_both_ends():
    assert printed(tf.range(100)) == "[0 1 2 ... 97 98 99]\n"
    assert printed(tf.range(10), summarize=2) == "[0 1 ... 8 9]\n"
    assert printed(tf.range(7), summarize=-1) == printed(tf.range(7), summarize=9) == "[0 1 2 3 4 5 6]\n"
    cube = tf.reshape(tf.range(8), (2, 2, 2))
    assert printed(cube) == "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"
    rows = printed(tf.reshape(tf.range(64), (8, 8))).splitlines()
    assert rows[0] == "[[0 1 2 ... 5 6 7]" and rows[3] == " ..." and rows[-1] == " [56 57 58 ... 61 62 63]]"


def test_a_part_of_a_variable_is_assigned():
    v = tf.Variable([[1.0, 2], [3, 4]])
    v[0, 1].assign(9.0)
    v[:, 0].assign([7.0, 8])
    assert v.numpy().tolist() == [[7, 9], [8, 4]] and v[1].numpy().tolist() == [8, 4]
    with pytest.raises(AttributeError):
        tf.constant([1.0])[0].assign(2.0)


def test_loop_variables_keep_their_structure_and_become_tensors():
    total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), [0, 0])
    assert type(total) is tuple and [int(x) for x in total] == [5, 10] and all(map(tf.is_tensor, total))
    kept = tf.while_loop(lambda i, s: i < 2, lambda i, s: [i + 1, {"a": s["a"] + 1}], [0, {"a": 1}])
    assert type(kept) is list and int(kept[1]["a"]) == 3 and tf.is_tensor(kept[1]["a"])
    none = tf.while_loop(lambda i: i < 0, lambda i: [i], [np.float32(1)])
    assert type(none) is list and none[0].dtype == tf.float32
