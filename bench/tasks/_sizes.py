"""The numbers of tasks, and how their cost is measured: independent tasks of one number."""

import gc
import time

sizes = [1_000, 10_000, 100_000, 1_000_000]


def name(work, n):
    return f"{work}, {n:.0e} tasks".replace("e+0", "e")


def increment(x):
    return x + 1


def costs(make, run, most=1_000_000):
    """{n: microseconds a task} of building with make(k), of run(list of tasks), and of that on processors, all threads
    together; the best of some rounds, no further one after ten seconds. Garbage is collected before and not meanwhile, as in
    timeit: a collection leaves nothing in the caches."""
    building, running, working = {}, {}, {}
    for n in sizes:
        if n > most:
            continue
        begin = time.perf_counter()
        gc.collect()
        gc.disable()
        for _ in range(max(5, min(30, 100_000 // n))):
            if time.perf_counter() - begin > 10:
                break
            start = time.perf_counter()
            tasks = [make(k) for k in range(n)]
            middle, before = time.perf_counter(), time.process_time()
            results = run(tasks)
            end, after = time.perf_counter(), time.process_time()
            assert results[-1] == n and len(results) == n
            building[n] = min(building.get(n, 1e9), (middle - start) / n * 1e6)
            running[n] = min(running.get(n, 1e9), (end - middle) / n * 1e6)
            working[n] = min(working.get(n, 1e9), (after - before) / n * 1e6)
            del tasks, results
        gc.enable()
    return building, running, working


def map_costs(pool, rounds):
    """{name: microseconds a call} of pool.map of a Python function; the best of some rounds."""
    found = {}
    for n in sizes[:3]:
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            list(pool.map(increment, range(n)))
            times.append(time.perf_counter() - start)
        found[name("Pool.map, Python", n)] = min(times) / n * 1e6
    return found
