"""ks.record(): what a thread launched is repeated on the same arrays."""

import gc
import threading

import numpy as np
import pytest

import kasoku as ks

ADD = ks.RawKernel(
    'extern "C" __global__ void add(int n, float a, const float *x, float *y) {'
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }",
    "add",
)
SQUARE = ks.ElementwiseKernel("T x", "T y", "y = x * x + 1", "square_and_one")
TOTAL = ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")


@pytest.fixture(autouse=True)
def place(device):
    with ks.default_device(device):
        yield


@pytest.mark.parametrize("n", [0, 1, 10, 1000, 100000])
def test_a_raw_kernel_is_repeated(n):
    x, y = ks.arange(n, dtype="float32") * 1, ks.zeros(n, dtype="float32")
    with ks.record() as replay:
        ADD((max(1, (n + 127) // 128),), (128,), (n, np.float32(2), x, y))
    assert (y == 2 * x).all()  # it is done while it is recorded
    for _ in range(3):
        replay()
    assert (y == 8 * x).all() and len(replay) == 1
    x += 1
    replay()  # arguments are arrays, not what they held
    np.testing.assert_array_equal(y.numpy(), 10 * np.arange(n, dtype="float32") + 2)


def test_kernels_of_all_kinds_and_their_order():
    x = ks.arange(3000, dtype="float32") * 1
    y, z, t = ks.zeros(3000, dtype="float32"), ks.zeros(3000, dtype="float32"), ks.zeros((), dtype="float32")
    with ks.record() as replay:
        SQUARE(x, y)
        ADD((24,), (128,), (3000, np.float32(1), y, z))
        TOTAL(z, out=t)
        x[:] = x + 1
    a, b = np.arange(3000, dtype="float32"), np.zeros(3000, dtype="float32")
    for _ in range(4):
        b += a * a + 1
        total = b.sum(dtype="float64")
        a += 1
        np.testing.assert_allclose(z.numpy(), b, 1e-6)
        np.testing.assert_allclose(float(t), total, 1e-5)
        np.testing.assert_array_equal(x.numpy(), a)
        replay()


@pytest.mark.parametrize("n", [1, 10, 1024, 5000, 70000])
def test_array_expressions_write_where_they_wrote(n):
    a = np.linspace(0, 1, n)
    x, y = ks.array(a), ks.ones(n)
    with ks.record() as replay:
        x += y * 2
        y[:] = x - y
        y[n // 2] = 7.0
        z = ks.sqrt(x * x + 1) + y.sum()
    b = np.ones(n)
    for _ in range(3):
        a = a + b * 2
        b = a - b
        b[n // 2] = 7
        np.testing.assert_allclose(x.numpy(), a, 1e-12)
        np.testing.assert_allclose(y.numpy(), b, 1e-12)
        np.testing.assert_allclose(z.numpy(), np.sqrt(a * a + 1) + b.sum(), 1e-9)
        replay()


def test_views_slices_scans_and_elements():
    x = ks.array(np.arange(24.0).reshape(4, 6))
    a = x.numpy()
    with ks.record() as replay:
        x[1:, ::2] += x[:-1, ::2]
        c = ks.cumsum(x, axis=1)
        d = x[2, 3] * x[0]
        x.T[0] = c.max(axis=0)[:4]
        e = ks.where(x > 3, x, ks.zeros_like(x)).mean()
    for _ in range(3):
        a[1:, ::2] += a[:-1, ::2].copy()
        c_, d_ = a.cumsum(1), a[2, 3] * a[0]
        a.T[0] = c_.max(0)[:4]
        np.testing.assert_allclose(x.numpy(), a)
        np.testing.assert_allclose(c.numpy(), c_)
        np.testing.assert_allclose(d.numpy(), d_)
        np.testing.assert_allclose(float(e), np.where(a > 3, a, 0).mean())
        replay()


def test_what_was_pending_before_is_not_repeated():
    x = ks.zeros(1000) + 5
    y = ks.zeros(1000)
    z = ks.full(1000, 2.0)
    with ks.record() as replay:
        x += 1
        y += x
        z *= 2
        w = ks.zeros(1000)
        w += x
    replay()
    replay()
    assert (x == 8).all() and (y == 6 + 7 + 8).all() and (z == 16).all() and (w == 8).all()


def test_memory_lives_as_long_as_the_replay():
    out = ks.zeros(5000)
    x = ks.ones(5000) * 3

    def make(x):
        temporary = ks.array(np.full(5000, 2.0))
        with ks.record() as replay:
            t = temporary * x
            out[:] = out + t
            del t
        return replay

    replay = make(x)
    del x
    gc.collect()
    others = [ks.full(5000, float(k)).eval() * 1 for k in range(20)]  # would lie in memory that was given back
    replay()
    replay()
    assert (out == 18).all()
    assert all((each == k).all() for k, each in enumerate(others))
    del replay
    gc.collect()
    assert (out == 18).all()


def test_memory_of_others_is_kept_too(device):
    if device != "cpu":
        pytest.skip("NumPy's memory is the host's")
    out = ks.zeros(5000)
    memory = np.full(5000, 3.0)
    shown = ks.asarray(memory)
    with ks.record() as replay:
        out += shown
    del shown
    memory[:] = 4
    replay()
    del memory
    gc.collect()
    [np.zeros(5000) for _ in range(10)]
    replay()
    assert (out == 3 + 4 + 4).all()


def test_two_replays_keep_memory_of_one_another():
    out, x = ks.zeros(2000), ks.ones(2000) * 1
    with ks.record() as first:
        out += x
    with ks.record() as second:
        out += x * 2
    del x, first
    gc.collect()
    [ks.full(2000, 9.0).eval() for _ in range(10)]
    second()
    assert (out == 1 + 2 + 2).all()


REPEATED = [
    lambda m, x: m.cumsum(x) + m.mean(x),
    lambda m, x: m.diff(x),
    lambda m, x: m.gradient(x),
    lambda m, x: m.concatenate([x, m.roll(x, 3), m.flip(x)]),
    lambda m, x: m.pad(m.repeat(x, 2), 2),
    lambda m, x: m.std(x.reshape(3, -1), axis=1) + m.argmax(x),
    lambda m, x: m.outer(x[:5], x[3:8]),
    lambda m, x: m.einsum("i,i->", x, x),
    lambda m, x: m.tril(x.reshape(3, -1)).T * 2,
    lambda m, x: m.count_nonzero(x > 2) + m.trace(x.reshape(3, -1)),
    lambda m, x: m.where(x > 2, x, x[2] * x[3] + 1).astype("int32"),
    lambda m, x: changed(x),
    lambda m, x: x @ m.outer(x, x + 1),
    lambda m, x: (x.reshape(3, -1) @ x.reshape(3, -1).T) @ (x.reshape(3, -1) + 1)[:, ::2],
    lambda m, x: m.matmul(x.reshape(-1, 2, 3), x.reshape(-1, 3, 2)).sum(0),
    lambda m, x: m.abs(m.fft.fft(x * 2)) + m.fft.irfft(m.fft.rfft(x), len(x)),
    lambda m, x: m.fft.ifftn(x.reshape(3, -1), axes=(0,)).real,
]


def changed(x):
    y = x * 1
    y[x > 2] = 7
    y[1] = x[2]
    y[3:5] = y[5:7]
    y[:3], y[3:6] = y[3:6], y[:3]
    return y


@pytest.mark.parametrize("n", [12, 3000])
@pytest.mark.parametrize("f", REPEATED)
def test_what_is_not_refused_is_repeated(f, n):
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 5, (2, n)).astype(float)
    x, other = ks.array(a), ks.array(b)
    with ks.record() as replay:
        y = f(ks, x)
    x[:] = other
    replay()
    np.testing.assert_allclose(y.numpy(), f(np, b), 1e-12, 1e-10)


REFUSED = [
    "float(x.sum())",
    "x.numpy()",
    "bool((x > 0).all())",
    "print(x)",
    "x.tolist()",
    "ks.array(np.ones(10))",
    "x[np.arange(3)] * 1",
    "x[x > 3] * 1",
    "ks.linalg.solve(ks.eye(3), x[:3])",
    "ks.sort(x)",
    "ks.nonzero(x)",
    "ks.histogram(x)",
    "f(x)",
    "other()",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_repeated_is_refused_in_one_sentence(text, device):
    x = ks.arange(10, dtype="float64") * 1

    @ks.jit
    def f(x):
        return x + 1

    f(x)
    with ks.record() as other:
        x += 1
    replay = ks.record()
    with pytest.raises(ValueError, match="cannot be recorded") as refusal:
        with replay:
            y = x + 1
            exec(text, {"x": x, "ks": ks, "np": np, "f": f, "other": other})
    assert "\n  fix  " in str(refusal.value)
    with pytest.raises(ValueError, match="nothing was recorded"):
        replay()
    assert float((x + 1).sum()) == 65 and (y == x + 1).all()  # and everything goes on


def test_a_recording_is_one_and_of_one_thread():
    x = ks.zeros(10)
    replay = ks.record()
    with pytest.raises(ValueError, match="nothing was recorded"):
        replay()
    with replay:
        x += 1
        with pytest.raises(ValueError, match="under way"):
            replay()
        with pytest.raises(ValueError, match="records already"):
            with ks.record():
                pass
    with pytest.raises(ValueError, match="made once"):
        with replay:
            pass
    replay()
    assert (x == 2).all()
    with ks.record() as nothing:
        pass
    nothing()
    assert len(nothing) == 0


def test_other_threads_go_on_as_they_are(device):
    x, y = ks.zeros(5000), ks.zeros(5000)
    done = []

    def work():
        with ks.default_device(device):
            z = ks.ones(5000) + 1
            done.append(float(z.sum()))

    with ks.record() as replay:
        x += 1
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        y += x
    assert done == [10000.0]
    replay()
    assert (y == 3).all()


def test_replays_from_many_threads_are_one_after_the_other(device):
    x = ks.zeros(3000)
    with ks.record() as replay:
        x += 1

    def work():
        with ks.default_device(device):
            for _ in range(50):
                replay()

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert (x == 201).all()


def test_work_on_another_device_is_refused(device):
    if device == "cpu":
        pytest.skip("needs a second device")
    x = ks.ones(10, device="cpu") * 1
    with pytest.raises(ValueError, match="cannot be recorded"), ks.record():
        (x + 1).eval()


def test_the_null_device_records_too():
    y = ks.zeros(10, dtype="float32", device="null")
    with ks.record("null") as replay:
        ADD((1,), (32,), (10, np.float32(1), y, y))
    before = ks.stats()["launches"]
    replay()
    assert ks.stats()["launches"] == before + 1 and len(replay) == 1


def test_random_numbers_are_those_of_the_recording():
    ks.random.seed(3)
    x = ks.zeros(1000)
    with ks.record() as replay:
        x += ks.random.rand(1000)
    once = x.numpy()
    replay()
    np.testing.assert_allclose(x.numpy(), 2 * once)


def test_what_is_taken_down_alone_is_done_by_replays(device):
    x, y = ks.arange(5000.0, device=device), ks.ones(5000, device=device)
    with ks.record(device, run=False) as replay:
        x += y
        x[:10] = 7
        z = x.copy() * 2
        total = x.sum()
    start = np.arange(5000.0)
    assert x.tolist() == start.tolist() and len(replay) >= 3
    y *= 3
    for _ in range(2):
        replay()
        start += 3
        start[:10] = 7
        np.testing.assert_array_equal(x.numpy(), start)
        np.testing.assert_array_equal(z.numpy(), start * 2)
        assert float(total) == start.sum()
