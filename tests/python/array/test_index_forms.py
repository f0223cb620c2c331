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


def test_new_axes_and_elements_as_indices(device):
    host = np.arange(60.0).reshape(3, 4, 5)
    x = ks.array(host, device=device)
    numbers = {name: ks.array(np.array([2, 1], dtype=name), device=device) for name in ("int64", "uint8", "uint64")}
    for k, numpys in [(2, 2), *((v[0], np.array([2, 1], dtype=name)[0]) for name, v in numbers.items())]:
        for f in (
            lambda a, k: a[None], lambda a, k: a[:, None], lambda a, k: a[..., None], lambda a, k: a[None, k, None],
            lambda a, k: a[k], lambda a, k: a[k, k], lambda a, k: a[k, k, k], lambda a, k: a[:k], lambda a, k: a[-1, k:, None],
            lambda a, k: a[:, :, :, None], lambda a, k: a[None, :, None, :, None, k], lambda a, k: a[1:k, None, ::k],
        ):  # fmt: skip
            np.testing.assert_array_equal(f(x, k).numpy(), f(host, numpys))
            assert f(x, k).shape == f(host, numpys).shape
    for k in (numbers["int64"][0], 2):
        y, expected = x.copy(), host.copy()
        y[:, None, k], expected[:, None, 2] = ks.ones(5, device=device), np.ones(5)
        y[k, None], expected[2, None] = y[0] * 2, expected[0] * 2
        y[None, k, k, k], expected[None, 2, 2, 2] = 7, 7
        y[0, :k, None], expected[0, :2, None] = y[0, :1, None], expected[0, :1, None]
        np.testing.assert_array_equal(y.numpy(), expected)
    for bad in (lambda: x[numbers["int64"][0] + 1], lambda: x[None, 0, 0, 0, 0], lambda: x[0, None, 9]):
        with pytest.raises(IndexError):
            bad()
    with pytest.raises(ValueError, match="could not broadcast"):
        x[0, None] = ks.ones((2, 4, 5), device=device)
    with pytest.raises(ValueError, match="read-only"):
        ks.broadcast_to(ks.ones(3, device=device), (2, 3))[0] = ks.ones(3, device=device)
