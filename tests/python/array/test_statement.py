"""Eager means by statement: within one operations are fused, behind it nothing waits."""

import collections.abc
import sys
import textwrap
import threading

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import tensorflow as tf
from kasoku.compat import torch

N = 40000  # statements over small arrays are fused when they come again, over these at once


@pytest.fixture(autouse=True)
def place(no_first_sight, device):
    with ks.default_device(device):
        torch.set_default_device("cuda" if device != "cpu" else "cpu")
        yield
        torch.set_default_device(None)


class Torch:
    library = torch
    rand = staticmethod(lambda: torch.rand(N))
    array = staticmethod(lambda t: t._a)


class TensorFlow:
    library = tf
    rand = staticmethod(lambda: tf.random.uniform([N]))
    array = staticmethod(lambda t: t._array)


class Arrays:
    library = ks
    rand = staticmethod(lambda: ks.random.rand(N).eval())
    array = staticmethod(lambda t: t)


@pytest.fixture(params=[Torch, TensorFlow, Arrays], ids=["torch", "tensorflow", "ks"])
def face(request):
    if request.param is Arrays:
        with ks.eager():
            yield request.param
    else:
        yield request.param


def run(face, text, mode="exec", x=None, y=None):
    """The names that the text leaves, and how many kernels it launched; nothing in them waits."""
    names = {"lib": face.library, "x": face.rand() if x is None else x, "y": face.rand() if y is None else y}
    code = compile(textwrap.dedent(text), "<a user's program>", mode)
    before = ks.stats()["launches"]
    exec(code, names)
    launched = ks.stats()["launches"] - before
    kind = type(names["x"])

    def look(value):
        if isinstance(value, kind):
            assert not face.array(value).is_pending
        elif isinstance(value, dict):
            look(list(value.values()))
        elif isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, np.ndarray)):
            for one in list(value):
                look(one)

    for name, value in names.items():
        if name not in ("lib", "__builtins__"):
            look(value)
    return names, launched


ONE = """z = x * x + y * y
z = -x * 2 + (y - 1) / 3
z = (x * 2 + 1)[10:100]
z = lib.sqrt(x * x + y * y)
z = lib.sqrt(lib.exp(x) * 2) - y
z = x + 1 if len(x) else y
z = (x < y) & (x + y < 1.0)
z: object = x * 2 + 1
z = lib.where(x < y, x * 2, y + 1)
z = (x * 2 + 1,)[0]
x *= y + 2
z = []; z.append(x * 2 + 1)
z = [x * 2 + 1]
z = {"a": x * 2 + 1}
z = {**{"a": x * 2 + 1}}
z = [a * 2 + 1 for a in [x]]
z = {0: a * 2 + 1 for a in [x]}
z, w = x * 2 + 1, y
z, *w = [x * 2 + 1]
z = (lambda a: a * 2 + 1)(x)
(w := x * 2 + 1)
z = w = x * 2 + 1
with open("/dev/null"): z = x * 2 + 1
for z in [x * 2 + 1]: pass
global z; z = x * 2 + 1
z = y if x is None else x * 2 + 1
assert (z := x * 2 + 1) is not None""".splitlines()
TWO = """z, w = x * 2 + 1, y * 2 + 1
z = [a * 2 + 1 for a in (x, y)]
z = (w := x + 1) * 2
z = (lambda a: a * 2 + 1)(x * y - 1)
z = x * 2 + 1; w = z * z + y""".splitlines()
BLOCKS = [
    ("def f(a):\n  return a * 2 + 1\nz = f(x) + 1", 2),
    ("def f(a):\n  b = a * 2 + 1\n  return b * b + a\nz = f(x)", 2),
    ("def g():\n  yield x * 2 + 1\n  yield y * 2 + 1\nz = list(g())", 2),
    ("def f(t):\n  return lambda g: t\n@f(x * 2 + 1)\ndef z(): pass\n", 1),
    ("class A:\n  z = x * 2 + 1\nz = A.z", 1),
    ("class A:\n  def __init__(self): self.z = x * 2 + 1\nz = A().z", 1),
    ("def f():\n  w = x\n  def g():\n    nonlocal w\n    w = w * 2 + 1\n  g()\n  return w\nz = f()", 1),
    ("def f(a, *, b=1):\n  return a\nz = f(x * 2 + 1, b=3)", 1),
    ("def f(*a):\n  return a\nz = f(*[x * 2 + 1])", 1),
    ("try:\n  z = x * 2 + 1\nfinally:\n  w = 0", 1),
    ("exec('z = x * 2 + 1')", 1),
    ("z = eval('x * 2 + 1') * 3", 2),
    ("match x * 2 + 1:\n  case z: pass", 1),
]


