"""Loops over generator functions in compiled code are what Python's are, however they are left."""

import threading

import numpy as np
import pytest

import kasoku as ks
from kasoku_testing.compiled import agrees


@ks.jit
def count(start=0, step=1):
    n = start
    while True:
        yield n
        n += step


def pairs(n):
    for i in range(n):
        for j in range(i):
            if j == 3:
                continue
            if i * j > 50:
                return
            yield i, j


def signed(x):
    for each in x:
        if each % 2 == 0:
            yield each
        else:
            yield -each


def chained(x, y):
    yield from x
    yield from signed(y)


def refusing(n):
    for i in range(n):
        if i > 2:
            raise KeyError("more than two")
        yield i


def test_a_generator_without_an_end_is_left():
    def below(n):
        step, total = 100, 0
        for x in count(2, step=3):
            if x > n:
                break
            if x % 2:
                continue
            total += x
        return total, step

    def found(n):
        for x in count():
            if x == n:
                return x * 10
            if x > 5:
                break
        else:
            return -2
        return -1

    for n in (0, 3, 10):
        agrees(below, n)
        agrees(found, n)


def test_jumps_of_loops_inside_stay_theirs():
    def f(n):
        total = 0
        for i, j in pairs(n):
            if (i + j) % 2:
                continue
            for k in range(5):
                if k == 2:
                    continue
                if k > i:
                    break
                total += k * j
            else:
                total += 100
            for m in count(j):
                if m > j + 2:
                    break
                total += m
        else:
            total += 1_000_000
        return total

    for n in (0, 4, 20):
        agrees(f, n)


def test_several_yields_and_what_takes_all():
    def listed(x, y):
        out = []
        for i, each in enumerate(chained(x, y), 5):
            if each == -3:
                continue
            out.append((i, each))
        return out

    def folded(x):
        return sum(signed(x)), max(signed(x)), any(signed(x)), sorted(signed(x)), [v + 1 for v in signed(x) if v > 0]

    agrees(listed, [1, 2], [3, 4, 5])
    agrees(folded, [4, 1, 3])


def test_exceptions_go_the_ways_of_python():
    def raised_inside(n):
        total = 0
        try:
            for x in refusing(n):
                total += x
        except KeyError:
            return -total
        return total

    def raised_around(n):
        total = 0
        for x in count():
            try:
                if x > n:
                    break
                if x == 2:
                    continue
                total += 10 // x
            except ZeroDivisionError:
                total += 1000
        return total

    def uncaught(n):
        for x in count():
            if x > n:
                raise ValueError("too many")

    agrees(raised_inside, 3)
    agrees(raised_inside, 5)
    agrees(raised_around, 4)
    agrees(uncaught, 2)


def test_iterations_of_prange_run_over_generators():
    @ks.njit(parallel=True)
    def f(n):
        out = np.zeros(n)
        for k in ks.prange(n):
            for x in count(k):
                if x > k + 5:
                    break
                out[k] += x
        return out

    np.testing.assert_array_equal(f(100), [sum(range(k, k + 6)) for k in range(100)])


def test_arrays_that_it_yields_and_arrays_on_a_device(place):
    def halves(x):
        for i in range(1, len(x)):
            yield x[:i], x[i:]

    @ks.jit
    def f(x):
        total = 0.0
        for left, right in halves(x):
            total += left.sum() * right.sum()
        return total

    x = np.arange(6.0)
    with place:
        assert place.get(f(place.put(x))) == sum(x[:i].sum() * x[i:].sum() for i in range(1, 6))


def test_divisions_of_a_generator_are_its_own():
    @ks.jit(error_model="numpy")
    def inverses(n):
        for i in range(n):
            yield 1.0 / i

    def f(n):
        return sum(inverses(n))

    with pytest.raises(ks._jit.TypingError, match="what a for loop runs over"):
        ks.njit(f)(3)
    assert ks.njit(error_model="numpy")(f)(3) == np.inf


