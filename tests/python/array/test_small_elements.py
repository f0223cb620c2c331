"""An element that is read is a number: what is computed of it, and where it becomes an array again."""

import gc
import itertools
import math
import operator
import weakref

import numpy as np
import pytest
from small_arrays import NUMBERS_OF_PROCESSORS, ROWS, outcome

import kasoku as ks
from kasoku import _core


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
