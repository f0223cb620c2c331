import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from timing import report, skip

try:
    import dask
except ImportError:
    skip("Dask is not installed")
from _sizes import costs, increment, name

# One root over all tasks: of many roots its cost rises with their square.
call = dask.delayed(increment)
building, running, _ = costs(call, lambda tasks: dask.delayed(list)(tasks).compute(scheduler="threads"), 10_000)
figures = {name("run, Python", n): cost for n, cost in running.items()}
figures |= {name("build, Python", n): cost for n, cost in building.items()}
report(figures)
