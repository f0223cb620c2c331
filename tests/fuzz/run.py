#!/usr/bin/env python3
"""Runs random programs on a target: kernels, compared with what fibers compute (oracle.py), or programs of another front
end, compared with NumPy and with Python (fronts).

    python tests/fuzz/run.py --target x86-64-v4 --seeds 0:1000
    python tests/fuzz/run.py --target cuda --minutes 5 --jobs 4 --out found
    python tests/fuzz/run.py --repeat found/x86-64-v4-17.cu
    python tests/fuzz/run.py --shrink found/x86-64-v4-17.cu
    python tests/fuzz/run.py --blame found/x86-64-v4-17-small.cu
    python tests/fuzz/run.py --front arrays --target eager --seeds 0:1000 --out found

A program that is wrong, faults, hangs or is refused is one file in --out, with all that running it again needs.
"""

import argparse
import os
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from fuzz import failures, files, fronts, grammars, oracle  # noqa: E402
from fuzz.worker import Worker  # noqa: E402

BATCH = 40
KINDS = ("wrong", "fault", "hang", "refused", "finding", "defect")


class Tally:
    """What all workers found; saves each failure at once."""

    def __init__(self, target, out, front=None):
        self.target, self.out, self.front, self.lock = target, out, front, threading.Lock()
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
                    self.save(seed, kind, message)

    def save(self, seed, kind, message):
        if self.front:
            return self.front.save(self.out, self.target, seed, kind, message)
        kernel = grammars.kernel(seed)
        want = oracle.expected([kernel])[0] if kind != "defect" else None
        files.save(self.out / f"{self.target}-{kernel.seed}.cu", kernel, want, f"{self.target}: {kind}: {message}")

    def summary(self):
        seconds = time.perf_counter() - self.begin
        found = ", ".join(f"{self.failures[kind]} {kind}" for kind in KINDS)
        rate = self.run / seconds
        what = self.front.name if self.front else "kernels"
        of_it = "" if self.front else f" ({self.oracle / seconds:.0%} of it fibers)"
        return f"{self.target}: {self.run} {what}, {found}, {seconds:.0f} s, {rate:.1f} {what}/s{of_it}"


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
    front = fronts.Front(options.front) if options.front != "kernels" else None
    tally = Tally(options.target, options.out, front)
    ranges, lock = seeds_of(options), threading.Lock()

    def serve():
        worker = (front.worker if front else Worker)(options.target, options.limit)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--front", default="kernels", choices=["kernels", *fronts.FRONTS])
    parser.add_argument(
        "--target", help="x86-64-v3, x86-64-v4, native, check or cuda; eager (arrays), serial and offload (loops)"
    )
    parser.add_argument("--grammar", default="places", choices=grammars.GRAMMARS, help="of kernels")
    parser.add_argument("--seeds", default="0:", help="FIRST:END; without END until --minutes are over")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=30, help="seconds that a kernel may take")
    parser.add_argument("--out", type=pathlib.Path, help="folder for kernels that fail")
    parser.add_argument("--repeat", type=pathlib.Path, nargs="+", help="runs kernels of that folder again")
    parser.add_argument("--shrink", type=pathlib.Path, nargs="+", help="makes kernels of that folder small")
    parser.add_argument("--blame", type=pathlib.Path, nargs="+", help="says which pass makes a kernel fail")
    options = parser.parse_args()
    for action, paths in {fronts.repeat: options.repeat, fronts.shrink_file: options.shrink}.items():
        if paths and paths[0].suffix == ".py":
            return max(action(path, options) for path in paths)
    actions = {failures.repeat: options.repeat, failures.shrink_file: options.shrink, failures.blame: options.blame}
    for action, paths in actions.items():
        if paths:
            return max(action(path, options) for path in paths)
    options.target = options.target or "native"
    os.environ["FUZZ_GRAMMAR"] = options.grammar
    if options.seeds.endswith(":") and not options.minutes:
        parser.error("say --seeds FIRST:END or --minutes")
    return drive(options)


if __name__ == "__main__":
    sys.exit(main())
