"""Functions of ks.jit without a compiled form: Python's own results, with compiled loops where there are."""

import contextlib
import inspect
import linecache
import math
import random
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import kasoku as ks
from kasoku._jit import InterpretedWarning, TypingError

pytestmark = pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")
scale = 3


def agrees(function, *arguments, **by_name):
    """The report, after the compiled function did what the function does, twice."""
    compiled = ks.jit(function)
    for _ in range(2):
        copies = [a.copy() if hasattr(a, "copy") else a for a in arguments]
        mine = [a.copy() if hasattr(a, "copy") else a for a in arguments]
        try:
            wanted, error = function(*copies, **by_name), None
        except Exception as e:
            wanted, error = None, e
        try:
            assert compiled(*mine, **by_name) == wanted
            assert error is None
        except Exception as e:
            assert error is not None and isinstance(e, type(error)), e
        for one, other in zip(mine, copies, strict=True):
            np.testing.assert_array_equal(one, other)
    return compiled.report()


def test_the_warning_comes_once_and_says_why():
    @ks.jit
    def f(x):
        return f"{x!a}"

    with pytest.warns(InterpretedWarning, match=r"f runs in the interpreter: !a cannot be compiled\n  at .*test_jit_i"):
        assert f(1) == "1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(2) == "2"
    assert "!a cannot be compiled" in f.report()


def test_the_warning_shows_the_beginning_of_a_long_text():
    @ks.jit
    def formatted(text):
        return len(text % ())

    with pytest.warns(InterpretedWarning, match="abab…'") as said:
        assert formatted("ab" * 100_000) == 200_000
    assert len(str(said[0].message)) < 1000


def test_loops_are_compiled_and_reported():
    def f(n):
        seen = {}
        total = 0.0
        for i in range(n):
            total += i * 0.5
        seen[b"total"] = total
        return seen

    report = agrees(f, 10)
    assert "f_loop_4(int64, float64) -> float64" in report


def test_only_the_types_that_cannot_be_compiled_are_interpreted():
    @ks.jit
    def double(x):
        return x + x

    assert double(b"ab") == b"abab" and double([1, "a"]) == [1, "a", 1, "a"]
    assert double(2.5) == 5.0 and double(b"b") == b"bb"
    assert double.signatures == [(ks._signature.of_value(2.5),)]


def test_an_inner_loop_of_a_loop_that_cannot():
    def f(n, log):
        total = 0
        for i in range(n):
            for j in range(n):
                total += i * j
            log.append(total)
        return total

    assert "f_loop_3_loop_4(int64" in agrees(f, 5, [])


def test_closures_globals_defaults_and_keywords():
    z = 5

    def f(n, start=2, *, step=1):
        total = start
        out = {}
        for i in range(0, n, step):
            total += i * z * scale
        out[b"total"] = total
        return out

    report = agrees(f, 10, step=2)
    assert "f_loop_4(" in report
    agrees(f, 3, 1)


def test_more_arguments_than_named():
    def f(x, *rest, **named):
        total = 0.0
        for i in range(x.size):
            total += x[i]
        return total, rest, named

    assert "f_loop_3(" in agrees(f, np.arange(4.0), 1, "a", b=2)


def test_an_array_written_before_the_error_stays_written():
    def f(x, log):
        n = 0
        log.append(1)
        for i in range(10):
            x[i] = i
            n += 1
        return n

    agrees(f, np.zeros(4), [])


def test_a_handler_sees_what_the_loop_counted():
    def f(x):
        k = 0
        try:
            for i in range(10):
                k += 1
                x[i] = k
        except IndexError:
            return k
        return -1

    agrees(f, np.zeros(3))


def test_a_with_statement_that_swallows():
    def f(x):
        k = 0
        with contextlib.suppress(IndexError):
            for i in range(10):
                k += 1
                x[i] = k
        return k

    agrees(f, np.zeros(3))


def test_variables_that_may_have_no_value():
    def f(n, log):
        log.append(n)
        for i in range(n):
            last = i * 2
        return last

    agrees(f, 3, [])
    agrees(f, 0, [])


def test_an_else_that_leaves_the_loop_around():
    def f(n, log):
        for i in range(n):
            log.append(i)
            for j in range(n):
                if j == i - 2:
                    break
            else:
                continue
            break
        return i

    agrees(f, 6, [])


