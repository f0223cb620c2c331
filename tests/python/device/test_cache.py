"""ks.stats() and the disk cache as Python sees it: what a run costs is said, what was compiled
once is not compiled again, and a damaged or forbidden folder changes no result."""

import os
import pathlib
import subprocess
import sys

import kasoku as ks
import numpy as np
import pytest
from kasoku.compat.pycuda.compiler import SourceModule
from kasoku.compat.pycuda.driver import InOut, _device

program = """
import kasoku as ks, sys
text = 'extern "C" __global__ void seven(int *x) { x[threadIdx.x] = 7; }'
x = ks.zeros(4, dtype="int32", device="cpu")
ks.RawModule(code=text).get_function("seven")((1,), (4,), (x,))
assert x.numpy().tolist() == [7] * 4
s = ks.stats()
print(s.compiles, s.disk_hits, s.damaged_entries, ks._core._compiler_is_loaded())
"""


def counts(result):
    compiles, hits, damaged, loaded = result.stdout.split()
    return int(compiles), int(hits), int(damaged), loaded == "True"


def test_a_second_process_does_not_load_the_compiler(tmp_path, clean_process):
    env = {"KASOKU_CACHE_DIR": str(tmp_path)}
    compiles, hits, _, loaded = counts(clean_process(program, env=env))
    assert compiles > 0 and loaded
    compiles, hits, _, loaded = counts(clean_process(program, env=env))
    assert compiles == 0 and hits > 0 and not loaded


