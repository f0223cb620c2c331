"""Methods of elementwise operations (reduce, accumulate, reduceat) against NumPy's, where there is little to join or not their usual dtype."""

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
