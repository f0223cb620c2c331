"""The stubs that editors and type checkers read: complete, and they say what is so."""

import ast
import inspect
import pathlib
import subprocess
import sys

import kasoku as ks
import pytest

package = pathlib.Path(ks.__file__).parent
pytestmark = pytest.mark.skipif(not (package / "_core.pyi").exists(), reason="stubs are made by `make build`")


def test_every_public_name_is_in_the_stub_of_the_package():
    names = set()
    for statement in ast.parse((package / "__init__.pyi").read_text()).body:
        if isinstance(statement, ast.ImportFrom):
            names |= {alias.asname for alias in statement.names}
    public = {name for name in dir(ks) if not name.startswith("_") and not inspect.ismodule(getattr(ks, name))}
    assert public - names == {"load_ipython_extension"} and {"cuda", "errors", "random"} <= names


def check(tmp_path, text):
    """What mypy says of a program."""
    pytest.importorskip("mypy")
    path = tmp_path / "program.py"
    path.write_text(text)
    words = ["--no-error-summary", "--no-incremental", "--cache-dir", str(tmp_path), "--follow-imports=silent"]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", *words, str(path)], capture_output=True, text=True, timeout=300
    )  # fmt: skip
    return result.stdout.splitlines()


def test_a_type_checker_knows_what_calls_give(tmp_path):
    program = (
        "import kasoku as ks\n"
        "x = ks.zeros((3, 4), dtype='float32')\n"
        "reveal_type(x)\n"
        "reveal_type(x + 1)\n"
        "reveal_type(ks.random.rand(3))\n"
        "reveal_type(x.shape)\n"
        "ks.no_such_name\n"
        "x.no_such_method()\n"
        "ks.Device('cpu').synchronize()\n"
    )
    said = check(tmp_path, program)
    assert [line.split(":")[1] for line in said] == ["3", "4", "5", "6", "7", "8"], said
    assert "kasoku._core.Array" in said[0] and "kasoku._core.Array" in said[2]
    assert "no_such_name" in said[4] and "no_such_method" in said[5]


def test_a_program_of_fifty_names_is_strictly_typed(tmp_path):
    pytest.importorskip("mypy")
    program = pathlib.Path(__file__).resolve().parents[3] / "examples/typed.py"
    imported = next(node for node in ast.parse(program.read_text()).body if isinstance(node, ast.ImportFrom))
    assert len(imported.names) >= 50
    words = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", str(tmp_path), str(program)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout
    assert subprocess.run([sys.executable, str(program)], capture_output=True, timeout=300).returncode == 0


def test_elements_rows_and_compiled_functions_have_types(tmp_path):
    pytest.importorskip("mypy")
    path = tmp_path / "program.py"
    path.write_text(
        "import kasoku as ks\n\nx = ks.ones((2, 3))\nnumber: float = x.sum().item()\nrows = [row.sum() for row in x]\n"
        "whole: int = int(x[0, 0])\nroot: ks.Array = ks.emath.sqrt(x)\n\n\n@ks.jit\ndef total(a: ks.Array) -> float:\n"
        "    s = 0.0\n    for i in ks.prange(len(a)):\n        s += float(a[i])\n    return s\n\n\n"
        "lazy = ks.delayed(total)(x[0])\nprint(ks.compute(lazy), ks.stats(), x.tolist()[0][0] + 1)\n"
    )
    words = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", str(tmp_path), str(path)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout
