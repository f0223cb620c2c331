"""Operations on few elements that are met again take a shorter way: the same bits, dtypes, errors and order as the first time."""

import itertools
import math
import operator
import threading

import numpy as np
import pytest
from small_arrays import ROWS, outcome, values

import kasoku as ks
from kasoku import _core

DTYPES = ["bool", "uint8", "int32", "float32", "float64", "complex128"]  # the library brings their code along


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


def test_shapes_are_looked_at_each_time():
    x, y, column = ks.ones(4).eval(), ks.ones(4).eval(), ks.ones((4, 1)).eval()
    for _ in range(3):
        assert (x + y).shape == (4,)
        assert (x + column).shape == (4, 4)
        assert (column + column).shape == (4, 1)
        assert (x[::2] + y[::2]).shape == (2,)
        with pytest.raises(ValueError, match="do not broadcast"):
            x + ks.ones(3)


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
