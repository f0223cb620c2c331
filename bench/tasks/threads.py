"""concurrent.futures.ThreadPoolExecutor: map, and submit with the results taken."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _sizes import costs, increment, name, sizes
from timing import report

figures = {}
with ThreadPoolExecutor(2) as pool:
    for n in sizes[:3]:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            list(pool.map(increment, range(n)))
            times.append(time.perf_counter() - start)
        figures[name("Pool.map, Python", n)] = min(times) / n * 1e6
    _, running = costs(
        lambda k: k, lambda numbers: [f.result() for f in [pool.submit(increment, k) for k in numbers]], 100_000
    )
    figures |= {name("run, Python", n): cost for n, cost in running.items()}
report(figures)
