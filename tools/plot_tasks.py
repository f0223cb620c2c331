#!/usr/bin/env python3
"""Draws docs/tasks.png, cost against the number of tasks, from what bench/run.py wrote.

bench/run.py tasks --json FILE && tools/plot_tasks.py FILE docs/tasks.png
"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

lines = [  # competitor, figure, label
    ("dask", "run, Python", "Dask, Python function"),
    ("threads", "run, Python", "ThreadPoolExecutor, Python function"),
    ("kasoku", "run, Python", "kasoku, Python function"),
    ("kasoku", "run, compiled", "kasoku, compiled function"),
    ("taskflow", "run, compiled", "Taskflow, C++"),
]


def main(source, target):
    results = json.load(open(source))["tasks"]["tasks"]
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for competitor, figure_name, label in lines:
        points = []
        for name, cost in results.get(competitor, {}).items():
            work, _, number = name.rpartition(", ")
            if work == figure_name and number.endswith(" tasks"):
                points.append((float(number.removesuffix(" tasks")), cost))
        if points:
            axes.plot(*zip(*sorted(points)), marker="o", label=label)
    axes.set(xscale="log", yscale="log", xlabel="tasks in the graph", ylabel="µs a task")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.tight_layout()
    figure.savefig(target, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
