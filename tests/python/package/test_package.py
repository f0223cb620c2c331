"""What users import and install: cheap to import, complete, a C++ library too."""

import pathlib
import shutil
import subprocess
import sys

import kasoku as ks
import pytest

root = pathlib.Path(__file__).resolve().parents[3]


def test_import_costs_little_beyond_numpy(clean_process):
    def seconds(module):
        text = f"import numpy, time; t = time.process_time(); import {module}; print(time.process_time() - t)"
        return min(float(clean_process(text).stdout) for _ in range(5))

    assert seconds("kasoku") - seconds("sys") < 0.05


def test_import_loads_nothing_heavy(clean_process):
    text = """
import sys, kasoku
heavy = {"typer", "rich", "click", "matplotlib", "ast", "inspect", "IPython"} & (set(sys.modules) - before)
print(sorted(heavy))
print(any("kasoku_clang" in line for line in open("/proc/self/maps")))
"""
    result = clean_process("import sys, numpy; before = set(sys.modules)\n" + text)
    assert result.stdout.splitlines() == ["[]", "False"]


def test_every_public_name_is_there():
    missing = [name for name in dir(ks) if not name.startswith("_") and not hasattr(ks, name)]
    assert missing == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'kasoku' has no attribute 'no_such_name'"):
        ks.no_such_name


@pytest.mark.parametrize(
    "ours, pythons",
    [
        ("ValueError", ValueError),
        ("TypeError", TypeError),
        ("IndexError", IndexError),
        ("MemoryError", MemoryError),
        ("UnsupportedError", NotImplementedError),
        ("OSError", OSError),
        ("DeviceError", RuntimeError),
        ("CompileError", RuntimeError),
        ("InternalError", RuntimeError),
    ],
)
def test_errors_are_pythons_and_ours(ours, pythons):
    kind = getattr(ks.errors, ours)
    assert issubclass(kind, ks.Error) and issubclass(kind, pythons)


def test_ctrl_c_passes_except_exception():
    assert not issubclass(ks.errors.Interrupted, Exception)


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")
def test_a_cmake_project_builds_against_the_installed_library(tmp_path):
    tree = root / "build/release"
    if not (tree / "build.ninja").exists():
        pytest.skip("no build tree here: this is an installed package")

    def run(*words):
        result = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    run("cmake", "--install", str(tree), "--prefix", str(tmp_path / "installed"))
    run(
        "cmake", "-S", str(root / "examples/cpp"), "-B", str(tmp_path / "build"), "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={tmp_path / 'installed'}",
    )  # fmt: skip
    run("cmake", "--build", str(tmp_path / "build"))
    assert run(str(tmp_path / "build/example")) == "cpu: x[0] = 6, x[999] = 6\nsum of squares below 1000: 3.32834e+08\n"


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")
def test_what_a_wheel_carries_has_all_packs_of_the_tree(tmp_path):
    tree = root / "build/release"
    if not (tree / "build.ninja").exists():
        pytest.skip("no build tree here: this is an installed package")
    words = ["cmake", "--install", tree, "--component", "python", "--prefix", tmp_path]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    packs = {pack.name: pack.stat().st_size for pack in (tmp_path / "kasoku").glob("*.pack")}
    assert packs == {pack.name: pack.stat().st_size for pack in (tree / "lib").glob("*.pack")}
    assert f"operations-{ks.Device('cpu').properties['architecture']}.pack" in packs  # tools/check_wheel.py wants both
    assert all(20 * 2**10 < size < 40 * 2**20 for size in packs.values())


def test_the_package_can_be_run_as_a_module():
    result = subprocess.run([sys.executable, "-m", "kasoku", "--version"], capture_output=True, text=True, timeout=60)
    assert result.stdout == f"kasoku {ks.__version__}\n"


def test_a_star_takes_what_is_public():
    names = {}
    exec("from kasoku import *", names)
    assert {"Array", "jit", "prange", "delayed", "check", "random", "errors"} <= set(names)
    assert names["jit"] is ks.jit and not [name for name in names if name.startswith("_") and name != "__builtins__"]


def test_every_class_is_where_its_name_says(clean_process):
    """Pickles look for a class there; pytest-xdist pickles the warnings of its workers."""
    text = """
import gc, importlib, pickle, pkgutil, sys, kasoku
for module in pkgutil.walk_packages(kasoku.__path__, "kasoku."):
    # Programs, what is there to refuse, and libraries, which lie in a package that was installed.
    if module.name not in ("kasoku.__main__", "kasoku._spawned", "kasoku.compat.dask.dataframe") and not module.name.startswith("kasoku.lib"):
        importlib.import_module(module.name)
def attribute(each):
    found = sys.modules[each.__module__]
    for name in each.__qualname__.split("."):
        found = getattr(found, name, None)
    return found
classes = [each for each in gc.get_objects() if isinstance(each, type) and str(each.__module__).split(".")[0] == "kasoku"]
print(len(classes) > 200, [each for each in classes if attribute(each) is not each])
raised = kasoku.errors._warn.__globals__["CompileWarning"]("a text")
print(repr(pickle.loads(pickle.dumps(raised))))
"""
    result = clean_process(text)
    assert result.stdout.splitlines() == ["True []", "CompileWarning('a text')"], result.stdout + result.stderr


def test_a_subinterpreter_gets_a_sentence():
    text = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
try:
    failed = interpreters.exec(interpreters.create(), "import kasoku")
except AttributeError:
    try:
        failed = interpreters.run_string(interpreters.create(), "import kasoku")
    except interpreters.RunFailedError as error:
        failed = error
print(failed)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert "ImportError" in done.stdout and "main interpreter only" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    "names",
    [
        "x = ks.asarray(np.ones(1000)); y = x[1:]",
        "x = ks.asarray(np.ones(1000)) + 1",
        "x = ks.from_dlpack(np.ones(1000))",
        "x = ks.delayed(abs)(np.ones(3)); y = ks.delayed(sum)([x, 1])",
        "pool = ks.Pool(2); kept = pool.submit(np.ones, 3)",
        "f = ks.jit(lambda x: x + 1); y = f(ks.asarray(np.ones(3)))",
        "import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object(ks.asarray(np.ones(1000))))",
    ],
)
def test_a_program_ends_with_names_that_hold_what_is_pythons(names):
    text = f"import kasoku as ks, numpy as np\n{names}\nprint('end')"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "end\n", done.stderr


@pytest.mark.parametrize(
    "name, said",
    [
        ("KASOKU_THREADS", "did you mean 'KASOKU_NUM_THREADS'?"),
        ("KASOKU_DEVICES", "did you mean 'KASOKU_DEVICE'?"),
        ("KASOKU_BLUE", "`kasoku doctor` and the reference know those that there are"),
        ("KASOKU_NUM_THREADS", None),
        ("KASOKU_TEST_EXAMPLES", None),
    ],
)
def test_a_variable_that_kasoku_does_not_have_is_a_warning(clean_process, name, said):
    told = clean_process("import kasoku; kasoku.stats()", env={name: "2"}).stderr
    assert (
        told == ""
        if said is None
        else f"kasoku has no environment variable {name}, so it changes nothing; {said}\n" in told
    )
    assert told.count("UserWarning") == (said is not None)
