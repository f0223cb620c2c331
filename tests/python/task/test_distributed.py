"""kasoku.distributed between processes: the same numbers everywhere, and a sentence when a process is missing."""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

import kasoku as ks

pytestmark = pytest.mark.timeout(120)
examples = Path(__file__).resolve().parents[3] / "examples"
n_gpus = sum(device.kind == "cuda" for device in ks.devices())
needs_two = pytest.mark.skipif(n_gpus < 2, reason="needs two GPUs")
has_mpi = importlib.util.find_spec("mpi4py") is not None
mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")

# What each process checks against NumPy, knowing what the others have.
laws = """
import numpy as np, kasoku as ks, sys, hashlib
together = ks.distributed
together.init(timeout=30)
rank, size = together.rank(), together.size()
assert 0 <= rank < size and together.local_rank() == rank and together.is_initialized()

def of(rank, shape, dtype):
    values = np.random.default_rng(rank + 7).standard_normal(shape) * 5
    return (values > 0) if dtype == "bool" else np.abs(values).astype(dtype) if dtype[0] == "u" else values.astype(dtype)

numpys = {"sum": np.sum, "prod": np.prod, "min": np.min, "max": np.max, "mean": np.mean}
seen = hashlib.sha256()

def check(got, want, what):
    assert got.shape == want.shape, (what, got.shape, want.shape)
    assert str(got.dtype) == str(want.dtype) or what[0] == "mean", (what, got.dtype, want.dtype)
    np.testing.assert_allclose(got.numpy(), want, rtol=2e-3 if "16" in str(want.dtype) else 1e-5, atol=1e-2 if "16" in str(want.dtype) else 1e-5, err_msg=str(what))
    seen.update(got.numpy().tobytes())

shapes = [(), (0,), (1,), (5,), (3, 4), (2, 0, 3), (30_011,)]
dtypes = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
for dtype in dtypes:
    for shape in shapes if dtype in ("float32", "float64") else shapes[3:5]:
        each = [of(r, shape, dtype) for r in range(size)]
        mine = ks.array(each[rank])
        for op, numpys_own in numpys.items():
            if dtype[0] == "c" and op in ("min", "max"):
                continue
            if dtype == "bool" and op in ("min", "max"):
                want = numpys_own(np.stack(each), axis=0)
            else:
                want = numpys_own(np.stack(each), axis=0, dtype={"bool": "int64"}.get(dtype, dtype)) if op in ("sum", "prod") else numpys_own(np.stack(each), axis=0)
            with np.errstate(all="ignore"):
                check(together.all_reduce(mine, op), np.asarray(want), (op, dtype, shape))
        check(together.all_gather(mine), np.stack(each), ("gather", dtype, shape))
        check(together.broadcast(mine, root=size - 1), each[-1], ("broadcast", dtype, shape))

whole = [of(r, (2 * size, 3), "float64") for r in range(size)]
part = together.reduce_scatter(ks.array(whole[rank]), "sum")
np.testing.assert_allclose(part.numpy(), np.sum(whole, axis=0)[2 * rank : 2 * rank + 2])
np.testing.assert_allclose(together.reduce_scatter(ks.array(whole[rank]), "mean").numpy(), np.mean(whole, axis=0)[2 * rank : 2 * rank + 2])

# not side by side in memory; special values; numbers and NumPy's arrays
turned = ks.array(of(rank, (4, 6), "float32")).T[::2]
check(together.all_reduce(turned), np.sum([of(r, (4, 6), "float32").T[::2] for r in range(size)], axis=0), ("turned",))
special = together.all_reduce(ks.array([np.nan if rank == 0 else 1, np.inf, -0.0]), "max").numpy()
assert np.isnan(special[0]) and special[1] == np.inf and special[2] == 0
assert float(together.all_reduce(rank + 1.5)) == sum(r + 1.5 for r in range(size))
assert together.all_reduce(np.arange(3)).numpy().tolist() == [0, size, 2 * size]

# round the circle, both ways of one's neighbours
x = ks.array(of(rank, (3, 2), "float32"))
if rank % 2 == 0:
    together.send(x, (rank + 1) % size) if size > 1 else None
    got = together.recv((rank - 1) % size) if size > 1 else x
else:
    got = together.recv(rank - 1)
    together.send(x, (rank + 1) % size)
if size % 2 == 0 or size == 1:
    np.testing.assert_array_equal(got.numpy(), of((rank - 1) % size, (3, 2), "float32"))
    assert got.device == x.device
together.barrier()

# every process has the same bits
digests = together.all_gather(np.frombuffer(seen.digest(), np.uint8)).numpy()
assert (digests == digests[0]).all()
for wrong, says in [
    (lambda: together.all_reduce(x, "xor"), "no reduction 'xor'"), (lambda: together.send(x, size), "no rank"),
    (lambda: together.send(x, rank), "itself"), (lambda: together.recv(rank), "itself"),
    (lambda: together.reduce_scatter(ks.zeros(size * 2 + 1 + (size == 1))) if size > 1 else together.recv(5), "cannot be cut" if size > 1 else "no rank"),
    (lambda: together.all_reduce("text"), "is no array"),
]:
    try:
        wrong()
    except (ValueError, TypeError) as error:
        assert says in str(error), error
    else:
        raise AssertionError(says)
sys.stdout.write(f"rank {rank} of {size} {together.backend()} {digests[0].tobytes().hex()}\\n")  # in one piece
"""


