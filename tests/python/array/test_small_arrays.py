"""Operations on few elements that are met again take a shorter way: the same bits, dtypes, errors and order as the first time."""

import gc
import itertools
import math
import operator
import threading
import weakref

import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

DTYPES = ["bool", "uint8", "int32", "float32", "float64", "complex128"]  # the library brings their code along
ROWS = [(name, arity) for name, arity, *_ in _core._ops() if arity < 3]


def values(dtype, seed):
    x = np.random.default_rng(seed).integers(1, 9, 10).astype(dtype)
    return x / 8 if x.dtype.kind in "fc" else x


def outcome(call):
    """Dtype and bytes, or the error."""
    try:
        with np.errstate(all="ignore"):
            x = call()
    except Exception as error:
        return type(error), str(error)
    return str(x.dtype), x.shape, np.asarray(x.numpy()).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_second_time_is_as_the_first(dtype):
    x, y = ks.array(values(dtype, 1)), ks.array(values(dtype, 2))
    for name, arity in ROWS:
        f = getattr(ks, name)
        operands = (
            [(x,)]
            if arity == 1
            else [(x, y), (x, x), (x, 2), (2, x), (x, 1.5), (1.5, x), (x, 300), (x, -1), (x, 2**63), (x, 0.5)]
        )
        for case in operands:
            before = _core._few_at_once(False)  # the graph knows no second time
            expected = outcome(lambda f=f, case=case: f(*case))
            _core._few_at_once(before)
            for _ in range(3):
                assert outcome(lambda f=f, case=case: f(*case)) == expected, (name, dtype, case)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "bool"]
)
def test_an_element_beside_numbers_at_the_bounds_of_dtypes(dtype):
    """What was read, an array of no axes that can be written, and a number on either side, which fits or does not."""
    numbers = [n + d for n in (0, 2**7, 2**8, 2**15, 2**16, 2**31, 2**32, 2**63, 2**64) for d in (-1, 0)]
    numbers = [0.5, *numbers, *(-n for n in numbers)]
    for x in (ks.array(np.array([7, 1], dtype))[0], ks.array(np.array(1, dtype))):
        for n, op in itertools.product(
            numbers, (operator.add, operator.and_, operator.rshift, operator.eq, operator.lt)
        ):
            for call in (lambda x=x, n=n, op=op: op(x, n), lambda x=x, n=n, op=op: op(n, x)):
                before = _core._few_at_once(False)
                expected = outcome(call)
                _core._few_at_once(before)
                assert [outcome(call) for _ in range(3)] == [expected] * 3, (dtype, n, op)


def test_dtypes_are_looked_at_each_time():
    x, flags = ks.ones(4, dtype="float32").eval(), ks.array([True, False])
    for _ in range(3):
        assert (x + x).dtype == (x + 1).dtype == (2.5 * x).dtype == np.dtype("float32")
        assert ks.add(x, x, dtype="float64").dtype == (x + ks.ones(4).eval()).dtype == np.dtype("float64")
        assert (flags + flags).dtype == np.dtype("bool") and (flags + 1).dtype == np.dtype("int64")
        assert (x**2).dtype == (x**0.5).dtype == np.dtype("float32") and (ks.arange(4) ** 2.0).dtype == np.dtype(
            "float64"
        )


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
@pytest.mark.parametrize(
    "shapes",
    [((3, 1), (4,)), ((4,), (3, 4)), ((2, 1, 4), (3, 1)), ((), (3, 4)), ((1, 1), (3, 4)), ((1,), ()), ((40, 1), (40,))],
)
def test_shapes_that_meet_are_stretched_however_often(dtype, shapes):
    """Numbers that are memory, rows and columns, however they lie; more elements than are put in order at once too."""
    a, b = (np.resize(values(dtype, 3), math.prod(shape) * 2)[::2].reshape(shape) for shape in shapes)
    for x, y in ((a, b), (a.T, b[::-1] if b.ndim else b), (a[..., ::-1] if a.ndim else a, b)):
        for ours in ((ks.array(x), ks.array(y)), (ks.array(x.T).T, ks.array(y))):
            for f in (operator.add, operator.mul, operator.lt, np.true_divide, np.logical_and):
                try:
                    expected = f(x, y)
                except ValueError:  # turned about they may not meet
                    expected = None
                for _ in range(3):
                    if expected is None:
                        with pytest.raises(ValueError, match="broadcast"):
                            f(*ours)
                    else:
                        result = f(*ours)
                        assert result.dtype == expected.dtype and result.shape == expected.shape
                        assert np.array_equal(result.numpy(), expected)


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


def test_shapes_are_looked_at_each_time():
    x, y, column = ks.ones(4).eval(), ks.ones(4).eval(), ks.ones((4, 1)).eval()
    for _ in range(3):
        assert (x + y).shape == (4,)
        assert (x + column).shape == (4, 4)
        assert (column + column).shape == (4, 1)
        assert (x[::2] + y[::2]).shape == (2,)
        with pytest.raises(ValueError, match="do not broadcast"):
            x + ks.ones(3)


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


def test_an_element_is_what_it_was():
    x = ks.array([1.0, 2.0, 3.0])
    a, b = x[1], x[-1]
    x[1], x[2] = 5, a
    assert float(a) == 2 and float(b) == 3 and x.numpy().tolist() == [1, 5, 2]
    assert (a + b).shape == () and float(a + b) == 5 and float(x[0] + 1) == 2
    assert a.dtype == x.dtype and float(np.asarray(a)) == 2
    np.testing.assert_array_equal((x * a).numpy(), [2, 10, 4])
    with pytest.raises(ValueError, match="read-only"):
        a[...] = 1


def test_each_operation_is_counted():
    x = ks.ones(10).eval()
    x + x, x * 2.0
    before = ks.stats()
    x + x, x * 2.0, -x
    x += x
    used = ks.stats() - before
    assert used.launches == 4
    assert used.allocations == 3