@pytest.mark.parametrize("text, launches", [*((t, 1) for t in ONE), *((t, 2) for t in TWO), *BLOCKS])
def test_a_statement_is_one_kernel_and_leaves_nothing_behind(face, text, launches):
    names, launched = run(face, text)
    assert launched == launches
    assert launched == run(face, text)[1]  # and again


def test_values_are_those_of_numpy(face):
    names, _ = run(face, "z = lib.sqrt(x * x + y * y) - (x + 1) / 3\nw = (x * x + y * y < 1.0)\nx += y * 2")
    x, y = (face.array(names[k]).numpy() for k in "xy")
    x = x - 2 * y
    np.testing.assert_allclose(face.array(names["z"]).numpy(), np.sqrt(x * x + y * y) - (x + 1) / 3, 1e-5, 1e-5)


def test_a_reduction_takes_the_statement_in(face):
    sums = {torch: "(x * x + y * y < 1.0).sum()", tf: "lib.reduce_sum(lib.cast(x * x + y * y < 1.0, lib.int64))",
            ks: "(x * x + y * y < 1.0).sum()"}  # fmt: skip
    run(face, "z = " + sums[face.library])
    before = ks.stats()["bytes_allocated"]
    names, launched = run(face, "z = " + sums[face.library])
    x, y = (face.array(names[k]).numpy() for k in "xy")
    assert int(names["z"]) == (x * x + y * y < 1.0).sum()
    assert launched <= 4  # x, y, chunks, their results
    assert ks.stats()["bytes_allocated"] - before < 3 * x.nbytes  # x, y, and nothing of their size


def test_functions_of_the_user_get_values(face):
    seen = []
    names, _ = run(face, "z = 1")
    x = names["x"]
    names = {"lib": face.library, "x": x, "look": lambda a: seen.append(face.array(a).is_pending)}
    exec("look(x * 2)\nlook(a=x * 2)\nlook(*(x * 2, ))\nprint(look(x * 2 + 1), end='')", names)
    assert seen == [False] * 4


def test_a_loop_over_arrays_is_fused_from_its_second_turn_on(no_first_sight):
    names = {"x": torch.rand(5000)}
    code = compile("z = x * x + x * 2", "<a user's program>", "exec")
    launches = []
    for _ in range(4):
        before = ks.stats()["launches"]
        exec(code, names)
        launches.append(ks.stats()["launches"] - before)
    assert launches == [3, 1, 1, 1]


def test_items_are_written_at_their_statement(face):
    if face is TensorFlow:
        pytest.skip("its tensors cannot be written")
    names, launched = run(face, "x[1:] = y[:-1] * 2 + 1\nx[0] = 7\nz = x * 1")
    y = face.array(names["y"]).numpy()
    np.testing.assert_allclose(face.array(names["z"]).numpy(), [7, *(y[:-1] * 2 + 1)], 1e-6)
    assert launched <= 3


def test_what_a_statement_reads_before_it_is_written_keeps_its_value():
    names, _ = run(Torch, "z = x * 2 + x.zero_()\nw = (y + 1) * 2 + y.mul_(0)", x=torch.ones(N), y=torch.ones(N))
    assert torch.all(names["z"] == 2) and torch.all(names["w"] == 4)


