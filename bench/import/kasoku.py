import importlib.util

from timing import in_new_process, median, report, skip

if importlib.util.find_spec("kasoku") is None:
    skip("kasoku is not installed")
text = "import numpy, time; t = time.perf_counter(); import kasoku; print(time.perf_counter() - t)"
report({"import": median([in_new_process(text) for _ in range(5)])})
