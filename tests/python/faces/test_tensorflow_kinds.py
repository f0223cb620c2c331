"""Which kinds of numbers TensorFlow's operations take, and what variables and tensors are as Python's objects."""

import copy

import numpy as np
import pytest

from kasoku.compat import tensorflow as tf

I, F, T = [1, 2], [1.0, 2.0], [True, False]  # noqa: E741
refused = tf.errors.InvalidArgumentError


@pytest.mark.parametrize("place", [tf.constant, tf.Variable])
@pytest.mark.parametrize("name", "exp log log1p sqrt sin cos tanh asin atan sigmoid".split())
def test_functions_of_floats_refuse_integers(name, place):
    function = getattr(tf, name, None) or getattr(tf.math, name)
    op = {"asin": "Asin", "log1p": "Log1p"}.get(name, name.capitalize())
    for _ in range(2):
        with pytest.raises(refused, match=rf"attr 'T' of int32 is not in the list of allowed.*\[Op:{op}\]"):
            function(place(I))
    with pytest.raises(refused, match="attr 'T' of bool"):
        function(place(T))
    with pytest.raises(refused):
        function(4)
    with np.errstate(invalid="ignore"):
        assert function(place(F)).dtype == tf.float32 and function(tf.constant(F, tf.float64)).dtype == tf.float64


def test_logic_is_of_bools():
    for function in (tf.logical_and, tf.logical_or, tf.math.logical_xor):
        assert function(tf.constant(T), [True, True]).dtype == tf.bool
        with pytest.raises(refused, match="expected to be a bool tensor but is a int32 tensor"):
            function(tf.constant(I), tf.constant(I))
    for function in (tf.logical_not, tf.reduce_any, tf.reduce_all):
        function(tf.constant(T))
        with pytest.raises(refused, match="expected to be a bool tensor but is a int32 tensor"):
            function(tf.constant(I))
    with pytest.raises(refused, match="SelectV2"):
        tf.where(tf.constant(I), 1, 2)


def test_arithmetic_is_not_of_bools():
    t = tf.constant(T)
    for operation in (
        lambda: t + t,
        lambda: t * t,
        lambda: -t,
        lambda: abs(t),
        lambda: t < t,
        lambda: tf.reduce_sum(t),
        lambda: tf.maximum(t, t),
    ):
        with pytest.raises(refused, match="attr 'T' of bool"):
            operation()
    assert (t & ~t).numpy().tolist() == [False, False] and (t == t).numpy().all()
    assert (tf.constant(I) & 1).numpy().tolist() == [1, 0] and (~tf.constant(I)).numpy().tolist() == [-2, -3]
    with pytest.raises(refused, match="BitwiseAnd.*tf.int32"):
        tf.constant(F) & tf.constant(F)


def test_equality_of_shapes_that_do_not_meet_is_false():
    a, b = tf.constant([1, 2]), tf.constant([1, 2, 3])
    for place in (tf.constant, tf.Variable):
        x = place([1, 2])
        for _ in range(2):
            assert (x == b).shape == () and not bool(x == b) and bool(x != b)
    for function in (tf.equal, tf.not_equal):
        with pytest.raises(refused, match="Incompatible shapes"):
            function(a, b)
    with pytest.raises(refused, match="Incompatible shapes"):
        a < b  # noqa: B015
    assert (a == [1, 3]).numpy().tolist() == [True, False] and (a == None) is False  # noqa: E711


def test_variables_are_copied_and_not_changed_by_operators():
    v = tf.Variable(F, name="weights", trainable=False)
    twin = {"a": v, "b": v}
    twin = copy.deepcopy(twin)
    assert twin["a"] is twin["b"] and twin["a"] is not v
    twin["a"].assign([5.0, 6.0])
    assert v.numpy().tolist() == F and (twin["a"].name, twin["a"].trainable) == ("weights", False)
    with pytest.raises(RuntimeError, match="assign_add"):
        v += 1
    with pytest.raises(RuntimeError, match=r"variable \* value"):
        v *= 2
    assert v.numpy().tolist() == F


def test_tensors_hold_attributes_of_the_programs_own():
    t = tf.constant(F)
    t.note = "mine"
    assert t.note == "mine" and copy.deepcopy(t).numpy().tolist() == F
    for name in ("shape", "dtype", "ndim"):
        with pytest.raises(AttributeError):
            setattr(t, name, 1)
    with pytest.raises(TypeError, match="item assignment"):
        t[0] = 3
