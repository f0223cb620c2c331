import json
import os
import subprocess
import sys

from timing import report

samples = "4e6"


def measure(counts, threads_of_pool=None):
    environment = dict(os.environ, KASOKU_DEVICE="cpu")
    if threads_of_pool:
        environment["KASOKU_NUM_THREADS"] = str(threads_of_pool)
    command = [sys.executable, "-P", os.path.join(os.path.dirname(__file__), "_faces.py"), samples, *map(str, counts)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return json.loads(done.stdout)


cores = len(os.sched_getaffinity(0))
alone, together = measure([1], 1), measure([cores])
figures = {
    name: together["rates"][name][str(cores)] / (cores * alone["rates"][name]["1"]) for name in together["rates"]
}
delayed, threads = together["m3"]
report({**figures, "delayed m=3 over three threads": delayed / threads})