def test_counts_of_threads_that_are_gone_stay():
    x = ks.ones(10).eval()
    x + x

    def work():
        for _ in range(100):
            x + x

    for _ in range(3):
        before = ks.stats()
        threads = [threading.Thread(target=work) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (ks.stats() - before).launches == 500


def test_threads_read_what_others_write():
    x, one, stop = ks.zeros(10).eval(), ks.ones(10).eval(), threading.Event()

    def read():
        while not stop.is_set():
            assert (x + one).shape == (10,)
            x[3], x[2:5]

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(2000):
        x += one
    stop.set()
    for reader in readers:
        reader.join()
    assert x.numpy().tolist() == [2000] * 10


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "complex128"]
)
def test_what_is_computed_of_elements_is_numpys_however_often(dtype):
    a = np.array([3, 1, 0, 2], dtype)
    x = ks.array(a)
    with np.errstate(all="ignore"):
        for f in (
            lambda v: v[0] + v[1],
            lambda v: v[0] * v[0] - v[1],
            lambda v: v[1] == v[3],
            lambda v: v[0] / v[3],
            lambda v: v * v[3],
            lambda v: v[0] + v,
            lambda v: abs(v[0] * v[3]),
            lambda v: v[0] * 2 + 1,
            lambda v: 2.5 * v[3],
            lambda v: v[3] ** 2,
            lambda v: v[2] // v[1],
        ):
            try:
                expected = f(a)
            except TypeError:
                with pytest.raises(TypeError):
                    f(x)
                continue
            for _ in range(3):
                got = f(x)
                assert got.dtype == expected.dtype and got.shape == expected.shape
                np.testing.assert_array_equal(got.numpy(), expected)


def test_what_is_computed_of_elements_is_a_value():
    x = ks.array(np.arange(4.0))
    for _ in range(3):
        s = x[3] * x[2]
        t = s
        s += 1
        assert float(t) == 6 and float(s) == 7 and (x == ks.arange(4.0)).all()
        with pytest.raises(ValueError, match="read-only"):
            s[...] = 3


NUMBERS = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "bool",
]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_elements_are_computed_as_arrays_are(dtype):
    if np.dtype(dtype).kind == "f":
        edges = [0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, np.finfo(dtype).max, np.finfo(dtype).tiny]
    elif dtype == "bool":
        edges = [0, 1]
    else:
        edges = [0, 1, 3, 7, 8, 31, 63, 64, 100, np.iinfo(dtype).max, np.iinfo(dtype).min, np.iinfo(dtype).max - 1]
    with np.errstate(all="ignore"):
        x = ks.array(np.array(edges).astype(dtype))
    rows = [(name, arity) for name, arity in ROWS if name != "power"]  # its numbers decide what it is
    for name, arity in rows:
        f = getattr(ks, name)
        at = np.array(list(itertools.product(range(len(edges)), repeat=arity))).T
        before = _core._few_at_once(False)
        try:
            expected = f(*(x[i] for i in at)).numpy()
        except TypeError:
            continue
        finally:
            _core._few_at_once(before)
        for k, pair in enumerate(at.T):
            operands = [x[int(i)] for i in pair]
            for _ in range(1 + (k == 0)):  # what was computed before takes another way
                got = f(*operands)
            assert (got.dtype, got.shape) == (expected.dtype, ())
            assert got.numpy().tobytes() == expected[k].tobytes(), (name, dtype, [edges[i] for i in pair])


def test_elements_meet_numbers_of_pythons():
    for dtype in ("int8", "uint8", "int64", "float32", "float64"):
        x, host = ks.array([3, 100], dtype=dtype), np.array([3, 100], dtype=dtype)
        for _ in range(3):
            for f in (
                lambda v: v + 1, lambda v: 100 - v, lambda v: v * 2.5, lambda v: 0.1 + v, lambda v: v / 7,
                lambda v: v > 3, lambda v: 3.5 <= v, lambda v: v == 100, lambda v: -v, lambda v: v != 1000,
                lambda v: v + 1000, lambda v: v >> 1, lambda v: 1 & v, lambda v: v << 3, lambda v: v**2,
            ):  # fmt: skip
                for i in (0, 1):
                    with np.errstate(all="ignore"):
                        try:
                            expected = f(host[i])
                        except (TypeError, OverflowError) as error:
                            with pytest.raises(type(error)):
                                f(x[i])
                            continue
                    ours = f(x[i])
                    assert (ours.dtype, ours.shape) == (expected.dtype, ())
                    assert ours.tolist() == expected.tolist()


def test_an_answer_is_a_value_that_branches():
    x = ks.array([1.0, 2.0])
    for _ in range(3):
        t, f = x[0] < x[1], x[0] > x[1]
        assert t and not f and t.dtype == np.dtype("bool") and t.shape == ()
        with pytest.raises(ValueError, match="read-only"):
            t[...] = False
        both = t
        both &= f
        assert t.tolist() is True and both.tolist() is False
    assert [10, 20][ks.array([0, 1])[1]] == 20 and int(x[1]) == 2 and float(x[1]) == 2.0
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(TypeError):
        [1, 2][x[0]]


