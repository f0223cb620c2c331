"""Functions that others wrote, compiled: pure ones of Python's library and of NumPy, on arguments of many kinds, give what
Python gives, value and type, or an exception of the same class.

What may differ is in docs/differences.md: a value has one type (an int may come as an equal float), results of operators
beyond 64 bits, integers to negative powers, `~` of truth values, and functions of `math` outside of their domain.
"""

import builtins
import cmath
import contextlib
import copy
import dis
import importlib
import inspect
import io
import linecache
import math
import operator
import random
import signal
import sys
import types
import unittest.mock

import numpy as np
import pytest

import kasoku as ks

pytestmark = pytest.mark.filterwarnings("ignore")

numbers = [0, 1, 2, 3, -1, -3, 7, 25, 0.5, 0.25, -1.5, 2.0, 1e300, math.inf, math.nan, True]
texts = ["", "a", "b", "12", "/usr/x.py", "An example, of words."]
rows = [(1, 2, 3), (), (0.5, 1.5, 2.5, 2.5), [3, 1, 2], [1.0, 2.5], [], np.arange(4.0), np.arange(3), 2, 0.5]
pool = numbers + texts + rows + [None, (1.5, "a"), {"a": 1}, 1 + 2j]
families = [numbers, numbers[:9], texts, rows, pool]

# What a pure function does not read.
impure = set(
    "open exec eval input print exit os subprocess sys socket time sleep random shutil __import__ import_module write warn "
    "warnings globals setattr threading close environ getcwd listdir id compile signal gc locale fileno".split()
)


class Slow(BaseException):
    """A call takes too long, in Python too."""


def is_pure(function, depth=0):
    for code in nested(function.__code__):
        uses = {each.opname for each in dis.get_instructions(code)}
        if set(code.co_names) & impure or uses & {"STORE_GLOBAL", "IMPORT_NAME"}:
            return False
    called = (function.__globals__.get(name) for name in function.__code__.co_names)
    return depth > 2 or all(is_pure(f, depth + 1) for f in called if inspect.isfunction(f) and f is not function)


def nested(code):
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from nested(each)


accelerators = dict.fromkeys(["_bisect", "_heapq", "_operator", "_statistics", "_datetime"])


