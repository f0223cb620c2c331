"""Lists in compiled code: what they hold, who shares them, and what comes back to Python."""

import collections

import numpy as np
import pytest

import kasoku as ks
from kasoku_testing.compiled import agrees


def doubled(n):
    out = []
    for i in range(n):
        out.append(i * 2)
    return out


def methods(x):
    y = x
    y.append(3)
    z = x[::-1]
    z.sort()
    x.reverse()
    x.insert(1, 100)
    x.insert(-100, 7)
    x.insert(100, 8)
    x.remove(3)
    x += [1, 2]
    x.extend(z)
    x[0] += 5
    x[-1] = 9
    del x[1]
    return z, x.pop() * 1.0, x.pop(0) * 1.0, x.index(8), x.count(2), len(y), y == x, y is x, z is x


def values(x):
    w = x.copy()
    w.sort(reverse=True)
    return 2 in x, 2 not in x, sum(x), min(x), max(x), any(x), all(x), bool(x), x * 2, 2 * x, x * -1, x + x, w, not x


@pytest.mark.parametrize("x", [[3, 2, 1], [2], [1.5, 2.0, -1.0], [True, False], [0, 0], [2**40, 5]], ids=str)
def test_what_python_has(x):
    agrees(values, x)
    if not isinstance(x[0], bool):
        agrees(methods, x)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 1000])
def test_grows(n):
    agrees(doubled, n)


def test_errors_of_python_and_what_was_done_until_then():
    def pop(x):
        x.pop()
        return x.pop()

    agrees(pop, [1])
    agrees(lambda x: x[3], [1, 2, 3])
    agrees(lambda x: x[-4], [1, 2, 3])
    agrees(lambda x: x.index(5), [1, 2, 3])
    agrees(lambda x: x.remove(5), [1, 2, 3])
    agrees(lambda x: x[:: x[0]], [0])
    agrees(lambda n: min([0] * n), 0)


@pytest.mark.parametrize("start", [None, 0, 1, -1, 5, -9])
@pytest.mark.parametrize("stop", [None, 0, 2, -1, 9])
@pytest.mark.parametrize("step", [None, 1, -1, 2, -3])
def test_slices(start, stop, step):
    x = [1, 2, 3, 4, 5]
    assert sliced(x, start, stop, step) == x[start:stop:step]


@ks.njit
def sliced(x, start, stop, step):
    return x[start:stop:step]


def test_operands_are_read_in_order():
    def f(n):
        x = list(range(n))
        total = 0
        while len(x) > 0:
            total += len(x) * x.pop()
        x.append(3)
        y = (3 in x) + x.pop() + (3 in x)
        x.append(1)
        return total, y, len(x) == x.pop(), x.count(1) * 2

    def changes(a):
        a[0] += 1.0
        return 1.0

    def g(a):
        return a[0] * (changes(a) + 1.0), a[0] < changes(a) * 3.0

    agrees(f, 4)
    a, b = np.array([1.0]), np.array([1.0])
    assert ks.njit(g)(a) == g(b) and a[0] == b[0]


def test_items_that_are_lists_tuples_and_arrays():
    def rows(n):
        out = [[0] * n, [1] * n]
        out[0][0] = 7
        out.append([5])
        for i in range(n):
            row = []
            for j in range(i):
                row.append(i * j)
            out.append(row)
        last = out.pop()
        last.append(100)
        return out, last, out[0]

    def pairs(n):
        out = [(1, 2.0)]
        out.append((n, 3.5))
        total = 0.0
        for a, b in out:
            total += a * b
        return out, total, (1, 2.0) in out, sorted(out, reverse=True), np.array(out)

    def arrays(n):
        out = []
        for i in range(n):
            out.append(np.ones(i + 1) * i)
        out[0] = out[2]
        first = out.pop(1)
        out.clear()
        return first, out

    agrees(rows, 3)
    agrees(pairs, 5)
    agrees(arrays, 4)


def test_lists_of_python_are_changed_in_place():
    def nested(g, more):
        total = 0
        for row in g:
            for v in row:
                total += v
        g[0].append(total)
        g.append(more)
        more.append(5)
        return total

    def given_twice(a, b):
        a.append(1)
        b.append(2)
        return a is b

    def gives_back(x):
        x.append(4)
        return x

    agrees(nested, [[1, 2], [3]], [9])
    x = [1]
    assert ks.njit(given_twice)(x, x) is True and x == [1, 1, 2]
    assert ks.njit(gives_back)(x) is x
    arrays = [np.arange(3.0), np.ones(2)]
    assert ks.njit(lambda a: a[1])(arrays) is arrays[1]
    view = ks.njit(lambda a: a.pop()[1:])(arrays)
    assert view.tolist() == [1.0] and len(arrays) == 1


