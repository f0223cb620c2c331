"""Devices: which there are, which is the default, and for whom."""

import gc
import threading

import kasoku as ks
import pytest


def test_the_cpu_is_first_and_says_what_it_is():
    cpu = ks.devices()[0]
    assert cpu.name == "cpu" and cpu.kind == "cpu" and str(cpu) == "cpu"
    assert repr(cpu) == "kasoku.Device('cpu')"
    assert cpu.properties["multiprocessors"] >= 1 and cpu.properties["total_memory"] > 2**20
    assert set(cpu.memory) == {"free", "total", "used", "cached", "limit"}


def test_a_device_equals_its_name_and_itself(device):
    found = ks.Device(device)
    assert found == ks.Device(found) and found == found.name and found != "other" and found != 1
    assert hash(found) == hash(ks.Device(found.name))


def test_an_unknown_device_is_one_sentence():
    with pytest.raises(ks.Error, match="tpu"):
        ks.Device("tpu")
    assert not ks.has_device("tpu") and ks.has_device("cpu")


def test_a_gpu_that_is_not_there_says_what_is_missing():
    if ks.has_device("cuda"):
        pytest.skip("there is one")
    with pytest.raises(ks.Error, match="(?i)cuda"):
        ks.default_device("cuda")
    assert ks.default_device() == "cpu"


def test_blocks_of_several_threads_leave_the_default_as_it_was():
    before = ks.default_device()
    first = ks.default_device("null")  # as when two threads come to their `with` at once
    second = ks.default_device("cpu")
    with first as inside:
        assert inside == "null" == ks.default_device()
    with second:
        assert ks.default_device() == "cpu"
    assert ks.default_device() == before


def test_the_default_device_is_a_call_or_a_block():
    before = ks.default_device()
    other = ks.Device("null") if before == "cpu" else ks.Device("cpu")
    with ks.default_device(other) as inside:
        assert inside == other == ks.default_device()
        with ks.default_device("cpu"):
            assert ks.default_device() == "cpu"
        assert ks.default_device() == other
        seen = []
        thread = threading.Thread(target=lambda: seen.append(ks.default_device()))
        thread.start()
        thread.join()
        assert seen == [before]
    assert ks.default_device() == before
    ks.default_device(other)
    try:
        assert ks.default_device() == other
    finally:
        ks.default_device(before)


def test_a_block_that_fails_gives_the_device_back():
    before = ks.default_device()
    with pytest.raises(ZeroDivisionError):
        with ks.default_device("null"):
            1 / 0
    assert ks.default_device() == before


def test_the_variable_sets_the_default(clean_process):
    text = "import kasoku as ks; print(ks.default_device())"
    assert clean_process(text, env={"KASOKU_DEVICE": "cpu"}).stdout == "cpu\n"
    wrong = clean_process(text, env={"KASOKU_DEVICE": "tpu"}, check=False)
    assert wrong.returncode == 1 and "KASOKU_DEVICE" in wrong.stderr


def test_synchronize_takes_a_device_or_none(device):
    ks.synchronize()
    ks.synchronize(device)
    ks.Device(device).synchronize()


def test_memory_has_the_limit_that_a_program_sets(device):
    d = ks.Device(device)
    gc.collect()  # what earlier tests left must not be freed in the middle
    ks.synchronize(device)
    d.trim()
    held = d.memory["used"] + d.memory["cached"]
    d.limit_memory(held + 2**25)
    try:
        assert d.memory["limit"] == held + 2**25
        with pytest.raises(MemoryError, match=r"cannot allocate 64.0 MiB on [\w:]+\n.*limits memory to"):
            ks.empty(2**23, device=device)
        kept = [ks.empty(2**20, device=device) for _ in range(3)]
        with pytest.raises(MemoryError):
            kept += [ks.empty(2**20, device=device) for _ in range(3)]
        del kept
        assert ks.empty(2**20, device=device).size == 2**20
    finally:
        d.limit_memory(0)
    assert ks.empty(2**23, device=device).size == 2**23