def test_a_prange_loop_runs_on_all_workers():
    def f(x, names):
        names.append("a")
        total = 0.0
        for i in ks.prange(x.size):
            total += x[i]
        return total

    assert "'total' is a sum reduction" in agrees(f, np.arange(100.0), [])


def test_a_seeded_function_draws_in_the_interpreter():
    def f(n):
        random.seed(1)
        out = {}
        total = 0.0
        for _ in range(n):
            total += random.random()
        out[b"total"] = total
        return out

    agrees(f, 20)


def test_recursion_generators_and_nonlocal():
    def generator(n):
        for i in range(n):
            yield i

    assert list(ks.jit(generator)(3)) == [0, 1, 2]

    def f(n):
        total = 0

        def add(k):
            nonlocal total
            total += k

        for i in range(n):
            add(i)
        return total

    agrees(f, 5)


def walk(tree, seen):
    if isinstance(tree, dict):
        return {key: walk(value, seen) for key, value in tree.items()}
    for _ in range(3):
        seen.append(str(tree))
    return tree


def test_a_recursive_function_with_a_loop():
    tree, seen = {"a": 1, "b": {"c": 2}}, []
    assert ks.jit(walk)(tree, seen) == tree
    assert seen == ["1", "1", "1", "2", "2", "2"]

    def inner(tree, seen):
        for each in [k for k in tree if isinstance(tree, dict)]:
            seen.append(each)
        return inner(tree["b"], seen) if "b" in tree else seen

    assert ks.jit(inner)({"a": {}, "b": {"c": {}}}, []) == ["a", "b", "c"]


class Private:
    def __init__(self):
        self.__items = [1, 2, 3]

    def items(self):
        out = {}
        for i in range(3):
            out[str(i)] = self.__items[i]
        return out


def test_a_method_with_private_names():
    assert ks.jit(Private.items)(Private()) == {"0": 1, "1": 2, "2": 3}


def test_a_line_of_an_error_is_the_functions():
    @ks.jit
    def f(x):
        out = {b"": 0}
        for i in range(10):
            x[i] = 1
        return out

    with pytest.raises(IndexError, match=r"test_jit_interpreted.py:\d+, in f_loop_4    x\[i\] = 1"):
        f(np.zeros(3))


def test_a_function_without_source():
    space = {}
    exec("def " + "f(x):\n    return x + 1\n", space)
    text = "the source of f cannot be found"
    with pytest.warns(InterpretedWarning, match=text):
        assert ks.jit(space["f"])(1) == 2
    with pytest.raises(TypingError, match=text):
        ks.njit(space["f"])(1)


def test_a_function_of_a_command_line():
    text = "import kasoku as ks\n@ks.njit\ndef f(x):\n    return x + 1\nprint(f(1), ks.njit(lambda x: x * 2)(2))\n"
    for command in (["-c", text], ["-c" + text], ["-W", "ignore", "-c", text, "-c", "pass"]):
        assert subprocess.run([sys.executable, *command], capture_output=True, text=True).stdout == "2 4\n"


def test_argument_types_that_grow_without_end():
    @ks.jit
    def depth(n, pair):
        return 0 if n == 0 else depth(n - 1, (pair, pair)) + 1

    assert depth(40, 1.0) == 40
    with pytest.raises(RecursionError):
        depth(-1, 1.0)


@pytest.mark.parametrize("before", ["", "\n\n    # a comment\n"])
def test_the_text_of_exec_is_found_in_a_variable(before):
    other = "def f(x):\n    return x + 2\n"
    text = (
        before
        + """
    def f(x):
        return x / scale
    """
    )
    space = {"scale": 2, "other": other}
    exec(textwrap.dedent(text), space)
    f = ks.njit(space["f"])
    assert f(1) == 0.5
    space["scale"] = 0
    with pytest.raises(ZeroDivisionError, match=r"in f    return x / scale"):
        f(1)


def test_a_signature_of_what_cannot_be_compiled():
    with pytest.warns(InterpretedWarning, match="bytes"):
        f = ks.jit("float64(float64)")(lambda x: {b"a": x}[b"a"] * 2)
    assert f(2.0) == 4.0


