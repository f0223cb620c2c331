"""The guides say what is true: their Python runs, from top to bottom, as a user would type it."""

import pathlib
import re
import subprocess
import sys

import pytest

root = pathlib.Path(__file__).resolve().parents[2]
guides = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
fence = re.compile(r"^```python\n(.*?)^```", re.M | re.S)  # ```py is shown and not run


@pytest.mark.parametrize("guide", guides, ids=lambda p: p.relative_to(root).as_posix())
def test_the_python_of_a_guide_runs(guide, tmp_path):
    text = guide.read_text()
    blocks = [(text[: m.start()].count("\n") + 1, m[1]) for m in fence.finditer(text)]
    if not blocks:
        pytest.skip("no Python in it")
    # Blank lines keep the guide's own line numbers in a traceback.
    program = ""
    for line, block in blocks:
        program += "\n" * (line - program.count("\n")) + block
    path = tmp_path / (guide.stem + ".py")
    path.write_text(program)
    result = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", str(path)],
        capture_output=True, text=True, timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("guide", guides, ids=lambda p: p.relative_to(root).as_posix())
def test_the_links_of_a_guide_lead_somewhere(guide):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", guide.read_text()):
        if "://" not in target:
            assert (guide.parent / target).exists(), target


def test_the_pages_can_be_made(tmp_path):
    command = [sys.executable, str(root / "tools/make_docs.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    reference = (tmp_path / "reference.html").read_text()
    assert "default_device" in reference and "KASOKU_DEVICE" in (tmp_path / "tables.html").read_text()


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
