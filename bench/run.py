#!/usr/bin/env python3
"""Runs the benchmarks: bench/run.py [TASK…] [--only COMPETITOR] [--json FILE]

A task is a folder with a task.toml and one file per competitor. A competitor is a program
that prints one JSON object, figure -> number; if it cannot run here it prints {"skip": why}.
Each runs in a process of its own, one after another, on the same machine in the same run; they
take turns, and of a task's rounds each figure's best counts: a neighbour's noise comes in seconds.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time
import tomllib

here = pathlib.Path(__file__).resolve().parent
runners = {".py": [sys.executable], ".sh": ["bash"]}


def competitors(folder, only):
    files = [p for p in sorted(folder.iterdir()) if p.suffix in runners and p.name[0] != "_"]
    files.sort(key=lambda p: p.stem != "kasoku")  # ours first
    return [p for p in files if not only or p.stem in only]


def run(path, timeout):
    command = [*runners[path.suffix], str(path)]
    # A competitor's file has its package's name, so its folder must not be on the path.
    folders = os.pathsep.join([str(here), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": folders, "PYTHONSAFEPATH": "1"}
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, cwd=path.parent, env=environment
        )
    except subprocess.TimeoutExpired:
        return {"skip": f"not done in {timeout} s"}
    lines = result.stdout.strip().splitlines()
    if result.returncode or not lines:
        said = (result.stderr.strip().splitlines() or ["no output"])[-1]
        return {"skip": said[:120]}
    return json.loads(lines[-1])


def in_turns(task, paths, rounds, timeout):
    """Competitor -> figures, each the best of its rounds."""
    is_low_better = {figure["name"]: figure.get("better", "lower") == "lower" for figure in figures_of(task)}
    results = {}
    for _ in range(rounds):
        for path in paths:
            best = results.setdefault(path.stem, {})
            if "skip" in best:
                continue
            for name, value in run(path, timeout).items():
                pick = min if is_low_better.get(name) else max
                best[name] = pick(best[name], value) if name in best and name != "skip" else value
    return results


def number(value):
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def verdict(figure, results):
    """A limit is a number, or a factor of a competitor's figure in the same run, or that figure plus
    something; the strictest of them counts: [[figure.limits]] with `of` and `factor` or `plus` each,
    or one of them in the figure."""
    ours = results.get("kasoku", {}).get(figure["name"])
    limits = [figure["limit"]] if "limit" in figure else []
    for row in figure.get("limits", [figure] if "of" in figure else []):
        theirs = results.get(row["of"], {}).get(figure["name"])
        if theirs is not None:
            limits.append(theirs * row.get("factor", 1) + row.get("plus", 0))
    if ours is None or not limits:
        return None, ""
    is_low_better = figure.get("better", "lower") == "lower"
    limit = min(limits) if is_low_better else max(limits)
    return limit, "yes" if (ours <= limit if is_low_better else ours >= limit) else "NO"


def figures_of(task):
    """The rows of the table: each has what the task says for [each], and a second row with
    what it says for [each.cuda]."""
    each = dict(task.get("each", {}))
    cuda = each.pop("cuda", None)
    rows = [{**each, **figure} for figure in task["figure"]]
    if cuda:
        shared = {key: each[key] for key in ("better",) if key in each}
        rows += [{**shared, **cuda, "name": row["name"] + ", cuda", "unit": row["unit"]} for row in rows]
    return rows


def rows(task, results):
    """The table's columns and cells: figure, a competitor each, the limit, whether it is reached."""
    names = [name for name, result in results.items() if "skip" not in result]
    body = []
    for figure in figures_of(task):
        if not any(figure["name"] in results[name] for name in names):
            continue
        limit, reached = verdict(figure, results)
        sign = "≤ " if figure.get("better", "lower") == "lower" else "≥ "
        cells = [number(results[name].get(figure["name"])) for name in names]
        shown = sign + number(limit) if limit is not None else ""
        body.append([f"{figure['name']}, {figure['unit']}", *cells, shown, reached])
    return ["figure", *names, "limit", "reached"], body


def show(task, results):
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    columns, body = rows(task, results)
    table = Table(title=task["title"], title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column == "figure" else "right")
    for cells in body:
        table.add_row(*map(escape, cells))
    console = Console(highlight=False, width=max(100, Console().width))
    console.print(table if body else task["title"])
    for name, result in results.items():
        if "skip" in result:
            console.print(f"  {name}: not run: {result['skip']}", soft_wrap=True)


def markdown(record):
    """The tables of a file that --json wrote, as the pages below docs/performance.md have them."""
    for name, results in record["tasks"].items():
        task = tomllib.loads((here / name / "task.toml").read_text())
        columns, body = rows(task, results)
        if not body:
            continue
        print(f"## {name}\n\n{task['title']}.\n")
        for cells in [columns, ["---"] * len(columns), *body]:
            print("| " + " | ".join("**no**" if cell == "NO" else cell for cell in cells) + " |")
        print()


def machine():
    model = platform.processor()
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    import kasoku as ks

    gpus = [d.properties["name"] for d in ks.devices() if d.kind == "cuda"]
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)),
        "gpus": gpus,
        "system": platform.platform(),
        "python": platform.python_version(),
        "kasoku": ks.__version__,
        "time": time.strftime("%Y-%m-%d %H:%M"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="*", help="folders of bench/; all if none is given")
    parser.add_argument("--only", action="append", help="competitors to run")
    parser.add_argument("--json", default="build/bench.json", help="where the figures go")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--rounds", type=int, help="instead of the tasks' own; 3 where they say nothing")
    parser.add_argument("--markdown", metavar="FILE", help="only prints the tables of a file of --json, for the docs")
    options = parser.parse_args()
    if options.markdown:
        return markdown(json.loads(pathlib.Path(options.markdown).read_text()))
    tasks = sorted(p.parent for p in here.glob("*/task.toml"))
    tasks = [t for t in tasks if not options.task or t.name in options.task]
    record = {"machine": machine(), "tasks": {}}
    print("  ".join(f"{k}: {v}" for k, v in record["machine"].items() if v), flush=True)
    for folder in tasks:
        task = tomllib.loads((folder / "task.toml").read_text())
        rounds = options.rounds or task.get("rounds", 3)
        results = in_turns(task, competitors(folder, options.only), rounds, options.timeout)
        record["tasks"][folder.name] = results
        show(task, results)
    out = pathlib.Path(options.json)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=1))
    print(f"figures in {out}")


if __name__ == "__main__":
    main()