def test_elements_beside_sums():
    """A sum is an array that += changes; an element is a value; what is computed of a sum is an array too."""
    x = ks.array([1.0, 2.0, 4.0])
    for _ in range(3):
        total = (x @ x).eval()
        alias = total
        y = x[0] + total
        total += x[1]
        assert (float(y), float(alias), float(total - x[2])) == (22.0, 23.0, 19.0)
        for f in (
            lambda d, v: d + v,
            lambda d, v: v - d,
            lambda d, v: d > v,
            lambda d, v: -d,
            lambda d, v: 2 * d,
            lambda d, v: d / d,
        ):
            mixed = f(total, x[1])
            assert mixed.shape == () and mixed.tolist() == f(23.0, 2.0)
            mixed[...] = 0
            assert float(total) == 23.0 and not mixed
        pending = x.sum()
        later = pending * 2
        assert (pending + x[0]).tolist() == 8.0 and later.tolist() == 14.0
    counts = ks.array([3, 4]).sum().eval()
    assert [(counts // 2).tolist(), (counts / 2).tolist(), (counts + 2.5).tolist(), (counts & 3).tolist()] == [
        3,
        3.5,
        9.5,
        3,
    ]
    assert (counts / 2).dtype == (counts + 2.5).dtype == np.dtype("float64")
    with pytest.raises(OverflowError):
        ks.array([1], dtype="int8").sum(dtype="int8").eval() + 1000


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64", "complex128"])
def test_few_elements_with_gaps(dtype):
    """Columns, steps, reversed axes and single rows that stretch, on their own, beside others and in place."""
    host = values(dtype, 3).repeat(60).reshape(20, 30)
    views = [
        lambda x: x[:, 3], lambda x: x[::-1, 4], lambda x: x[2, :20], lambda x: x[3, 10:][::-1], lambda x: x[1, 7:27],
        lambda x: x.reshape(-1)[5:65:3],
    ]  # fmt: skip
    operations = ["add", "multiply", "subtract", "equal"]
    for _ in range(3):
        for f, g in itertools.product(views, repeat=2):
            x, y = ks.array(host), host.copy()
            for name in operations:
                ours, expected = getattr(ks, name)(f(x), g(x)), getattr(np, name)(f(y), g(y))
                assert ours.dtype == expected.dtype
                np.testing.assert_array_equal(ours.numpy(), expected)
            a, b = f(x), f(y)
            waits = x * 1
            expected = y * 1
            a += g(x)
            b += g(y)
            a *= 3
            b *= 3
            np.testing.assert_array_equal(x.numpy(), y)
            np.testing.assert_array_equal(waits.numpy(), expected)
        whole, numpys = ks.array(host).T, host.copy().T
        whole -= whole[:, :1] * 2
        numpys -= numpys[:, :1] * 2
        np.testing.assert_array_equal((whole + whole).numpy(), numpys + numpys)
        np.testing.assert_array_equal(-(whole[::2, 1::3]).numpy(), -(numpys[::2, 1::3]))


def test_numbers_beside_large_arrays_are_what_they_are(device):
    """The nodes of numbers are kept; equal ones, -0 and 0, numbers of other dtypes and arrays of one value are told apart."""
    host = np.arange(1.0, 5001.0)
    x, n = ks.array(host, device=device), ks.array(host.astype("int32"), device=device)
    for _ in range(3):
        np.testing.assert_array_equal((x * 2 + x * 2.0 + 2).numpy(), host * 2 + host * 2.0 + 2)
        np.testing.assert_array_equal((n * 2 + 2).numpy(), host.astype("int32") * 2 + 2)
        assert np.signbit((x * -0.0).numpy()).all() and not np.signbit((x * 0.0).numpy()).any()
        assert np.isnan((x * np.nan).numpy()).all() and (x * 1j).numpy()[1] == 2j and (x + 1j).numpy()[0] == 1 + 1j
        twos = ks.full((), 2.0, device=device)
        later = x * twos
        twos += 1
        np.testing.assert_array_equal(later.numpy(), host * 2)
        np.testing.assert_array_equal((x * twos).numpy(), host * 3)
        np.testing.assert_array_equal((x * 2).numpy(), host * 2)
        same = [x * k + x * k for k in (3, 3, 4)]
        np.testing.assert_array_equal(same[0].numpy() + same[2].numpy(), 14 * host)


def test_numbers_of_recordings_are_their_own():
    x, out = ks.array(np.arange(5000.0)), ks.zeros(5000)
    for k in range(1, 200):
        with ks.record():
            out[:] = x * float(k)
        assert (x * float(k)).numpy()[1] == k


def test_equal_numbers_make_no_kernel_of_their_own(device):
    x = ks.array(np.arange(20_000.0), device=device)
    (x * 2.0 + x * 3.0).eval()
    (x * 2.0 + x * 3.0).eval()
    ks._core._finish_background()
    before = ks.stats()
    (x * 5.0 + x * 5.0).eval()
    made = ks.stats() - before
    assert made.misses == made.disk_hits == 0 and made.groups_by_kernel == 1


def test_a_loop_over_an_array_sees_what_was_written_meanwhile(device):
    def changed(np):
        x = np.arange(6) if np is not ks else ks.arange(6, device=device)
        seen = []
        for i, value in enumerate(x):
            seen.append(int(value))
            x[i + 1 :] += 10
        rows = np.zeros((3, 2)) if np is not ks else ks.zeros((3, 2), device=device)
        for row in rows:
            row[:] = 1
            rows[2, 0] = 5
            seen.append(float(row.sum()))
        return seen, [float(v) for row in rows for v in row]

    assert changed(ks) == changed(np)
    x = ks.arange(3, device=device)
    a, b, c = x
    assert (int(a), int(b), int(c)) == (0, 1, 2) and [int(v) for v in reversed(x)] == [2, 1, 0]
    with pytest.raises(ValueError, match="too many values to unpack"):
        a, b = x
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(ks.array(1, device=device))
    assert list(ks.zeros((0, 3), device=device)) == []


def test_arrays_of_few_numbers():
    big, half = 2**63, np.float32(1.5)
    for given in (
        [1, 2, 3], [1.0, 2.0], (1, 2.5), [[1, 2], [3, 4]], ((1.0,), (2,)), [[1, 2.5], (3, 4)], [np.float64(1), np.int64(2)], [half, half], [half, 2.0],
        [True, False], [True, 2], [1, 2 + 1j], [-0.0, math.nan, math.inf], [2**62, -(2**63)], [big], [big, 1.5], [[]], [], [[1], []], [[[1, 2]]], [[[1]], [[2]]],
        list(range(3000)), [0.5] * 3000 + [1], [1] * 3000 + [0.5], [1] * 3000 + [True], [True] * 3000, [True] * 99 + [1], [[1, 2]] * 200, [(1, 2.5)] * 200, [[0.5] * 9] * 9, [[1, 2], np.arange(2)], [np.arange(2), np.arange(2)], [ks.arange(2), ks.arange(2)],
    ):  # fmt: skip
        for dtype in (None, "float64", "int64", "float32", "int8", "complex64", "bool"):
            try:
                expected = np.array(
                    [np.asarray(x) for x in given] if given and isinstance(given[0], ks.Array) else given, dtype=dtype
                )
            except (ValueError, TypeError, OverflowError):
                with pytest.raises((ValueError, TypeError, OverflowError)):
                    ks.array(given, dtype=dtype)
                continue
            for made in (ks.array(given, dtype=dtype), ks.asarray(given, dtype=dtype)):
                assert (made.dtype, made.shape) == (expected.dtype, expected.shape), (given, dtype)
                np.testing.assert_array_equal(made.numpy().view(np.uint8), expected.view(np.uint8))
    with pytest.raises(ValueError):
        ks.array([[1, 2], [3]])
    with pytest.raises(ValueError):
        ks.array([[1, 2], 3])


def test_operations_that_convert_their_operands_come_again():
    rng = np.random.default_rng(3)
    for dtype in ("bool", "int8", "uint16", "int64", "float32", "complex64"):
        a, b = ((rng.random((3, 20)) * 9 + 1).astype(dtype) for _ in range(2))
        x, y = ks.array(a), ks.array(b)
        for operation in (
            lambda m, u, v: u**2.0, lambda m, u, v: u**2, lambda m, u, v: u / v, lambda m, u, v: u / 3, lambda m, u, v: 2.5 * u, lambda m, u, v: u + 100,
            lambda m, u, v: m.logical_and(u, v), lambda m, u, v: m.logical_not(u), lambda m, u, v: m.sqrt(u), lambda m, u, v: m.square(u),
            lambda m, u, v: m.power(u, v), lambda m, u, v: m.hypot(u, v), lambda m, u, v: u[:, ::2] / v[:, ::2], lambda m, u, v: u * 1j, lambda m, u, v: u > 0.5,
        ):  # fmt: skip
            try:
                expected = operation(np, a, b)
            except (TypeError, OverflowError):
                continue
            for _ in range(3):
                result = operation(ks, x, y)
                assert result.dtype == expected.dtype or (
                    dtype == "bool" and expected.dtype == "int8"
                )  # of NumPy's ** alone
                np.testing.assert_allclose(result.numpy(), expected, rtol=2e-3 if expected.dtype == "float16" else 1e-6)


def test_in_eager_mode_few_elements_are_made_at_once():
    for args in ((5,), (2, 9, 3), (0.5, 3, 0.1), (9, 2, -2), (2**62, 2**62 + 3), (3, 3)):
        for dtype in (None, "float32", "int8") if args[0] < 2**62 else (None,):
            pending = ks.arange(*args, dtype=dtype)
            with ks.eager():
                made = ks.arange(*args, dtype=dtype)
            assert not made.is_pending and made.dtype == pending.dtype
            np.testing.assert_array_equal(made.numpy(), pending.numpy())
            np.testing.assert_allclose(made.numpy(), np.arange(*args, dtype=dtype), rtol=1e-6)
    with ks.eager():
        for shape in (3, (2, 0), (2, 3), (), 1025):
            for dtype in ("bool", "int8", "float16", "float64", "complex64"):
                for ours, theirs in ((ks.zeros, np.zeros), (ks.ones, np.ones)):
                    made = ours(shape, dtype=dtype)
                    assert made.dtype == dtype and not made.is_pending
                    np.testing.assert_array_equal(made.numpy(), theirs(shape, dtype=dtype))
        x = ks.zeros(3)
        x[1] = 2
        assert x.tolist() == [0, 2, 0] and ks.zeros(3).tolist() == [0, 0, 0]


def test_lists_of_the_elements(device):
    for dtype in "bool int8 uint64 float16 float32 float64 complex64 complex128".split():
        x = np.arange(24).reshape(2, 3, 4).astype(dtype)
        for part in (x, x[:, ::-2], x.T, x[1, 2, 3], x[:0], x[:, :0], x[0, 0]):
            ours, expected = ks.array(part, device=device).tolist(), part.tolist()
            assert ours == expected and repr(ours) == repr(expected)
    assert ks.array([1.5, 2], dtype="bfloat16", device=device).tolist() == [1.5, 2]
    assert (ks.arange(3, device=device) * 2).tolist() == [0, 2, 4]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_small_numbers_computed_of_elements_are_shared_and_cannot_be_changed(dtype):
    """They are objects that stay, as Python's small numbers; below 0 and above 255 each is a new one."""
    values = np.array([0, 1, 2, 5, 100, 126], dtype)
    x = ks.array(values, device="cpu")
    for _ in range(3):  # the first goes another way than the next
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                with np.errstate(all="ignore"):
                    for got, want in (
                        (x[i] ^ x[j], a ^ b),
                        (x[i] - x[j], a - b),
                        (x[i] * x[j], a * b),
                        (3 + x[i], 3 + a),
                    ):
                        assert got.dtype == want.dtype and got.shape == () and int(got) == int(want)
    five, others = x[3] | 0, x[3] | 0
    for change in (lambda: setattr(five, "shape", (1,)), lambda: five.fill(3), lambda: five.view(dtype).fill(3),
                   lambda: five.reshape(1).__setitem__(0, 3), lambda: five.setflags(write=True),
                   lambda: np.asarray(five).fill(3), lambda: np.from_dlpack(five).fill(3)):  # fmt: skip
        with pytest.raises(ValueError):
            change()
    six = five
    six += 1
    six <<= 1
    assert (int(six), int(five), int(others), int(x[3] | 0)) == (12, 5, 5, 5)
    assert (x[3] | 0).dtype == dtype and type(x[3] == 5) is ks.Array


def test_views_of_what_is_read_only_are_read_only():
    z = ks.array([1 + 2j, 3], device="cpu")
    z.setflags(write=False)
    for view in (z.view("int64"), z.real, z.imag):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 7
    assert z.numpy().tolist() == [1 + 2j, 3]


def test_different_elements_of_few_are_those_of_many():
    rng = np.random.default_rng(8)
    for x in (
        rng.integers(0, 9, 50),
        np.array([np.nan, 1.0, np.nan, -0.0, 0.0, 1.0]),
        np.array([7]),
        np.arange(6).reshape(2, 3),
        rng.integers(0, 3, (9, 2)),
    ):
        for words in itertools.product([False, True], repeat=3):
            named = dict(zip(("return_index", "return_inverse", "return_counts"), words, strict=True))
            for axis in (None, 0) if x.ndim == 2 else (None,):
                want, got = np.unique(x, axis=axis, **named), ks.unique(ks.array(x), axis=axis, **named)
                for a, b in zip(want, got, strict=True) if any(words) else [(want, got)]:
                    np.testing.assert_array_equal(b.numpy(), a)


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


def test_numbers_of_numpys_are_remembered_as_pythons_are():
    x = ks.array(np.linspace(0.5, 2, 9))
    for operation in (np.multiply, np.subtract, np.power, np.maximum, np.less):
        for number in (np.float64(1.5), np.float32(1.5), np.int64(2)):
            for _ in range(3):
                for got, want in (
                    (operation(number, x), operation(number, x.numpy())),
                    (operation(x, number), operation(x.numpy(), number)),
                ):
                    assert str(got.dtype) == str(want.dtype)
                    np.testing.assert_allclose(got.numpy(), want, rtol=1e-15)
    narrow = x.astype("float32")
    assert (np.float64(2) * narrow).dtype == "float64" and (np.float32(2) * narrow).dtype == "float32"


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


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32"])
def test_rows_become_numbers_of_lists(dtype):
    x, y = np.zeros((3, 2), dtype), ks.zeros((3, 2), dtype=dtype)
    for key in (1, -1, np.s_[0:2], np.s_[:, 1:], np.s_[..., ::-1]):
        for value in (
            [1, 2],
            (3.5, 4),
            [[7, 8], [9, 10]],
            (np.float64(1.5), np.int64(2)),
            [1],
            [1, 2, 3],
            (),
            [True, 2],
            (1, (2, 3)),
        ):
            outcomes = []
            for array in (x, y):
                try:
                    array[key] = value
                    outcomes.append(None)
                except Exception as error:
                    outcomes.append(issubclass(type(error), (ValueError, TypeError)))
            assert outcomes[0] == outcomes[1], (key, value)
            np.testing.assert_array_equal(y.numpy(), x, str((key, value)))


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


def test_what_methods_give_of_real_arrays():
    x = ks.array([1.0, 2.0, 3.0])
    assert x.conj() is x and x.conjugate() is x and ks.conjugate(x) is not x
    assert [x.item(k) for k in (0, -1)] == [1.0, 3.0] and type(x.item(0)) is float
    assert x.reshape(3, 1).item(2, 0) == x.reshape(3, 1).item((2, 0)) == x.reshape(3, 1).item(2) == 3.0
    for bad in (3, -4):
        with pytest.raises(IndexError):
            x.item(bad)
    assert (ks.array([1j])).conj().tolist() == [-1j]
    with pytest.raises(ValueError, match="read-only"):
        ks.broadcast_to(x, (2, 3)).fill(1)
    x[::2].fill(9)
    assert x.tolist() == [9, 2, 9] and x.take([0, -1]).tolist() == [9, 9]
    with pytest.raises(IndexError):
        x.take(ks.array([3]))


@pytest.mark.parametrize("shape", [(200, 1), (200, 3), (3, 200), (9, 8), (8, 9), (2, 50, 3), (1, 1)])
@pytest.mark.parametrize("dtype", ["float64", "int8", "complex128"])
def test_copies_of_narrow_arrays(shape, dtype):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    y = ks.array(x)
    for theirs, ours in ((x.T, y.T), (x[::-1], y[::-1]), (x[..., ::-1], y[..., ::-1])):
        assert np.array_equal(ours.copy().numpy(), theirs)
    z = ks.zeros(shape[::-1], dtype=dtype)
    z[...] = y.T
    assert np.array_equal(z.numpy(), x.T) and np.array_equal(ks.stack([y, y], -1).numpy(), np.stack([x, x], -1))


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


WHOLE = [name for name, about in _core._reductions().items()]


@pytest.mark.parametrize("dtype", DTYPES)
def test_whole_reductions_are_the_same_however_often(dtype):
    """Of rows, of matrices and of views with gaps; what was written in between counts."""
    x = ks.array(values(dtype, 3))
    for name, view in itertools.product(WHOLE, (x, x.reshape(2, 5), x[::2], x[3:4], x[0])):
        ways = [
            lambda name=name, view=view: getattr(ks, name)(view),
            lambda name=name, view=view: getattr(view, name)(),
        ]
        before = _core._few_at_once(False)
        expected = outcome(ways[0])
        _core._few_at_once(before)
        for way in ways * 3:
            assert outcome(way) == expected, (name, dtype, view.shape)
    for n in (2048, 2049, 8192, 8193):  # of one tree, and of more
        x = ks.array(np.random.default_rng(n).integers(1, 99, n).astype(dtype))
        for name in ("sum", "max", "argmin", "prod", "any"):
            before = _core._few_at_once(False)
            expected = outcome(lambda name=name, x=x: getattr(ks, name)(x))
            _core._few_at_once(before)
            for _ in range(3):
                assert outcome(lambda name=name, x=x: getattr(x, name)()) == expected, (name, dtype, n)
    y = ks.array([1.0, 2.0, 3.0])
    assert [float(y.sum()), float(y.sum()), y.argmax().dtype] == [6, 6, np.dtype("int64")]
    y[0] = 10
    assert (float(y.sum()), int(y.argmax()), float(y[1:].sum()), float(y.max(axis=0))) == (15, 0, 5, 10)
    total = y.sum()
    total[...] = 1  # it has memory of its own
    assert float(total) == 1 and float(y.sum()) == 15
    z = y + ks.arange(3.0)
    assert float(z.sum()) == 18  # pending before


@pytest.mark.parametrize("numbers", [{}, {"dtype": "float32"}, {"keepdims": True}, {"initial": 5}, {"axis": -1}])
def test_words_of_a_reduction_count_the_second_time_too(numbers):
    x = np.arange(1.0, 7).reshape(2, 3)
    y = ks.array(x)
    for _ in range(3):
        got, expected = y.sum(**numbers), x.sum(**numbers)
        np.testing.assert_array_equal(got.numpy(), expected)
        assert got.dtype == expected.dtype
        assert float(y.sum()) == 21


def test_an_element_of_what_is_filled_and_pending_is_its_number():
    """It is not computed for it; places outside are refused, and a write is seen."""
    x = ks.zeros(100_000, dtype="float32")
    assert x.is_pending and x[5] == 0 and x[-1].dtype == np.float32 and x.is_pending
    x.fill(0.1)
    assert x.is_pending and x[7] == np.float32(0.1) and float(x[7]) == float(np.float32(0.1))
    assert [float(e) for e in ks.full(3000, 7, dtype="int16")[:3]] == [7] * 3
    for place in (100_000, -100_001):
        with pytest.raises(IndexError):
            x[place]
    x[3] = 2
    assert x[3] == 2 and x[4] == np.float32(0.1)


def test_arguments_by_place_are_those_by_name():
    x = ks.arange(12.0)
    for by_place, by_name in [
        (x.reshape(3, 4), x.reshape((3, 4), order="C")), (x.reshape((4, -1)), x.reshape(4, 3)), (x.reshape(-1), x), (x.copy(), x.copy(order="C")),
        (x.reshape(3, 4).transpose(), x.reshape(4, 3, order="F")), (x.reshape(3, 4).flatten(), x.flatten(order="C")),
        (ks.zeros((2, 3)), ks.zeros(shape=(2, 3))), (ks.ones(3, "int16"), ks.ones(shape=3, dtype="int16")), (ks.arange(5), ks.arange(start=0, stop=5)),
        (ks.arange(2.5), ks.arange(start=2.5)), (ks.array([1, 2], "float32"), ks.array(object=[1, 2], dtype="float32")), (ks.array(x), ks.array(object=x)),
        (x.dot(x), ks.dot(x, y=x)), (ks.dot(x, x), ks.array(506.0)), (ks.empty((0, 2)), ks.empty(shape=(0, 2))),
        (x.astype("int32"), x.astype(dtype="int32")), (x.astype(np.float64), x), (x.reshape(3, 4).T.ravel(), x.reshape(3, 4).T.ravel(order="C")),
    ]:  # fmt: skip
        assert by_place.dtype == by_name.dtype and by_place.shape == by_name.shape and bool((by_place == by_name).all())
    view = x.reshape(3, 4)
    view[0, 0] = 5
    assert x[0] == 5 and x.copy() is not x
    copy = x.copy()
    copy[0] = 1
    assert x[0] == 5
    assert (
        x.item(3) == 3.0
        and type(x.item(3)) is float
        and x.item(-1) == 11.0
        and view.item(5) == 5.0
        and view.item((1, 1)) == 5.0
    )
    for call, error in [(lambda: x.reshape(7), ValueError), (lambda: x.reshape(-2), ValueError), (lambda: x.reshape("a"), TypeError), (lambda: x.item(12), IndexError), (lambda: x.reshape(5, 5), ValueError), (lambda: ks.zeros(-1), ValueError), (lambda: ks.ones("a"), TypeError), (lambda: ks.zeros(2, "word"), TypeError), (lambda: ks.arange("a"), TypeError), (lambda: x.dot(ks.ones(3)), ValueError), (lambda: ks.array("text"), TypeError), (lambda: x.astype("word"), TypeError), (lambda: ks.sin(), TypeError), (lambda: ks.add(x), TypeError)]:  # fmt: skip
        with pytest.raises(error):
            call()


def test_loops_end_as_those_over_numpys_arrays():
    """Python's own loops, what takes a row apart, and iterators by hand."""
    for shape in ((3,), (0,), (2, 3), (0, 2)):
        x = np.arange(math.prod(shape), dtype=float).reshape(shape)
        y = ks.array(x)
        assert [e.numpy().tolist() for e in y] == x.tolist() and len(list(y)) == len(x)
        rows = iter(y)
        assert iter(rows) is rows
        for left in range(len(x), -1, -1):
            assert operator.length_hint(rows) == left
            assert (next(rows, None) is None) == (left == 0)
        assert next(rows, None) is None  # and so it stays
    y = ks.array([1.0, 2.0, 3.0])
    a, b, c = y
    assert (float(a), float(b), float(c)) == (1, 2, 3) and 2.0 in y
    first, *rest = y
    assert float(first) == 1 and list(map(float, rest)) == [2, 3]
    for wrong in ("a, b = y", "a, b, c, d = y"):
        with pytest.raises(ValueError, match="values to unpack"):
            exec(wrong, {"y": y})
    with pytest.raises(TypeError, match="0-d"):
        iter(ks.array(1.0))
    pending = ks.arange(5.0) * 2
    assert list(map(float, pending)) == [0, 2, 4, 6, 8] and not pending.is_pending
    gone = weakref.ref(y)
    y.own = iter(y)  # a circle, which is collected
    del y
    gc.collect()
    assert gone() is None


WAYS_TO_ELEMENTS = {
    "a loop": iter,
    "places": lambda x: (x[i] for i in range(len(x))),
    "a computation": lambda x: (x[i] * 1.0 for i in range(len(x))),
}


@pytest.mark.parametrize("way", WAYS_TO_ELEMENTS)
def test_an_element_that_somebody_keeps_stays_what_it_is(way):
    """What a program is done with becomes one of the next elements: nobody who has it, or knows it otherwise, may see that."""
    numbers = np.random.default_rng(3).random(200)
    x, kept, graphs, gone = ks.array(numbers), [], [], []
    for i, element in enumerate(WAYS_TO_ELEMENTS[way](x)):
        if i % 3 == 0:
            kept.append((i, element))
        if i % 5 == 0:
            graphs.append((i, ks.stack([element, element])))
        if i % 7 == 0:
            element.name = i
        if i % 11 == 0:
            gone.append(weakref.ref(element))
        assert float(element) == numbers[i]
        assert getattr(element, "name", i) == i
    del element
    gc.collect()
    assert all(float(element) == numbers[i] for i, element in kept)
    assert all(np.array_equal(pair.numpy(), [numbers[i]] * 2) for i, pair in graphs)
    alive = [reference() for reference in gone]
    assert [float(element) for element in alive if element is not None] == [
        float(numbers[i]) for i in range(0, 200, 33)
    ]
    assert [float(element) for element in list(x)] == numbers.tolist()
    assert [float(a) - float(b) for a, b in zip(x, x)] == [0] * 200
    whole = WAYS_TO_ELEMENTS[way](x)
    first, second = next(whole), next(whole)
    assert (float(first), float(second), float(next(whole))) == tuple(numbers[:3])


METHODS = {
    "sort": lambda m, x: m.sort(x),
    "argsort": lambda m, x: m.argsort(x) if m is ks else m.argsort(x, kind="stable"),
    "x.argsort": lambda m, x: x.argsort() if m is ks else x.argsort(kind="stable"),
    "nonzero": lambda m, x: m.concatenate(m.nonzero(x)),
    "x.nonzero": lambda m, x: m.concatenate(x.nonzero()),
    "repeat": lambda m, x: m.repeat(x, 3),
    "x.repeat": lambda m, x: x.repeat(2),
    "rows": lambda m, x: m.repeat(x, 2, 0),
    "none": lambda m, x: x.repeat(0),
    "round": lambda m, x: x.round(),
    "concatenate": lambda m, x: m.concatenate([x, x[:1], x]),
}


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64", "complex128"])
def test_what_moves_few_elements_gives_numpys(dtype):
    rng = np.random.default_rng(7)
    x = rng.choice([0, 1, 3, 2, 0, 7], (9, 8)).astype(dtype)
    if x.dtype.kind == "f":
        x[:, 3] = np.nan
        x[:, 4] = -0.0
        x /= 2
    forms = [lambda x: x, lambda x: x[3], lambda x: x[:, 2], lambda x: x[::-2, 1::3], lambda x: x.T, lambda x: x[:0], lambda x: x[2, ::-1]]  # fmt: skip
    for (name, call), form in itertools.product(METHODS.items(), forms):
        if name == "round" and dtype == "bool":
            continue  # float16's
        for _ in range(2):
            theirs, ours = call(np, form(x)), call(ks, form(ks.array(x))).numpy()
            same_zeros = name != "sort"  # -0 comes before 0
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), name
            assert np.array_equal(ours, theirs, equal_nan=x.dtype.kind == "f"), (name, ours, theirs)
            if same_zeros and x.dtype.kind == "f":
                assert ours.tobytes() == np.ascontiguousarray(theirs).tobytes(), name


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64", "complex128"])
def test_few_elements_are_sorted_where_they_lie(dtype):
    rng = np.random.default_rng(8)
    for shape in ((7,), (3, 5), (40, 2), (1,), (0,), (600,)):
        x = rng.integers(0, 9, shape).astype(dtype)
        y = ks.array(x)
        seen, before = y[...], _core._few_at_once(False)
        pending = y + y  # of what they are now
        _core._few_at_once(before)
        y.sort()
        assert np.array_equal(pending.numpy(), x + x)
        assert np.array_equal(y.numpy(), np.sort(x)) and np.array_equal(seen.numpy(), np.sort(x))
        for part in (np.s_[::2], np.s_[..., ::-1], np.s_[1:3]):
            theirs, ours = x.copy(), ks.array(x)
            theirs[part].sort()
            ours[part].sort()
            assert np.array_equal(ours.numpy(), theirs), (shape, part)
        for axis in range(-x.ndim, x.ndim):
            theirs, ours = x.copy(), ks.array(x)
            theirs.sort(axis)
            ours.sort(axis)
            assert np.array_equal(ours.numpy(), theirs), (shape, axis)
    locked = np.array([2, 1]).astype(dtype)
    locked.flags.writeable = False
    for wrong in (lambda: ks.asarray(locked).sort(), lambda: ks.array([2, 1]).sort(kind="x"), lambda: ks.array([2, 1]).sort(1)):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()
    assert locked[0] != 1 or dtype == "bool"


