"""Memory that others may write: operations on it are fused within their statement and done when it ends."""

import collections.abc
import gc
import sys
import textwrap
import threading

import numpy as np
import pytest

import kasoku as ks

N = 40000  # statements over small arrays are fused when they come again, over these at once

rng = np.random.default_rng(5)


class Theirs:
    """An array of another library's, and how it is written and shown."""

    def __init__(self, device, values):
        if device == "cpu":
            self.memory = np.array(values)
            self.shown = ks.asarray(self.memory)
        else:
            torch = pytest.importorskip("torch")
            self.memory = torch.tensor(values, device="cuda")
            self.shown = ks.from_dlpack(self.memory)

    def write(self, value):
        self.memory[...] = value
        if not isinstance(self.memory, np.ndarray):
            import torch

            torch.cuda.synchronize()


@pytest.fixture
def theirs(no_first_sight, device):
    with ks.default_device(device):
        yield lambda values=None: Theirs(device, rng.random(N) if values is None else values)


def run(text, **names):
    """The names that the text leaves, and how many kernels it launched."""
    names["ks"] = ks
    code = compile(textwrap.dedent(text), "<a user's program>", "exec")
    before = ks.stats()["launches"]
    exec(code, names)
    return names, ks.stats()["launches"] - before


def waits(value):
    if isinstance(value, ks.Array):
        return value.is_pending
    if isinstance(value, dict):
        return waits(list(value.values()))
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, np.ndarray)):
        return any(waits(one) for one in value)
    return False


FUSED = """z = ks.sin(x) * ks.exp(y) + ks.sqrt(x)
z = -x * 2 + (y - 1) / 3
z = (x * 2 + 1)[10:39000] * 3
z = (x * 2 + 1).T + x.T
z = ks.sqrt(ks.exp(x) * 2) - y
z = (x < y) & (x + y < 1.0)
z = ks.where(x < y, x * 2, y + 1)
z = (x * 2 + 1).reshape(4, -1) / len(x)
z = x + 1 if len(x) else y
z = (x * 2 + 1).astype("float32")
x *= y + 2
z = (x * 2 + 1) ** 2 * float(k)
z = [x * 2 + 1]
z = {"a": x * 2 + 1}
z = (lambda a: a * 2 + 1)(x)
(w := x * 2 + 1)
z = w = x * 2 + 1""".splitlines()
APART = [
    ("z, w = x * 2 + 1, y * 2 + 1", 2),
    ("z = (w := x + 1) * 2", 2),
    ("z = [a * 2 + 1 for a in (x, y)]", 2),
    ("def f(a):\n  b = a * 2 + 1\n  return b * b + a\nz = f(x)", 2),
    ("def g():\n  yield x * 2 + 1\n  yield y * 2 + 1\nz = list(g())", 2),
    ("class A:\n  def __init__(self): self.z = x * 2 + 1\nz = A().z", 1),
    ("def f():\n  w = x\n  def g():\n    nonlocal w\n    w = w * 2 + 1\n  g()\n  return w\nz = f()", 1),
    ("def f(a): return 3\nz = x * 2 + f(0)", 2),  # a function of the program's could write
    ("z = x * 2 + A().b\n", 2),  # and a property
]


def left_by(names):
    return {k: v for k, v in names.items() if k not in ("__builtins__", "ks", "A")}


@pytest.mark.parametrize("text", FUSED)
def test_a_statement_is_one_kernel_and_leaves_nothing_behind(theirs, text):
    for _ in range(2):
        x, y = theirs(), theirs()
        names, launched = run(text, x=x.shown, y=y.shown, k=3)
        assert not waits(left_by(names))
        assert launched == 1


@pytest.mark.parametrize("text, launches", APART)
def test_what_the_program_holds_is_a_kernel_of_its_own(theirs, text, launches):
    class A:
        b = 3

    x, y = theirs(), theirs()
    before = ks.stats()["launches"]
    names, _ = run(text, x=x.shown, y=y.shown, A=A)
    waits(names["z"]) and names["z"].eval()  # of memory of ours it may be
    assert ks.stats()["launches"] - before == launches


