"""Few elements that are written: by keys, in place, into outputs, and what waits for it."""

import itertools

import numpy as np
import pytest
from small_arrays import NUMBERS_OF_PROCESSORS, values

import kasoku as ks
from kasoku import _core


def test_what_stretches_is_stored_where_it_fits_alone():
    whole, row = ks.array(np.ones((3, 4))), ks.array(np.arange(4.0))
    for _ in range(3):
        whole += row
        with pytest.raises(ValueError, match="broadcast"):
            row += whole
        whole[:, 1:] *= whole[:, :1]
    x = np.ones((3, 4))
    for _ in range(3):
        x += np.arange(4.0)
        x[:, 1:] *= x[:, :1]
    assert np.array_equal(whole.numpy(), x)


@pytest.mark.parametrize("size", [10, 100_000])
def test_an_array_is_written_where_its_views_see_it(size):
    """Views are not counted; whether there was one is known, and what was pending has what it read."""
    x = ks.ones(size).eval()
    for keeps in (True, False, True):
        view = x[1:]
        beyond = x + 0
        if not keeps:
            del view
        doubled, before = x * 2, float(x[0])
        x += 1
        assert float(doubled[-1]) == 2 * before and float(beyond[-1]) == before and float(x[-1]) == before + 1
        if keeps:
            assert float(view[-1]) == before + 1
            view *= 2
            assert float(x[0]) == before + 1 and float(x[-1]) == 2 * (before + 1)
            x[...] = before + 1
            assert float(view[-1]) == before + 1
    row = x.reshape(2, -1)
    del x
    row += 1
    assert float(row[1, -1]) == 5
    other = ks.ones((2, size // 2)) * 7
    seen = other[0]
    row[...] = other
    other += 1
    assert float(row[0, 0]) == 7 and float(seen[0]) == 8


@pytest.mark.parametrize("shared", [False, True])
def test_overlapping_memory_in_place(shared):
    make = ks.asarray if shared else ks.array
    a, b = np.arange(10.0), np.arange(10.0)
    x = make(b)
    for _ in range(3):
        for f in (
            lambda v: v[1:].__iadd__(v[:-1]),
            lambda v: v[:-1].__imul__(v[1:]),
            lambda v: v.__iadd__(v),
            lambda v: v.__itruediv__(9.0),
        ):
            f(a), f(x)
            np.testing.assert_array_equal(x.numpy(), a)
    x[1:-1] += x[2:]
    a[1:-1] += a[2:]
    np.testing.assert_array_equal(x.numpy(), a)
    if shared:
        np.testing.assert_array_equal(b, a)  # its memory


def test_in_place_keeps_the_dtype_and_refuses():
    x = ks.arange(5).eval()
    for _ in range(3):
        x += 1
        with pytest.raises(TypeError, match="cannot store the float64 result"):
            x /= 2
        with pytest.raises(OverflowError, match="out of bounds"):
            x += 2**64
    assert x.dtype == np.dtype("int64") and x.numpy().tolist() == [3, 4, 5, 6, 7]
    with pytest.raises(ValueError, match="read-only"):
        fixed = ks.broadcast_to(ks.ones(1).eval(), (5,))
        fixed += 1


def test_what_waits_reads_before_a_write():
    x = ks.zeros(5000).eval()
    waits = [x + 1]
    x[3] = 7
    waits.append(x + 1)
    x[:4] = ks.ones(4).eval()
    waits.append(x + 1)
    x[:2] += 5
    waits.append(x + 1)
    got = [w.numpy()[:5].tolist() for w in waits]
    assert got == [[1, 1, 1, 1, 1], [1, 1, 1, 8, 1], [2, 2, 2, 2, 1], [7, 7, 2, 2, 1]]


KEYS = [3, -1, slice(1, 5), slice(None), slice(None, None, -1), slice(7, 2, -2), slice(-3, 100), slice(5, 5), (1, 2), (slice(1, 3), -1),
        (0, slice(None, None, 2)), (slice(None), slice(2, None)), (slice(2, 0, -1), slice(None, None, -2)), (Ellipsis, 1), (None, 2)]  # fmt: skip


@pytest.mark.parametrize("shared", [False, True])
def test_keys_of_numbers_and_slices(shared):
    for shape, key in itertools.product([(10,), (4, 5), (3, 4, 2)], KEYS):
        a = np.arange(np.prod(shape), dtype="f4").reshape(shape)
        x = (ks.asarray if shared else ks.array)(a.copy())
        try:
            part = a[key]
        except IndexError as error:
            for _ in range(2):
                with pytest.raises(IndexError, match=str(error).split(":")[0].split(" is ")[0]):
                    x[key]
                with pytest.raises(IndexError):
                    x[key] = 1
            continue
        np.testing.assert_array_equal(x[key].numpy(), part)
        assert x[key].shape == part.shape
        for value in (
            7,
            2.5,
            np.float32(3),
            part * 2,
            part,
            part.astype("f8"),
            *([a.reshape(-1)[:1]] if part.ndim else []),
        ):
            ours = ks.array(value) if isinstance(value, np.ndarray) else value
            a[key] = value
            x[key] = ours
            np.testing.assert_array_equal(x.numpy(), a)
        a[key] = a[key][::-1] if part.ndim else a[key]
        x[key] = x[key][::-1] if part.ndim else x[key]
        np.testing.assert_array_equal(x.numpy(), a)


def test_views_of_what_is_read_only_are_read_only():
    z = ks.array([1 + 2j, 3], device="cpu")
    z.setflags(write=False)
    for view in (z.view("int64"), z.real, z.imag):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 7
    assert z.numpy().tolist() == [1 + 2j, 3]


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
def test_one_number_in_many_places(dtype):
    for key in (
        slice(None),
        slice(1, None, 3),
        slice(None, None, -1),
        (slice(None), slice(0, 1)),
        (slice(None, None, 2), slice(None, None, 5)),
    ):
        x = np.zeros((24, 11) if isinstance(key, tuple) else 260, dtype)
        y = ks.array(x)
        x[key] = y[key] = 1
        np.testing.assert_array_equal(y.numpy(), x)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_results_stored_in_memory_of_operands_are_numpys(dtype):
    """out= beside, in front of and behind an operand, in steps, and an operand itself; each time is as the first."""
    name = "logical_or" if dtype == "bool" else "add"
    places = [slice(0, 6), slice(1, 7), slice(2, 8), slice(0, 12, 2), slice(11, None, -2)]
    for left, right, into in itertools.product(places, repeat=3):
        mine, theirs = ks.array(values(dtype, 3).repeat(2)[:12]), values(dtype, 3).repeat(2)[:12]
        for _ in range(3):
            out = mine[into]
            assert getattr(ks, name)(mine[left], mine[right], out=out) is out
            getattr(np, name)(theirs[left], theirs[right], out=theirs[into])
        np.testing.assert_array_equal(mine.numpy(), theirs)


def test_results_are_stored_where_they_fit_alone():
    x, wide, narrow = ks.arange(4) * 1.0, ks.zeros(4), ks.zeros(4, dtype="float32")
    for _ in range(3):
        ks.add(x, x, out=wide)
        ks.add(x, 1, out=narrow)
        ks.sqrt(x, out=(wide,))
        ks.negative(x, out=wide)
        for shape, out, error in (((2, 4), None, None), ((3,), None, ValueError), ((4,), "int64", TypeError)):
            into = ks.zeros(shape, dtype=out or "float64")
            if error:
                with pytest.raises(error):
                    ks.add(x, x, out=into)
            else:
                assert ks.add(x, x, out=into).tolist() == [[0, 2, 4, 6]] * 2
        with pytest.raises(ValueError, match="read-only"):
            ks.add(x, x, out=ks.broadcast_to(wide, (4,)))
    assert wide.tolist() == [0, -1, -2, -3] and narrow.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "write", ["x[0] = 7.0", "x.fill(7)", "ks.add(y, y, out=x)", "x += y", "x[1:] = x[:-1]", "x[:2] = (7, 8.5)"]
)
def test_a_write_waits_for_those_that_read_and_for_no_others(write):
    names = {"x": ks.array(values("float64", 4)), "y": ks.array(values("float64", 5)), "ks": ks}
    x, before = names["x"], names["x"].numpy()
    theirs = {"x": before.copy(), "y": names["y"].numpy(), "ks": np}
    few = _core._few_at_once(False)
    with ks.eager(False):
        reader = x * 2  # a node of the graph
        _core._few_at_once(True)
        exec(write, names)
        np.testing.assert_array_equal(reader.numpy(), before * 2)
        exec(write, names)  # what read is over
    _core._few_at_once(few)
    exec(write, theirs)
    exec(write, theirs)
    np.testing.assert_array_equal(x.numpy(), theirs["x"])


def test_keys_with_an_ellipsis():
    x = np.arange(24.0).reshape(2, 3, 4)
    y = ks.array(x)
    parts = [..., 0, -1, None, slice(1, None), slice(None, None, -2), 5]
    for n in range(1, 5):
        for key in itertools.product(parts, repeat=n):
            if all(part is not ... for part in key):
                continue
            try:
                expected = x[key]
            except IndexError:
                with pytest.raises(IndexError):
                    y[key]
                continue
            assert y[key].shape == expected.shape and y[key].tolist() == expected.tolist(), key
            x[key] = -1 - x[key]
            y[key] = -1 - y[key]
            np.testing.assert_array_equal(y.numpy(), x)


def test_many_values_are_computed_where_a_statement_stores_them():
    """What reads elsewhere, its own elements or others; what has a name is stored and stays."""
    n = 50_000
    theirs, mine = np.linspace(0, 1, 2 * n), ks.array(np.linspace(0, 1, 2 * n))
    for _ in range(3):
        for x in (theirs, mine):
            x[n:] = x[:n] * 2 + 1
            x[1:-1] = x[1:-1] * 0.5 - x[1:-1]
            x[1:] = x[:-1] * 2 - x[1:]
            x[::-1] = x * 3 + 1
            x[:n] = named = x[n:] + 1
            x[:n] = x[:n] / 4
            x[2:] = (x[:-2] * 7).astype("float32")
            x[: n // 2] = x[0:1] + 1
            named[:10] = named[10:20] + named[:10]
            x[n:] = named * 0.125
        np.testing.assert_array_equal(mine.numpy(), theirs)
    views = (mine[:4] * 2 for _ in range(1))
    kept = (mine, slice(4, 8), next(views))
    expected = kept[2].tolist()
    kept[0].__setitem__(*kept[1:])
    mine[:4] = 0
    assert kept[2].tolist() == mine[4:8].tolist() == expected


@pytest.mark.parametrize("into", [*NUMBERS_OF_PROCESSORS, "float16", "complex64", "complex128"])
def test_a_number_of_another_dtype_is_stored_as_numpys_is(into):
    for dtype in [*NUMBERS_OF_PROCESSORS, "float16"]:
        for number in (0, 1, 100, 2.75):
            x, expected, value = ks.zeros(3, into), np.zeros(3, into), np.array(number).astype(dtype)[()]
            x[0], x[1], x[2] = value, ks.array(np.array([value]))[0], ks.array(np.array(value))
            expected[:] = value
            assert x.numpy().tobytes() == expected.tobytes(), (into, dtype, number)
    for number in (True, False):
        x, expected = ks.zeros(1, into), np.zeros(1, into)
        x[0] = expected[0] = number
        assert x.numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32"])
def test_lists_of_positions_and_flags_are_keys(dtype):
    plain = np.arange(12).reshape(4, 3).astype(dtype)
    for key in (
        [0, -1],
        [2],
        [[0, 1], [3, 3]],
        [True, False, True, True],
        [np.int64(1), 2],
        [False] * 4,
        [3, 0, 0],
        [[True], [1]],
    ):
        x, want = ks.array(plain), plain.copy()
        np.testing.assert_array_equal(x[key].numpy(), want[key])
        np.testing.assert_array_equal(x[:, 1][key].numpy(), want[:, 1][key])
        x[key], want[key] = 1, 1
        x[:, 1][key] = want[:, 1][key] = 0
        np.testing.assert_array_equal(x.numpy(), want)
    for key in ([4], [-5], [0.0], [True, False], [0, 1.5]):
        for get in (lambda x, key=key: x[key], lambda x, key=key: x.__setitem__(key, 1)):
            with pytest.raises(IndexError):
                get(plain)
            with pytest.raises(IndexError):
                get(ks.array(plain))


@pytest.mark.parametrize("n", [7, 2000, 10_000, 40_000])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
def test_elements_that_lie_apart_are_copied_in_order(n, dtype):
    a = (np.arange(3 * n) % 97 % (2 if dtype == "bool" else 97)).astype(dtype)
    x = ks.array(a)
    for part in (slice(None, None, 3), slice(None, None, -2), slice(1, -1), slice(n, n + 1)):
        assert np.array_equal(x[part].copy().numpy(), a[part])
        y, b = ks.zeros(3 * n, dtype), np.zeros(3 * n, dtype)
        y[part], b[part] = x[part], a[part]
        assert np.array_equal(y.numpy(), b)
        y[::3] = x[2::3]
        b[::3] = a[2::3]
        y[1:] = y[:-1]
        b[1:] = b[:-1].copy()
        assert np.array_equal(y.numpy(), b)
        y[:-2] = y[2:]  # the two overlap
        b[:-2] = b[2:].copy()
        assert np.array_equal(y.numpy(), b)
    table, t = x[: n // 7 * 21].reshape(n // 7, 21), a[: n // 7 * 21].reshape(n // 7, 21)
    for turned in (lambda m: m.T, lambda m: m[::-1, ::4].T, lambda m: m.reshape(-1, 7, 3).transpose(2, 0, 1)):
        assert np.array_equal(turned(table).copy().numpy(), turned(t))
