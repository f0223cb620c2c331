"""ks.explain() says what would run for an array, and runs nothing."""

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core


@pytest.fixture(autouse=True)
def on_the_host():
    with ks.default_device("cpu"):
        yield


def explained(x):
    before = ks.stats()
    text = ks.explain(x)
    assert (ks.stats() - before).launches == 0
    return text


def test_what_is_computed_needs_nothing():
    x = ks.array(np.arange(5000.0))
    assert explained(x) == "float64 (5000,) on cpu is computed: nothing runs for it.\n"
    y = x * 3 + 1
    assert explained(y).startswith(
        "float64 (5000,) on cpu is pending: 1 group runs for it.\n1. float64 (5000,): multiply, add of 1 array and 2 numbers, over 5000 elements.\n"
    )
    y.numpy()
    assert "is computed" in explained(y)


def test_a_reduction_ends_a_group():
    x = ks.array(np.arange(40000.0).reshape(400, 100))
    text = explained(x - x.sum(axis=0))
    assert text.splitlines()[:3] == [
        "float64 (400, 100) on cpu is pending: 2 groups run for it.",
        "1. float64 (100,): sum of 1 array, over 40000 elements.",
        "   Stored, because a reduction ends a group.",
    ]
    assert (
        "2. float64 (400, 100): subtract of 2 arrays, over 40000 elements.\n   Stored, because it is what was asked for."
        in text
    )


def test_why_what_could_be_computed_again_is_stored():
    x = ks.array(np.arange(10000.0).reshape(100, 100))
    row = x.reshape(2, 5000)[0] * 2
    assert "has at least" not in explained(x.reshape(2, 5000) * row)  # a product is no more than a number that is read
    row = ks.sqrt(x.reshape(2, 5000)[0])
    assert "has at least twice as many elements" in explained(x.reshape(2, 5000) * row)
    held = x * 2 + 1
    assert explained(held - 1).count("Stored") == 1
    (held - 1).numpy()
    assert "an array shows it or did, and it was computed before" in explained(held - 2)
    long = x
    for k in range(40):
        long = long * 2 + k
    assert "1. " in explained(long)
    ks.random.seed(1)
    assert "drawn four at a time" in explained(ks.random.random((100, 100)).T + x)


def test_it_says_how_a_group_would_run():
    x = ks.array(np.arange(5000.0))
    work = lambda: ks.sqrt(x) * 11 - x  # noqa: E731
    assert "operation by operation, by kernels that the library brings along: the group is new" in explained(work())
    work().numpy()
    assert "while its kernel is compiled in the background" in explained(work())
    work().numpy()
    _core._finish_background()
    assert "Runs thus: its kernel is there." in explained(work())
    many = ks.array(np.arange(30_000.0))
    assert "its kernel is there" in explained(ks.sqrt(many) * 11 - many)
    text = explained((ks.sqrt(many) * 13 - many) / many)
    assert "its kernel is compiled first: it has many elements" in text or "is taken from the cache" in text
    text = explained(x + x.sum())  # an earlier test may have met this group
    assert "is a single operation" in text or "its kernel is there" in text
    assert "Runs as a fill of memory" in explained(ks.full((5000,), 2.0))
    assert "no elements" in explained(ks.zeros((0,)) + ks.zeros((0,)))
    assert "not an array" not in explained(x)


def test_only_arrays_are_explained():
    with pytest.raises(TypeError):
        ks.explain(3)


def test_values_made_of_those_before_are_not_computed_from_the_first_one_on(device):
    x = ks.array(np.arange(20_000.0), device=device).eval()
    y, host = x * 1.0, x.numpy()
    for _ in range(30):
        y, host = y * 0.5 + x, host * 0.5 + x.numpy()
        np.testing.assert_array_equal((y + 1).numpy(), host + 1)
    text = ks.explain(y * 0.5 + x)
    assert "2 groups run for it" in text and text.count("multiply, add of 2 arrays and 1 number") == 2


def test_an_operation_that_tests_its_operand_first_does_not_store_it(device):
    x = ks.array(np.arange(20_000.0), device=device).eval()
    for work in (lambda: ks.nanargmax(x * 3 + 1), lambda: x[(ks.arange(20_000) * 7) % 20_000]):
        text = ks.explain(work())
        assert "1 group runs for it" in text, text
    at = np.arange(20_000) * 7 % 20_000
    np.testing.assert_array_equal((x[(ks.arange(20_000) * 7) % 20_000]).numpy(), x.numpy()[at])
