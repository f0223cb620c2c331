"""Programs whose verdict is known, racy and clean: check must miss none and invent none."""

import pathlib
import sys

import numpy as np
import pytest

import kasoku as ks
from kasoku._check.recorder import content_of

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_cases  # noqa: E402
import check_cases_handed  # noqa: E402, F401
import check_cases_hosts  # noqa: E402, F401
import check_cases_library  # noqa: E402, F401
import check_cases_made  # noqa: E402, F401
import check_cases_memory  # noqa: E402, F401
import check_cases_order  # noqa: E402, F401
import check_cases_protocols  # noqa: E402, F401
import check_cases_turns  # noqa: E402, F401
import check_cases_updates  # noqa: E402, F401
import check_cases_usual  # noqa: E402, F401
import check_cases_waits  # noqa: E402, F401

verdicts = {}


@pytest.mark.parametrize("name, run, kinds", check_cases.CASES, ids=[c[0] for c in check_cases.CASES])
def test_each_case_has_the_kinds_of_findings_that_it_is_to_have(name, run, kinds):
    found = run()
    verdicts[name] = (kinds, {f.kind for f in found})
    assert {f.kind for f in found} == kinds, found
    for finding in found:
        assert finding.array and (finding.line > 0 or finding.kind == "deadlock"), finding
        assert "line 0" not in finding.text, finding


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


def test_the_same_argument_twice_keeps_its_class():
    dates = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    for given in (dates, np.ma.masked_array([1, 2], [0, 1]), np.matrix([[1, 2]]), np.rec.array([(1, 2.0)])):

        def look(a, b, given=given):
            assert type(a) is type(given) and a is not given
            assert a.ctypes.data == b.ctypes.data
            np.testing.assert_array_equal(a, given)

        assert not ks.check(look, given, given)
    parts = dates[:1], dates[1:]

    def swap(a, b):
        a[:] = b

    assert not ks.check(swap, *parts) and dates[0] != dates[1]


def test_another_item_at_the_place_of_one_that_is_gone():
    things = [object()]
    before = content_of(things)
    for _ in range(100):  # one of them lies where the first did, if that is gone
        things.pop()
        things.append(object())
        assert content_of(things) != before


def test_a_launch_has_no_other_arguments():
    text = "__global__ void f(int *x) { extern __shared__ int s[]; s[threadIdx.x] = x[threadIdx.x]; }"
    f, x = ks.RawKernel(text, "f"), ks.zeros(8, "int32")
    assert not ks.check(f, x, block=8, shared=32) and not ks.check(f, x, block=8, shared_mem=32)
    with pytest.raises(TypeError, match="no argument 'shard'"):
        ks.check(f, x, block=8, shard=32)