NUMBERS_OF_PROCESSORS = ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"]


@pytest.mark.parametrize("left", NUMBERS_OF_PROCESSORS)
def test_elements_of_two_dtypes_are_computed_as_numpys_are(left):
    operators = "add sub mul truediv lt le eq ne gt ge and_ or_ xor".split()
    for right, name in itertools.product(NUMBERS_OF_PROCESSORS, operators):
        x, y = np.array([3, 100, 1, 0]).astype(left), np.array([5, 101, 0, 1]).astype(right)
        ours = list(zip(ks.array(x), ks.array(y)))
        for (a, b), (p, q) in zip(ours, zip(x, y)):
            f = getattr(operator, name)
            try:
                with np.errstate(all="ignore"):
                    expected = f(p, q)
            except TypeError:
                with pytest.raises(TypeError):
                    f(a, b)
                continue
            got = f(a, b)
            assert (str(got.dtype), got.numpy().tobytes()) == (str(expected.dtype), expected.tobytes()), (right, name)
            with np.errstate(all="ignore"):
                beside = p + 1.5, 2 / q if right != "bool" else q * 1.0
            got = a + 1.5, 2 / b if right != "bool" else b * 1.0
            assert [(str(g.dtype), float(g)) for g in got] == [(str(e.dtype), float(e)) for e in beside], (left, right)


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


