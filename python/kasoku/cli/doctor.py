"""kasoku doctor: in plain words, what works here and what is missing."""

import os
import platform
import sys
import time

from .output import JSON, console, duration, print_json, size


def doctor(json: bool = JSON):
    """Say what works on this machine and what is missing. The exit status is 1 if
    something that kasoku needs does not work."""
    import typer

    findings = [finding for look in looks for finding in look()]
    if json:
        print_json([dict(zip(("topic", "state", "text", "fix"), f)) for f in findings])
    else:
        marks = {"ok": "[green]✓[/]", "note": "[yellow]–[/]", "bad": "[red]✗[/]"}
        out = console()
        for topic, state, text, fix in findings:
            out.print(f"{marks[state]} [bold]{topic:12s}[/] {text}", soft_wrap=True)
            if fix:
                out.print(f"  {'':12s} [dim]fix[/] {fix}", soft_wrap=True)
    if any(state == "bad" for _, state, _, _ in findings):
        raise typer.Exit(1)


def package():
    import kasoku

    yield (
        "kasoku",
        "ok",
        f"{kasoku.__version__} in {os.path.dirname(kasoku.__file__)}, Python {platform.python_version()}"
        + ("" if getattr(sys, "_is_gil_enabled", lambda: True)() else ", free-threaded"),
        None,
    )


def cpu():
    import kasoku as ks

    device = ks.Device("cpu")
    properties = device.properties
    yield "CPU", "ok", f"{properties['name']}, code for {properties['architecture']}", None
    chosen = os.environ.get("KASOKU_NUM_THREADS")
    workers = properties["multiprocessors"]
    here = len(os.sched_getaffinity(0))
    why = f" (KASOKU_NUM_THREADS={chosen})" if chosen else ""
    yield "threads", "ok", f"{workers} workers on {here} usable cores{why}", None
    yield "memory", "ok", f"{size(device.memory['total'])}, {size(device.memory['free'])} free", None


def compiler():
    import numpy

    import kasoku as ks
    from kasoku import _core

    library = _core._compiler_library()
    if not os.path.exists(library):
        yield (
            "compiler",
            "bad",
            f"the embedded compiler is missing: {library}",
            "install kasoku's wheel, or run `make build` with llvm-19-dev and libclang-19-dev",
        )
        return
    text = f'// {time.time_ns()}\nextern "C" __global__ void doctor(int *x) {{ x[threadIdx.x] = threadIdx.x; }}'
    try:
        start = time.perf_counter()
        array = ks.array(numpy.zeros(4, numpy.int32), device="cpu")
        ks.RawModule(code=text).get_function("doctor")((1,), (4,), (array,))
        seconds = time.perf_counter() - start
        right = array.numpy().tolist() == [0, 1, 2, 3]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the user needs to read
        yield "compiler", "bad", f"a kernel does not run: {error}", None
        return
    state = "ok" if right else "bad"
    what = f"a kernel was compiled and run in {duration(seconds)}" if right else "a kernel gave wrong numbers"
    yield "compiler", state, f"{what}; {size(os.path.getsize(library))}, {library}", None


def cache():
    from kasoku import _core

    use, problem = _core._cache.use(), _core._cache.problem()
    folder = _core._cache.folder()
    if problem:
        yield "cache", "note", f"in memory only: {problem}", "set KASOKU_CACHE_DIR to a folder of yours"
        return
    yield "cache", "ok", f"{folder}: {use['entries']} entries, {size(use['bytes'])}", None


def cuda():
    import kasoku as ks
    from kasoku import _core

    missing = _core._cuda_missing()
    if missing:
        yield "CUDA", "note", f"no GPU is used: {missing}", None
        return
    gpus = [d for d in ks.devices() if d.kind == "cuda"]
    for gpu in gpus:
        p = gpu.properties
        yield "CUDA", "ok", f"{gpu.name}: {p['name']}, {p['architecture']}, {size(gpu.memory['free'])} free", None
    yield "driver", "ok", f"for CUDA {_core._cuda_driver_version()}", None
    for stem, name, needed, wheel in (
        ("nvrtc", "NVRTC", "kernels cannot be compiled for the GPU", "nvidia-cuda-nvrtc"),
        ("cublas", "cuBLAS", "matrix products on the GPU are not available", "nvidia-cublas"),
    ):
        file = _core._find_cuda_library(stem)
        if file:
            yield name, "ok", file, None
        else:
            yield name, "bad", f"not found: {needed}", f"pip install {wheel}"


def blas():
    try:
        from kasoku import _core

        name, file = _core._blas_provider()
    except AttributeError:
        return
    except Exception as error:  # noqa: BLE001
        yield "BLAS", "bad", f"{error}", "pip install scipy-openblas64"
        return
    yield "BLAS", "ok", f"{name}, {file}", None


def faces():
    from kasoku.compat import faces

    yield "faces", "ok", "`kasoku run` stands in for " + ", ".join(sorted(faces())), None


def variables():
    from kasoku import _core

    for name, value, default, meaning in _core._variables():
        if value != default:
            yield "variable", "note", f"{name}={value}: {meaning}", None


looks = [package, cpu, compiler, cache, cuda, blas, faces, variables]
