import os
import subprocess
import sys
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _sizes import costs, increment, name, sizes
from timing import report

import kasoku as ks

compiled = ks.njit(increment)
compiled(1)
figures = {}
for work, function in {"Python": increment, "compiled": compiled}.items():
    call = ks.delayed(function)
    building, running = costs(call, lambda tasks: ks.compute(*tasks))
    figures |= {name(f"run, {work}", n): cost for n, cost in running.items()}
    figures |= {name(f"build, {work}", n): cost for n, cost in building.items()}
    figures[f"run, {work}, most over least"] = max(running.values()) / min(running.values())
with ks.Pool(2) as pool:
    for n in sizes[:3]:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            list(pool.map(increment, range(n)))
            times.append(time.perf_counter() - start)
        figures[name("Pool.map, Python", n)] = min(times) / n * 1e6
memory = """
import resource, kasoku as ks
call = ks.delayed(lambda x: x + 1)
tasks = [call(k) for k in range(1_000_000)]
assert ks.compute(*tasks)[-1] == 1_000_000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
"""
done = subprocess.run([sys.executable, "-c", memory], capture_output=True, text=True, check=True)
figures["1e6 tasks, most memory of the process"] = float(done.stdout)
report(figures)
