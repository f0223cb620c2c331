"""The guides say what is true: their Python runs, from top to bottom, as a user would type it."""

import pathlib
import re
import subprocess
import sys

import pytest

root = next(folder for folder in pathlib.Path(__file__).parents if (folder / "pyproject.toml").exists())
sys.path.insert(0, str(root / "tools"))

from guide_programs import guides, program_of  # noqa: E402


@pytest.mark.parametrize("guide", guides, ids=lambda p: p.relative_to(root).as_posix())
def test_the_python_of_a_guide_runs(guide, tmp_path):
    program = program_of(guide)
    if not program:
        pytest.skip("no Python in it")
    path = tmp_path / (guide.stem + ".py")
    path.write_text(program)
    options = re.findall(r"^# kasoku run (--\w+) ", program, re.M)
    result = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", *options, str(path)],
        capture_output=True, text=True, timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    for shown in printed(program):
        assert shown in result.stdout
    for block in re.findall(r"^```\n(kasoku: .*?)^```", guide.read_text(), re.M | re.S):  # what it says at the end
        for line in block.splitlines():
            assert line in result.stderr


def printed(program):
    """What comments beside `print` show of its text: a number, a list, or the end of a line after three dots."""
    shown = re.findall(r"^print\(.*\) +# ([\[\d].*|\.\.\. .*)$", program, re.M)
    return [re.split("…", text.removeprefix("... "))[0] for text in shown]


@pytest.mark.parametrize("guide", guides, ids=lambda p: p.relative_to(root).as_posix())
def test_the_links_of_a_guide_lead_somewhere(guide):
    prose = re.sub(r"^```.*?^```", "", guide.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose):
        if "://" not in target:
            assert (guide.parent / target).exists(), target


@pytest.fixture(scope="module")
def made():
    """What makes the pages of the reference; the site itself is built by `make docs`."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("made", root / "docs/_extension/made.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_stands_in_the_reference_once(made):
    import inspect

    import kasoku as ks

    pages = "".join(path.read_text() for path in (root / "docs/reference").glob("*.md"))
    texts = [getattr(made, name)(*([words] if words else [])) for name, words in made.line.findall(pages)]
    named = re.findall(r"^\.\. auto\w+:: kasoku\.(\w+)$", "\n".join(texts), re.M)
    public = [
        n for n in dir(ks) if not n.startswith("_") and not inspect.ismodule(getattr(ks, n)) and n not in ks._of_numpy
    ]
    errors = set(ks.errors.__all__)
    assert sorted(n for n in named if n not in errors) == sorted(n for n in public if n not in errors)


def test_every_environment_variable_stands_in_the_reference(made):
    from kasoku import _core

    assert {name for name, *_ in _core._variables()} == set(re.findall(r"`(KASOKU_\w+)`", made.variables()))


def test_every_command_stands_in_the_reference(made):
    page = (root / "docs/reference/command-line.md").read_text()
    commands = {path.stem for path in (root / "python/kasoku/cli").glob("*.py")} - {"app", "output", "__init__"}
    assert commands == set(re.findall(r"^@@command (\w+)@@$", page, re.M))


def test_the_cpp_guide_builds_and_says_what_it_says(tmp_path):
    """Against the library of this tree, installed."""
    tree = root / "build/release"
    if not (tree / "build.ninja").exists():
        pytest.skip("no build tree here: this is an installed package")
    text = (root / "docs/guides/cpp.md").read_text()
    (cmake,) = re.findall(r"^```cmake\n(.*?)^```", text, re.M | re.S)
    (program,) = re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S)
    (said,) = re.findall(r"build/hello\n(.*?)^```", text, re.M | re.S)
    (tmp_path / "CMakeLists.txt").write_text(cmake)
    (tmp_path / "hello.cpp").write_text(program)

    def run(*words):
        result = subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    run("cmake", "--install", str(tree), "--prefix", str(tmp_path / "where"))
    run("cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'where'}")
    run("cmake", "--build", "build")
    assert run("build/hello") == said


def test_every_public_name_has_a_sentence():
    """Beside the signature that the binding writes, also on the methods of our classes."""
    import inspect

    import kasoku as ks

    def is_bare(value):
        lines = [line.strip() for line in (getattr(value, "__doc__", "") or "").splitlines()]
        return not [line for line in lines if line and not re.match(r"\w+\(.*\) -> [\w.\[\], |]+$|\w+\(.*\)$", line)]

    names = [name for name in dir(ks) if not name.startswith("_")]
    values = {name: getattr(ks, name) for name in names}
    values = {n: v for n, v in values.items() if callable(v) and not inspect.ismodule(v)}
    for name, value in list(values.items()):
        if inspect.isclass(value) and value.__module__.startswith("kasoku"):
            methods = {m: v for m, v in vars(value).items() if not m.startswith("_")}
            values |= {f"{name}.{m}": v for m, v in methods.items()}
    bare = [name for name, value in values.items() if is_bare(value)]
    assert not bare


def test_the_site_shows_a_method_as_a_method():
    """With its parameters; autodoc shows what it takes for an attribute without."""
    inspect = pytest.importorskip("sphinx.util.inspect")
    sys.path.insert(0, str(root / "docs/_extension"))
    import docstrings

    import kasoku as ks

    before = inspect.isattributedescriptor
    try:
        docstrings._show_methods()
        assert not inspect.isattributedescriptor(vars(ks.Array)["argpartition"])
        assert inspect.isattributedescriptor(vars(ks.Array)["shape"])
    finally:
        inspect.isattributedescriptor = before


def test_the_site_shows_examples_as_they_are_and_parameters_as_code():
    pytest.importorskip("sphinx.util.inspect")
    sys.path.insert(0, str(root / "docs/_extension"))
    import docstrings

    lines = [
        "As ks.sort(); axis= is one, x == y, a_ b*c.",
        "",
        ">>> ks.zeros((2, 1)) * 2",
        "array([[0.],",
        "       [0.]])",
        "",
        "End.",
    ]
    docstrings._text(None, "function", "f", None, None, lines)
    assert lines[0] == "As :py:func:`ks.sort() <kasoku.sort>`; ``axis=`` is one, x == y, a\\_ b\\*c."
    assert lines[2:5] == [">>> ks.zeros((2, 1)) * 2", "array([[0.],", "       [0.]])"] and lines[-1] == "End."
