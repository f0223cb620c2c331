"""Methods of elementwise operations (reduce, accumulate, reduceat) against NumPy's, where there is little to join or not their usual dtype."""

import functools

import numpy as np
import pytest

import kasoku as ks

joins = "add multiply maximum minimum logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor fmax gcd"


def agree(function, *arrays):
    """What both give, as dtype, shape and elements, or that both raise a TypeError."""
    try:
        want = function(np, *(x.copy() for x in arrays))
    except TypeError:
        with pytest.raises(TypeError):
            function(ks, *map(ks.array, arrays))
        return
    got = function(ks, *map(ks.array, arrays))
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("name", joins.split())
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
@pytest.mark.parametrize("shape", [(1,), (1, 3)])
def test_what_joins_one_element_does_not_share_its_memory(name, method, shape):
    x = ks.array(np.full(shape, 6))
    result = getattr(getattr(ks, name), method)(x)
    before = result.numpy().copy()
    x[...] = 9
    assert np.array_equal(result.numpy(), before)
    assert (x.numpy() == 9).all()
    if result.ndim:
        result[...] = 0
        assert (x.numpy() == 9).all()


@pytest.mark.parametrize("name", joins.split())
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex128"])
def test_joined_elements_have_numpys_dtype(name, dtype):
    x = np.array([3, 0, 2, 5, 1]).astype(dtype)
    agree(lambda xp, x: getattr(xp, name).reduce(x), x)
    agree(lambda xp, x: getattr(xp, name).accumulate(x), x)
    agree(lambda xp, x: getattr(xp, name).reduceat(x, [0, 2, 1]), x)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_truths_are_joined_with_masks_and_beginnings(name):
    x = np.array([[3, 0, 2], [0, 0, 0], [1, 1, 5]])
    agree(lambda xp, x: getattr(xp, name).reduce(x, axis=1, initial=True), x)
    agree(lambda xp, x: getattr(xp, name).reduce(x, axis=0, where=x != 1), x)
    agree(lambda xp, x: getattr(xp, name).reduce(x, axis=None, initial=False, where=x > 1), x)
    agree(lambda xp, x: getattr(xp, name).reduce(x, dtype="float64"), x)
    agree(lambda xp, x: getattr(xp, name).reduce(x, axis=-1, initial=True), np.array(4))


def test_sums_of_pieces_lie_in_c_order():
    x = ks.array(np.arange(24.0).reshape(4, 6))
    assert all(ks.add.reduceat(x, [0, 2], axis=axis).flags.c_contiguous for axis in (0, 1))


in_order = (
    "subtract divide power floor_divide remainder fmod arctan2 copysign left_shift heaviside float_power equal less"
)


def same_or_both_refuse(function, *arrays):
    """What both give, as dtype, shape and elements, or that both raise one class of error."""
    try:
        with np.errstate(all="ignore"):
            want = function(np, *(x.copy() for x in arrays))
    except (TypeError, ValueError, IndexError) as error:
        kind = next(k for k in (TypeError, ValueError, IndexError) if isinstance(error, k))
        with pytest.raises(kind):
            function(ks, *map(ks.array, arrays))
        return
    got = function(ks, *map(ks.array, arrays))
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got.numpy(), want, rtol=2e-3 if want.dtype == "float16" else 1e-12)


def reduced(xp, x, name, axis, keepdims=False, initial=None, where=True):
    """ufunc.reduce; NumPy's values are those of a loop over its function, because its vectors join floats' powers wrongly."""
    options = {} if initial is None else {"initial": initial}
    function = getattr(xp, name)
    result = xp.asarray(function.reduce(x, axis=axis, keepdims=keepdims, where=where, **options))
    if xp is np and x.size and result.shape != x.shape:
        along = 0 if axis is None else axis[0] if isinstance(axis, tuple) else axis
        rows, marks = np.moveaxis(x, along, 0), np.moveaxis(np.broadcast_to(where, x.shape), along, 0)
        value = np.asarray(rows[0] if initial is None else np.full_like(rows[0], initial)).astype(result.dtype)
        for row, mark in list(zip(rows, marks))[initial is None :]:
            value = np.where(mark, function(value, row), value).astype(result.dtype)
        result = value.reshape(result.shape)
    return result


@pytest.mark.parametrize("name", in_order.split())
@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (3, 4), (2, 3, 2), (3, 0)])
def test_what_has_an_order_is_joined_one_element_after_the_other(name, dtype, shape):
    x = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 5 + 1).astype(dtype)
    for axis in (0, -1, None, 1, (0, 1)):
        for keepdims in (False, True):
            same_or_both_refuse(functools.partial(reduced, name=name, axis=axis, keepdims=keepdims), x)
    same_or_both_refuse(lambda xp, x: getattr(xp, name).accumulate(x), x)
    same_or_both_refuse(lambda xp, x: getattr(xp, name).accumulate(x, axis=-1), x)
    if len(shape) > 1:
        same_or_both_refuse(lambda xp, x: getattr(xp, name).accumulate(x.T, axis=-1), x)


@pytest.mark.parametrize("name", ["subtract", "divide", "power"])
def test_what_has_an_order_begins_with_a_number_and_leaves_out_what_a_mask_does(name):
    x = np.array([[3.0, 2, 1], [4, 2, 2]])
    same_or_both_refuse(lambda xp, x: reduced(xp, x, name, axis=1, initial=1.5), x)
    same_or_both_refuse(lambda xp, x: reduced(xp, x, name, axis=0, initial=1.5, where=x > 1), x)
    same_or_both_refuse(lambda xp, x: reduced(xp, x, name, axis=0, where=x > 1), x)
    same_or_both_refuse(lambda xp, x: xp.asarray(getattr(xp, name).reduce(x[0], dtype="float32")), np.array([[6.0, 1]]))


@pytest.mark.parametrize(
    ("name", "dtype", "value"),
    [("add", "bool", 1), ("add", "int64", 1.5), ("divide", "uint8", 2), ("maximum", "float64", 1j), ("subtract", "bool", 1),
     ("logical_xor", "int64", 1.0), ("multiply", "int32", 2.5), ("power", "float32", 2)],
)  # fmt: skip
@pytest.mark.parametrize("place", [[0, 0, 2], slice(1, None), np.array([True, False, True])])
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_what_is_joined_at_places_is_cast_to_the_arrays_dtype(name, dtype, value, place):
    x = np.array([6, 0, 7]).astype(dtype)
    y = ks.array(x)
    getattr(np, name).at(x, place, value)
    getattr(ks, name).at(y, ks.array(place) if isinstance(place, np.ndarray) else place, value)
    np.testing.assert_array_equal(y.numpy(), x)