def functions(name):
    """Pure functions of a module that take up to three arguments, as they are written in Python."""
    with unittest.mock.patch.dict(sys.modules, accelerators):
        if "_" + name in accelerators:
            sys.modules.pop(name, None)
        module = importlib.import_module(name)
    for function in list(vars(module).values()):
        if not inspect.isfunction(function) or function.__module__ != module.__name__:
            continue
        if not function.__code__.co_flags & 0x2A0 and is_pure(function):
            parameters = inspect.signature(function).parameters.values()
            least = sum(p.default is p.empty and p.kind < p.VAR_POSITIONAL for p in parameters)
            is_callable = not any(p.kind == p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
            if is_callable and least <= 3:
                yield function, range(least, min(3, sum(p.kind < p.VAR_POSITIONAL for p in parameters)) + 1)


def written(name, count):
    """A function of `count` arguments that calls the one of this name."""
    arguments = ", ".join("abc"[:count])
    text = f"def f({arguments}):\n    return {name}({arguments})\n"
    file = f"<{name} of {count}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space = {"math": math, "cmath": cmath, "operator": operator, "builtins": builtins, "np": np}
    exec(builtins.compile(text, file, "exec"), space)
    return space["f"]


def outcome(function, arguments, seconds):
    """("value", what it gives) or ("error", the exception's class, its text)."""

    def ring(*_):
        raise Slow

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            return "value", function(*copy.deepcopy(arguments))
    except Exception as error:
        return "error", type(error), str(error)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def is_number(value):
    return isinstance(value, (bool, int, float, complex, np.generic))


def same(want, got):
    if is_number(want) and is_number(got):
        return got == want or (want != want and got != got) or np.allclose(got, want, 1e-12, 1e-300, equal_nan=True)
    if type(want) is not type(got):
        return False
    if isinstance(want, np.ndarray):
        return want.dtype == got.dtype and want.shape == got.shape and np.allclose(got, want, 1e-12, 0, equal_nan=True)
    if isinstance(want, (tuple, list)):
        return len(want) == len(got) and all(map(same, want, got))
    if isinstance(want, dict):
        return list(want) == list(got) and all(same(want[key], got[key]) for key in want)
    return want == got if isinstance(want, (str, bytes, set, frozenset, range, type(None))) else True


def numbers_in(value):
    if isinstance(value, (tuple, list)):
        return [each for item in value for each in numbers_in(item)]
    return [value] if is_number(value) else []


def wraps(want, got):
    return type(want) is int and type(got) is int and abs(want) >= 2**63 and (want - got) % 2**64 == 0


def is_inverse(want, got):
    """NumPy's `~` of a truth value, which in Python is that of the integer."""
    return type(got) is bool and want == ~(not got)


def agrees(want, got):
    """What docs/differences.md says of compiled numbers is no difference."""
    if got[0] == "error" and "to the negative power" in got[2]:
        return True
    if want[0] == "error" == got[0]:
        return issubclass(got[1], want[1]) or (want[2] == "math domain error" and issubclass(got[1], ArithmeticError))
    if want[0] == "error":  # the functions of math and the powers of floats
        is_documented = want[2] in ("math domain error", "math range error") or "Numerical result out of" in want[2]
        return is_documented and any(n == 0 or not np.isfinite(n) for n in numbers_in(got[1]))
    if got[0] == "error":
        has_more = any(isinstance(n, int) and abs(n) >= 2**63 for n in numbers_in(want[1]))
        return has_more and got[1] is OverflowError
    if isinstance(want[1], complex) and isinstance(got[1], float):  # a power of a negative number
        return got[1] != got[1]
    return same(want[1], got[1])


def calls(function, count, tries):
    """(arguments, outcome in Python), of which Python refuses at most `tries`."""
    draws, left, seen = random.Random(f"{function.__qualname__} {count}"), {"value": 2 * tries, "error": tries}, set()
    for _ in range(30 * tries):
        family = draws.choice(families)
        arguments = tuple(draws.choice(family) for _ in range(count))
        if repr(arguments) in seen:
            continue
        seen.add(repr(arguments))
        try:
            want = outcome(function, arguments, 1)
        except Slow:
            continue
        if left[want[0]]:
            left[want[0]] -= 1
            yield arguments, want


def trial(function, counts, tries, may_wrap=True):
    """What differs, of so many calls for each number of arguments."""
    compiled = ks.jit(function)
    for count in counts:
        for arguments, want in calls(function, count, tries):
            got = outcome(compiled, arguments, 60)
            if not agrees(want, got) and not (may_wrap and (wraps(want[1], got[1]) or is_inverse(want[1], got[1]))):
                yield f"{function.__module__}.{function.__qualname__}{arguments}: {got[1:]}, and Python gives {want[1:]}"


modules = [
    "bisect", "calendar", "colorsys", "copy", "datetime", "difflib", "encodings.punycode", "fnmatch", "functools", "heapq",
    "html", "ipaddress", "ntpath", "operator", "posixpath", "quopri", "statistics", "textwrap", "unittest.util",
    "urllib.parse", "numpy.polynomial.polyutils", "numpy.lib._index_tricks_impl", "numpy.lib._scimath_impl",
]  # fmt: skip


@pytest.mark.parametrize("name", modules)
def test_functions_of_a_module(name):
    assert not [each for function, counts in functions(name) for each in trial(function, counts, 8)]


def public(module):
    return [name for name, function in vars(module).items() if not name.startswith("_") and callable(function)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_functions_of_math(count):
    names = public(math)
    assert not [each for name in names for each in trial(written(f"math.{name}", count), [count], 12, False)]


@pytest.mark.parametrize("count", [1, 2])
def test_functions_of_operator(count):
    names = set(public(operator)) - {"attrgetter", "itemgetter", "methodcaller", "call", "length_hint"}
    assert not [each for name in sorted(names) for each in trial(written(f"operator.{name}", count), [count], 12)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_functions_of_builtins(count):
    names = "abs min max sum pow round divmod int float bool len complex any all isinstance".split()
    assert not [each for name in names for each in trial(written(f"builtins.{name}", count), [count], 12)]
