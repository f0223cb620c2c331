"""What competitors do beside busy processes."""

import json
import os
import subprocess
import sys
import time

from timing import report

long, short = 4_000_000, 40_000  # elements: milliseconds, and tens of microseconds
turns, seconds = 3, 1.0


def measured(file, variable, programs):
    """In the process that was started: reports figures, name -> milliseconds, on all threads and on one. `programs()`
    makes the functions without arguments in processes of their own, whose threads `variable` counts. The mean of
    calls counts, because what a neighbour takes is the question, and of means the best: others come and go."""
    if "_KASOKU_BENCH_CHILD" in os.environ:
        print(json.dumps({name: mean(function) for name, function in programs().items()}))
        return
    cores = sorted(os.sched_getaffinity(0))
    best = {}
    neighbours = [
        subprocess.Popen(
            [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, [{core}])\nwhile True: pass"],
            start_new_session=True,  # the system shares cores out to sessions first
        )
        for core in cores
    ]
    try:
        for _ in range(turns):
            for threads in (len(cores), 1):
                environment = {**os.environ, variable: str(threads), "_KASOKU_BENCH_CHILD": "1"}
                child = subprocess.run(
                    [sys.executable, file], env=environment, stdout=subprocess.PIPE, text=True, check=True
                )
                for name, value in json.loads(child.stdout.splitlines()[-1]).items():
                    key = name if threads > 1 else f"{name}, one thread"
                    best[key] = min(value, best.get(key, value))
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()
    for name in [name for name in best if f"{name}, one thread" in best]:
        best[f"{name}, all threads over one"] = best[name] / best[f"{name}, one thread"]
    report(best)


def mean(function):
    """Milliseconds of a call, of as many as take `seconds`."""
    function()  # compiles
    calls, begin = 0, time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        function()
        calls += 1
    return passed / calls * 1e3
