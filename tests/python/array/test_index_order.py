"""What arrays of indices and masks choose lies in memory in the order that NumPy gives it."""

import kasoku as ks
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def meaningful(strides, shape):
    """Strides of axes along which there is anything to move."""
    return [s for s, n in zip(strides, shape, strict=True) if n > 1] if 0 not in shape else []


@st.composite
def laid_out(draw, shape, values):
    """An array of this shape whose memory has other axes outside, is reversed, or has gaps."""
    order = draw(st.permutations(range(len(shape))))
    gaps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    wide = values(tuple(shape[d] * abs(gaps[d]) for d in order))
    return np.transpose(wide, np.argsort(order))[tuple(slice(None, None, g) for g in gaps)]


@st.composite
def programs(draw, lengths):
    """An array and an index of it: integers, masks, slices, numbers, new axes and an ellipsis."""
    shape = draw(st.lists(st.sampled_from(lengths), min_size=1, max_size=4))
    x = draw(laid_out(shape, lambda s: np.arange(float(np.prod(s))).reshape(s)))
    together = draw(st.lists(st.sampled_from([1, 2, 3]), max_size=3))
    mask_axes = draw(st.integers(0, len(shape)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    index, d, seen_mask = [], 0, False
    while d < len(shape):
        kind = draw(st.sampled_from(["array", "array", "slice", "number", "new", "mask", "rest"]))
        if kind == "array":
            own = [draw(st.sampled_from([n, n, 1])) for n in together][draw(st.integers(0, len(together))) :]
            index.append(draw(laid_out(own, lambda s, n=shape[d]: rng.integers(-n, n, s))))
            d += 1
        elif (
            kind == "mask"
            and not seen_mask
            and d + mask_axes <= len(shape)
            and mask_axes
            and max(together, default=1) == 1
        ):
            index.append(draw(laid_out(shape[d : d + mask_axes], lambda s: rng.random(s) < 0.6)))
            d, seen_mask = d + mask_axes, True
        elif kind == "slice":
            index.append(slice(None, None, draw(st.sampled_from([1, -1, 2]))))
            d += 1
        elif kind == "number":
            index.append(draw(st.integers(-shape[d], shape[d] - 1)))
            d += 1
        elif kind == "new":
            index.append(None)
        elif kind == "rest" and Ellipsis not in [i for i in index if not isinstance(i, np.ndarray)]:
            skipped = draw(st.integers(0, len(shape) - d))
            index.append(...)
            if skipped == len(shape) - d:
                break
            # What comes after an ellipsis stands at the end: it stays whole here.
            index.extend([slice(None)] * (len(shape) - d - skipped))
            break
    return x, tuple(index)


def agrees(x, index, device):
    want = x[index]
    ours = tuple(ks.asarray(i, device=device) if isinstance(i, np.ndarray) else i for i in index)
    for form in (ours, index):
        got = ks.asarray(x, device=device)[form]
        assert got.shape == want.shape
        assert np.array_equal(got.numpy(), want)
        if any(isinstance(i, np.ndarray) for i in index):
            assert meaningful(got.strides, got.shape) == meaningful(want.strides, want.shape)


@settings(max_examples=400, deadline=None)
@given(program=programs([1, 2, 3, 4]))
def test_few_elements(program):
    agrees(*program, "cpu")


@settings(max_examples=60, deadline=None)
@given(program=programs([1, 24, 29]))
def test_elements_for_a_kernel(program):
    agrees(*program, "cpu")


F = np.asfortranarray([[0, 1, 2], [2, 1, 0]])
C = F.copy("C")
INDICES = [
    (F,), (C,), (F, F), (F, slice(None), F), (slice(None), F), (F, F, F), (F, C, F), (slice(None), [0, 1]), ([0, 1], ..., [1, 2]),
    (slice(None), 0, [0, 1]), (slice(None), None, [0, 1]), ([[0], [1]], [0, 1, 2]), (slice(None), slice(1, 3), [0, 2, 1]), (F[::-1],),
    (np.broadcast_to(np.arange(3), (4, 3)), 1, np.broadcast_to(np.arange(4), (3, 4)).T),
]  # fmt: skip


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)], ids=str)
@pytest.mark.parametrize("n", [6, 40])
def test_forms(axes, n, device):
    host = np.arange(n**3, dtype=np.float32).reshape(n, n, n)
    x = ks.array(host, device=device).transpose(axes)
    host = host.transpose(axes)
    for index in INDICES:
        want, got = host[index], x[index]
        assert got.shape == want.shape and np.array_equal(got.numpy(), want)
        assert meaningful(got.strides, got.shape) == meaningful(want.strides, want.shape), index
        assert np.array_equal((got * 2 + 1).numpy(), want * 2 + 1)
        got[...] = 0
        assert not got.numpy().any()


@pytest.mark.parametrize("axis", [0, 1, 2, None])
def test_take_gives_c_order(axis, device):
    host = np.arange(60.0).reshape(3, 4, 5).transpose(2, 0, 1)
    x = ks.array(np.arange(60.0).reshape(3, 4, 5), device=device).transpose(2, 0, 1)
    for index in (np.array([2, 0]), F, np.array(1)):
        want, got = np.take(host, index, axis=axis), ks.take(x, ks.array(index, device=device), axis=axis)
        assert np.array_equal(got.numpy(), want)
        assert meaningful(got.strides, got.shape) == meaningful(want.strides, want.shape)
