"""order=: how new arrays, copies and conversions lie in memory, against NumPy's strides."""

import numpy as np
import pytest

import kasoku as ks

HOST = np.arange(24.0).reshape(2, 3, 4)
LAYOUTS = {
    "rows": HOST,
    "columns": np.asfortranarray(HOST),
    "turned": HOST.transpose(1, 2, 0),
    "turned back": HOST.transpose(2, 0, 1),
    "with gaps": HOST[:, ::2],
    "a part by columns": HOST.T[:, 1:],
}


@pytest.fixture(params=LAYOUTS, ids=str)
def numpys(request):
    return LAYOUTS[request.param].copy(order="K")


def alike(ours, numpys):
    assert ours.strides == numpys.strides
    np.testing.assert_array_equal(ours.numpy(), numpys)


@pytest.mark.parametrize("order", "CFAK")
def test_copies_and_conversions(numpys, order):
    alike(ks.array(numpys, order=order), np.array(numpys, order=order))
    ours = ks.array(numpys, order="K")
    assert ours.strides == numpys.strides
    alike(ks.array(ours, order=order), np.array(numpys, order=order))
    alike(ks.copy(ours, order), np.copy(numpys, order))
    alike(ours.copy(order), numpys.copy(order))
    alike(ours.astype("float32", order=order), numpys.astype("float32", order=order))
    if order != "A":  # where asarray() is NumPy's K and astype() its C
        alike(ks.asarray(ours, "float32", order=order), np.asarray(numpys, "float32", order=order))


@pytest.mark.parametrize("order", "CFAK")
def test_what_lies_so_is_no_copy(numpys, order):
    ours = ks.array(numpys, order="K")
    alike(ks.asarray(ours, order=order), np.asarray(numpys, order=order))
    is_same = np.asarray(numpys, order=order) is numpys
    assert (ks.asarray(ours, order=order) is ours) == is_same
    if order != "A":
        assert (ours.astype(ours.dtype, False, order=order) is ours) == is_same
    assert ours.astype(ours.dtype, False) is ours
    assert ks.asarray(ours, order=order, copy=True) is not ours
    if not is_same:
        with pytest.raises(ValueError, match="copy=False, but a copy is needed"):
            ks.asarray(ours, order=order, copy=False)


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("shape", [None, (3, 5), (4, 2, 3)])
def test_arrays_like_others(numpys, order, shape):
    ours = ks.array(numpys, order="K")
    for name in ("zeros_like", "ones_like"):
        alike(getattr(ks, name)(ours, order=order, shape=shape), getattr(np, name)(numpys, order=order, shape=shape))
    alike(ks.full_like(ours, 7, order=order, shape=shape), np.full_like(numpys, 7, order=order, shape=shape))
    assert (
        ks.empty_like(ours, order=order, shape=shape).strides == np.empty_like(numpys, order=order, shape=shape).strides
    )


@pytest.mark.parametrize("order", "CF")
def test_new_arrays(order, device):
    row = np.arange(4)
    alike(ks.zeros((2, 3, 4), device=device, order=order), np.zeros((2, 3, 4), order=order))
    alike(ks.ones((2, 3, 4), "int32", device, order=order), np.ones((2, 3, 4), "int32", order=order))
    alike(ks.full((2, 3, 4), 7, device=device, order=order), np.full((2, 3, 4), 7, order=order))
    alike(ks.full((3, 4), row, device=device, order=order), np.full((3, 4), row, order=order))
    alike(ks.eye(3, 4, 1, device=device, order=order), np.eye(3, 4, 1, order=order))
    assert ks.empty((2, 3), device=device, order=order).strides == np.empty((2, 3), order=order).strides
    by_columns = np.asfortranarray(HOST)
    alike(ks.array(by_columns, device=device, order="K"), by_columns)


def test_one_row_fills_an_array_like_another():
    alike(ks.full_like(ks.zeros((2, 3)), [1, 2, 3]), np.full_like(np.zeros((2, 3)), [1, 2, 3]))


def test_an_order_that_there_is_not():
    with pytest.raises(ValueError, match="order must be one of 'C' or 'F' \\(got 'K'\\)"):
        ks.zeros(3, order="K")
    with pytest.raises(ValueError, match="order must be one of 'C', 'F', 'A', or 'K' \\(got 'X'\\)"):
        ks.copy(ks.zeros(3), "X")
    with pytest.raises(TypeError, match="order must be a text, not int"):
        ks.ones(3, order=3)
