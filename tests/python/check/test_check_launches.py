"""ks.check of a function that launches kernels and calls compiled loops."""

import threading

import numpy as np
import pytest

import kasoku as ks

shift = ks.RawKernel('extern "C" __global__ void shift(int *x) { x[0] = threadIdx.x; }', "shift")
count = ks.RawKernel('extern "C" __global__ void count(int *x) { x[threadIdx.x] += 1; }', "count")
first = ks.ElementwiseKernel("float x, raw float y", "", "y[0] = x", "first")
own = ks.ElementwiseKernel("float x", "float y", "y = x", "own")


@ks.cuda.jit
def fill(x):
    x[ks.cuda.threadIdx.x] = 1


@ks.jit(parallel=True)
def last(x, n):
    for i in ks.prange(len(x)):
        x[i % n] = i


def kinds(findings):
    return [(finding.kind, finding.array) for finding in findings]


def programs(device):
    x = ks.zeros(64, dtype="int32", device=device)
    y = ks.zeros(4, dtype="float32", device=device)
    return {
        "raw, race": (lambda: shift((1,), (64,), (x,)), [("race", "x")]),
        "raw, clean": (lambda: count((1,), (64,), (x,)), []),
        "raw, out of bounds": (lambda: count((1,), (65,), (x,)), [("bounds", "x")]),
        "elementwise, race": (lambda: first(ks.ones(4, "float32", device=device), y), [("race", "y")]),
        "elementwise, clean": (lambda: own(ks.ones(4, "float32", device=device), y), []),
        "python, clean": (lambda: fill[1, 10](np.zeros(10)), []),
        "python, out of bounds": (lambda: fill[1, 32](np.zeros(10)), [("bounds", "x")]),
        "loop, race": (lambda: last(np.zeros(8), 4), [("race", "x")]),
        "loop, clean": (lambda: last(np.zeros(8), 8), []),
    }


@pytest.mark.parametrize("name", programs("cpu"))
def test_a_function_is_judged_by_what_it_launches(name, device):
    program, expected = programs(device)[name]
    found = ks.check(program)
    assert (kinds(found), found.unseen) == (expected, [])


def test_the_program_ends_before_a_launch_that_leaves_its_array():
    x, after = ks.zeros(10, dtype="int32"), []

    def program():
        count((1,), (64,), (x,))
        after.append(1)

    assert kinds(ks.check(program)) == [("bounds", "x")] and not after
    assert x.tolist() == [0] * 10


def test_launches_in_threads_a_thread_that_fails_tells_its_finding_alone(capfd):
    x = ks.zeros(10, dtype="int32")

    def program():
        thread = threading.Thread(target=lambda: count((1,), (64,), (x,)))
        thread.start()
        thread.join()

    assert ("bounds", "x") in kinds(ks.check(program))
    assert capfd.readouterr().err == ""


def test_two_threads_that_launch_on_one_array():
    x = ks.zeros(64, dtype="int32")
    lock = threading.Lock()

    def bare():
        count((1,), (64,), (x,))

    def locked():
        with lock:
            count((1,), (64,), (x,))

    assert kinds(ks.check(bare, threads=2)) == [("race", "x")]
    assert kinds(ks.check(locked, threads=2)) == []


def test_tasks_of_a_graph():
    x = ks.zeros(64, dtype="int32")
    assert ("race", "x") in kinds(ks.check(ks.delayed(lambda: shift((1,), (64,), (x,)))()))


def test_launches_after_a_check_are_free():
    ks.check(lambda: count((1,), (64,), (ks.zeros(64, dtype="int32"),)))
    x = ks.zeros(64, dtype="int32")
    shift((1,), (64,), (x,))
    assert isinstance(ks.check(lambda: None), list) and x[0] in range(64)
    assert not hasattr(ks.ElementwiseKernel.__call__, "__wrapped__")


def test_what_cannot_be_checked_is_named():
    x = ks.zeros(64, dtype="int32")
    address = x.__array_interface__["data"][0]
    found = ks.check(lambda: count((1,), (64,), (np.intp(address),)))
    assert found == [] and len(found.unseen) == 1
    assert found.unseen[0].startswith("count (check: 'x' of 'count' is an address")