def test_in_place_methods_leave_nothing_behind():
    names, _ = run(
        Torch, "z = x.mul_(y * 2).sum()\nx.add_(1).clamp_(0, 1)\nw = x.uniform_() < 2\ny.normal_()\ny.fill_(3)"
    )
    assert torch.all(names["y"] == 3) and bool(names["w"].all())


def test_containers_that_we_make_hold_values():
    text = """
        z = torch.max((x * 2).reshape(40, -1), dim=0).values
        w = torch.split(x * 2, 1000)[0]
        v = torch.var_mean(x * 2)[0]
        u = torch.unbind((x * 2).reshape(40, -1))[1]
        t = tf.split(tf.ones([8]) * 2, 2)[0]
        s = tf.unstack(tf.ones([8]) * 2)[0]
        r = tf.Variable(tf.ones([8]) * 2).value()
    """
    names = {"torch": torch, "tf": tf, "x": torch.rand(N)}
    exec(textwrap.dedent(text), names)
    assert not any(names[k]._a.is_pending for k in "zwvu") and not any(names[k]._array.is_pending for k in "tsr")


def test_a_cell_shows_its_last_expression(face, monkeypatch):
    shown = []
    monkeypatch.setattr(sys, "displayhook", lambda value: shown.append(face.array(value).is_pending))
    run(face, "x * 2 + 1", "single")
    assert shown == [False]


def test_generated_code_and_deep_expressions(face):
    terms = " + ".join(f"x * {k}" for k in range(150))
    names, _ = run(face, f"z = {terms}")
    np.testing.assert_allclose(face.array(names["z"]).numpy(), face.array(names["x"]).numpy() * sum(range(150)), 1e-4)
    many = "\n".join(f"a{k} = x + {k}" for k in range(300))  # names and constants beyond one byte
    names, launched = run(face, many + "\nz = a299 * 2 + a298")
    assert launched == 301


def test_errors_are_raised_in_their_statement(face):
    with pytest.raises((ValueError, RuntimeError, tf.errors.InvalidArgumentError)):
        run(face, "z = x * 2 + y[:3]")
    with pytest.raises(IndexError):
        run(Torch, "z = (x * 2 + 1)[1000000]")
    with ks.eager(), pytest.raises(MemoryError):  # found when it is computed
        run(Arrays, "z = lib.broadcast_to(x[0], (1 << 45,)) + 1")


def test_a_number_beside_an_array_is_no_array(face):
    run(face, "z = 3 - x * 2.5")
    x = face.rand()
    before = ks.stats()
    names, _ = run(face, "z = 3 - x * 2.5", x=x, y=x)
    after = ks.stats()
    assert after["allocations"] - before["allocations"] == 1
    assert after["bytes_to_device"] == before["bytes_to_device"]
    z, x = face.array(names["z"]).numpy(), face.array(x).numpy()
    np.testing.assert_allclose(z, 3 - x * 2.5, 1e-5)
    assert z.dtype == x.dtype


def test_threads(face, device):
    wrong, start = [], threading.Barrier(8)
    x, y = face.rand(), face.rand()
    a, b = face.array(x).numpy(), face.array(y).numpy()
    code = compile("z = x * k + y * y", "<a user's program>", "exec")

    def work(k):
        start.wait()
        for _ in range(20):
            names = {"x": x, "y": y, "k": float(k)}
            with ks.default_device(device), ks.eager():
                exec(code, names)
            z = face.array(names["z"])
            if z.is_pending or not np.allclose(z.numpy(), a * k + b * b, 1e-4):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def test_the_environment_sets_it(clean_process):
    text = "import kasoku as ks\nx = ks.ones(50000)\ny = x * 2 + 1\nprint(x.is_pending, y.is_pending, ks.stats()['launches'])"
    assert clean_process(text, env={"KASOKU_EAGER": "1", "KASOKU_DEVICE": "cpu"}).stdout.split() == [
        "False",
        "False",
        "1",
    ]
    assert clean_process(text, env={"KASOKU_EAGER": "0", "KASOKU_DEVICE": "cpu"}).stdout.split()[1] == "True"
