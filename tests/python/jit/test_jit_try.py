"""try statements of compiled functions do what Python's do."""

import gc

import kasoku as ks
import numpy as np
import pytest


class Own(ValueError):
    pass


class Other(Exception):
    pass


@ks.njit
def checked(x):
    if x == 3:
        raise Own("three", x)
    if x == 4:
        raise Other(f"four {x}")
    if x == 5:
        raise KeyError(x)
    return 10 // (x - 6)


def result(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), error.args if not isinstance(error, (IndexError, ZeroDivisionError)) else ()


def agree(function, *calls):
    compiled = ks.njit(function)
    for args in calls:
        mine = [a.copy() if isinstance(a, (np.ndarray, list)) else a for a in args]
        theirs = [a.copy() if isinstance(a, (np.ndarray, list)) else a for a in args]
        got, want = result(compiled, *mine), result(function, *theirs)
        if want.__class__ is tuple and want and isinstance(want[0], type):
            assert issubclass(got[0], want[0]) and got[1:] == want[1:], (args, got, want)
        else:
            assert np.array_equal(got, want) and type(got) is type(want), (args, got, want)
        for a, b in zip(mine, theirs, strict=True):
            assert np.array_equal(a, b), (args, mine, theirs)


numbers = [(x,) for x in range(8)]


def by_class(x):
    try:
        return checked(x)
    except ZeroDivisionError:
        return -1
    except Own:
        return -2
    except (KeyError, Other):
        return -3


def by_base(x):
    try:
        return checked(x)
    except LookupError:
        return -1
    except ArithmeticError:
        return -2
    except Exception:
        return -3


def bare(x):
    y = 1
    try:
        y = 2
        y = checked(x)
    except:  # noqa: E722
        y += 100
    return y


def some_only(x):
    try:
        return checked(x)
    except ValueError:
        return -1


def first_that_fits(x):
    try:
        raise Own("a")
    except ValueError:
        return 1
    except Own:
        return 2


def with_else(x):
    s = 0
    try:
        s += checked(x)
    except ValueError:
        s -= 1
    else:
        s += 1000
        s += checked(x + 1)  # not caught here
    return s


def with_finally(x, log):
    try:
        log[0] = 1
        return checked(x)
    except Own:
        log[1] = 1
        return -1
    finally:
        log[2] += 1


def return_in_finally(x):
    try:
        return checked(x)
    finally:
        if x > 2:
            return -5  # noqa: B012


def raise_in_finally(x):
    try:
        return checked(x)
    finally:
        if x > 4:
            raise Other("late")


def again(x):
    try:
        return checked(x)
    except ValueError:
        raise


def again_by_name(x):
    try:
        try:
            return checked(x)
        except Own as outer:
            try:
                raise Other("inner")
            except Other:
                raise outer  # noqa: B904
        except Exception as e:
            raise e
    except KeyError as e:
        raise ValueError("instead", x) from e


def nested(x):
    n = 0
    try:
        try:
            n += checked(x)
        except Other:
            n += 100
        finally:
            n += 1000
    except KeyError:
        n += 10
        try:
            n += checked(6)
        except ZeroDivisionError:
            n += 5
    return n


def asserted(x):
    try:
        assert x > 2, "small"
        assert x > 3
    except AssertionError:
        return 0
    return x


@pytest.mark.parametrize(
    "function",
    [by_class, by_base, bare, some_only, first_that_fits, with_else, return_in_finally, raise_in_finally, again,
     again_by_name, nested, asserted],
)  # fmt: skip
def test_what_is_caught_and_what_is_not(function):
    agree(function, *numbers)


def test_finally_always_runs():
    agree(with_finally, *[(x, np.zeros(3, int)) for x in range(8)])


def jumps(x, log):
    n = 0
    for i in range(10):
        try:
            n += checked(i)
            if i == x:
                continue
            if i == x + 1:
                break
        except Own:
            n += 1
            if x == 7:
                break
        except Exception:
            n += 2
            continue
        else:
            n += 50
        finally:
            log[i] += 1
            n += 10000
        n += 1000000
    else:
        n = -n
    return n


def jump_out_of_two(x, log):
    n = 0
    while True:
        n += 1
        try:
            for i in range(5):
                try:
                    if i == x:
                        break
                    if i == x + 1:
                        return n
                finally:
                    log[i] += 1
                    if i == 2 and x == 7:
                        continue  # noqa: B012
                n += 10
            if n > 30:
                return n
        finally:
            log[9] += 1
    return n


def overridden_in_a_loop(x, log):
    for i in range(4):
        try:
            return i
        finally:
            log[i] = 1
            if i < x:
                continue  # noqa: B012
    return -1


@pytest.mark.parametrize("function", [jumps, jump_out_of_two, overridden_in_a_loop])
def test_jumps_pass_by_finally(function):
    agree(function, *[(x, np.zeros(10, int)) for x in range(9)])


def index(a, i):
    try:
        a[i] += 1
        return int(a[i])
    except IndexError:
        return -1


def half_way(a, b):
    count = 0
    total = 0.0
    try:
        for i in range(len(a)):
            b[i] = 1 // a[i]
            total += 1 / a[i]
            count += 1
    except ZeroDivisionError:
        total -= 1000
    return count, total


def beyond(a, b):
    done = 0
    try:
        for i in range(len(a)):
            b[i + 2] = a[i]
            done += 1
    except IndexError:
        return done
    return -1