def test_attributes_are_properties_with_a_text():
    for name in "shape strides ndim size itemsize nbytes dtype device T mT real".split():
        assert isinstance(getattr(ks.Array, name), property)
        assert getattr(ks.Array, name).__doc__
        assert ks.Array.__dict__[name].__get__(None, ks.Array) is ks.Array.__dict__[name]
    x = ks.ones((2, 3), "float32")
    assert (x.shape, x.strides, x.ndim, x.size, x.itemsize, x.nbytes) == ((2, 3), (12, 4), 2, 6, 4, 24)
    assert (x.dtype, str(x.device), x.T.shape, x.mT.shape, x.real is x) == (np.float32, "cpu", (3, 2), (3, 2), True)
    with pytest.raises(AttributeError):
        x.ndim = 3
    with pytest.raises(IndexError):
        x[0, 0].mT  # noqa: B018
    with pytest.raises(TypeError):
        ks.Array.__dict__["ndim"].__get__(5)


def test_operations_on_numbers_of_pythons_give_values_the_second_time_too():
    for name, arity in ROWS:
        f = getattr(ks, name)
        for case in (
            [(2,), (2.5,), (-1,), (0.0,)] if arity == 1 else [(2, 3), (2.5, 2), (2, 0.5), (-3, 2), (2, -1), (7, 2**63)]
        ):
            before = _core._few_at_once(False)
            expected = outcome(lambda f=f, case=case: f(*case))
            _core._few_at_once(before)
            for _ in range(3):
                assert outcome(lambda f=f, case=case: f(*case)) == expected, (name, case)
    for is_few in (False, True):
        before = _core._few_at_once(is_few)
        for _ in range(2):
            root = alias = ks.sqrt(16.0)
            with pytest.raises(ValueError, match="read-only"):
                root[...] = 3
            root += 1
            assert (float(root), float(alias), root.shape) == (5, 4, ())
        _core._few_at_once(before)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
