"""The programs of bench/programs leave the same in NumPy's arrays and in ours."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import kasoku as ks

folder = Path(__file__).parents[3] / "bench"


@pytest.fixture(scope="module")
def bench():
    import sys

    sys.path.append(str(folder))  # timing.py, which the programs' file imports
    spec = importlib.util.spec_from_file_location("bench_programs", folder / "programs" / "_programs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(folder))
    return module


NAMES = [
    line.split('"')[1]
    for line in (folder / "programs" / "task.toml").read_text().splitlines()
    if line.startswith("name")
]


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("name", NAMES)
def test_programs(bench, name):
    function, *arguments = bench.programs(0.2)[name]

    def finish(result):
        return [np.array(one) for one in (result if isinstance(result, tuple) else (result,))]

    with np.errstate(all="ignore"):
        want, got = (bench.run(xp, function, arguments, finish) for xp in (np, ks))
    for ours, numpys in zip(got, want, strict=True):
        assert (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape)
        np.testing.assert_allclose(ours, numpys, 1e-3 if numpys.dtype == np.float32 else 1e-6, 1e-9)


def test_all_programs_have_a_row(bench):
    assert [*bench.programs(0.2)] == NAMES
