"""Fixtures of all Python tests: one `device` per kind that this machine has, and a cache
folder of the run's own, so that nothing depends on what an earlier run compiled."""

import atexit
import os
import shutil
import signal
import tempfile

import hypothesis
import pytest

if "KASOKU_CACHE_DIR" not in os.environ:  # before kasoku is imported; subprocesses inherit it
    _cache = tempfile.mkdtemp(prefix="kasoku-test-cache-")
    os.environ["KASOKU_CACHE_DIR"] = _cache
    _owner = os.getpid()
    atexit.register(lambda: os.getpid() == _owner and shutil.rmtree(_cache, ignore_errors=True))

# KASOKU_TEST_EXAMPLES=5000 looks longer for what breaks a property.
hypothesis.settings.register_profile(
    "kasoku",
    deadline=None,
    max_examples=int(os.environ.get("KASOKU_TEST_EXAMPLES", "60")),
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],  # on_device stays for all examples
)
hypothesis.settings.load_profile("kasoku")

# A shell starts what runs in the background with SIGINT ignored, and tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _devices():
    """Names of the kinds of devices to test on; KASOKU_TEST_DEVICES=cpu,cuda overrides."""
    chosen = os.environ.get("KASOKU_TEST_DEVICES")
    if chosen:
        return chosen.split(",")
    import kasoku as ks

    return ["cpu"] + (["cuda"] if ks.has_device("cuda") else [])


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        marks = {"cuda": [pytest.mark.cuda]}
        names = [pytest.param(name, marks=marks.get(name, [])) for name in _devices()]
        metafunc.parametrize("device", names)


@pytest.fixture(scope="module", params=["at_once", "graph"])
def tier(request):
    """Both ways of small operations: at once, and as larger ones, in the graph."""
    from kasoku import _core

    before = _core._few_at_once(request.param == "at_once")
    yield request.param
    _core._few_at_once(before)


@pytest.fixture(scope="session")
def layouts():
    """Arrays of NumPy as ours, of the same values, in all the ways in which elements lie."""
    import kasoku as ks
    import numpy as np

    return {
        "rows": lambda x: ks.array(x),
        "columns": lambda x: ks.array(x.T).T,
        "backwards": lambda x: ks.flip(ks.array(np.flip(x))),
        "every second": lambda x: ks.array(np.repeat(x, 2, -1))[..., ::2] if x.ndim else ks.array(x)[None][0, ...],
        "pending": lambda x: ks.array(x).astype(x.dtype),
        "shown": lambda x: ks.asarray(x),
        "shown backwards": lambda x: ks.flip(ks.asarray(np.flip(x))),
    }


@pytest.fixture
def no_first_sight():
    """Small groups wait for their kernels: for tests that count launches."""
    from kasoku import _core

    before = _core._first_sight(_core._FirstSight.never)
    yield
    _core._first_sight(before)


@pytest.fixture
def on_device(device):
    """What the test makes lies on each device in turn."""
    import kasoku as ks

    with ks.default_device(device):
        yield


@pytest.fixture(params=["as it is", "text for GPUs"])
def form(request, on_device):
    """Few elements go the way of many; the text for GPUs runs on CPUs too."""
    from kasoku import _core

    before = _core._gpu_form(request.param != "as it is"), _core._few_at_once(False)
    yield
    _core._gpu_form(before[0])
    _core._few_at_once(before[1])


@pytest.fixture
def clean_process():
    """Runs text in a fresh interpreter: clean_process("import kasoku", env={…}, args=[…])."""
    import subprocess
    import sys

    def run(text, env=None, args=(), timeout=120, check=True):
        result = subprocess.run(
            [sys.executable, "-c", text, *args],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if check:
            assert result.returncode == 0, result.stdout + result.stderr
        return result

    return run


@pytest.fixture(scope="session")
def two_gpus(tmp_path_factory):
    """The environment of a process on a driver of two GPUs, which says what was copied and freed where, and which stream
    waited for which."""
    import subprocess
    from pathlib import Path

    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("driver")
    text = Path(__file__).parent / "device" / "two_gpus.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-w", text, "-o", folder / "libcuda.so.1"], check=True)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "KASOKU_DEVICE": "cuda", "TWO_GPUS_LOG": "1"}


@pytest.fixture(scope="session")
def two_gpus_that_launch(two_gpus, tmp_path_factory):
    """The same whose kernels do nothing, by a compiler that makes such kernels."""
    import subprocess
    from pathlib import Path

    folder = tmp_path_factory.mktemp("cuda")
    (folder / "lib64").mkdir()
    text, library = Path(__file__).parent / "device" / "nvrtc.c", folder / "lib64" / "libnvrtc.so.13"
    subprocess.run(["cc", "-shared", "-fPIC", "-w", text, "-o", library], check=True)
    return {**two_gpus, "CUDA_HOME": str(folder), "TWO_GPUS_KERNELS": "0"}
