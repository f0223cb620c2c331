"""Forms of indices that arrays take as NumPy's do."""

import numpy as np
import pytest

import kasoku as ks

FORMS = [
    [], [[]], ([[]],), np.array([], np.int32), np.array([], bool), (slice(None), np.array([], bool)),
    np.array([[], []], bool), np.empty((0, 0, 4), bool), (np.empty((0, 3), bool), np.empty(0, bool)),
    True, False, (True,), (False, True), (True, [True, False]), (False, [True, False]), (True, [[1]], slice(1, 2)),
    (True, [[1]], slice(1, 2), True), (False, [[1]], slice(1, 2), False), (..., True), np.bool_(True), np.array(False),
    (1, True), (True, 1), (None, True), (slice(None), [0, 1], ..., [0, 1]), ([0, 1], [0, 1], ...),
    (slice(None), [0, 1], [0, 1], ...), ([0, 1], None, [0, 1]), (0, ..., [0, 1]), (np.ones((2, 3), bool), ..., [0]),
]  # fmt: skip


@pytest.mark.parametrize("index", FORMS, ids=repr)
def test_reading_and_writing(index, device):
    host = np.arange(24.0).reshape(2, 3, 4)
    x = ks.array(host, device=device)
    want = host[index]
    got = x[index]
    assert got.shape == want.shape and (got.numpy() == want).all()
    x[index] = -1
    host[index] = -1
    assert (x.numpy() == host).all()


@pytest.mark.parametrize("index", [True, False, (True, True), (False, True)], ids=repr)
def test_arrays_without_axes(index, device):
    host = np.array(5.0)
    x = ks.array(host, device=device)
    assert x[index].shape == host[index].shape
    x[index] = 7
    host[index] = 7
    assert x.item() == host


@pytest.mark.parametrize(
    "index", [np.empty((0, 1), bool), np.zeros(3, bool), np.array([], float), np.array([1.0])], ids=repr
)
def test_refusals(index):
    with pytest.raises(IndexError):
        ks.array(np.zeros((2, 3, 4)))[index]