def test_integer_powers_look_at_their_exponents_each_time(dtype):
    base, exponents = np.array([2, 3, 7, 0, 1], dtype), np.array([3, 0, 2, 5, 1], dtype)
    x, y = ks.array(base), ks.array(exponents)
    for _ in range(3):
        np.testing.assert_array_equal((x**y).numpy(), base**exponents)
        np.testing.assert_array_equal(ks.power(x, 3).numpy(), base**3)
        assert int(x[2] ** y[2]) == 49 and int(x[2] ** 2) == 49
    z = x.copy()
    z **= y
    z **= 2
    np.testing.assert_array_equal(z.numpy(), (base**exponents) ** 2)
    if dtype.startswith("u"):
        return
    y[1] = -1
    refused = "negative integer powers"
    for power in (
        lambda: x**y,
        lambda: ks.power(x, y),
        lambda: x[0] ** y[1],
        lambda: x[0] ** -1,
        lambda: operator.ipow(z, y),
        lambda: x**-1,
    ):
        with pytest.raises(ValueError, match=refused):
            power()


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


@pytest.mark.parametrize("number", [0, -3, 2.5, True, False, float("nan"), 2**63, 2**62, -(2**63)])
@pytest.mark.parametrize("dtype", [None, "float64", "int64", "float32", "uint8", "bool", "complex64"])
def test_an_array_of_one_number_is_numpys(number, dtype):
    def made(lib):
        try:
            with np.errstate(all="ignore"):
                x = lib.array(number, dtype=dtype)
        except (OverflowError, ValueError) as error:
            return type(error)
        x[...] = x * 1  # it can be written
        return str(x.dtype), x.shape, np.asarray(x).tobytes()

    assert made(ks) == made(np)


