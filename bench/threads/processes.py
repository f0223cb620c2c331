"""The same programs, one process a core: what the machine gives where nothing is shared but its memory and its clocks."""

import json
import os
import subprocess
import sys
import time

from timing import report

samples = "4e6"
faces = os.path.join(os.path.dirname(__file__), "_faces.py")
environment = dict(os.environ, KASOKU_DEVICE="cpu", KASOKU_NUM_THREADS="1")


class Processes:
    def __init__(self, count):
        command = [sys.executable, "-P", faces, samples]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
        self.all = [subprocess.Popen(command, **pipes) for _ in range(count)]
        self.names = [json.loads(process.stdout.readline()) for process in self.all][0]

    def run(self, name):
        for process in self.all:
            process.stdin.write(name + "\n")
            process.stdin.flush()
        for process in self.all:
            process.stdout.readline()

    def fastest(self, name, seconds=1.0, least=5):
        self.run(name), self.run(name)
        best, end, done = float("inf"), time.perf_counter() + seconds, 0
        while done < least or time.perf_counter() < end:
            begin = time.perf_counter()
            self.run(name)
            best, done = min(best, time.perf_counter() - begin), done + 1
        return best

    def end(self):
        for process in self.all:
            process.stdin.close()
            process.wait()


def times(count):
    processes = Processes(count)
    try:
        return {name: processes.fastest(name) for name in processes.names}
    finally:
        processes.end()


alone, together = times(1), times(len(os.sched_getaffinity(0)))
report({name: alone[name] / together[name] for name in alone})
