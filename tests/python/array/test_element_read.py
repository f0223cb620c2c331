"""One pending element that the host reads: a GPU stores it where the host reaches it, and the array is a constant from then on."""

import threading

import numpy as np
import pytest

import kasoku as ks

rng = np.random.default_rng(5)
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
NAMES = "sum prod max min any all argmax argmin mean var".split()


def elements(dtype, n):
    x = rng.integers(0, 2, n)
    return x.astype(dtype) if np.dtype(dtype).kind == "b" else (1 + x * (np.arange(n) < 5)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 10, 5000, 2_100_003])
def test_is_the_element_that_an_array_holds(on_device, dtype, n):
    x = ks.asarray(elements(dtype, n))
    for name in NAMES:
        if name in ("max", "min", "argmax", "argmin") and x.dtype in (ks.complex64, ks.complex128):
            continue
        read, stored = getattr(x, name)(), getattr(x, name)()
        assert read.item() == stored.numpy().item(), name
        assert read.numpy().item() == stored.numpy().item(), name  # and again, as a constant
        assert read.dtype == stored.dtype and read.shape == ()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64"])
def test_every_pattern_of_bits_arrives(on_device, dtype):
    size = np.dtype(dtype).itemsize
    for byte in (0x9D, 0, 0xFF, 0x7F):
        pattern = np.frombuffer(bytes([byte] * size), dtype)
        assert np.array_equal(
            ks.asarray(pattern).max().item(), pattern[0].item(), equal_nan=np.dtype(dtype).kind == "f"
        )


def test_what_is_computed_of_it_later(on_device):
    x = ks.arange(10.0)
    s = x.sum()
    view, half = s.reshape(1), s / 2
    assert float(s) == 45
    assert (s + 1).numpy() == 46 and view.numpy() == [45] and half.numpy() == 22.5
    s += 1
    assert float(s) == 46 and view.numpy() == [46] and half.numpy() == 22.5
    largest = x.max()
    assert float(largest) == 9
    x[:] = 0
    assert float(largest) == 9 and largest.numpy() == 9
    kernel = ks.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = x + y", "added")
    assert np.array_equal(kernel(largest, ks.arange(3.0)).numpy(), [9, 10, 11])


def test_expressions_end_in_one_element(on_device):
    host = rng.random(1000)
    x = ks.asarray(host)
    assert float(x.mean()) == pytest.approx(host.mean())
    assert float(x.sum() * 2 + x.max()) == pytest.approx(host.sum() * 2 + host.max())
    assert bool((x > 2).any()) is False and bool((x >= 0).all()) is True
    assert float(x[3] * 2) == host[3] * 2 and float(x[3]) == host[3]
    assert float(ks.sqrt(x[3:4])[0]) == np.sqrt(host[3])
    assert int((x > 0.5).sum()) == (host > 0.5).sum()
    assert np.isnan(float((x * np.nan).sum())) and float((x / 0).max()) == np.inf


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float16"])
def test_other_widths(on_device, dtype):
    x = ks.arange(10, dtype="float32").astype(dtype)
    assert (
        x.sum().item() == 45
        and x.prod().item() == 0
        and (x[3] * x[2]).item() == 6
        and x[ks.asarray([4])][0].item() == 4
    )


def test_empty_reductions(on_device):
    assert float(ks.zeros(0).sum()) == 0 and bool(ks.zeros(0).all()) is True
    with pytest.raises(ValueError):
        ks.zeros(0).max().item()


def test_memory_that_numpy_shares(on_device):
    host = np.arange(10.0)
    x = ks.asarray(host)
    s = x.sum()
    assert float(s) == 45
    host[0] = 100
    assert float(s) == 45


def test_an_element_that_cannot_be_computed_fails_each_time(on_device):
    x = ks.asarray(np.array([1, 2]))
    for _ in range(3):
        with pytest.raises(IndexError):
            x[ks.asarray(np.array([5]))].sum().item()
        assert int(x.sum()) == 3


def test_threads_read_their_own(on_device):
    wrong = []

    def work(k):
        for i in range(200):
            x = ks.full((7,), k * 1000 + i, dtype="int64")
            if int(x.sum()) != 7 * (k * 1000 + i):
                wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_threads_read_one_array(on_device):
    for i in range(50):
        s, found = (ks.arange(1000) + i).sum(), []
        threads = [threading.Thread(target=lambda s=s, found=found: found.append(int(s))) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert found == [499500 + 1000 * i] * 4


def test_bytes_are_counted(on_device):
    x = ks.arange(10, dtype="float32")
    ks.synchronize()
    before = ks.stats()
    assert float(x.sum()) == 45
    after = ks.stats()
    moved = after["bytes_from_device"] - before["bytes_from_device"]
    assert moved == (0 if ks.default_device().kind == "cpu" else 4)
    before = ks.stats()
    assert float(x[3]) == 3 and float((x[3] + x[4]) * 2) == 14
    after = ks.stats()
    for way, least in {"from": 8, "within": 0}.items():
        moved = after[f"bytes_{way}_device"] - before[f"bytes_{way}_device"]
        assert moved == (0 if ks.default_device().kind == "cpu" else least)
