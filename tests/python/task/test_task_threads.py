"""Threads of a program that make, compile and run at the same time; where Python has no lock nothing else orders them."""

import random
import sys
import threading

import numpy as np
import pytest

import kasoku as ks

has_no_lock = hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled()


@pytest.mark.skipif(not has_no_lock, reason="needs a free-threaded interpreter")
def test_an_interpreter_without_a_lock_stays_without():
    assert ks.delayed(len)([1]).compute() == 1 and not sys._is_gil_enabled()


def test_threads_do_everything_at_once():
    @ks.njit
    def scaled_sum(x, k):
        s = 0.0
        for i in range(len(x)):
            s += x[i] * k
        return s

    @ks.njit
    def twice_and(x, y):
        return x * 2 + y

    shared, gate, errors = ks.arange(1000.0), threading.Barrier(4), []
    compiled, python = ks.delayed(twice_and), ks.delayed(lambda x: x + 1)

    def work(seed):
        rng = random.Random(seed)
        try:
            gate.wait()
            for k in range(15):
                n = rng.randrange(1, 3000)
                x, want = ks.arange(float(n)), np.arange(float(n))
                assert scaled_sum(x, 2) == scaled_sum(want, 2) == want.sum() * 2
                assert float((x * 2 + 1).sum()) == (want * 2 + 1).sum()
                assert ((shared * k + 1)[:10].numpy() == np.arange(10) * k + 1).all()
                got = ks.compute(*[compiled(i, k) for i in range(50)], *[python(i) for i in range(50)])
                assert list(got) == [2 * i + k for i in range(50)] + [i + 1 for i in range(50)]
                with ks.Pool(2) as pool:
                    assert list(pool.map(abs, range(-20, 0))) == list(range(20, 0, -1))
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
