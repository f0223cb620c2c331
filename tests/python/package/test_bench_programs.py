"""The programs of bench/npbench leave in our arrays what they leave in NumPy's."""

import importlib.util
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import kasoku as ks

folder = Path(__file__).parents[3] / "bench" / "npbench"


def programs():
    spec = importlib.util.spec_from_file_location("npbench_programs", folder / "_programs.py")
    module = importlib.util.module_from_spec(spec)
    path = sys.path.copy()
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


bench = programs()


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("name", bench.PROGRAMS)
@pytest.mark.parametrize("is_eager", [False, True], ids=["lazy", "eager"])
def test_a_program_leaves_what_it_leaves_in_numpys_arrays(name, is_eager):
    function, inputs = bench.program(name, tiny=True)
    with ks.eager(is_eager):
        ours, _ = bench.run(ks, function, inputs)
    numpys, _ = bench.run(np, function, inputs)
    assert not bench.differences(ours, numpys)


def test_all_programs_have_a_row():
    rows = [figure["name"] for figure in tomllib.loads((folder / "task.toml").read_text())["figure"]]
    assert rows == ["programs that are right", "geometric mean", *bench.PROGRAMS]
    assert len(bench.PROGRAMS) == 54
