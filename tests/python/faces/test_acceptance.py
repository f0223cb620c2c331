"""Users' programs, unchanged, through `kasoku run`: every line that they print as shown is right."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

programs = pathlib.Path(__file__).parents[2] / "acceptance"
# Sizes for two cores; the programs' own sizes run with `make test-all`.
arguments = {"seed_okuda_pi.py": ["4e6"], "seed_okuda_threads.py": ["4e5", "5"]}


def kasoku_run(*words, device=None, timeout=600, cwd=None):
    result = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", *map(str, words)],
        env={**os.environ, **({"KASOKU_DEVICE": device} if device else {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        cwd=cwd,
    )
    return result.returncode, result.stdout


def check_program(name, arguments, device):
    status, output = kasoku_run(programs / name, *arguments, device=device)
    wrong = [line for line in output.splitlines() if line.startswith("FAILED")]
    assert not wrong, "\n".join(wrong)
    assert re.search(r"^\d+ passed, 0 failed$", output, re.M), output
    assert status == 0


names = sorted(path.name for path in programs.glob("*.py"))


@pytest.mark.parametrize("name", names)
def test_program(name, device):
    check_program(name, arguments.get(name, []), device)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", names)
def test_program_at_its_own_size(name, device):
    full = {"seed_okuda_threads.py": ["1e6", "100"], "seed_gpusoroban.py": ["2048"]}
    check_program(name, full.get(name, []), device)


def small_notebook(folder, first_cell=None):
    """The article's notebook with a matrix that two cores multiply in no time."""
    text = (programs / "gpusoroban.ipynb").read_text()
    assert "30*512" in text
    notebook = json.loads(text.replace("30*512", "512"))
    if first_cell:
        cell = {**notebook["cells"][0], "id": "first", "source": [first_cell]}
        notebook["cells"].insert(0, cell)
    path = folder / "gpusoroban.ipynb"
    path.write_text(json.dumps(notebook))
    return path


def test_notebook(tmp_path, device):
    status, output = kasoku_run(small_notebook(tmp_path), device=device)
    assert status == 0, output
    assert output.count("GPU SPEED") == 3 and "CPU SPEED" in output
    assert "11.19469" in output and "12.921175" in output  # the article's numbers


def test_notebook_in_jupyter(tmp_path, device, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("KASOKU_DEVICE", device)
    path = small_notebook(tmp_path, first_cell="%load_ext kasoku")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", ())]
    assert not [o for o in outputs if o.output_type == "error"]
    assert "11.19469" in outputs[-1]["data"]["text/plain"]


@pytest.mark.slow
@pytest.mark.timeout(3700)
def test_notebook_at_its_own_size(device):
    status, output = kasoku_run(programs / "gpusoroban.ipynb", device=device, timeout=3600)
    assert status == 0 and "11.19469" in output, output
