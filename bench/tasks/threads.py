"""concurrent.futures.ThreadPoolExecutor: map, and submit with the results taken."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _sizes import costs, increment, map_costs, name
from timing import report

figures = {}
with ThreadPoolExecutor(2) as pool:
    figures |= map_costs(pool, 3)
    _, running, _ = costs(
        lambda k: k, lambda numbers: [f.result() for f in [pool.submit(increment, k) for k in numbers]], 100_000
    )
    figures |= {name("run, Python", n): cost for n, cost in running.items()}
report(figures)