def test_values_are_those_of_numpy(theirs):
    a, b = rng.random(N), rng.random(N)
    names, _ = run("""
        z = ks.sqrt(x * x + y * y) - (x + 1) / 3
        w = (x * x + y * y < 1.0).sum()
        v = (x - x.mean()) / x.std()
        x += y * 2
        y[1:] = x[:-1] * y[1:]
    """, x=theirs(a).shown, y=theirs(b).shown)  # fmt: skip
    np.testing.assert_allclose(names["z"].numpy(), np.sqrt(a * a + b * b) - (a + 1) / 3, 1e-12)
    assert int(names["w"]) == (a * a + b * b < 1).sum()
    np.testing.assert_allclose(names["v"].numpy(), (a - a.mean()) / a.std(), 1e-9, 1e-9)
    np.testing.assert_allclose(names["x"].numpy(), a + b * 2, 1e-12)
    np.testing.assert_allclose(names["y"].numpy(), [b[0], *((a + b * 2)[:-1] * b[1:])], 1e-12)


def test_a_write_between_statements_is_seen_and_changes_no_result(theirs):
    x = theirs(np.ones(N))
    s = x.shown
    z = s * 2 + 1
    x.write(5)
    w = s * 2 + 1
    x.write(7)
    total = (s + s).sum()
    x.write(0)
    assert (z == 3).all() and (w == 11).all() and float(total) == 14 * N


SIZES = [1, 10, 1024, 1025, 5000, N]


@pytest.mark.parametrize("n", SIZES)
def test_of_any_size_and_however_often(theirs, n):
    x = theirs(np.ones(n))
    s = x.shown
    for k in range(5):
        x.write(k)
        z = ks.exp(s * 0) * k + s * s - (s + 1)
        x.write(-1)
        assert (z.numpy() == k * k - 1).all()


def test_a_function_of_the_program_that_writes_within_the_statement_is_seen_as_in_numpy(theirs):
    x = theirs(np.ones(N))

    def g(value):
        x.write(value)
        return value

    class Camera:
        @property
        def frame(self):
            g(4)
            return x.shown

        def __getattr__(self, name):
            return g(6)

    names, _ = run("""
        z = (x + 1) * g(3)
        w = (x + 1) * 1 + camera.frame
        v = (x + 1).reshape(4, -1)[:, :g(5)]
        u = (x + 1) * 2 + camera.anything
        t = ks.maximum(x * 2, g(7))
        s = (x + 1) * (lambda: g(8))()
        r = [(x + 1) * g(9) for _ in range(2)]
        q = (x + 1 if g(10) else x) * g(1)
        p = f"{(x + 1).sum() + g(2)}"
        o = (x + 1).reshape(g(4), -1).sum()
    """, x=x.shown, g=g, camera=Camera())  # fmt: skip
    expected = {"z": 6, "w": 8, "v": 5, "u": 18, "t": 12, "s": 64}
    for name, value in expected.items():
        assert (names[name].numpy() == value).all(), name
    assert (names["r"][0].numpy() == 81).all() and (names["r"][1].numpy() == 90).all()
    assert (names["q"].numpy() == 11).all()
    assert float(names["p"]) == 2 * N + 2
    assert float(names["o"]) == 3 * N


def test_generators_and_closures_hold_values(theirs):
    x = theirs(np.ones(N))

    def sums():
        got = yield x.shown * 2 + 1
        while True:
            got = yield (x.shown + got) * 2

    def later():
        y = x.shown * 2 + 1
        return lambda: y * 2

    g = sums()
    first = next(g)
    held = later()
    x.write(3)
    second = g.send(1)
    x.write(0)
    assert (first == 3).all() and (second == 8).all() and (held() == 6).all()


def test_what_a_program_keeps_of_a_value_is_computed(theirs):
    x = theirs(np.ones(N))
    seen = []
    names, _ = run("""
        keep(x * 2 + 1)
        keep(a=x * 2 + 1)
        m = (x * 2 + 1).reshape
        z = ks.delayed(x * 2 + 1)
        w = ks.delayed(f)(x * 2 + 1)
        d = dict(a=x * 2 + 1)
        u = ks.nonzero(x * 2)[0]
        t = ks.stack([x * 2, x], 1)[0]
        it = iter(x * 2 + 1)
    """, x=x.shown, keep=lambda a: seen.append(a), f=lambda a: a + 1)  # fmt: skip
    x.write(0)
    assert all((a == 3).all() for a in seen) and (names["m"](2, -1) == 3).all()
    assert (names["z"].compute() == 3).all() and (names["w"].compute() == 4).all()
    assert (names["d"]["a"] == 3).all() and (names["u"] == ks.arange(N)).all()
    assert (names["t"].numpy() == [2, 1]).all() and float(next(names["it"])) == 3


