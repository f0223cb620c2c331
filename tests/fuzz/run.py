#!/usr/bin/env python3
"""Runs random kernels on a target and compares with what fibers compute (oracle.py).

    python tests/fuzz/run.py --target x86-64-v4 --seeds 0:1000
    python tests/fuzz/run.py --target cuda --minutes 5 --jobs 4 --out found
    python tests/fuzz/run.py --repeat found/x86-64-v4-17.json

A kernel that is wrong, faults, hangs or is refused is one file in --out, with all that running it again needs.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import kernels  # noqa: E402
import oracle  # noqa: E402
import shrink  # noqa: E402
import target as targets  # noqa: E402

BATCH = 40
KINDS = ("wrong", "fault", "hang", "refused", "finding", "defect")


# ---- a worker: a process that kernels may crash ------------------------------------------------------


def verdict(target, kernel, want):
    """What is not right, as (kind, sentence), or None."""
    if isinstance(want, oracle.Defect):
        return "defect", str(want)
    try:
        message = targets.difference(targets.run(target, kernel), want)
    except targets.Finding as finding:
        return "finding", str(finding)
    except Exception as error:  # whatever the engine says about a legal kernel is a failure of that kernel
        return "refused", f"{type(error).__name__}: {error}"[:2000]
    return ("wrong", message) if message else None


def work(target):
    """Takes lines `first end`, says which seed it begins and what came of it."""
    warnings.simplefilter("ignore")  # random text compares values with themselves
    say = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what kernels and libraries print is not said to the driver
    for line in sys.stdin:
        if line.startswith("{"):  # a kernel, and what it must give
            record = json.loads(line)
            want = [np.frombuffer(bytes.fromhex(data), dtype) for dtype, data in record.pop("want")]
            os.environ["KASOKU_PASSES"] = record.pop("passes")
            print(json.dumps({"verdict": verdict(target, kernels.Kernel(**record), want)}), file=say)
            continue
        first, end = map(int, line.split())
        batch = [kernels.kernel(seed) for seed in range(first, end)]
        begin = time.perf_counter()
        expected = oracle.expected(batch)
        print(json.dumps({"oracle": time.perf_counter() - begin}), file=say)
        for kernel, want in zip(batch, expected):
            print(json.dumps({"seed": kernel.seed}), file=say)
            found = verdict(target, kernel, want)
            if found:
                print(json.dumps({"seed": kernel.seed, "kind": found[0], "message": found[1]}), file=say)
        print(json.dumps({"end": end}), file=say)


class Worker:
    """Runs ranges of seeds in a process of its own, and starts that again where a kernel ended it."""

    def __init__(self, target, limit):
        self.target, self.limit, self.process = target, limit, None

    def start(self):
        command = [sys.executable, __file__, "--worker", "--target", self.target]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=targets.environment(self.target),
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True).start()

    @staticmethod
    def read(stdout, lines):
        for line in stdout:
            lines.put(json.loads(line))
        lines.put(None)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def one(self, kernel, want, passes=None):
        """The verdict on one kernel, with these words for KASOKU_PASSES."""
        if not self.process:
            self.start()
        passes = os.environ.get("KASOKU_PASSES", "") if passes is None else passes
        record = {
            **dataclasses.asdict(kernel),
            "passes": passes,
            "want": [(str(w.dtype), w.tobytes().hex()) for w in want],
        }
        print(json.dumps(record), file=self.process.stdin)
        try:
            line = self.lines.get(timeout=self.limit)
        except queue.Empty:
            self.stop()
            return "hang", f"longer than {self.limit} s"
        if line is None:
            code = self.process.wait()
            self.stop()
            return "fault", self.ending(code)
        return line["verdict"]

    @staticmethod
    def ending(code):
        return f"signal {-code}" if code < 0 else f"exit status {code}"

    def run(self, first, end, count):
        """Calls count(seed, kind, message) for failures and count(seed) for each seed that is run."""
        while first < end:
            if not self.process:
                self.start()
            seed = None
            print(first, end, file=self.process.stdin)
            while True:
                try:
                    line = self.lines.get(timeout=self.limit if seed is not None else 300)
                except queue.Empty:
                    line = {"hang": True}
                if line is None or "hang" in line:
                    break
                if "end" in line:
                    return
                if "oracle" in line:
                    count(None, "oracle", line["oracle"])
                elif "kind" in line:
                    count(line["seed"], line["kind"], line["message"])
                else:
                    seed = line["seed"]
                    count(seed)
            if seed is None:
                raise SystemExit(f"the worker ended before its first kernel, at seed {first}")
            code = None if line else self.process.wait()
            self.stop()
            if line:
                count(seed, "hang", f"longer than {self.limit} s")
            else:
                count(seed, "fault", self.ending(code))
            first = seed + 1


# ---- the driver ----------------------------------------------------------------------------------------


class Tally:
    """What all workers found; saves each failure at once."""

    def __init__(self, target, out):
        self.target, self.out, self.lock = target, out, threading.Lock()
        self.run, self.failures, self.oracle, self.begin = 0, dict.fromkeys(KINDS, 0), 0.0, time.perf_counter()
        if out:
            out.mkdir(parents=True, exist_ok=True)

    def count(self, seed, kind=None, message=None):
        with self.lock:
            if kind == "oracle":
                self.oracle += message
            elif kind is None:
                self.run += 1
            else:
                self.failures[kind] += 1
                print(f"seed {seed}: {kind}: {message.splitlines()[0] if message else ''}", flush=True)
                if self.out:
                    save(self.out / f"{self.target}-{seed}.json", self.target, kernels.kernel(seed), kind, message)

    def summary(self):
        seconds = time.perf_counter() - self.begin
        found = ", ".join(f"{self.failures[kind]} {kind}" for kind in KINDS)
        rate = self.run / seconds
        return f"{self.target}: {self.run} kernels, {found}, {seconds:.0f} s, {rate:.1f} kernels/s ({self.oracle / seconds:.0%} of it fibers)"


def save(path, target, kernel, kind, message):
    record = {**dataclasses.asdict(kernel), "target": target, "kind": kind, "message": message}
    path.write_text(json.dumps(record, indent=1))
    path.with_suffix(".cu").write_text(kernel.text)


def load(path):
    """The kernel and the target that a file of --out describes."""
    record = json.loads(pathlib.Path(path).read_text())
    fields = {field.name: record[field.name] for field in dataclasses.fields(kernels.Kernel)}
    return kernels.Kernel(**{**fields, "grid": tuple(record["grid"]), "block": tuple(record["block"])}), record[
        "target"
    ]


def seeds_of(options):
    """Ranges of at most BATCH seeds, until the last seed or the last minute."""
    first, _, end = options.seeds.partition(":")
    at, end = int(first), int(end) if end else None
    stop = time.perf_counter() + 60 * options.minutes if options.minutes else None
    while (end is None or at < end) and (stop is None or time.perf_counter() < stop):
        until = min(at + BATCH, end) if end is not None else at + BATCH
        yield at, until
        at = until


def drive(options):
    tally = Tally(options.target, options.out)
    ranges, lock = seeds_of(options), threading.Lock()

    def serve():
        worker = Worker(options.target, options.limit)
        try:
            while True:
                with lock:
                    part = next(ranges, None)
                if part is None:
                    return
                worker.run(*part, tally.count)
        finally:
            worker.stop()

    threads = [threading.Thread(target=serve) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(tally.summary())
    return int(any(tally.failures.values()))


def on_target(target, limit):
    """A function that runs kernels in a process of their own: their verdicts."""
    worker = Worker(target, limit)

    def verdicts(some, expected):
        return [worker.one(kernel, want) for kernel, want in zip(some, expected)]

    return verdicts


def shrink_file(path, options):
    kernel, saved = load(path)
    target = options.target or saved
    verdicts = on_target(target, min(options.limit, 5))
    failure = verdicts([kernel], oracle.expected([kernel]))[0]
    if failure is None or failure[0] == "defect":
        print(f"{path} on {target}: {failure[1] if failure else 'right'}")
        return 1
    small = shrink.shrunk(kernel, failure, verdicts, lambda text: print(f"{path}: {text}", flush=True))
    small_path = path.with_name(path.stem + "-small.json")
    save(small_path, target, small, *failure)
    print(f"{small_path}: {failure[0]}\n{small.text}")
    return 0


def blame_file(path, options):
    """Prints the passes without which the kernel is right."""
    kernel, saved = load(path)
    worker, want = Worker(options.target or saved, min(options.limit, 5)), oracle.expected([kernel])[0]
    if isinstance(want, oracle.Defect):
        print(f"{path}: {want}")
        return 1
    from kasoku import _core

    names = [name for name, may_go, _ in _core.passes() if may_go]
    failure = worker.one(kernel, want)
    fails_without = lambda off: worker.one(kernel, want, ",".join(f"-{name}" for name in off)) is not None
    if failure is None:
        verdict = "right"
    elif fails_without(names):
        verdict = f"{failure[0]}, also without all passes that may be left out"
    elif single := [name for name in names if not fails_without([name])]:
        verdict = f"{failure[0]}, right without any one of: {', '.join(single)}"
    else:
        for name in list(names):
            if not fails_without(rest := [other for other in names if other != name]):
                names = rest
        verdict = f"{failure[0]}, right without all of: {', '.join(names)}"
    worker.stop()
    print(f"{path}: {verdict}", flush=True)
    return int(failure is not None)


def repeat(path, target):
    kernel, saved = load(path)
    target = target or saved
    os.environ.update(targets.environment(target))
    found = verdict(target, kernel, oracle.expected([kernel])[0])
    print(f"{path} on {target}: {': '.join(found) if found else 'right'}")
    return int(found is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", help="x86-64-v3, x86-64-v4, native, check or cuda")
    parser.add_argument("--seeds", default="0:", help="FIRST:END; without END until --minutes are over")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=30, help="seconds that a kernel may take")
    parser.add_argument("--out", type=pathlib.Path, help="folder for kernels that fail")
    parser.add_argument("--repeat", type=pathlib.Path, help="runs one kernel of that folder again")
    parser.add_argument("--shrink", type=pathlib.Path, nargs="+", help="makes kernels of that folder small")
    parser.add_argument("--blame", type=pathlib.Path, nargs="+", help="says which pass makes a kernel fail")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.target)
    if options.shrink:
        return max(shrink_file(path, options) for path in options.shrink)
    if options.blame:
        return max(blame_file(path, options) for path in options.blame)
    if options.repeat:
        return repeat(options.repeat, options.target)
    options.target = options.target or "native"
    if options.seeds.endswith(":") and not options.minutes:
        parser.error("say --seeds FIRST:END or --minutes")
    return drive(options)


if __name__ == "__main__":
    sys.exit(main())