def test_a_damaged_entry_is_a_miss(tmp_path, clean_process):
    env = {"KASOKU_CACHE_DIR": str(tmp_path)}
    clean_process(program, env=env)
    files = [p for p in tmp_path.rglob("*") if p.is_file() and p.stat().st_size > 100]
    assert files
    for path in files:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)
    compiles, _, damaged, _ = counts(clean_process(program, env=env))
    assert compiles > 0 and damaged > 0
    for path in files:
        if path.exists():
            os.truncate(path, path.stat().st_size // 2)
    assert counts(clean_process(program, env=env))[0] > 0


def test_a_folder_that_cannot_be_used_is_one_warning(tmp_path, clean_process):
    (tmp_path / "file").write_text("")
    result = clean_process(program, env={"KASOKU_CACHE_DIR": str(tmp_path / "file")})
    assert counts(result)[0] > 0
    assert result.stderr.count("CacheWarning") == 1 and "KASOKU_CACHE_DIR" in result.stderr


def test_a_folder_of_others_is_refused(tmp_path, clean_process):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    result = clean_process(program, env={"KASOKU_CACHE_DIR": str(folder)})
    assert counts(result)[0] > 0 and "CacheWarning" in result.stderr
    assert not any(p.is_file() for p in folder.rglob("*"))


def test_the_folder_is_the_users_own(tmp_path, clean_process):
    folder = tmp_path / "cache"
    clean_process(program, env={"KASOKU_CACHE_DIR": str(folder)})
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_cache_can_be_off(tmp_path, clean_process):
    env = {"KASOKU_CACHE_DIR": str(tmp_path / "cache"), "KASOKU_CACHE": "0"}
    assert counts(clean_process(program, env=env))[0] > 0
    assert not list(tmp_path.rglob("*.*"))


def test_many_processes_compile_one_kernel_once(tmp_path):
    env = {**os.environ, "KASOKU_CACHE_DIR": str(tmp_path)}
    processes = [
        subprocess.Popen([sys.executable, "-c", program], env=env, stdout=subprocess.PIPE, text=True) for _ in range(8)
    ]
    compiles = [int(p.communicate(timeout=120)[0].split()[0]) for p in processes]
    alone = subprocess.run(
        [sys.executable, "-c", program],
        env={**env, "KASOKU_CACHE_DIR": str(tmp_path / "alone")}, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    assert sum(compiles) == int(alone.stdout.split()[0]) > 0, compiles


def test_stats_are_counters_that_can_be_subtracted(device):
    before = ks.stats()
    assert before["launches"] == before.launches and before.hits >= 0
    with pytest.raises(AttributeError, match="no counter 'nothing'"):
        before.nothing
    x = ks.array([1, 2, 3], device=device)
    x.numpy()
    between = ks.stats() - before
    assert between.bytes_to_device >= 0 and set(between) == set(before)
    assert "launches" in repr(between)


def test_stats_say_why_bytes_were_copied(device):
    x = ks.array(np.arange(1000.0), device=device)
    ways = ("bytes_to_device", "bytes_from_device", "bytes_within_device", "bytes_between_devices")

    def reasons(work):
        before = ks.stats()
        work()
        between = ks.stats() - before
        found = {r: sum(between[f"{way}_for_{r}"] for way in ways) for r in ks._core._copy_reasons()}
        assert sum(found.values()) == sum(between[way] for way in ways)
        return {reason: n for reason, n in found.items() if n}

    assert reasons(lambda: ks.array(np.zeros(500), device=device)) == {"array": 4000}
    assert reasons(lambda: x.numpy()) == {"numpy": 8000}
    assert reasons(lambda: repr(x)) == {"print": 8000}
    # A CPU's launch reads the host's memory where it is, if a block cannot easily run past it, and an element is not copied.
    # On a GPU x[3] is the element's value at that time, an array of its own.
    on_host = device == "cpu"
    assert reasons(lambda: float(x[3])) == ({} if on_host else {"element": 8, "item": 8})
    if device == _device().kind:  # PyCUDA has one device in a process
        scale = SourceModule("__global__ void scale(double *x) { x[threadIdx.x] *= 2; }").get_function("scale")
        there_and_back = reasons(lambda: scale(InOut(np.ones(2000)), block=(4, 1, 1)))
        assert there_and_back == ({} if on_host else {"argument": 32000})
        assert reasons(lambda: scale(InOut(np.ones(4)), block=(4, 1, 1))) == {"argument": 64}
    assert all(reason in ks.stats.__doc__ for reason in ks._core._copy_reasons())


def test_usual_operations_come_compiled_with_the_library(clean_process, tmp_path):
    text = """
import numpy as np, kasoku as ks
for dtype in ("bool", "uint8", "int32", "int64", "float32", "float64", "complex128"):
    x = ks.array(np.arange(1, 13).reshape(3, 4), dtype=dtype)
    (x * 2 + x[::-1] == x.T.copy().reshape(3, 4)).eval()
    (x[:, 1] + x[0, 0]).eval()
    (x.astype("float64") + 1.5).eval()
    (x.sum(), x.prod(), x.any())
    large = ks.array(np.ones(5000), dtype=dtype)
    large.eval(), (large + large).eval(), large.sum().eval()
    ks.where(x > 1 if dtype != "complex128" else x == 1, x, 1).eval()
stats = ks.stats()
print(stats["compiles"], stats["disk_hits"])
"""
    compiles, hits = map(int, clean_process(text, env={"KASOKU_CACHE_DIR": str(tmp_path)}).stdout.split())
    assert compiles == 0 and hits > 50
    compiles, hits = map(int, clean_process(text, env={"KASOKU_CACHE": "0"}).stdout.split())
    assert compiles > 50 and hits == 0


def test_run_says_at_the_end_what_was_copied():
    text = "import kasoku as ks; ks.array([1.0, 2.0]).numpy()"
    result = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", "--stats", "-c", text], capture_output=True, text=True, timeout=60, check=True
    )  # fmt: skip
    assert "_for_numpy" in result.stderr and "launches" in result.stderr and result.stdout == ""


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_two_hundred_processes_compile_one_kernel(tmp_path):
    env = {**os.environ, "KASOKU_CACHE_DIR": str(tmp_path)}
    processes = [
        subprocess.Popen([sys.executable, "-c", program], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(200)
    ]
    compiles = [int(p.communicate(timeout=600)[0].split()[0]) for p in processes]
    assert compiles.count(0) >= 195, compiles
    assert not list(pathlib.Path(tmp_path).rglob("*.tmp*"))
