"""Which text is compiled: that of the code which Python runs, whatever stands near it or has become of its file."""

import functools
import importlib
import inspect
import subprocess
import sys
import warnings

import numpy as np
import pytest

import kasoku as ks
from kasoku import _source
from kasoku._jit import TypingError

# fmt: off
try: first, second = ks.njit(lambda a: a + 1), ks.njit(lambda a: a * 2)  # noqa: E701
finally: pass  # noqa: E701
choose = [ks.njit(lambda a, k=k: a if k else a * 10) for k in (0, 1)], ks.njit(lambda a: a), ks.njit(lambda a: a)
# fmt: on


def test_two_lambdas_on_a_line():
    assert (first(3), second(3)) == (4, 6)
    assert [f(2) for f in (*choose[0], choose[1], choose[2])] == [20, 2, 2, 2]


def test_two_lambdas_of_one_call():
    made = dict(a=ks.njit(lambda a: a + 1),
                b=ks.njit(lambda a: a * 2))  # fmt: skip
    assert (made["a"](3), made["b"](3)) == (4, 6)


def test_a_lambda_in_a_lambda():
    outer = lambda: lambda x: x - 1  # noqa: E731
    assert ks.njit(outer())(3) == 2


def test_what_a_decorator_gives_is_compiled():
    def plus_one(f):
        @functools.wraps(f)
        def g(x):
            return f(x) + 1

        return g

    @ks.njit
    @plus_one
    def f(x):
        return x

    assert f(1) == 2


def test_a_text_whose_asserts_were_rewritten():
    @ks.njit
    def f(x):
        if x < 10:
            assert x > 0, "is not positive"
        return x + 1

    assert "@py_assert" in "".join(f.py_func.__code__.co_varnames), "pytest rewrites this module"
    assert f(1) == 2
    with pytest.raises(AssertionError, match="is not positive"):
        f(-1)


text = """
import kasoku as ks

def helper(x):
    return x + {0}

@ks.jit
def f(x):
    return helper(x) * {0}

@staticmethod
def plain(x):
    return x - {0}
"""


@pytest.fixture
def module(tmp_path, monkeypatch, request):
    """A module whose text was 1 when it was imported and is 2 now."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    name = f"edited_{request.node.name}"
    path = tmp_path / f"{name}.py"
    path.write_text(getattr(request, "param", text).format(1))
    importlib.invalidate_caches()
    yield importlib.import_module(name), path
    del sys.modules[name]


def test_a_file_that_was_edited_after_its_import(module):
    module, path = module
    path.write_text(text.format(222))
    assert module.f(1) == 2
    assert ks.njit(module.plain.__func__)(1) == 0


def test_a_module_that_is_imported_anew(module):
    module, path = module
    for n in (22, 333, 4):
        path.write_text(text.format(n))
        importlib.reload(module)
        assert module.f(1) == (1 + n) * n


@pytest.mark.parametrize("module", [text.replace("@ks.jit\n", "")], indirect=True)
def test_no_text_is_a_sentence(module):
    module, path = module
    path.write_text("\n" + text.format(2))
    with pytest.raises(TypingError, match=r"the text of helper is not .* Python runs\n  why  .*py has changed since"):
        ks.njit(module.helper)(1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert ks.jit(module.helper)(1) == 2
    assert "helper runs in the interpreter: the text of helper is not the one" in str(said[0].message)


def test_code_without_columns(tmp_path):
    (tmp_path / "columns.py").write_text("def f(x):\n    return np.sqrt(x) * (1 if x > 2 else 2)\nimport numpy as np\n")
    program = "import columns, kasoku as ks; print(ks.njit(columns.f)(4.0), *map(ks.njit, [columns.f]))"
    for options in ([], ["-X", "no_debug_ranges"], []):  # the second reads what the first wrote
        got = subprocess.run([sys.executable, *options, "-c", program], cwd=tmp_path, capture_output=True, text=True)
        assert got.stdout.startswith("2.0"), got.stderr


def test_functions_of_the_library_have_their_text():
    from kasoku import _library

    for f in {f for f in _library._by_object.values() if inspect.isfunction(f)}:
        assert _source.of(f)[0].name == f.__name__


def test_check_takes_the_lambda_that_it_was_given():
    x = np.zeros(4)
    good, bad = lambda: x.sum(), lambda: x[7]  # fmt: skip
    with pytest.raises(IndexError):
        ks.check(bad)
    assert not ks.check(good)


@pytest.mark.parametrize(
    "name", ["main", "std", "uint", "ushort", "float4", "dim3", "size_t", "uint64_t", "y0", "norm"]
)
def test_a_function_may_have_the_name_of_something_in_kernel_text(name, tmp_path):
    text, space = f"def {name}(x):\n    return x + 1\n", {}
    path = tmp_path / f"of_{name}.py"
    path.write_text(text)
    exec(compile(text, str(path), "exec"), space)
    assert ks.njit(space[name])(2) == 3


def test_imports_inside_of_a_function_are_names_from_outside():
    def f(x):
        import math
        import os.path as path  # noqa: F401
        from math import cos, sin as sine

        import numpy as other

        def inner(y):
            return math.sqrt(y)

        return inner(x) + sine(x) + cos(x) + other.arange(3).sum()

    assert ks.njit(f)(4.0) == pytest.approx(f(4.0), rel=1e-15)


def test_an_import_whose_name_means_something_else_too_runs_in_the_interpreter():
    def assigned(x):
        import math as m

        if x > 2:
            m = x
        return m

    def missing(x):
        import no_such_module_of_anybody

        return no_such_module_of_anybody.f(x)

    for function in (assigned, missing):
        with pytest.raises(TypingError, match="import cannot be compiled"):
            ks.njit(function)(3)