def test_an_exception_within_a_statement_leaves_nothing_behind(theirs):
    x = theirs(np.ones(N))
    for _ in range(2):
        with pytest.raises(ValueError):
            run("z = ks.sin(x) * 2 + x[:3]", x=x.shown)
        with pytest.raises(ZeroDivisionError):
            run("z = ks.sin(x) * (1 / 0) + x", x=x.shown)
        with pytest.raises(TypeError):
            run("z = ks.exp(x) * 2 + object()", x=x.shown)
    names, _ = run("try:\n  z = (x + 1) * {}[0]\nexcept KeyError:\n  z = x * 2 + 1", x=x.shown)
    x.write(0)
    assert (names["z"] == 3).all()


def test_threads_each_have_their_statements(theirs):
    wrong, start = [], threading.Barrier(6)
    code = compile("z = ks.exp(x * 0) * k + x * x", "<a user's program>", "exec")
    everyone = [theirs(np.zeros(N)) for _ in range(6)]

    def work(k):
        x = everyone[k]
        start.wait()
        for turn in range(20):
            x.write(turn)
            names = {"x": x.shown, "k": float(k), "ks": ks}
            exec(code, names)
            x.write(-1)
            if names["z"].is_pending or not (names["z"].numpy() == k + turn * turn).all():
                wrong.append((k, turn))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def test_two_arrays_over_one_memory_are_one_memory(theirs):
    memory = np.ones(N)
    a, b = ks.asarray(memory, device="cpu"), ks.asarray(memory, device="cpu")
    names, _ = run("""
        z = (a + 1) * 1 + ks.add(b, 1, out=b)
        w = a * 2 + b.sum()
        a[1:] = a[:-1] * 2 + b[1:]
    """, a=a, b=b)  # fmt: skip
    assert (names["z"].numpy() == 4).all()
    assert (names["w"].numpy() == 4 + 2 * N).all()
    assert (memory == [2, *[6] * (N - 1)]).all()


def test_exported_memory_counts_too(theirs, device):
    x = ks.ones(N) * 1
    if device == "cpu":
        shown = np.from_dlpack(x)
    else:
        torch = pytest.importorskip("torch")
        shown = torch.from_dlpack(x)
    z = x * 2 + 1
    assert not z.is_pending
    shown[...] = 5
    if device != "cpu":
        torch.cuda.synchronize()
    w = x * 2 + 1
    shown[...] = 0
    assert (z == 3).all() and (w == 11).all()


def test_what_was_pending_when_memory_was_exported_has_its_values():
    x = ks.ones(N) * 1
    y = x * 2 + 1
    assert y.is_pending
    np.from_dlpack(x)[...] = 0
    assert (y == 3).all()


def test_an_address_that_was_taken_stays(theirs):
    x = ks.ones(N) * 1
    at = x.ptr
    x += 1
    x[:] = x * 2 + 1
    assert x.ptr == at and (x == 5).all()
    y = x + 1
    assert not y.is_pending


def test_other_memory_stays_lazy(theirs):
    x = theirs(np.ones(N))
    y = ks.ones(N) * 2
    z = y + 1
    assert z.is_pending
    w = z + x.shown
    assert not w.is_pending and z.is_pending
    assert (w == 4).all()


def test_functions_of_the_tables_leave_nothing_pending(theirs):
    x = theirs(rng.random(N) + 0.5)
    for name, arity, *_ in ks._core._ops():
        f = getattr(ks, name)
        for text in ("z = f(*a)", "z = {0: f(*a)}"):
            try:
                names, _ = run(text, f=f, a=[x.shown] * arity)
            except (TypeError, ks.Error):
                continue
            assert not waits(names["z"]), (name, text)


def test_nothing_is_kept_alive_by_a_statement(theirs):
    memory = np.ones(N)
    references = sys.getrefcount(memory)
    s = ks.asarray(memory, device="cpu")
    z = ks.sin(s) * 2 + 1
    del s
    gc.collect()
    assert sys.getrefcount(memory) == references
    assert (z == np.sin(1.0) * 2 + 1).all()


def test_tasks_read_what_is_there_when_they_are_made(theirs):
    x = theirs(np.ones(N))
    graph = ks.delayed(lambda a, b: a + b)(x.shown * 2 + 1, [x.shown * 3])
    x.write(0)
    assert (graph.compute()[0] == 6).all()