def test_a_view_of_an_array_in_a_tuple_keeps_it():
    view = ks.njit(lambda t: t[0][1:])((np.arange(1000.0) * 1, 1))
    np.arange(1000.0)[:] = -1
    assert view[0] == 1.0 and view.base is not None


def test_what_decides_the_type_of_items():
    def widened(n):
        x = []
        y = x
        for i in range(n):
            x.append(i)
        y.append(1.5)
        return x

    def through_calls(n):
        x = made(n)
        x.append(2.5)
        return x, made(2), empty()

    def chosen(x, flag):
        y = x if flag else [1, 2]
        y.append(4)
        return y

    assert ks.njit(widened)(2) == [0.0, 1.0, 1.5]
    agrees(through_calls, 3)
    agrees(chosen, [1], True)
    agrees(chosen, [1], False)
    agrees(lambda: [])
    agrees(lambda a: np.array([[i * 1.5 for i in range(3)] for _ in range(a)]), 2)


def made(n):
    out = []
    for i in range(n):
        out.append(i)
    return out


def empty():
    return []


def test_loops_over_a_list_that_changes():
    def drains(n):
        stack = [n]
        seen = 0
        while stack:
            v = stack.pop()
            seen += 1
            if v > 1:
                stack.append(v // 2)
                stack.append(v - v // 2)
        return seen

    def grows(x):
        for v in x:
            if len(x) < 10:
                x.append(v + 1)
        return [i * v for i, v in enumerate(x)], [a * b for a, b in zip(x, x)]

    agrees(drains, 100)
    agrees(grows, [1, 2])


def test_prange_reads_lists_and_has_its_own():
    @ks.njit
    def f(x, n):
        out = np.zeros(n)
        for i in ks.prange(n):
            own = []
            for v in x:
                own.append(v * i)
            out[i] = sum(own) + len(own)
        return out

    np.testing.assert_array_equal(f([1, 2, 3], 1000), 6 * np.arange(1000.0) + 3)

    @ks.njit
    def g(n):
        out = []
        for i in ks.prange(n):
            out.append(i)
        return out

    with pytest.raises(TypeError, match="'out' is a list outside of the parallel loop"):
        g(10)


def test_lists_of_several_types_say_so():
    with pytest.raises(TypeError, match="which compiled code does not take"):
        ks.njit(lambda x: x[0])([1, 2.5])
    with pytest.raises(TypeError, match="one type"):

        @ks.njit
        def f():
            x = [1, 2]
            x.append((1, 2))
            return x

        f()


def test_no_memory_is_lost():
    import resource

    @ks.njit
    def f(n):
        kept = [np.zeros(1)]
        for _ in range(n):
            rows = [np.ones(1000), np.ones(1000)]
            rows.append(rows[0])
            kept[0] = rows.pop()
            lists = [[1.0] * 1000]
            lists.append(lists[0])
        return kept

    f(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    f(20000)
    for _ in range(200):
        ks.njit(lambda x: x + x)([1.0] * 1000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_an_index_of_a_list_without_a_name():
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0, which has 3 elements\n  at ") as caught:
        ks.njit(lambda k: [1, 2, 3][k])(7)
    assert "ks_" not in str(caught.value)


Pair = collections.namedtuple("Pair", "distance child")


def test_named_tuples_keep_their_class():
    @ks.njit
    def of_list(pairs):
        pairs.append(pairs[0])
        return pairs[-1].distance

    @ks.njit
    def of_dict(pairs):
        pairs[7] = pairs[1]
        return pairs[7].child

    pairs = [Pair(1.5, 2), Pair(2.5, 3)]
    assert of_list(pairs) == 1.5 and pairs == [Pair(1.5, 2), Pair(2.5, 3), Pair(1.5, 2)]
    by_key = {1: Pair(0.5, 4)}
    assert of_dict(by_key) == 4 and by_key == {1: Pair(0.5, 4), 7: Pair(0.5, 4)}
    assert {type(pair) for pair in [*pairs, *by_key.values()]} == {Pair}


def test_sorting_by_a_key_is_stable_and_leaves_the_items():
    def sorts(items, weights):
        order = list(range(len(weights)))
        order.sort(key=lambda i: weights[i])
        kept = items.copy()
        kept.sort(key=lambda v: v % 3, reverse=True)
        return (
            order,
            kept,
            sorted(items, key=lambda v: -v),
            sorted(items, key=None),
            sorted(range(4), key=lambda i: (i % 2, -i)),
        )

    def by_function(words):
        def last(word):
            return word[-1]

        words.sort(key=last, reverse=True)
        return sorted(words, key=len), sorted(words, key=lambda w: (len(w), w))

    def of_pairs(n):
        found = {i: (i * 7) % 5 for i in range(n)}
        return sorted(found, key=lambda k: found[k]), sorted(found.items(), key=lambda kv: -kv[1])

    def of_lists(rows):
        rows.sort(key=lambda row: len(row))
        return rows[0]

    agrees(sorts, [5, 3, 1, 4, 2, 0], [2.0, 1.0, 2.0, 0.5])
    agrees(sorts, [1], [0.0])
    agrees(by_function, ["bbx", "a", "ccz", "bax"])
    agrees(of_pairs, 6)
    agrees(of_lists, [[3, 1], [2], [5, 5, 5], [4]])


def test_what_an_inner_list_holds_is_known_to_comprehensions():
    def lengths(n):
        out = []
        for m in range(n):
            out.append([i for i in range(m)])
        return [len(each) for each in out], sum([each[-1] for each in out if each])

    agrees(lengths, 4)


def test_lists_are_unpacked():
    def words(text):
        key, value = text.split("=")
        return value, key

    def sums(x):
        rows = [[v, v * 2] for v in x]
        total = 0
        for a, b in rows:
            total += a * b
        first, (c, d), last = rows
        return total, c, d, first, len(last)

    for function, *args in ((words, "a=bc"), (words, "abc"), (words, "a=b=c"), (sums, [1, 2, 3]), (sums, [1, 2])):
        agree_or_raise(function, *args)


def test_what_is_unpacked_is_read_before_the_first_is_stored():
    def swapped(x):
        x[1], x[0] = x
        return x[0] * 10 + x[1]

    assert swapped([1, 2]) == ks.njit(swapped)([1, 2]) == 21
    assert swapped(np.array([1, 2])) == ks.njit(swapped)(np.array([1, 2])) == 21


def agree_or_raise(function, *args):
    try:
        want = function(*args)
    except Exception as error:
        with pytest.raises(type(error)):
            ks.njit(function)(*args)
    else:
        assert ks.njit(function)(*args) == want


def test_a_pop_of_nothing_says_what_python_says():
    def last(n):
        x = [n]
        x.pop()
        return x.pop()

    def at(n, i):
        x = [n]
        return x.pop(i)

    def at_of_none(n):
        x = [n]
        x.pop()
        return x.pop(5)

    for function, args in [(last, (1,)), (at, (1, 5)), (at, (1, -2)), (at_of_none, (1,))]:
        with pytest.raises(IndexError) as theirs:
            function(*args)
        with pytest.raises(IndexError) as ours:
            ks.njit(function)(*args)
        assert str(ours.value).split("\n")[0] == str(theirs.value)


def test_arrays_in_lists_and_dicts_are_changed_in_place():
    def run(a, b):
        items = [a, b]
        items[1] += 2
        items[0] *= items[1]
        named = {"x": a, "y": b}
        for name in named:
            named[name] -= 1
        named["x"] /= 2
        return items[0].sum() + named["y"].sum()

    given = np.arange(3.0), np.ones(3)
    want = run(*(x.copy() for x in given))
    assert ks.njit(run)(*(x.copy() for x in given)) == want


def test_texts_written_in_a_list_are_joined():
    def run(text):
        return "-".join([text, "b", text[0]])

    assert ks.njit(run)("abc") == "abc-b-a"


def test_small_arrays_of_compiled_functions_count_for_the_limit_of_memory():
    @ks.jit
    def kept(n):
        out = [np.zeros(8)]
        for _ in range(n):
            out.append(np.zeros(8))
        return len(out)

    assert kept(100) == 101
    d = ks.Device("cpu")
    d.limit_memory(d.memory["used"] + 2**20)  # what is cached would be given again
    try:
        with pytest.raises(MemoryError, match="an array of 8 elements of 8 bytes does not fit into memory"):
            kept(100_000)
    finally:
        d.limit_memory(0)
    assert kept(100_000) == 100_001


SLICES = [(1, 3, None), (None, None, None), (2, 2, None), (5, 2, None), (-3, -1, None), (None, 2, 1), (10, 20, None),
          (None, None, 2), (None, None, -1), (4, 0, -2), (1, None, 3), (-100, 100, 1), (0, 3, 0)]  # fmt: skip


@pytest.mark.parametrize("start, stop, step", SLICES)
def test_slices_of_lists_are_assigned_and_deleted(start, stop, step):
    def stored(n, m):
        x = [i for i in range(n)]
        x[start:stop:step] = [-i for i in range(m)]
        return x

    def by_itself(n):
        x = [i for i in range(n)]
        x[start:stop:step] = x
        return x

    def deleted(n):
        x = [i for i in range(n)]
        del x[start:stop:step]
        return x

    for n in (0, 6):
        for m in (0, 1, 2, 3, 6):
            agrees(stored, n, m)
        agrees(by_itself, n)
        agrees(deleted, n)


def test_what_a_slice_of_a_list_is_given():
    def f(x, n):
        out = [0.5]
        out[1:] = x
        out[:1] = (n, n + 1)
        return out

    agrees(f, np.arange(3.0), 2)