def run(*arguments, timeout=100, **environment):
    kept = {
        k: v
        for k, v in os.environ.items()
        if k not in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
    }
    as_root = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }  # Open MPI refuses to, unless told twice
    ran = subprocess.run(
        [str(a) for a in arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**kept, **as_root, "KASOKU_TEST_RUN": (mark := uuid.uuid4().hex), **environment},
    )
    assert left_running(mark) == [], ran.stderr
    return ran


def left_running(mark, seconds=10):
    """The processes that have the mark in their environment, after some time in which they may end."""
    end = time.monotonic() + seconds
    while True:
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.05)


def kasoku_run(*arguments, **options):
    return run(sys.executable, "-m", "kasoku", "run", *arguments, **options)


def said(ran, size, backend):
    assert ran.returncode == 0, ran.stderr[-3000:]
    lines = re.findall(r"rank (\d) of (\d) ([a-z]+) ([0-9a-f]{64})", ran.stdout)  # those of several may share a line
    assert sorted(line[:3] for line in lines) == [(str(r), str(size), backend) for r in range(size)]
    assert len({line[3] for line in lines}) == 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_processes_that_kasoku_run_starts(size, tmp_path):
    program = tmp_path / "laws.py"
    program.write_text(laws)
    said(kasoku_run("--processes", size, program), size, "alone" if size == 1 else "sockets")


def test_the_bits_do_not_depend_on_the_number_of_threads():
    text = """
import kasoku as ks, numpy as np
x = ks.array(np.random.default_rng(ks.distributed.rank()).standard_normal(50_000))
total = ks.distributed.all_reduce(x)
import os
os.write(1, (float(total.sum()).hex() + "\\n").encode())
"""
    ran = [kasoku_run("--processes=3", "-c", text, KASOKU_NUM_THREADS=str(n)).stdout for n in (1, 2)]
    found = [number for text in ran for number in re.findall(r"-?0x[0-9a-f.]+p[+-][0-9]+", text)]
    assert len(found) == 6 and len(set(found)) == 1