def shapes(a, b):
    c = np.zeros(1)
    try:
        c = a + b
    except ValueError:
        c = a * 2.0
    return c


def sizes(n):
    try:
        return np.zeros(n).size
    except ValueError:
        return -1


def divided(x, a):
    s, t = 7, 0.5
    try:
        s = (s // (x - 2)) % 1000 + 1
        a[1] = s // (x - 3)
        t = 1.0 / (x - 4) + a[x]
        s = s % (x - 5) + a[x + 1]
        a[2] += (x - 6) ** -1
    finally:
        return s + t  # noqa: B012


def divided_on_the_way_out(x, a):
    s = 1
    try:
        for k in range(3):
            try:
                s += a[k]
            finally:
                s = s * 10 // (x - k)
    except ZeroDivisionError:
        return -s
    return s


def test_a_division_by_zero_leaves_what_stood_before():
    numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    for x in range(9):
        agree(divided, (x, [1.5 * n for n in numbers]))
        agree(divided_on_the_way_out, (x, numbers[:]))


def test_checks_of_compiled_code_are_caught():
    a = np.arange(4)
    agree(index, *[(a, i) for i in (-5, -4, -1, 0, 3, 4, 10**12)])
    for zero in range(5):
        given = [1, 2, 3, 4, 5]
        given[zero] = 0
        agree(half_way, (given, np.zeros(5, int)))
    agree(half_way, ([1, -1], np.zeros(2, int)), ([0], np.zeros(1, int)))
    agree(beyond, *[(np.ones(n), np.zeros(n)) for n in (0, 1, 2, 5, 1000)])
    agree(shapes, (np.ones(3), np.ones(3)), (np.ones(3), np.ones(4)), (np.ones(3), np.ones(1)))
    agree(sizes, (3,), (0,), (-1,))


def lists(x, items):
    made = [1.5]
    try:
        made.append(items[x])
        return made
    except IndexError:
        made.append(-1.0)
        return made
    finally:
        items.append(7.0)


def maybe(x):
    try:
        if checked(x) > -4:
            return None
        return np.full(3, x)
    except Own:
        return np.zeros(2, np.int64)
    finally:
        x += 1


def dicts(x):
    d = {1: 2.0, 3: 4.0}
    try:
        return d[x]
    except KeyError:
        return -1.0


def test_lists_dicts_and_arrays():
    agree(lists, *[(x, [2.0, 3.0]) for x in (-3, -1, 0, 1, 2)])
    agree(dicts, (1,), (2,), (3,))
    agree(maybe, *numbers[:3], (3,))
    compiled = ks.njit(maybe)
    assert compiled(0) is None and maybe(0) is None
    for _ in range(1000):
        compiled(5 - 2), compiled(2)
    gc.collect()


@ks.njit
def reciprocal(x):
    try:
        return 1 // x
    except ZeroDivisionError:
        return -1


def test_parallel_loops():
    @ks.njit
    def inside(a):
        n = 0
        for i in ks.prange(len(a)):
            try:
                n += 60 // a[i]
            except ZeroDivisionError:
                n += 1000
        return n

    @ks.njit
    def called(a):
        n = 0
        for i in ks.prange(len(a)):
            n += reciprocal(a[i])
        return n

    @ks.njit
    def around(a, limit):
        try:
            for i in ks.prange(len(a)):
                if a[i] == limit:
                    raise Own("limit", limit)
            return 0
        except Own:
            return 1

    a = np.arange(300_000) % 7
    assert inside(a) == sum(60 // x if x else 1000 for x in a.tolist())
    assert called(a) == sum(1 // x if x else -1 for x in a.tolist())
    assert around(a, 3) == 1 and around(a, 8) == 0


def test_recursion():
    @ks.njit
    def down(n):
        try:
            if n == 0:
                raise Own("bottom")
            return down(n - 1) + 1
        except Own:
            if n < 3:
                raise
            return 100
        finally:
            n -= 1

    def plain(n):
        try:
            if n == 0:
                raise Own("bottom")
            return plain(n - 1) + 1
        except Own:
            if n < 3:
                raise
            return 100
        finally:
            n -= 1

    for n in range(6):
        assert result(down, n) == result(plain, n)


def test_what_has_no_compiled_form_runs_in_the_interpreter():
    def reads(x):
        try:
            return checked(x)
        except Own as e:
            return len(e.args)

    def unknown(x):
        try:
            raise make(x)
        except Own:
            return 1

    with pytest.raises(ks._jit.TypingError, match="'e' can only be raised again"):
        ks.njit(reads)(3)
    with pytest.warns(Warning, match="runs in the interpreter"):
        assert ks.jit(reads)(3) == 2
    with pytest.raises(ks._jit.TypingError, match="raise without an exception"):
        ks.njit(raises_nothing)(3)
    with pytest.raises(ks._jit.TypingError, match="not known when compiling"):
        ks.njit(unknown)(3)


def make(x):
    return Own(x)


def raises_nothing(x):
    if x:
        raise
    return x


def test_kernels_refuse_with_one_sentence():
    from kasoku.compat.numba import cuda

    @cuda.jit
    def kernel(a):
        try:
            a[0] = 1
        except IndexError:
            a[0] = 2

    with pytest.raises(Exception, match="try cannot be compiled in a kernel"):
        kernel[1, 1](np.zeros(1))
