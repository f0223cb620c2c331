"""Every kernel of this folder against its reference, on every device; `pytest -q` ends with how many."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cases_basic  # noqa: E402, F401
import cases_dialect  # noqa: E402, F401
import cases_language  # noqa: E402, F401
import cases_programs  # noqa: E402, F401
import cases_rounded  # noqa: E402, F401
import cases_spaces  # noqa: E402, F401
import cases_warp  # noqa: E402, F401
import cases_whole  # noqa: E402, F401
import corpus  # noqa: E402

ks = pytest.importorskip("kasoku")


@pytest.mark.parametrize("case", corpus.CASES, ids=lambda case: case.id)
def test_kernel(case, device, capfd):
    if device not in case.only_on:
        pytest.skip(f"{case.file} is for {' and '.join(case.only_on)}")
    launch = corpus.run(case, device, ks)
    if launch.prints is not None:
        assert sorted(capfd.readouterr().out.split("\n")) == sorted(launch.prints + [""])


def test_every_file_has_a_case():
    files = {path.name for path in corpus.FOLDER.glob("*.cu")}
    assert files == {case.file for case in corpus.CASES}
    assert len(files) >= 60
