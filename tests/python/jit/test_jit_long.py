"""Long compiled functions: what array statements do is in functions of its own there, and so are loops."""

import linecache
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kasoku as ks

here = "<long function>"


def written(lines, parameters="x, y, s"):
    text = f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    linecache.cache[here] = len(text), None, text.splitlines(True), here
    names = {"np": np}
    exec(compile(text, here, "exec"), names)
    return names["f"]


def compare(function, *arguments):
    want = function(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments))
    got = ks.jit(function)(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments))
    for a, b in zip(got, want, strict=True):
        assert np.shape(a) == np.shape(b)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-12)


def mixed(n):
    lines = []
    for i in range(n):
        lines += [
            f"a{i} = x * {i + 1}.0 + y",
            f"s = s + a{i}.sum() * 1e-3",
            f"if s > {i}.0: s = s - 0.5",
            f"y = y + a{i} * (s * 1e-6)",
        ]
    return [*lines, "return y, s, a0"]


@pytest.mark.parametrize("shape", [(0,), (1,), (10,), (9000,), (3, 5)])
def test_array_and_scalar_statements(shape):
    rng = np.random.default_rng(3)
    x, y = rng.random(shape), rng.random(shape)
    compare(written(mixed(14)), x, y, 0.5)
    if len(shape) == 1:
        compare(written(mixed(14)), x[::-1], rng.random(2 * shape[0])[::2], 0.5)


def test_broadcasting_and_float32():
    rng = np.random.default_rng(4)
    compare(written(mixed(13)), rng.random((4, 1)), rng.random((4, 6)), 0.25)
    compare(
        written([f"x = x * np.float32({i}.5) + y[{i}:{i} + 1]" for i in range(20)] + ["return x, y"], "x, y"),
        rng.random(6).astype(np.float32),
        rng.random(20).astype(np.float32),
    )


def test_loops_among_array_statements():
    lines = []
    for i in range(14):
        lines += [
            "for k in range(len(x)):",
            f"    if x[k] > {i / 20}: continue",
            f"    s += x[k] * {i}.0",
            "    if s > 40.0: break",
            "z = x * s",
            "y = y + z",
        ]
    compare(written([*lines, "return y, s"]), np.random.default_rng(5).random(40), np.zeros(40), 0.5)


def test_return_out_of_a_loop():
    lines = []
    for i in range(40):
        lines += [
            "for k in range(len(x)):",
            f"    for j in range(3): s += x[k] * {i}.0 - j",
            f"    if s > {100 * i}.0 and k > 3: return x, s",
            f"y[{i}] = s",
        ]
    function = written([*lines, "return y, s"])
    for size in (0, 3, 5, 30):
        compare(function, np.random.default_rng(6).random(size), np.zeros(40), 0.5)


def test_failures_name_their_lines():
    f = ks.jit(written(mixed(14)))
    with pytest.raises(ValueError, match=r"do not broadcast(.|\n)*long function>:2"):
        f(np.ones(3), np.ones(4), 0.5)
    lines = [f"x = x * 2.0 + {i}.0" for i in range(14)] + ["x = x + y", "return x, s"]
    with pytest.raises(ValueError, match=r"do not broadcast(.|\n)*long function>:16"):
        ks.jit(written(lines))(np.ones(3), np.ones(4), 0.5)
    lines = ["try:"] + ["    " + line for line in lines[:-1]] + ["except ValueError:", "    s = -1.0", "return x, s"]
    compare(written(lines), np.ones(3), np.ones(4), 0.5)


def test_memory_is_given_back():
    import resource

    f = ks.jit(written(mixed(14)))
    x = np.ones(200_000)
    f(x, x, 0.5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(60):  # 28 arrays of 1.6 MB a call
        f(x, x, 0.5)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_seeds_are_those_of_short_functions():
    many = written(
        ["np.random.seed(7)"]
        + [f"a{i} = np.random.rand(x) + {i}.0" for i in range(14)]
        + ["return a0, " + ", ".join(f"a{i}.sum()" for i in range(14))],
        "x",
    )
    f = ks.jit(many)
    first, second = f(1000), f(1000)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert np.all((first[0] >= 0) & (first[0] < 1))
    assert all(abs(total / 1000 - i - 0.5) < 6 / np.sqrt(12e3) for i, total in enumerate(first[1:]))


def test_machine_code_is_in_proportion_to_length(tmp_path):
    """Four times the text is less than five times the code."""
    sizes = []
    for n in (16, 64):
        code = (
            "import numpy as np, kasoku as ks, test_jit_long as t\n"
            f"ks.jit(t.written(t.mixed({n})))(np.ones(3), np.ones(3), 0.5)"
        )
        cache = tmp_path / str(n)
        environment = {**os.environ, "KASOKU_CACHE_DIR": str(cache)}
        folder = pathlib.Path(__file__).parent
        subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, env=environment)
        sizes.append(sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()))
    assert 0 < sizes[1] < 5 * sizes[0], sizes


def test_functions_that_call_each_other_at_several_places_grow_by_no_product():
    """Each of these would hold the one before it six times: the last one 6^7 times the first."""

    @ks.njit
    def first(x, a):
        for k in range(len(a)):
            if a[k] > x:
                x = x * 0.5 + a[k] // 3 - x // 7
            elif a[k] == x:
                x = x + a[k] % 5 - x % 3
            else:
                x = a[k] - x * 0.25 + a[k] // 2
        return x

    def six_times(f):
        @ks.njit
        def g(x, a):
            return f(f(x, a) + 1, a) - f(f(x, a) - 1, a) + f(f(x, a) * 2, a)

        return g

    last = first
    for _ in range(7):
        last = six_times(last)
    a = np.array([3.0, 1.0, 4.0, 1.5])

    def plain(depth, x):
        if depth == 0:
            return first.py_func(x, a)
        f = lambda x: plain(depth - 1, x)
        return f(f(x) + 1) - f(f(x) - 1) + f(f(x) * 2)

    assert six_times(six_times(first))(2.0, a) == plain(2, 2.0)
    assert last(2.0, a) == last(2.0, a) and np.isfinite(last(2.0, a))
