"""Few elements that an array names are read, written and joined at once, with what NumPy gives, and with the bits of the long way."""

import numpy as np
import pytest

import kasoku as ks

dtypes = ["bool", "int8", "int32", "int64", "float16", "float32", "float64", "complex128"]


def pair(values):
    return values.copy(), ks.array(values)


def values_of(shape, dtype):
    rng = np.random.default_rng(3)
    values = rng.integers(-100, 100, shape)
    return values % 2 == 0 if dtype == "bool" else values.astype(dtype)


def places_of(n, shape):
    return np.random.default_rng(4).integers(-n, n, shape)


shapes = [
    ((7,), (5,)),
    ((7,), (2, 3)),
    ((7,), (0,)),
    ((900,), (1000,)),
    ((6, 3), (4,)),
    ((6, 3, 2), (2, 2)),
    ((1, 4), (3,)),
    ((4, 0), (2,)),
]


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize(("shape", "many"), shapes)
def test_elements_and_rows_that_positions_name(dtype, shape, many):
    plain, x = pair(values_of(shape, dtype))
    at, places = pair(places_of(shape[0], many))
    got, want = x[places], plain[at]
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_array_equal(got.numpy(), want)
    got[...] = 0  # a copy
    np.testing.assert_array_equal(x.numpy(), plain)


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize(("shape", "many"), shapes)
def test_elements_and_rows_are_stored_at_positions_the_last_one_stays(dtype, shape, many):
    plain, x = pair(values_of(shape, dtype))
    at, places = pair(places_of(shape[0], many))
    given, values = pair(values_of(many + shape[1:], dtype)[..., ::1])
    plain[at] = given
    x[places] = values
    np.testing.assert_array_equal(x.numpy(), plain)
    plain[at] = 1
    x[places] = 1
    np.testing.assert_array_equal(x.numpy(), plain)


@pytest.mark.parametrize("step", [-2, 2])
def test_views_in_steps(step):
    plain, x = pair(np.arange(20.0))
    at, places = pair(places_of(10, 8))
    np.testing.assert_array_equal(x[::step][places].numpy(), plain[::step][at])
    x[::step][places] = ks.arange(8.0)
    plain[::step][at] = np.arange(8.0)
    np.testing.assert_array_equal(x.numpy(), plain)
    np.testing.assert_array_equal(ks.arange(20.0)[places[::step]].numpy(), np.arange(20.0)[at[::step]])


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", [(9,), (1000,), (3, 4)])
def test_elements_that_a_mask_chooses(dtype, shape):
    plain, x = pair(values_of(shape, dtype))
    chosen, mask = pair(values_of(shape, "bool"))
    np.testing.assert_array_equal(x[mask].numpy(), plain[chosen])
    x[mask] = 1
    plain[chosen] = 1
    np.testing.assert_array_equal(x.numpy(), plain)


def test_what_is_read_and_written_may_be_one_array():
    plain, x = pair(places_of(50, 50))
    np.testing.assert_array_equal(x[x].numpy(), plain[plain])
    x[x] = x
    plain[plain.copy()] = plain.copy()
    np.testing.assert_array_equal(x.numpy(), plain)
    plain, x = pair(np.arange(10.0))
    at, places = pair(np.arange(9, -1, -1))
    x[places] = x
    plain[at] = plain.copy()
    np.testing.assert_array_equal(x.numpy(), plain)
    x[places[1:]] = x[:9]
    plain[at[1:]] = plain[:9].copy()
    np.testing.assert_array_equal(x.numpy(), plain)
    flags, mask = pair(np.array([True, False, True]))
    mask[mask] = False
    assert not mask.any()


def test_what_is_pending_reads_what_was_there():
    x = ks.ones(5000)
    before, places = x + 1, ks.array([1, 2])
    x[places] = 5
    assert before[1] == 2 and x[1] == 5


@pytest.mark.parametrize("at", [[0, 7], [-8, 0]])
def test_positions_outside_are_refused_and_nothing_is_written(at):
    x, places = ks.zeros(7), ks.array(at)
    for write in (
        lambda: x[places],
        lambda: x.__setitem__(places, 1.0),
        lambda: x.__setitem__(places, ks.ones(2)),
        lambda: ks.add.at(x, places, 1.0),
    ):
        with pytest.raises(IndexError, match=f"index {7 if 7 in at else -8} is out of bounds for axis 0 with size 7"):
            write()
    assert not x.any()


def test_an_array_of_no_axes_has_no_positions():
    x, places = ks.zeros(()), ks.array([0])
    for write in (lambda: x[places], lambda: x.__setitem__(places, ks.ones(()) + 0), lambda: ks.add.at(x, places, 1.0)):
        with pytest.raises(IndexError, match="too many indices"):
            write()


def test_a_read_only_array_is_not_written():
    x = ks.broadcast_to(ks.zeros(3), (3,))
    for value in (1.0, ks.ones(1)):
        with pytest.raises(ValueError, match="read-only"):
            x[ks.array([1])] = value
    with pytest.raises(ValueError, match="read-only"):
        x[ks.array([True, False, False])] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        ks.add.at(x, ks.array([1]), 1.0)


def test_values_that_do_not_fit_are_refused_as_by_numpy():
    x = ks.zeros(3, dtype="int8")
    with pytest.raises(OverflowError):
        x[ks.array([1])] = 300
    with pytest.raises(ValueError, match="broadcast"):
        x[ks.array([1, 2])] = ks.zeros(3, dtype="int8")
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[ks.array([True, False])] = 1


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64", "int8", "float16"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
@pytest.mark.parametrize("value", ["one", "each"])
def test_joined_at_positions_each_value_counts(name, dtype, value):
    plain, x = pair(values_of(30, "int64").astype(dtype) % 7)
    at, places = pair(places_of(30, 80))
    given = 3 if value == "one" else values_of(80, "int64").astype(dtype) % 3
    getattr(np, name).at(plain, at, np.asarray(given, dtype))
    getattr(ks, name).at(x, places, given if value == "one" else ks.array(given))
    np.testing.assert_array_equal(x.numpy(), plain)


def test_put_and_bincount_of_few():
    plain, x = pair(np.arange(10.0))
    at, places = pair(places_of(10, 6))
    np.put(plain, at, np.arange(6.0))
    ks.put(x, places, ks.arange(6.0))
    np.testing.assert_array_equal(x.numpy(), plain)
    for mode in ("wrap", "clip"):
        np.put(plain, at + 12, np.arange(6.0), mode=mode)
        ks.put(x, places + 12, ks.arange(6.0), mode=mode)
        np.testing.assert_array_equal(x.numpy(), plain)
    n = np.random.default_rng(0).integers(0, 9, 50)
    for weights in (None, np.linspace(0, 1, 50), np.linspace(0, 1, 50).astype("float32")):
        got = ks.bincount(ks.array(n), None if weights is None else ks.array(weights), 12)
        np.testing.assert_array_equal(got.numpy(), np.bincount(n, weights, 12))
