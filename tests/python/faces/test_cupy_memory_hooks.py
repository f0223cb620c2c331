"""Hooks of CuPy's memory pool, as CuPy documents them: what is called, in which order, with which arguments, and what the two
hooks that it has print."""

import io
import json
import re
import threading

import pytest

import kasoku as ks
from kasoku.compat import cupy
from kasoku.compat.cupy.cuda import memory_hooks

N = 100_000


@pytest.fixture
def cp(device):
    with cupy.cuda.Device(0):
        yield cupy


class Noting(cupy.cuda.MemoryHook):
    """Notes what is called."""

    name = "Noting"

    def __init__(self):
        self.calls = []


for _name in (f"{of}_{when}process" for of in ("malloc", "alloc", "free") for when in ("pre", "post")):
    setattr(Noting, _name, lambda self, _name=_name, **told: self.calls.append((_name, told)))


def of(hook, name):
    return [told for called, told in hook.calls if called == name]


def test_a_hook_is_told_before_and_after_memory_is_taken_and_given_back(cp):
    hook = Noting()
    with hook:
        a = cp.zeros(N, "float64")
        address = a.data.ptr
        del a
    names = [name for name, told in hook.calls if told["mem_size"] >= 8 * N]
    assert [n for n in names if not n.startswith("alloc")] == [
        "malloc_preprocess", "malloc_postprocess", "free_preprocess", "free_postprocess"]  # fmt: skip
    assert names[0] == "malloc_preprocess" and all(
        n.startswith(("alloc", "malloc")) for n in names[: names.index("malloc_postprocess")]
    )
    before, after = of(hook, "malloc_preprocess")[0], of(hook, "malloc_postprocess")[0]
    assert (
        before["size"] == after["size"] == 8 * N
        and before["mem_size"] >= 8 * N
        and set(before) == {"device_id", "size", "mem_size"}
    )
    assert after["mem_ptr"] == address and set(after) == {"device_id", "size", "mem_size", "mem_ptr", "pmem_id"}
    for told in (*of(hook, "free_preprocess"), *of(hook, "free_postprocess")):
        assert set(told) == {"device_id", "mem_size", "mem_ptr", "pmem_id"}
    assert of(hook, "free_postprocess")[-1]["pmem_id"] == after["pmem_id"]
    count = len(hook.calls)
    cp.zeros(N) + 1
    assert len(hook.calls) == count


def test_what_the_pool_takes_of_the_device_is_told_and_what_it_has_is_not(cp):
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    n = pool.free_bytes() // 8 + N  # a GPU's driver keeps pages of which a part is in use
    hook = Noting()
    with hook:
        a = cp.empty(n)
        del a
        taken = len(of(hook, "alloc_postprocess"))
        b = cp.empty(n)
    assert taken == 1 and of(hook, "alloc_postprocess")[0]["mem_size"] >= 8 * N
    assert len(of(hook, "alloc_postprocess")) == 1 and of(hook, "malloc_postprocess")[1]["mem_ptr"] == b.data.ptr


def test_memory_that_there_is_not_has_the_address_0(cp):
    hook, pool = Noting(), cp.get_default_memory_pool()
    cp.zeros(1).get()
    pool.set_limit(pool.total_bytes() + 10**6)
    try:
        with hook, pytest.raises(cp.cuda.memory.OutOfMemoryError):
            cp.zeros(10**7)
    finally:
        pool.set_limit(0)
    assert [told["mem_ptr"] for told in of(hook, "malloc_postprocess") if told["size"] >= 8 * 10**7] == [0]


def test_a_hook_is_the_threads_own_is_entered_once_and_lets_statements_wait_again(cp):
    was_eager = ks.eager().before
    ks.eager(was_eager)
    hook = Noting()
    with hook:
        with pytest.raises(KeyError, match="Noting already exists"):
            Noting().__enter__()
        before = len(hook.calls)
        other = threading.Thread(target=lambda: (cp.zeros(N) + 1).get())
        other.start()
        other.join()
        assert len(hook.calls) == before and memory_hooks.get_memory_hooks() == {"Noting": hook}
    assert memory_hooks.get_memory_hooks() == {}
    is_eager = ks.eager().before
    ks.eager(was_eager)
    assert is_eager == was_eager


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_error_of_a_hook_ends_nothing(cp):
    class Failing(cupy.cuda.MemoryHook):
        def malloc_preprocess(self, **told):
            raise ZeroDivisionError("of a hook")

    with Failing():
        assert float((cp.zeros(N) + 1).sum()) == N


def test_a_hook_prints_lines_of_json(cp):
    file = io.StringIO()
    with memory_hooks.DebugPrintHook(file):
        a = cp.ones(N)
        del a
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    (malloc,) = (line for line in lines if line["hook"] == "malloc" and line["size"] == 8 * N)
    assert list(malloc) == ["hook", "device_id", "size", "mem_size", "mem_ptr", "pmem_id"]
    assert any(line["hook"] == "free" and line["pmem_id"] == malloc["pmem_id"] for line in lines)


def makes(cp):
    return cp.ones(2**17)


def test_lines_are_listed_with_the_bytes_that_they_took(cp):
    hook, file = cp.cuda.memory_hooks.LineProfileHook(), io.StringIO()
    with hook:
        a = makes(cp)
        b = a * 2
    hook.print_report(file)
    lines = file.getvalue().splitlines()
    row = re.compile(r"( *)(_root|.*:\d+:\S+) \((\d+\.\d\d[KMG]?B), (\d+\.\d\d[KMG]?B)\)")
    found = [row.fullmatch(line).groups() for line in lines]
    assert found[0][:3] == ("", "_root", "2.00MB") and b.size == 2**17
    ((depth, used),) = ((len(indent), used) for indent, line, used, _ in found if line.endswith(":makes"))
    here = [(len(indent), used) for indent, line, used, _ in found if line.endswith("the_bytes_that_they_took")]
    assert used == "1.00MB" and here == [(depth - 2, "1.00MB")] * 2
    assert not any("kasoku/compat" in line for line in lines)


def test_the_report_is_as_deep_as_is_asked_for(cp):
    hook, file = memory_hooks.LineProfileHook(max_depth=2), io.StringIO()
    with hook:
        makes(cp)
    hook.print_report(file)
    assert len(file.getvalue().splitlines()) == 2
