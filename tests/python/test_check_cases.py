"""Programs whose verdict is known, racy and clean: check must miss none and invent none."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_cases  # noqa: E402
import check_cases_memory  # noqa: E402, F401

verdicts = {}


@pytest.mark.parametrize("name, run, kinds", check_cases.CASES, ids=[c[0] for c in check_cases.CASES])
def test_verdict(name, run, kinds):
    found = run()
    verdicts[name] = (kinds, {f.kind for f in found})
    assert {f.kind for f in found} == kinds, found
    for finding in found:
        assert finding.array and (finding.line > 0 or finding.kind == "deadlock"), finding


def test_precision_and_recall(capsys):
    right = sum(bool(kinds & found) for kinds, found in verdicts.values())
    wanted = sum(bool(kinds) for kinds, _ in verdicts.values())
    reported = sum(bool(found) for _, found in verdicts.values())
    with capsys.disabled():
        print(
            f"\ncheck: {len(verdicts)} programs, {wanted} with a fault; "
            f"precision {right / max(reported, 1):.2f}, recall {right / max(wanted, 1):.2f}"
        )
    if len(verdicts) == len(check_cases.CASES):
        assert right == wanted == reported
