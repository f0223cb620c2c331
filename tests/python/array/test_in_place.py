"""Large arrays that are changed as a whole keep their memory, where nobody else reads what was in it."""

import gc
import threading

import numpy as np
import pytest

import kasoku as ks

N = 1_000_003  # float64: beyond the size from which memory is kept
VALUES = np.random.default_rng(3).standard_normal(N)
MASK = VALUES > 0.3


@pytest.fixture(autouse=True)
def place(no_first_sight, device):
    with ks.default_device(device):
        yield


def add(x):
    x += 1


def chain(x):
    x += 1
    x *= x
    x -= 3


def mask(x):
    x[MASK if isinstance(x, np.ndarray) else ks.array(MASK)] = 0


def own_mask(x):
    x[x > 0.5] = -1


def other_dtype_between(x):
    x *= x.astype("int64").astype("float64")


IN_PLACE = [add, chain, mask, own_mask, other_dtype_between]


def new_bytes(change, x):
    before = ks.stats().bytes_allocated
    change(x)
    x.eval()
    return ks.stats().bytes_allocated - before


@pytest.mark.parametrize("change", IN_PLACE, ids=lambda change: change.__name__)
def test_no_memory_beside_the_array_s_own(change):
    x, expected = ks.array(VALUES), VALUES.copy()
    change(ks.array(VALUES).eval())  # kernels
    assert new_bytes(change, x.eval()) < VALUES.nbytes
    change(expected)
    np.testing.assert_array_equal(x.numpy(), expected)


def test_arrays_of_more_than_half_of_the_memory(device):
    x = ks.full(1 << 23, 2.0)
    add(x)
    own_mask(ks.full(1 << 23, 2.0))
    x.eval()
    d = ks.Device(device)
    gc.collect()
    ks.synchronize(device)
    d.trim()
    d.limit_memory(d.memory["used"] + 2**25)
    try:
        with pytest.raises(MemoryError):
            (x + 1).eval()
        add(x)
        own_mask(x.eval())
        assert float(x.eval()[5]) == -1 and float(x.max()) == -1
    finally:
        d.limit_memory(0)


def computed(x):
    return x.eval() if isinstance(x, ks.Array) else x


def view(x):
    y = x[1:]
    x += 1
    computed(x)
    return x[:-1] + y


def second_name(x):
    y = x
    x += 1
    computed(x)
    return x * 2 + y


def kept_before(x):
    z = x * 2
    x += z
    w = x + z
    x += w
    computed(x)
    return x + z + w


def turned(x):
    x *= x[::-1]
    return computed(x)


def read_before(x):
    z = x + 1
    x *= 2
    computed(x)
    return z + x


def rows(x):
    x = x[:1_000_000].reshape(1000, 1000).copy()
    x += x.T
    computed(x)
    x -= x[0]
    return computed(x)


def other_dtype(x):
    x = x.copy()
    x = (x * 3).astype("int64")
    x += 1
    return x.astype("float64")


@pytest.mark.parametrize(
    "program", [view, second_name, kept_before, turned, read_before, rows, other_dtype], ids=lambda f: f.__name__
)
def test_what_others_read_stays(program):
    np.testing.assert_array_equal(program(ks.array(VALUES)).numpy(), program(VALUES.copy()))


def test_memory_that_others_have_is_kept():
    x = ks.array(VALUES).eval()
    theirs = np.from_dlpack(x) if x.device == "cpu" else x[:]
    before = np.asarray(theirs).copy()
    y = x + 1
    del x
    y.eval()
    np.testing.assert_array_equal(np.asarray(theirs), before)
    np.testing.assert_array_equal(y.numpy(), before + 1)


def test_threads_read_while_another_computes():
    """A thread that makes the value a part of its own reads what it was made of."""
    expected, wrong = (VALUES + 1) * 2, []

    def read(x, barrier):
        barrier.wait()
        if not np.array_equal((x * 2).numpy(), expected):
            wrong.append(x)

    def compute(x, barrier):
        barrier.wait()
        x.eval()

    for _ in range(40):
        x, barrier = ks.array(VALUES).eval(), threading.Barrier(4)
        x += 1
        threads = [threading.Thread(target=f, args=(x, barrier)) for f in (compute, read, read, read)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
