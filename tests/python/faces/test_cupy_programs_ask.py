"""What programs of CuPy's ask beside arrays: captures of streams, marks of profilers, errors by class, names that tests replace."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from kasoku.compat import cupy, cupyx
from kasoku.compat.cupyx import cusolver, jit, lapack, profiler, time as cupyx_time


@pytest.fixture
def cp(device):
    with cupy.cuda.Device(0):
        yield cupy


# ── captures ──────────────────────────────────────────────────────────────────────────────────


def test_a_captured_graph_does_nothing_before_it_is_launched(cp):
    stream, x = cp.cuda.Stream(non_blocking=True), cp.arange(4.0)
    with stream:
        stream.begin_capture()
        assert stream.is_capturing() and not cp.cuda.Stream.null.is_capturing()
        x += 1
        y = x * 10
        graph = stream.end_capture()
    assert not stream.is_capturing() and x.tolist() == [0, 1, 2, 3]
    x[0] = 5
    graph.upload()
    for _ in range(2):
        graph.launch()
    stream.synchronize()
    assert x.tolist() == [7, 3, 4, 5] and y.tolist() == [70, 30, 40, 50]


def test_a_graph_takes_branches_of_other_streams_and_runs_in_any(cp):
    one, two, marks = cp.cuda.Stream(), cp.cuda.Stream(), [cp.cuda.Event(), cp.cuda.Event()]
    x = cp.arange(5.0)
    with one:
        one.begin_capture()
        y = x * 100
        marks[0].record(one)
        two.wait_event(marks[0])
        with two:
            z = 3 * y + 1
            marks[1].record(two)
        one.wait_event(marks[1])
        graph = one.end_capture()
    graph.launch(two)
    two.synchronize()
    np.testing.assert_array_equal(z.get(), 300 * np.arange(5.0) + 1)


def test_captures_refuse_what_waits(cp):
    error, stream = cp.cuda.runtime.CUDARuntimeError, cp.cuda.Stream()
    with stream:
        stream.begin_capture()
        with pytest.raises(error, match="cudaErrorStreamCaptureUnsupported"):
            stream.synchronize()
        with pytest.raises(error, match="cudaErrorStreamCaptureImplicit"):
            cp.cuda.Stream.null.is_capturing()
        with pytest.raises(error, match="cudaErrorStreamCaptureInvalidated"):
            stream.end_capture()
    with pytest.raises(error, match="cudaErrorIllegalState"):
        stream.end_capture()
    with pytest.raises(error, match="null stream"):
        cp.cuda.Stream.null.begin_capture()
    with pytest.raises(ZeroDivisionError), stream:
        stream.begin_capture()
        raise ZeroDivisionError
    assert not stream.is_capturing() and float((cp.ones(3) + 1).sum()) == 6


# ── profilers ─────────────────────────────────────────────────────────────────────────────────


def test_ranges_are_marked_by_nvtx(monkeypatch):
    marks, nvtx = [], cupy.cuda.nvtx
    for name in ("RangePush", "RangePushC"):
        monkeypatch.setattr(nvtx, name, lambda *args, name=name: marks.append((name, *args)))
    monkeypatch.setattr(nvtx, "RangePop", lambda: marks.append("pop"))
    with profiler.time_range("outer", color_id=3):
        with cupy.prof.time_range("inner", argb_color=0xFF00FF00, sync=True):
            pass

    @cupy.prof.TimeRangeDecorator()
    def step():
        raise KeyError

    with pytest.raises(KeyError):
        step()
    assert marks == [
        ("RangePush", "outer", 3),
        ("RangePushC", "inner", 0xFF00FF00),
        "pop",
        "pop",
        ("RangePush", "step", -1),
        "pop",
    ]
    monkeypatch.setattr(nvtx, "available", False)
    with pytest.raises(RuntimeError, match="nvtx is not installed"):
        profiler.time_range("x")


@pytest.mark.parametrize(
    "profile, space, names",
    [(cupy.cuda.profile, cupy.cuda.profiler, ("start", "stop")),
     (profiler.profile, cupy.cuda.runtime, ("profilerStart", "profilerStop"))],
)  # fmt: skip
def test_profile_starts_and_stops(monkeypatch, profile, space, names):
    called = []
    for name in names:
        monkeypatch.setattr(space, name, lambda name=name: called.append(name))
    with pytest.raises(KeyError), profile():
        raise KeyError
    assert called == list(names)


def test_a_single_time_has_no_spread(cp):
    result = cupyx_time._PerfCaseResult("case", np.array([[5.4e-6], [6.4e-6]]), (0,))
    assert result.to_str() == "case                :    CPU:     5.400 us"
    assert "GPU-0:     6.400 us" in str(result) and "+/-" not in str(result)
    calls = []
    limited = profiler.benchmark(lambda: calls.append(1), n_warmup=3, max_duration=0)
    assert len(calls) == 4 and limited.cpu_times.shape == (1,) and profiler._time.benchmark is profiler.benchmark


# ── devices and errors ────────────────────────────────────────────────────────────────────────


def test_a_number_is_no_device(cp):
    device = cp.cuda.Device(0)
    assert device != 0 and device == cp.cuda.Device(0) and int(device) == 0
    with pytest.raises(TypeError):
        device < 1  # noqa: B015
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.Device.from_pci_bus_id("fake:id")


def test_errors_of_cudas_libraries_are_classes_that_can_be_pickled(cp):
    cuda = cp.cuda
    for kind in (
        cuda.runtime.CUDARuntimeError,
        cuda.curand.CURANDError,
        cuda.nvrtc.NVRTCError,
        cuda.cusolver.CUSOLVERError,
    ):
        error = kind(1)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind and again.args == error.args and again.status == 1
    assert cuda.runtime._getLocalRuntimeVersion() // 1000 == cuda.runtime._getCUDAMajorVersion()


def test_attributes_by_number_are_those_by_name(cp):
    runtime, attributes = cp.cuda.runtime, cp.cuda.Device().attributes
    for name, number in runtime._attributes.items():
        assert getattr(runtime, f"cudaDevAttr{name}") == number
        assert runtime.deviceGetAttribute(number, 0) == attributes.get(name, 1), name
    assert runtime.cudaDevAttrCooperativeLaunch == 95 and runtime.deviceGetAttribute(10, 0) == 32


def test_runtime_info_has_lines_and_versions(cp):
    info = cupyx.get_runtime_info()
    assert info.cupy_version == cp.__version__ in str(info) and info.numpy_version == np.__version__


def test_libraries_that_are_not_there_say_so(cp):
    assert not any(getattr(cp.cuda, name).available for name in ("cub", "cudnn", "cutensor", "nccl"))


def test_what_a_program_finds_of_a_toolkit(monkeypatch, tmp_path):
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\n")
    nvcc.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_PATH", "/opt/cuda")
    assert cupy.cuda.get_nvcc_path() == str(nvcc) and cupy.cuda.get_cuda_path() == "/opt/cuda"
    monkeypatch.setenv("PATH", "")
    assert cupy.cuda.get_nvcc_path() is None


# ── arrays ────────────────────────────────────────────────────────────────────────────────────


def test_small_rules_of_arrays(cp):
    with pytest.warns(DeprecationWarning):
        assert not cp.array(()) and not cp.zeros((2, 0)) and cp.ones(1)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(cp.ones(2))
    x = cp.arange(6).reshape(2, 3).copy()
    assert cp.array(x, copy=False, ndmin=3).base is x
    with pytest.raises(AttributeError, match="do not lie so"):
        x.T.shape = (6,)
    with pytest.raises(ValueError, match="reshape|size") as wrong:
        x.shape = (4, 2)
    assert not isinstance(wrong.value, AttributeError)
    x.shape = (3, 2)
    assert x.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert cp.ndarray((2, 3), order="FORTRAN").flags.f_contiguous and cp.ndarray((2, 3), order="").flags.c_contiguous
    half = cp.array(-1, "f2")
    assert np.dtype(float) == cp.min_scalar_type(cp.array(-1.0))
    assert cp.min_scalar_type([half, half]) == np.float16
    assert cp.min_scalar_type(-129) == np.int16 and cp.base_repr(5, 3) == "12" and cp.binary_repr(-2, 4) == "1110"
    assert cp.isscalar(element=3) and not cp.isscalar(half)
    for p in (0.0, 1.0, cp.array([0.5, 1.0])):
        with pytest.raises(ValueError, match="between 0 and 1"):
            cp.random.logseries(p, size=2)
    assert int(cp.random.logseries(0.5, size=9).min()) >= 1


def test_shared_memory_as_much_as_the_launch_says(cp):
    @jit.rawkernel()
    def turned(x):
        shared = jit.shared_memory(np.int32, None)
        i = jit.threadIdx.x
        shared[i] = x[i]
        jit.syncthreads()
        x[i] = shared[jit.blockDim.x - 1 - i]

    x = cp.arange(32, dtype=np.int32)
    turned((1,), (32,), (x,), shared_mem=128)
    assert x.tolist() == list(range(31, -1, -1))


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_matrices_by_the_names_of_libraries(cp, dtype):
    rng, near = (
        np.random.default_rng(8),
        {"rtol": 2e-4, "atol": 2e-4} if dtype in "fF" else {"rtol": 1e-9, "atol": 1e-9},
    )

    def numbers(*shape):
        x = rng.standard_normal(shape)
        return (x + 1j * rng.standard_normal(shape) if dtype in "FD" else x).astype(dtype)

    tall = numbers(3, 5, 2)
    for factors in (cusolver.gesvdj(cp.array(tall), full_matrices=False), cusolver.gesvda(cp.array(tall))):
        u, s, v = (x.get() for x in factors)
        np.testing.assert_allclose((u * s[:, None]) @ v.conj().swapaxes(1, 2), tall, **near)
    np.testing.assert_allclose(
        cusolver.gesvda(cp.array(tall), False).get(), np.linalg.svd(tall, compute_uv=False), **near
    )
    a = tall @ tall.conj().swapaxes(1, 2) + 9 * np.eye(5, dtype=dtype)
    w, v = (x.get() for x in cusolver.syevj(cp.array(a), UPLO="U"))
    np.testing.assert_allclose(a @ v, w[:, None] * v, **near)
    np.testing.assert_allclose(
        cusolver.syevj(cp.array(a), with_eigen_vector=False).get(), np.linalg.eigvalsh(a), **near
    )
    b = numbers(3, 5, 2)
    np.testing.assert_allclose(lapack.posv(cp.array(a), cp.array(b)).get(), np.linalg.solve(a, b), **near)
    np.testing.assert_allclose(
        lapack.posv(cp.array(a[0]), cp.array(b[0, :, 0])).get(), np.linalg.solve(a[0], b[0, :, 0]), **near
    )
    np.testing.assert_allclose(
        lapack.gels(cp.array(tall[0]), cp.array(b[0])).get(), np.linalg.lstsq(tall[0], b[0])[0], **near
    )
    np.testing.assert_allclose(cusolver.gesv(cp.array(a[1]), cp.array(b[1])).get(), np.linalg.solve(a[1], b[1]), **near)
    x = cp.array(b[0], order="F")
    lapack.gesv(cp.array(a[0]), x)
    np.testing.assert_allclose(x.get(), np.linalg.solve(a[0], b[0]), **near)
    with pytest.raises(ValueError, match="Fortran order"):
        lapack.gesv(cp.array(a[0]), cp.array(b[0]))
    with pytest.raises(TypeError, match="int64"):
        lapack.gesv(cp.ones((5, 5), int), x)


# ── names ─────────────────────────────────────────────────────────────────────────────────────


def test_a_program_may_replace_names_of_the_face(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from unittest import mock\nimport cupy\n"
        "with mock.patch('cupy.random._sample.randint') as fake:\n"
        "    cupy.random.random_integers(3, 5, (1, 2))\n"
        "fake.assert_called_with(3, 6, (1, 2))\n"
        "@mock.patch('cupy.cuda.nvtx.Mark')\ndef f(mark): return mark is cupy.cuda.nvtx.Mark\n"
        "assert f() and 'kasoku' in cupy.cuda.nvtx.Mark.__module__\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", str(program)], capture_output=True, text=True, env={**os.environ}
    )
    assert done.returncode == 0, done.stderr
