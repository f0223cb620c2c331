"""ufunc.reduceat and the bits of bytes against NumPy's."""

import numpy as np
import pytest

import kasoku as ks

numbers = np.random.default_rng(11)


def same(got, want):
    assert (got.dtype, got.shape, got.flags.c_contiguous) == (want.dtype, want.shape, True)
    np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize(
    "name", ["add", "multiply", "maximum", "bitwise_xor", "subtract", "gcd", "logical_and", "hypot"]
)
@pytest.mark.parametrize("starts", [[0], [2, 0, 2, 2, 6], [6, 1], [1, 2, 3, 4, 5], []])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_pieces_along_every_axis(form, name, starts, axis):
    kind = float if name == "hypot" else int
    x = numbers.integers(1, 9, (7, 8, 9)).astype(kind)
    want = getattr(np, name).reduceat(x, starts, axis=axis)
    got = getattr(ks, name).reduceat(ks.array(x), starts, axis=axis)
    assert got.shape == want.shape
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-14)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["add", "maximum", "multiply", "subtract", "divide"])
@pytest.mark.parametrize("n", [63, 64, 65, 200, 5000])
def test_long_pieces_have_numpys_dtype_and_values(form, dtype, name, n):
    x = numbers.integers(0, 2, n).astype(dtype) if name != "divide" else numbers.integers(1, 3, n).astype(dtype)
    starts = [0, 1, n // 3, n // 2]
    try:
        with np.errstate(all="ignore"):
            want = getattr(np, name).reduceat(x, starts)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(ks, name).reduceat(ks.array(x), starts)
        return
    got = getattr(ks, name).reduceat(ks.array(x), starts)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-3 if dtype == "float16" else 1e-6)


def test_pieces_of_views_with_dtype_and_out(form):
    x = numbers.normal(size=(40, 6))
    y = ks.array(x)
    for piece in (np.s_[::2, ::-1], np.s_[:, 3], np.s_[5:, 1:4]):
        for axis in range(x[piece].ndim):
            np.testing.assert_allclose(
                ks.add.reduceat(y[piece], [0, 2], axis).numpy(), np.add.reduceat(x[piece], [0, 2], axis), rtol=1e-13
            )
    same(ks.add.reduceat(y, [0, 3], dtype="int32"), np.add.reduceat(x.astype("int32"), [0, 3], dtype="int32"))
    out = ks.zeros((2, 6))
    assert ks.maximum.reduceat(y, np.array([0, 9], "uint8"), out=out) is out
    same(out, np.maximum.reduceat(x, [0, 9]))


@pytest.mark.parametrize(
    ("shape", "starts", "axis", "error"),
    [((3,), [3], 0, IndexError), ((3,), [-1], 0, IndexError), ((0,), [0], 0, IndexError), ((), [0], 0, TypeError),
     ((2, 2), [0], (0, 1), ValueError), ((3,), [[0]], 0, ValueError), ((3,), [0], 1, ValueError)],
)  # fmt: skip
def test_pieces_that_there_are_not(form, shape, starts, axis, error):
    with pytest.raises(error):
        np.add.reduceat(np.ones(shape), starts, axis=axis)
    with pytest.raises(error):
        ks.add.reduceat(ks.ones(shape), starts, axis=axis)


@pytest.mark.parametrize(
    "shape", [(0,), (1,), (7,), (8,), (9,), (64,), (1000,), (3, 5), (2, 8), (4, 17, 3), (), (0, 3), (3, 0)]
)
@pytest.mark.parametrize("order", ["big", "little"])
def test_bits_there_and_back(form, shape, order):
    for axis in (None, *range(-len(shape), len(shape))):
        for dtype in ("bool", "uint8", "int8", "int64"):
            x = numbers.integers(0, 3, shape).astype(dtype)
            same(ks.packbits(ks.array(x), axis, order), np.packbits(x, axis, order))
        x = numbers.integers(0, 256, shape).astype("uint8")
        for count in (None, 0, 1, 8, 9, 30, -1, -9):
            try:
                want = np.unpackbits(x, axis, count, order)
            except ValueError:
                continue
            if x.size == 0 and want.size:
                want = np.zeros_like(want)  # NumPy leaves what it finds in memory
            same(ks.unpackbits(ks.array(x), axis, count, order), want)


def test_what_has_no_bits(form):
    for x, function in ((np.ones(3), "packbits"), (np.ones(3, "int8"), "unpackbits")):
        for xp in (np, ks):
            with pytest.raises(TypeError):
                getattr(xp, function)(xp.array(x))
    for xp in (np, ks):
        with pytest.raises(ValueError, match="order"):
            xp.packbits(xp.array([1]), bitorder="middle")


def test_axes_are_turned_over_without_being_named(on_device):
    x = numbers.normal(size=(2, 3, 4))
    np.testing.assert_array_equal(ks.permute_dims(ks.array(x)).numpy(), np.permute_dims(x))