@pytest.mark.skipif(not (has_mpi and mpiexec), reason="needs mpi4py and mpiexec")
def test_processes_that_mpi_starts(tmp_path):
    program = tmp_path / "laws.py"
    program.write_text(laws)
    said(run(mpiexec, "-n", 2, sys.executable, program), 2, "mpi")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def place(rank, size, port):
    return {"RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}  # fmt: skip


def test_processes_that_torchrun_s_variables_name():
    """Where torchrun itself listens at MASTER_PORT, they meet one above."""
    text = "import kasoku as ks; print(float(ks.distributed.all_reduce(1.0 + ks.distributed.rank())))"
    with socket.create_server(("127.0.0.1", 0)) as torchruns:
        told = [{**os.environ, **place(r, 2, torchruns.getsockname()[1]), "TORCHELASTIC_RUN_ID": "a"} for r in (0, 1)]
        both = [
            subprocess.Popen([sys.executable, "-c", text], env=env, stdout=subprocess.PIPE, text=True) for env in told
        ]
        assert [process.communicate(timeout=60)[0] for process in both] == ["3.0\n"] * 2


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_never_comes_is_named(rank):
    text = "import kasoku as ks\nks.distributed.init(timeout=0.5)"
    began = time.monotonic()
    ran = run(sys.executable, "-c", text, **place(rank, 3, free_port()))
    assert ran.returncode == 1 and time.monotonic() - began < 60
    want = {0: "ranks 1, 2 of 3 did not come within 0.5 s", 1: "rank 0 was not at 127.0.0.1:"}[rank]
    assert f"distributed.init: {want}" in ran.stderr.splitlines()[-1], ran.stderr


def test_a_rank_that_ends_ends_the_others():
    text = """
import kasoku as ks, sys
ks.distributed.init(timeout=60)
if ks.distributed.rank() == 1:
    sys.exit(3)
ks.distributed.all_reduce(1.0)
"""
    began = time.monotonic()
    ran = kasoku_run("--processes", 3, "-c", text)
    assert ran.returncode in (1, 3) and time.monotonic() - began < 50
    assert ran.returncode == 3 or "rank 1 is gone: its process ended" in ran.stderr


def test_a_rank_that_calls_something_else_is_told_so():
    text = """
import kasoku as ks
rank = ks.distributed.rank()
try:
    ks.distributed.all_reduce(ks.zeros(3 + rank))
except ValueError as error:
    import os
    os.write(1, f"{error}\\n".encode())
"""
    ran = kasoku_run("--processes", 2, "-c", text)
    assert sorted(ran.stdout.splitlines()) == [
        f"distributed: rank {a} calls all_reduce sum of float64 ({3 + a},), rank {b} all_reduce sum of float64 ({3 + b},)"
        for a, b in ((0, 1), (1, 0))
    ], ran.stderr


def test_a_rank_that_is_silent_is_named():
    text = """
import kasoku as ks, time
ks.distributed.init(timeout=1.5)
if ks.distributed.rank() == 0:
    ks.distributed.barrier()
time.sleep(20)
"""
    ran = kasoku_run("--processes", 2, "-c", text)
    assert ran.returncode == 1 and "rank 1 sent nothing for 1.5 s; did it call the same?" in ran.stderr


@pytest.mark.parametrize(
    "told, says",
    [
        ({"RANK": "0", "WORLD_SIZE": "2"}, "MASTER_ADDR and MASTER_PORT not set"),
        ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK=2 of WORLD_SIZE=2; ranks go from 0 to 1"),
        ({"RANK": "x", "WORLD_SIZE": "2"}, "RANK='x', which is no number"),
    ],
)
def test_an_environment_that_cannot_be(told, says):
    ran = run(sys.executable, "-c", "import kasoku as ks; ks.distributed.init()", **told)
    assert ran.returncode == 1 and says in ran.stderr


def test_more_gpus_than_there_are():
    ran = kasoku_run("--gpus", n_gpus + 2, "-c", "print(1)")
    assert ran.returncode == 1 and ran.stdout == ""
    assert f"kasoku run: --gpus {n_gpus + 2}, and this machine has " in ran.stderr and "fix  --" in ran.stderr
    for wrong in (["--gpus", "0"], ["--processes", "many"], ["--gpus", "1", "--processes", "1"]):
        assert kasoku_run(*wrong, "-c", "1").returncode == 2


def test_a_gpu_that_this_machine_has_not(two_gpus):
    text = "import kasoku as ks; ks.distributed.init()"
    ran = run(sys.executable, "-c", text, **{**two_gpus, **place(2, 3, free_port())})
    assert ran.returncode == 1 and "local rank 2 wants a GPU of its own, and this machine has 2" in ran.stderr


of_gpus = """
import kasoku as ks, numpy as np
together = ks.distributed
together.init(timeout=30)
rank, size = together.rank(), together.size()
there = f"cuda:{rank}"
assert ks.default_device() == there
def of(rank, dtype="float32"):
    return (np.arange(6.0).reshape(2, 3) * (rank + 1) - 3).astype(dtype)
for dtype in ("float32", "float64", "int64"):
    for op in ("sum", "prod", *(("max", "min") if dtype == "int64" else ())):  # among floats a kernel looks for NaN, and this driver has none
        got = together.all_reduce(ks.array(of(rank, dtype)), op)
        assert got.device == there and got.dtype == dtype
        np.testing.assert_array_equal(got.numpy(), getattr(np, op)([of(r, dtype) for r in range(size)], axis=0))
for dtype in ("bool", "int16", "float16", "complex128"):
    got = together.all_gather(ks.array(of(rank, dtype)))
    np.testing.assert_array_equal(got.numpy(), np.stack([of(r, dtype) for r in range(size)]))
got = together.all_reduce(ks.array(of(rank, "complex64")), "sum")
np.testing.assert_array_equal(got.numpy(), of(0, "complex64") + of(1, "complex64"))
np.testing.assert_array_equal(together.broadcast(ks.array(of(rank)), 1).numpy(), of(1))
np.testing.assert_array_equal(together.reduce_scatter(ks.array(of(rank)), "sum").numpy(), (of(0) + of(1))[rank : rank + 1])
if rank == 0:
    together.send(ks.array(of(5)), 1)
else:
    got = together.recv(0)
    assert got.device == there
    np.testing.assert_array_equal(got.numpy(), of(5))
assert float(together.all_reduce(ks.array(1.0, device="cpu")).numpy()) == 2  # the host's go another way
together.barrier()
import os
os.write(1, b"well\\n")
"""


@pytest.fixture
def two_gpus_with_nccl(two_gpus, tmp_path):
    if "site-packages" in ks._core._nccl_file():
        pytest.skip("NCCL among Python's packages is found before the one of this test")
    folder = tmp_path / "cuda" / "lib64"
    folder.mkdir(parents=True)
    (tmp_path / "files").mkdir()
    text = Path(__file__).resolve().parents[2] / "device" / "nccl.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-w", text, "-o", folder / "libnccl.so.2"], check=True)
    return {**two_gpus, "CUDA_HOME": str(folder.parent), "NCCL_FILES": str(tmp_path / "files")}


