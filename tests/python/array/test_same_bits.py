"""The same bits with any number of threads, at once or in the graph, fused or not, by statement or not, for any
processor, in arrays and in compiled functions, on a CPU and on a GPU."""

import hashlib
import os

import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

UNARY = "sqrt exp log sin cos tan tanh sinh arctan arcsin log1p expm1 cbrt exp2 log10 floor rint sign square".split()
BINARY = (
    "add subtract multiply divide power hypot arctan2 remainder floor_divide fmax maximum logaddexp copysign".split()
)
REDUCTIONS = "sum prod mean var std max argmin any count_nonzero nansum".split()
FUSED = [
    "ks.sin(x) * y + x",
    "ks.where(x < y, x - y, ks.sqrt(y)) * 2",
    "(x * x + y * y < 1).sum()",
    "((x - x.mean()) / x.std()).sum()",
    "ks.exp(x - x.max())",
    "(x.astype('int32') * 3 + y.astype('int16')).sum()",
    "x[::-1] - y[::2].sum()",
    "x + ks.random.default_rng(7).random(n, dtype=dtype)",
    "ks.random.default_rng(8).standard_normal(n, dtype=dtype).sum()",
]
SIZES = [1, 7, 1023, 1024, 1025, 20_001, 40_000, 200_003]


def bits(x):
    """A NaN's payload is free."""
    x = np.array(x)
    return np.where(x == x, x, x.dtype.type("nan")).tobytes() if x.dtype.kind == "f" else x.tobytes()


def results():
    """What is computed, by its name: bits."""
    for dtype in ("float32", "float64"):
        for n in SIZES:
            g = np.random.default_rng(n)
            host = g.uniform(0.01, 0.99, n).astype(dtype), g.uniform(0.5, 3, n).astype(dtype)
            x, y = map(ks.array, host)
            for name in UNARY:
                yield f"{name} {dtype} {n}", bits(getattr(ks, name)(x))
            for name in BINARY:
                yield f"{name} {dtype} {n}", bits(getattr(ks, name)(y, x))
            for name in REDUCTIONS:
                yield f"{name} {dtype} {n}", bits(getattr(ks, name)(y))
            for text in FUSED:
                yield f"{text} {dtype} {n}", bits(eval(text, {"ks": ks, "x": x, "y": y, "n": n, "dtype": dtype}))
            rows = y[: n // 7 * 7].reshape(7, -1)
            for name, axis in (("sum", 0), ("sum", 1), ("std", 1), ("argmin", 0), ("mean", 1)) if n > 1 else ():
                yield f"{name} {axis} {dtype} {n}", bits(getattr(ks, name)(rows, axis=axis))
                yield f"{name} {axis} of columns {dtype} {n}", bits(getattr(ks, name)(rows.T, axis=axis))
            for name in ("sum", "argmax", "std") if n > 1 else ():
                yield f"{name} of columns {dtype} {n}", bits(getattr(ks, name)(rows.T))


@pytest.fixture(scope="module")
def wanted():
    with ks.default_device("cpu"):
        return dict(results())


def compare(wanted, device):
    for name, got in results():
        assert got == wanted[name], name


def test_at_once_and_in_the_graph(wanted, device):
    before = _core._few_at_once(False)
    try:
        with ks.default_device(device):
            compare(wanted, device)
    finally:
        _core._few_at_once(before)


def test_by_statement_and_operation_by_operation(wanted, device):
    with ks.default_device(device), ks.eager():
        compare(wanted, device)
    for dtype in ("float32", "float64"):  # each operation's result is stored
        g = np.random.default_rng(40_000)
        x, y = (ks.array(g.uniform(*ends, 40_000).astype(dtype), device=device) for ends in ((0.01, 0.99), (0.5, 3)))
        one = ks.sin(x).eval()
        two = (one * y).eval()
        assert bits(two + x) == wanted[f"{FUSED[0]} {dtype} 40000"]


@pytest.mark.parametrize(
    "environment",
    [{"KASOKU_NUM_THREADS": n} for n in "1237"] + [{"KASOKU_CPU": "x86-64-v3"}],
    ids=lambda environment: " ".join(environment.values()),
)
def test_threads_and_processors(wanted, clean_process, environment):
    run = "import sys, importlib.util as u\nspec = u.spec_from_file_location('t', sys.argv[1])\nt = u.module_from_spec(spec)\n"
    run += "spec.loader.exec_module(t)\nfor name, got in t.results(): print(name, t.hashlib.sha256(got).hexdigest(), sep='|')"
    printed = clean_process(run, env={"KASOKU_DEVICE": "cpu", **environment}, args=[os.path.abspath(__file__)]).stdout
    got = dict(line.split("|") for line in printed.splitlines())
    assert got == {name: hashlib.sha256(value).hexdigest() for name, value in wanted.items()}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_functions_give_the_bits_of_arrays(wanted, dtype, device, tmp_path):
    names = [(name, "y, x" if name in BINARY else "x") for name in UNARY + BINARY]
    text = "import numpy as np\n"
    text += "".join(f"def {name}(x, y):\n  return np.{name}({given})\n" for name, given in names)
    text += "def fused(x, y):\n  return np.sin(x) * y + x\n"
    path = tmp_path / "functions.py"
    path.write_text(text)
    functions = {}
    exec(compile(text, str(path), "exec"), functions)
    for n in (1025, 40_000):
        g = np.random.default_rng(n)
        x, y = (ks.array(g.uniform(*ends, n).astype(dtype), device=device) for ends in ((0.01, 0.99), (0.5, 3)))
        for name, _ in names:
            assert bits(ks.njit(functions[name])(x, y)) == wanted[f"{name} {dtype} {n}"], name
        assert bits(ks.njit(functions["fused"])(x, y)) == wanted[f"{FUSED[0]} {dtype} {n}"]
