"""What competitors share: honest clocks."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

warm_rounds = 30  # arrays of 64 MB take that many passes until a cache of 300 MB holds them


def best(f, repeats=7, number=1):
    """Seconds of one f(), the best of `repeats` runs of `number` calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(number):
            f()
        times.append((time.perf_counter() - start) / number)
    return min(times)


def warm(f, seconds=0.2):
    """Calls f() until what is compiled and planned behind it, for whoever does that, is there."""
    end = time.perf_counter() + seconds
    while True:
        f()
        if time.perf_counter() > end:
            return


def median(values):
    return sorted(values)[len(values) // 2]


def report(figures):
    print(json.dumps(figures))


def skip(why):
    print(json.dumps({"skip": why}))
    raise SystemExit(0)


def cupy_with_gpu():
    """CuPy, if it is installed and has a GPU; else the competitor is skipped."""
    try:
        import cupy
    except ImportError:
        skip("CuPy is not installed")
    if not cupy.cuda.is_available():
        skip("no GPU")
    return cupy


def _folder():
    """A folder that is gone when this process has ended."""
    folder = tempfile.mkdtemp(prefix="kasoku-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def fresh_cache():
    """An empty cache folder for this process and its children; before kasoku is imported."""
    os.environ["KASOKU_CACHE_DIR"] = folder = _folder()
    return folder


def in_new_process(text, **environment):
    """What the text prints last, as a float, from a fresh interpreter."""
    result = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=True,
    )
    return float(result.stdout.split()[-1])


def compile_cpp(source, *flags):
    """Builds a C++ file into a shared library and loads it; the path of the library."""
    out = os.path.join(_folder(), "peer.so")
    command = ["g++", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", *flags, source, "-o", out]
    subprocess.run(command, check=True)
    return out