@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_over_all_axes_by_name_are_those_over_all(dtype):
    plain = values(dtype, 3)[:6]
    for shape, axes in (((6,), [0, -1, (0,)]), ((2, 3), [(0, 1), (1, 0), (-1, 0)])):
        x = ks.array(plain.reshape(shape))
        for name in ("sum", "prod", "max", "min", "any", "all"):
            for axis in axes:
                got, want = getattr(ks, name)(x, axis=axis), getattr(np, name)(plain.reshape(shape), axis=axis)
                assert got.shape == () and got.dtype == want.dtype
                np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)
        with pytest.raises(ValueError, match="duplicate"):
            ks.sum(x, axis=(0, 0))
        with pytest.raises(np.exceptions.AxisError):
            ks.sum(x, axis=(2, 5)[: x.ndim])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_functions_of_elements_have_the_bits_of_those_of_arrays(dtype):
    x = ks.array(values(dtype, 3))
    for name in ("sin", "exp", "log", "tanh", "arctan"):
        f = getattr(ks, name)
        for _ in range(2):
            want = f(x).numpy()
            y = [f(x[i]) for i in range(x.size)]
            assert all(each.dtype == want.dtype for each in y)
            assert np.array([each.numpy() for each in y]).tobytes() == want.tobytes()
    assert float(ks.sin(0.5)) == float(ks.sin(ks.array([0.5]))[0])