def test_what_has_no_compiled_form_is_said():
    def itself(n):
        if n:
            yield n
            yield from itself(n - 1)

    def over_itself(n):
        return sum(itself(n))

    with pytest.raises(ks._jit.TypingError, match="a generator that runs over itself"):
        ks.njit(over_itself)(3)
    assert ks.jit(over_itself)(3) == 6


FOLDS = [
    lambda x: sum(v * 2 for v in x),
    lambda x: sum((v for v in x if v > 1), 10),
    lambda x: sum(signed(x), start=3),
    lambda x: any(6 // v > 2 for v in x),
    lambda x: all(6 // v > 2 for v in signed(x)),
    lambda x: any(v > 100 for v in count(x[0])),
    lambda x: min(v * v - 3 * v for v in x),
    lambda x: max((v for v in x if v > 100), default=-1),
    lambda x: min(v for v in x if v > 100),
    lambda x: max(x, key=lambda v: -v),
    lambda x: min(((v % 2, v) for v in x), key=lambda pair: pair[0]),
    lambda x: sum(sum(a * b for b in x) for a in x if any(b == a + 1 for b in x)),
    lambda x: min([v for v in x if v > 100], default=7),
]


@pytest.mark.parametrize("f", FOLDS)
@pytest.mark.parametrize("x", [[1, 2, 3], [3, 0, 0], [0, 1], [5, 4]])
def test_what_joins_a_generator_ends_where_python_does(f, x):
    agrees(f, x)


def test_what_joins_a_generator_makes_no_list():
    joined = ks.njit(lambda n: sum(i for i in range(n)))
    listed = ks.njit(lambda n: sum([i for i in range(n)]))
    assert joined(10) == listed(10) == 45
    has_list = ["ks_append(" in "".join(f.inspect_text().values()) for f in (joined, listed)]
    assert has_list == [False, True]


def steps_of(x, n):
    for v in x:
        if v < 0:
            return
        for k in range(n, 0, -1):
            if k == v:
                continue
            yield v * 10 + k
        else:
            yield -v
    yield from x
    while n > 0:
        n -= 1
        if n == 1:
            break
        yield n


def test_generators_in_variables_run_by_turns_and_by_next():
    def by_hand(n):
        steps = count(n, 3)
        first = next(steps)
        return first, next(steps) * 100 + next(steps), max(next(steps), n)

    def mixed(x, n):
        steps = steps_of(x, n)
        out = [next(steps, -7)]
        for v in steps:
            if v % 2:
                continue
            out.append(v)
            if len(out) == 3:
                break
        else:
            out.append(1000)
        out.append(next(steps, -1))
        for v in steps:
            out.append(v)
        else:
            out.append(2000)
        for v in steps:
            out.append(v)
        out.append(next(steps, -2))
        return out

    def two(n):
        a = count(0, 2)
        b = count(1, 2)
        out = []
        for i in range(n):
            out.append(next(a) - 2 * next(b))
            if i == 2:
                a = count(100)
        return out

    for x, n in (([1, 2, 3], 3), ([], 0), ([], 4), ([2], 1), ([3, -1, 4], 2), ([1, 1, 1, 1], 1)):
        agrees(mixed, np.array(x, dtype=np.int64), n)
    agrees(by_hand, 2)
    agrees(two, 6)


def test_a_generator_at_its_end_and_one_that_raises():
    def few(n):
        for i in range(n):
            yield 10 // (2 - i)

    def ended(n):
        g = few(n)
        total = 0
        try:
            for _ in range(5):
                total += next(g)
        except StopIteration:
            return -total
        return total

    def raised(n):
        g = few(n)
        out = []
        try:
            for v in g:
                out.append(v)
        except ZeroDivisionError:
            out.append(-1)
        out.append(next(g, -2))
        return out

    def uncaught(n):
        g = few(n)
        next(g)
        return next(g)

    agrees(ended, 2)
    agrees(raised, 2)
    agrees(raised, 5)
    agrees(uncaught, 2)
    agrees(uncaught, 1)


def test_generators_in_variables_yield_tuples_arrays_and_letters():
    limit = 4

    def tuples(x, text="abc"):
        for i in range(min(len(x), limit)):
            yield x[i:], float(i)
        for letter in text:
            yield x[:1], float(ord(letter))

    def f(x):
        g = tuples(x)
        total = 0.0
        part, i = next(g)
        total += part.sum() + i
        for part, i in g:
            total = total * 2 + part.sum() + i
        return total

    def limited(x):
        limit = 100.0
        g = tuples(x, text="z")
        return next(g)[1] + limit

    agrees(f, np.arange(6.0))
    agrees(limited, np.arange(6.0))


def test_a_generator_is_no_sequence_and_what_it_reads_is_not_copied():
    def changed(n):
        x = [0, 0]
        g = growing(x, n)
        a = next(g)
        x.append(5)
        out = [a]
        for v in g:
            out.append(v)
            if len(x) < 5:
                x.append(v + 1)
        return out, x

    agrees(changed, 3)


def growing(x, n):
    x[0] = n
    for v in x:
        x[1] += 1
        yield v


def test_what_a_kept_generator_cannot_be_is_said():
    def over_a_dict(n):
        g = signed({n: 1})
        return next(g)

    def perhaps(n):
        g = count(n)
        return n > 5 or next(g) > 2

    def beside(x):
        g = growing(list(x), 5)
        return x[0] + next(g)

    def passed(n):
        g = count(n)
        return sum(g) if n < 0 else n

    def by_size(n):
        g = (count if n > 2 else signed)(n)
        return next(g)

    for function, given, what in (
        (over_a_dict, 3, None),
        (perhaps, 3, "that may not be evaluated"),
        (beside, (1, 2), "beside another call or an item"),
        (passed, 3, None),
        (by_size, 3, None),
    ):
        with pytest.raises(ks._jit.TypingError, match=what):
            ks.njit(function)(given)
        assert ks.jit(function)(given) == function(given)


def stepped(x, n, scale=2):
    """Yields in loops of both kinds and between them, over variables of three types."""
    total, before = 0.0, 1
    yield n, total
    for i in range(0, n, 2):
        for k in range(i):
            if k == 3:
                continue
            total += x[k % len(x)] * scale
            yield i * k, total
        else:
            before += i
    while before > 0:
        before -= 7
        if before == 2:
            return
        yield before, total


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def inverses(n):
    for i in range(n):
        yield 12 // (n - 2 - i)


def flipped(x):
    for i in range(len(x)):
        x[i] = -x[i]
        yield x[i:]


def greeted(name, n):
    for i in range(n):
        yield name + str(i)


def words(text):
    word = ""
    for letter in text:
        if letter == " ":
            if word:
                yield word
            word = ""
        else:
            word += letter
    if word:
        yield word


def thrice(x):
    yield x
    if x > 2:
        yield x + 1
    yield x + 2


def primes(n):
    sieve = np.ones(n + 1, np.bool_)
    for i in range(2, n + 1):
        if sieve[i]:
            yield i
            sieve[i * i :: i] = False


def seen(x):
    before = set()
    order = [0]
    for each in x:
        if each not in before:
            before.add(each)
            order.append(each)
            yield len(order), order[-2]


def smoothed(x, n):
    kept = np.zeros(n)
    for i, each in enumerate(x):
        kept[i % n] = each
        yield kept
        if each > 8:
            raise ValueError("too large")


def numbered(x, y):
    for i, (a, b) in enumerate(zip(x, np.sort(y)), start=1):
        yield i, a * b
    for row in enumerate([[1], [2, 3]]):
        yield len(row[1]), 0


def halved(n):
    x = 0
    for _ in range(n):
        yield x
        x = x / 2 + 1


def taken(iterator, n=100):
    """The values, and the exception that ends them."""
    values = []
    try:
        for _ in range(n):
            values.append(next(iterator))
    except Exception as error:
        values.append(type(error))
    return values


@pytest.mark.parametrize(
    "f, given",
    [
        (stepped, (np.arange(4.0), 9)),
        (stepped, (np.arange(4.0), 0, 5)),
        (stepped, ((1, 2, 3), 8)),
        (fibonacci, ()),
        (inverses, (6,)),
        (inverses, (1,)),
        (count, (3,)),
        (pairs, (12,)),
        (refusing, (5,)),
        (greeted, ("x", 3)),
        (signed, (np.arange(6),)),
        (words, ("ab  cde f gh",)),
        (words, ("ab ",)),
        (thrice, (1,)),
        (thrice, (3,)),
        (primes, (60,)),
        (seen, (np.array([1, 2, 1, 3, 2]),)),
        (halved, (4,)),
        (numbered, (np.arange(4), np.array([3, 1, 2]))),
    ],
)
def test_a_generator_called_from_python_runs_compiled_steps(f, given):
    f = getattr(f, "py_func", f)
    made = ks.njit(f)
    for n in (1, 2, 5, 50):
        assert taken(made(*given), n) == taken(f(*given), n)
    assert type(made(*given)) is ks._core.JitSteps  # else it would be the interpreter's
    assert taken(iter(made(*given)), 60) == taken(f(*given), 60)


def test_steps_of_a_generator_see_what_happens_between_them():
    made = ks.njit(flipped)
    x, y = np.arange(5.0), np.arange(5.0)
    for mine, wanted in zip(made(x), flipped(y), strict=True):
        np.testing.assert_array_equal(mine, wanted)
        assert np.shares_memory(mine, x) and len(mine)
        x[-1] += 10
        y[-1] += 10
    np.testing.assert_array_equal(x, y)
    with pytest.raises(TypeError, match="missing a required argument"):
        made()
    values = ks.njit(signed)(x)
    first = next(values)
    x[1:] = 6
    assert [first, *values] == [*signed(x)]


def test_a_generator_is_at_its_end_where_python_s_is():
    made, beside = ks.njit(count), ks.njit(thrice)
    one, other = made(3), made(3, step=2)
    assert [next(one), next(other), next(one), next(other)] == [3, 3, 4, 5]
    assert one.send(None) == 5
    one.close()
    assert next(one, None) is None and next(other) == 7
    with pytest.raises(KeyError, match="mine"):
        other.throw(KeyError("mine"))
    assert next(other, None) is None
    ends = beside(1)
    assert list(ends) == [1, 3] and list(ends) == []
    with pytest.raises(StopIteration) as end:
        next(ends)
    assert end.value.value is None
    fails = ks.njit(refusing)(5)
    assert [next(fails) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="more than two"):
        next(fails)
    assert next(fails, None) is None
    assert sum(2 * each for each in beside(3)) == 24


def test_two_threads_cannot_run_one_generator():
    def slow(n):
        for i in range(n):
            total = 0.0
            for j in range(20000):
                total += i / (j + 1)
            yield total

    steps, said, enough = ks.njit(slow)(10**9), [], threading.Event()

    def pull():
        while not enough.is_set():
            try:
                next(steps)
            except ValueError as error:
                said.append(str(error))
                enough.set()

    threads = [threading.Thread(target=pull) for _ in range(2)]
    for each in threads:
        each.start()
    enough.wait(20)
    enough.set()
    for each in threads:
        each.join()
    assert set(said) == {"generator already executing"}


def test_arrays_of_a_generator_are_its_own():
    x = np.arange(10.0)
    made = ks.njit(smoothed)
    steps = made(x, 3)
    first, second = next(steps), next(steps)
    assert np.shares_memory(first, second) and first[1] == 1
    first[0] = 7  # what the program writes there, the next step reads
    assert next(steps)[0] == 7
    del steps
    np.testing.assert_array_equal(first, [7, 1, 2])
    with pytest.raises(ValueError, match="too large"):
        list(made(x, 3))


outside = np.arange(4.0)


def shown(n):
    for i in range(n):
        yield outside[i]


def test_a_generator_reads_arrays_outside_when_it_is_asked():
    steps = ks.njit(shown)(4)
    outside[:] = np.arange(4)
    for i in range(4):
        outside[i] = 10 * i
        assert next(steps) == 10 * i
    assert next(steps, None) is None


def test_a_generator_s_value_at_its_end_is_python_s():
    def counted(n):
        for i in range(n):
            yield i
        return n * 2

    steps = ks.jit(counted)(1)
    assert next(steps) == 0
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == 2


def test_a_generator_from_python_that_has_no_steps_is_interpreted():
    def perhaps(n):
        for i in range(n):
            if i > 2:
                last = i
            yield i
        yield last

    with pytest.raises(ks._jit.TypingError, match="a name of the generator may have no value"):
        ks.njit(perhaps)(2)
    with pytest.raises(ks._jit.TypingError, match="(?s)signed has .* an argument is a .*list.*test_jit_generator.py:"):
        ks.njit(signed)([1, 2])
    with pytest.warns(ks._jit.InterpretedWarning):
        assert taken(ks.jit(perhaps)(2))[:2] == [0, 1]


def test_generators_side_by_side_end_with_the_first():
    def zipped(x, n):
        out = []
        for a, b, c in zip(count(2), signed(x), range(n, 0, -1)):
            if a == 5:
                continue
            if a > 9:
                break
            out.append(a * 10000 + b * 100 + c)
        else:
            out.append(-1)
        for pair in zip(x, count(1)):
            out.append(pair[0] - pair[1])
        return out

    for n in (0, 3, 30):
        agrees(zipped, np.arange(20), n)
        agrees(zipped, np.arange(4), n)


def added(numbers, scale):
    total = 0
    for each in numbers:
        total += each * scale
    return total


def firsts(one, other):
    return next(one) * 100 + next(other)


def test_generators_that_are_passed_to_functions():
    jitted = ks.jit(added)

    def f(x, n):
        return added(signed(x), n), jitted(signed(x), 3), firsts(count(n, step=4), count(n))

    agrees(f, np.arange(6), 7)


def test_iterators_of_sequences():
    def f(x, n):
        steps = iter(x)
        first = next(steps)
        numbers = iter(range(n, 0, -2))
        total = first * 1000
        for each in steps:
            total += each * next(numbers, 1)
        return total, next(steps, -1)

    agrees(f, np.arange(3, 9), 6)
    agrees(f, (4, 5, 6), 6)


@pytest.mark.parametrize(
    "turned", [lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[::2, ::-1] if x.ndim > 1 else x[::-2]]
)
@pytest.mark.parametrize("shape", [(5,), (3, 4), (0, 2)])
def test_nditer_goes_as_memory_lies(turned, shape):
    def f(x):
        total = 0.0
        for each in np.nditer(x):
            total = total * 2 + each[()] + each.item()
        return total

    x = turned(np.arange(float(np.prod(shape))).reshape(shape))
    if x.size:
        assert ks.njit(f)(x) == f(x)
    else:
        agrees(f, x)


def test_steps_see_an_array_whose_shape_the_caller_changes():
    def lengths(x):
        for _ in range(4):
            yield len(x), x[1, 1]

    def seen(function):
        x = np.arange(12.0).reshape(2, 6)
        steps, found = function(x), []
        for shape in ((2, 6), (3, 4), (6, 2), (2, 6)):
            x.shape = shape
            found.append(next(steps))
        return found

    assert seen(ks.jit(lengths)) == seen(lengths) == [(2, 7.0), (3, 5.0), (6, 3.0), (2, 7.0)]


def test_yielded_views_are_of_the_array_that_was_given():
    def parts(x):
        for i in range(0, len(x), 3):
            yield x[i : i + 3]

    x = np.arange(7)
    for ours, theirs in zip(ks.jit(parts)(x), parts(x), strict=True):
        assert ours.base is x and ours.dtype == theirs.dtype and ours.strides == theirs.strides and ours.flags.writeable
        ours += 10
    np.testing.assert_array_equal(x, np.arange(7) + 10)
    x.flags.writeable = False
    assert not next(ks.jit(parts)(x)).flags.writeable
