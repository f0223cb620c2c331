import importlib.util

from timing import in_new_process, median, report, skip

if importlib.util.find_spec("numba") is None:
    skip("numba is not installed")
text = "import numpy, time; t = time.perf_counter(); import numba; print(time.perf_counter() - t)"
report({"import": median([in_new_process(text) for _ in range(5)])})