def test_what_is_asked_of_nccl(two_gpus_with_nccl):
    ran = kasoku_run("--gpus", 2, "-c", of_gpus, **two_gpus_with_nccl)
    assert ran.returncode == 0 and ran.stdout.split() == ["well", "well"], ran.stderr[-2000:]


def test_gpus_whose_arrays_do_not_fit_together_are_told_so(two_gpus_with_nccl):
    """NCCL itself waits without end, or reads past an array."""
    text = """
import kasoku as ks, os
rank = ks.distributed.rank()
for call in (ks.distributed.all_reduce, ks.distributed.all_gather):
    ks.distributed.barrier()
    call(ks.ones(7))
    try:
        call(ks.ones(3 + rank))
    except ValueError as error:
        os.write(1, f"{error}\\n".encode())
"""
    ran = kasoku_run("--gpus", 2, "-c", text, **two_gpus_with_nccl)
    assert sorted(ran.stdout.splitlines()) == sorted(
        f"distributed: rank {a} calls {call} of float64 ({3 + a},), rank {b} {call} of float64 ({3 + b},)"
        for call in ("all_reduce sum", "all_gather") for a, b in ((0, 1), (1, 0))
    ), ran.stderr  # fmt: skip


@pytest.mark.skipif(bool(ks._core._nccl_file()), reason="NCCL is installed")
def test_gpus_without_nccl_say_what_to_install(two_gpus):
    ran = kasoku_run("--gpus", 2, "-c", of_gpus, **two_gpus)
    assert ran.returncode == 1 and "GPUs cannot compute together: NCCL is not installed" in ran.stderr
    assert "pip install nvidia-nccl-cu12" in ran.stderr


@pytest.mark.parametrize("name", ["distributed_pi.py", "distributed_matmul.py"])
def test_the_examples(name):
    few = ["1e5"] if "pi" in name else ["200"]
    ran = kasoku_run("--processes", 2, examples / name, *few)
    assert ran.returncode == 0, ran.stderr
    assert "pi is about 3.1" in ran.stdout or "200 x 200 in 2 processes" in ran.stdout


@needs_two
def test_two_gpus(tmp_path):
    program = tmp_path / "laws.py"
    program.write_text(laws)
    said(kasoku_run("--gpus", 2, program), 2, "sockets")
    ran = kasoku_run("--gpus", 2, "-c", of_gpus)  # by NCCL itself
    assert ran.returncode == 0 and ran.stdout.split() == ["well", "well"], ran.stderr[-2000:]
    for name, few in ("distributed_pi.py", "1e6"), ("distributed_matmul.py", "1024"):
        ran = kasoku_run("--gpus", 2, examples / name, few)
        assert ran.returncode == 0, ran.stderr
        print(ran.stdout)  # -s shows the figures
