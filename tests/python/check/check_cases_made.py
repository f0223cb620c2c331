"""More cases for test_check_cases: kernels made from expressions, and delayed graphs."""

import threading

import kasoku as ks
import numpy as np
from check_cases import both, case, grow, total
from kasoku import delayed

# ── kernels made from expressions ─────────────────────────────────────────────────────────

ROW = np.arange(64, dtype=np.float32)


@case()
def an_expression_for_each_element():
    return ks.check(ks.ElementwiseKernel("float32 x", "float32 y", "y = x * 2", "f"), ROW)


@case()
def an_expression_that_turns_around():
    twice = ks.ElementwiseKernel("raw float32 x", "float32 y", "y = x[63 - i] * 2", "f")
    return ks.check(twice, ROW, np.zeros(64, np.float32))


@case("bounds")
def an_expression_past_the_end():
    ahead = ks.ElementwiseKernel("raw float32 x", "float32 y", "y = x[i + 1]", "f")
    return ks.check(ahead, ROW, np.zeros(64, np.float32))


@case("race")
def an_expression_that_writes_beside():
    beside = ks.ElementwiseKernel("float32 x", "raw float32 y", "y[i / 2] = x", "f")
    return ks.check(beside, ROW, np.zeros(64, np.float32))


@case()
def a_sum_by_a_kernel():
    return ks.check(ks.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "f"), ROW)


@case("bounds")
def a_sum_past_the_end():
    pairs = ks.ReductionKernel("float32 w, raw float32 x", "float32 y", "w * x[_j + 1]", "a + b", "y = a", "0", "f")
    return ks.check(pairs, ROW, ROW)


@case()
def a_running_sum():
    return ks.check(ks.InclusiveScanKernel(np.float32, "a + b"), ROW)


# ── delayed graphs ────────────────────────────────────────────────────────────────────────


def grow_after(x, *before):
    x += 1
    return x


class Account:
    def __init__(self):
        self.n = 0

    def add(self, *before):
        self.n += 1
        return self.n


@case()
def a_change_after_its_readers():
    x = np.zeros(9)
    return ks.check(delayed(grow_after)(x, delayed(total)(x), delayed(total)(x)))


@case("mutation")
def a_change_after_one_of_its_readers():
    x = np.zeros(9)
    return ks.check(both(delayed(grow_after)(x, delayed(total)(x)), delayed(total)(x)))


@case("mutation")
def views_that_overlap_in_tasks():
    x = np.zeros(9)
    return ks.check(both(delayed(grow)(x[:5]), delayed(grow)(x[4:])))


@case()
def columns_in_tasks():
    x = np.zeros((4, 4))
    return ks.check(both(*(delayed(grow)(x[:, k]) for k in range(4))))


@case()
def methods_one_after_the_other():
    account = Account()
    return ks.check(delayed(account.add)(delayed(account.add)()))


@case("race")
def methods_beside_each_other():
    account = Account()
    return ks.check(both(delayed(account.add)(), delayed(account.add)()))


@case()
def tasks_under_a_lock():
    account, lock = Account(), threading.Lock()

    def add():
        with lock:
            account.n += 1

    return ks.check(both(delayed(add)(), delayed(add)()))


@case("mutation")
def an_array_in_a_list_of_two_tasks():
    x = np.zeros(9)

    def first(arrays):
        arrays[0][0] = 1

    return ks.check(both(delayed(first)([x]), delayed(first)([x])))
