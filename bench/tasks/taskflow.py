"""Taskflow, a C++ library of task graphs (Debian's libtaskflow-cpp-dev)."""

import ctypes
import os
import shutil
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _sizes import name, sizes
from timing import compile_cpp, report, skip

folders = ["/usr/include", *os.environ.get("CPLUS_INCLUDE_PATH", "").split(":")]
if not shutil.which("g++") or not any(os.path.isdir(os.path.join(folder, "taskflow")) for folder in folders):
    skip("g++ or libtaskflow-cpp-dev (in Debian since 13) is not installed")
here = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(compile_cpp(os.path.join(here, "taskflow.cpp"), "-std=c++20", "-pthread"))
building, running = ctypes.c_double(), ctypes.c_double()
figures = {}
for n in sizes:
    best = [1e9, 1e9]
    for _ in range(5):
        library.costs(ctypes.c_int64(n), len(os.sched_getaffinity(0)), ctypes.byref(building), ctypes.byref(running))
        assert running.value > 0
        best = [min(best[0], building.value), min(best[1], running.value)]
    figures[name("build, compiled", n)], figures[name("run, compiled", n)] = (each / n * 1e6 for each in best)
report(figures)
