import os
import subprocess
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _sizes import costs, increment, map_costs, name
from timing import report

import kasoku as ks

compiled = ks.njit(increment)
compiled(1)
figures = {}
for work, function in {"Python": increment, "compiled": compiled}.items():
    call = ks.delayed(function)
    building, running, working = costs(call, lambda tasks: ks.compute(*tasks))
    figures |= {name(f"run, {work}", n): cost for n, cost in running.items()}
    figures |= {name(f"build, {work}", n): cost for n, cost in building.items()}
    figures[f"run, {work}, most over least"] = max(running.values()) / min(running.values())
    figures[f"run, {work}, most over least, processors' time"] = max(working.values()) / min(working.values())
with ks.Pool(2) as pool:
    figures |= map_costs(pool, 5)
memory = r"""
import re, kasoku as ks
call = ks.delayed(lambda x: x + 1)
tasks = [call(k) for k in range(1_000_000)]
assert ks.compute(*tasks)[-1] == 1_000_000
print(int(re.search(r"VmHWM:\s*(\d+) kB", open("/proc/self/status").read())[1]) / 1e3)  # rusage's is also the parent's
"""
done = subprocess.run([sys.executable, "-c", memory], capture_output=True, text=True, check=True)
figures["1e6 tasks, most memory of the process"] = float(done.stdout)
report(figures)