class Writer:
    """Random functions of integers a, b, c, an array x and a list log."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0

    def expr(self):
        r = self.random
        return r.choice(["a", "b", "c", "i", "2", "a + b", "b - c", "a * 3", "x[a % 5]", "len(log)"])

    def block(self, depth, indent, in_loop):
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, indent, in_loop)
        self.say(indent, "pass")

    def say(self, indent, text):
        self.lines.append("    " * indent + text)

    def statement(self, depth, indent, in_loop):
        r = self.random
        kind = r.choice(["set", "set", "add", "store", "log", "loop", "loop", "while", "if", "try", "jump"])
        if depth == 0 and kind in ("loop", "while", "if", "try"):
            kind = "add"
        name = r.choice("abc")
        if kind == "set":
            self.say(indent, f"{name} = int({self.expr()}) % 97")
        elif kind == "add":
            self.say(indent, f"{name} += int({self.expr()}) % 7")
        elif kind == "store":
            self.say(indent, f"x[{r.choice(['a % 5', 'b % 6', '-1'])}] = {r.choice(['a', 'b + c'])} % 100")
        elif kind == "log":
            self.say(indent, f"log.append(int({self.expr()}))")
        elif kind == "loop":
            v = r.choice("ij")
            self.say(indent, f"for {v} in range({r.choice(['3', 'a % 4', '0', 'b % 3'])}):")
            self.block(depth - 1, indent + 1, True)
            if r.random() < 0.2:
                self.say(indent, "else:")
                self.block(depth - 1, indent + 1, in_loop)
        elif kind == "while":
            self.loops += 1
            v = f"w{self.loops}"
            self.say(indent, f"{v} = 0")
            self.say(indent, f"while {v} < {r.choice(['2', 'c % 3'])}:")
            self.say(indent + 1, f"{v} += 1")
            self.block(depth - 1, indent + 1, True)
        elif kind == "if":
            self.say(indent, f"if {r.choice(['a > b', 'c % 2', 'i == 1'])}:")
            self.block(depth - 1, indent + 1, in_loop)
            if r.random() < 0.5:
                self.say(indent, "else:")
                self.block(depth - 1, indent + 1, in_loop)
        elif kind == "try":
            self.say(indent, "try:")
            self.block(depth - 1, indent + 1, in_loop)
            self.say(indent, "except (IndexError, UnboundLocalError):")
            self.block(depth - 1, indent + 1, in_loop)
        elif in_loop and r.random() < 0.7:
            self.say(indent, f"if {r.choice(['a > 5', 'b % 3 == 1', 'len(log) > 3'])}:")
            self.say(indent + 1, r.choice(["break", "continue"]))

    def text(self):
        self.say(0, "def f(a, b, c, x, log):")
        self.say(1, "i = 0" if self.random.random() < 0.8 else "log.append(9)")
        for _ in range(4):
            self.block(3, 1, False)
        self.say(1, "return a, b, c, i")
        return "\n".join(self.lines) + "\n"


@pytest.mark.parametrize("seed", range(20))
def test_random_functions(seed):
    text = Writer(seed).text()
    name = f"<random function {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    agrees(space["f"], 1, 2, 3, np.arange(5), [])


def test_prange_has_no_serial_fallback():
    @ks.jit
    def f(n):
        out = np.zeros(n)
        for i in ks.prange(n):
            seen = {b"i": i}
            out[i] = seen[b"i"]
        return out

    with pytest.raises(
        ks.errors.TypeError,
        match="prange loop has a part without a compiled form: a bytes cannot be used in compiled code(.|\n)*or write range",
    ):
        f(10)

    from kasoku.compat import numba

    np.testing.assert_array_equal(numba.njit(parallel=True)(f.py_func)(10), np.arange(10.0))

    np.testing.assert_array_equal(ks.jit(f.py_func, parallel=False)(10), np.arange(10.0))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float32"])
def test_operators_of_narrow_numbers_give_what_compiled_ones_give(dtype):
    def compiled(a, b):
        x, y = a[0], b[0]
        s = a[0]
        s += y
        s *= 2
        return x * 2, x + y, x * y, x + 1.1, x / y, x % y, s, a.max() * 300.5

    def interpreted(a, b):
        _ = f"{a}"
        x, y = a[0], b[0]
        s = a[0]
        s += y
        s *= 2
        return x * 2, x + y, x * y, x + 1.1, x / y, x % y, s, a.max() * 300.5

    a, b = np.array([100], dtype), np.array([103], dtype)
    wanted, found = ks.njit(compiled)(a, b), ks.jit(interpreted)(a, b)
    assert found == wanted and [*map(type, found)] == [*map(type, wanted)]


def test_unsigned_numbers_wrap_at_64_bits_and_arrays_keep_their_dtype():
    @ks.jit
    def f(a):
        _ = f"{a}"
        a += 1
        return a[0] - a[1], a * a[1]

    difference, product = f(np.array([1, 3], "uint8"))
    assert difference == 2**64 - 2 and product.dtype == "uint8" and product.tolist() == [8, 16]


def test_generators_and_lists_give_pythons_numbers():
    @ks.jit
    def numbers(a):
        for x in a:
            yield x, x * 2

    @ks.jit
    def listed(a):
        _ = f"{a}"
        return [a[0], (a[1], 2)]

    a = np.array([200, 3], "uint8")
    assert str(list(numbers(a))) == "[(200, 400), (3, 6)]"
    assert str(listed(a)) == "[200, (3, 2)]"


def test_integers_wrap_around_in_narrow_types():
    @ks.jit
    def f(x):
        return str(x), np.uint8(x), np.int8(x), np.uint64(x), np.uint32(x * 2**40 + 7), np.int32(2.7)

    assert f(250)[1:] == (250, -6, 250, 7, 2)
    assert f(-3)[1:3] == f(-3.99)[1:3] == (253, -3)


def test_each_kind_of_operator_is_of_wide_numbers():
    @ks.jit
    def f(a):
        f"{a}".strip()
        x, y = a[0], a[1]
        s = t = x
        s -= y
        t **= 3
        return [x + y, x - y, x * y, x / y, x // y, x % y, x**y, x << y, x >> 1, s, t]

    assert f(np.array([120, 9], "int8")) == [
        129, 111, 1080, 120 / 9, 13, 3, 120**9, 120 << 9, 60, 111, 120**3,
    ]  # fmt: skip


def test_items_attributes_and_sums_are_of_wide_numbers():
    class Total:
        value = 0

    @ks.jit
    def f(a, total):
        d = {"x": 0}
        rows = np.zeros((2, 2), "uint8")
        for v in a:
            d["x"] += v
            total.value += v
        rows[0] += 3
        rows[1, 1] += a[0]
        rows[1, 1] *= 2
        rows[0, :1] -= 1
        return d["x"], total.value, sum(a), sum((a[0], a[1])), rows.tolist(), a.sum()

    a = np.array([200, 100], "uint8")
    assert f(a, Total()) == (300, 300, 300, 300, [[2, 3], [0, 144]], 300)


def test_what_python_refuses_of_floats_is_as_in_compiled_code():
    def values(x, y, large):
        return (
            x**y, 0.0 ** -1.0, large**2.0, math.sqrt(x), math.log(0.0), math.exp(large), math.acos(2.0), math.pow(x, y),
            math.gamma(0.0), math.lgamma(-1.0), math.fmod(x, 0.0), 2**3, math.sqrt(4.0),
        )  # fmt: skip

    compiled = ks.njit(values)
    text = textwrap.dedent(inspect.getsource(values)).replace(
        "def values(x, y, large):", "def g(x, y, large):\n    str(x)"
    )
    linecache.cache["<of floats>"] = (len(text), None, text.splitlines(True), "<of floats>")
    scope = {"math": math}
    exec(compile(text, "<of floats>", "exec"), scope)
    got = ks.jit(scope["g"])(-2.0, 0.5, 1e300)
    wanted = (np.nan, np.inf, np.inf, np.nan, -np.inf, np.inf, np.nan, np.nan, np.inf, np.inf, np.nan, 8, 2.0)
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(compiled(-2.0, 0.5, 1e300), wanted)


def test_powers_of_arrays_stay_in_place():
    @ks.jit
    def f(x, made):
        made[str(len(x))] = 1
        x **= 2
        y = x**2
        return y

    x = np.array([2.0, 3.0])
    np.testing.assert_array_equal(f(x, {}), [16, 81])
    np.testing.assert_array_equal(x, [4, 9])


def test_a_text_that_utf8_does_not_have_runs_in_the_interpreter():
    @ks.jit
    def is_half(text):
        return text == "\ud800"

    assert is_half("\ud800") and not is_half("a")
