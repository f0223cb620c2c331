import os
import subprocess
import sys
import time

from timing import report

samples = "4e6"
faces = ("arrays", "numba, nogil", "cupy", "torch", "tensorflow, eager", "tensorflow, function", "dask")
program = os.path.join(os.path.dirname(__file__), "_faces.py")


class Workers:
    """Processes that run what they are told, at the same time."""

    def __init__(self, processes, threads, threads_of_pool=None):
        environment = dict(os.environ, KASOKU_DEVICE="cpu")
        if threads_of_pool:
            environment["KASOKU_NUM_THREADS"] = str(threads_of_pool)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
        command = [sys.executable, "-P", program, samples, str(threads)]
        self.all = [subprocess.Popen(command, **pipes) for _ in range(processes)]
        self.wait()

    def wait(self):
        for process in self.all:
            if not process.stdout.readline():
                raise SystemExit("a worker ended")

    def seconds(self, name):
        begin = time.perf_counter()
        for process in self.all:
            process.stdin.write(name + "\n")
            process.stdin.flush()
        self.wait()
        return time.perf_counter() - begin


def fastest(calls, seconds=2.0):
    """The best time of each (workers, name): in turns, because clocks and neighbours come and go."""
    best, end = [float("inf")] * len(calls), time.perf_counter() + seconds
    while float("inf") in best or time.perf_counter() < end:
        for k, (workers, name) in enumerate(calls):
            best[k] = min(best[k], workers.seconds(name))
    return best


cores = len(os.sched_getaffinity(0))
alone, threads, processes = Workers(1, 1, 1), Workers(1, cores), Workers(cores, 1, 1)
figures = {}
for name in faces:
    of_one, of_threads, of_processes = fastest([(alone, name), (threads, name), (processes, name)])
    figures[name] = of_one / of_threads
    figures[name + ", processes"] = of_one / of_processes
    figures[name + ", threads over processes"] = of_processes / of_threads
delayed, plain = fastest([(threads, "m=3, delayed"), (threads, "m=3, threads")])
report({**figures, "delayed m=3 over three threads": delayed / plain})
