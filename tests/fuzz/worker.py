"""A process in which kernels may crash, and the one that starts it again.

The process takes lines: `FIRST END`, seeds to generate and run, or a kernel as JSON with the buffers that it must
leave. It answers in JSON lines: which seed it begins, what was not right.
"""

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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from fuzz import grammars, kernels, oracle, target as targets  # noqa: E402


def verdict(target, kernel, want):
    """What is not right, as (kind, sentence), or None."""
    if isinstance(want, oracle.Defect):
        return "defect", str(want)
    try:
        got = targets.run(target, kernel)
        message = targets.difference(got, want) if got else None
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
            print(json.dumps({"verdict": verdict(target, kernels.Kernel(**record), want)}), file=say)
            continue
        first, end = map(int, line.split())
        batch = [grammars.kernel(seed) for seed in range(first, end)]
        begin = time.perf_counter()
        expected = oracle.expected(batch)
        print(json.dumps({"oracle": time.perf_counter() - begin}), file=say)
        for kernel, want in zip(batch, expected):
            print(json.dumps({"seed": kernel.seed}), file=say)
            found = verdict(target, kernel, want)
            if found:
                print(json.dumps({"seed": kernel.seed, "kind": found[0], "message": found[1]}), file=say)
        print(json.dumps({"end": end}), file=say)


def processor_seconds(pid):
    """What the process used so far; on a busy machine less than the clock says."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """Runs ranges of seeds in a process of its own, and starts that again where a kernel ended it. A kernel hangs that
    takes longer than `limit` seconds of a processor, or ten times that on the clock."""

    def __init__(self, target, limit, passes=None, command=None, environment=None):
        """`passes` are the words of KASOKU_PASSES, which a process reads once; None leaves them as they are."""
        self.target, self.limit, self.process = target, limit, None
        self.command = command or [sys.executable, __file__, target]
        self.environment = environment or targets.environment(target)
        if passes is not None:
            self.environment["KASOKU_PASSES"] = passes

    def start(self):
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            cwd=pathlib.Path(__file__).parent.parent,
            env=self.environment,
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

    def one(self, kernel, want):
        """The verdict on one kernel."""
        if not self.process:
            self.start()
        record = {**dataclasses.asdict(kernel), "want": [(str(w.dtype), w.tobytes().hex()) for w in want]}
        print(json.dumps(record), file=self.process.stdin)
        try:
            line = self.next_line(self.limit)
        except queue.Empty:
            self.stop()
            return "hang", f"longer than {self.limit} s"
        if line is None:
            code = self.process.wait()
            self.stop()
            return "fault", self.ending(code)
        return line["verdict"]

    def next_line(self, limit):
        """None where the process ended; queue.Empty where it hangs."""
        begin, used = time.monotonic(), processor_seconds(self.process.pid)
        while True:
            try:
                return self.lines.get(timeout=min(limit, 5))
            except queue.Empty:
                if time.monotonic() - begin > 10 * limit or processor_seconds(self.process.pid) - used > limit:
                    raise

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
                    line = self.next_line(self.limit if seed is not None else 300)
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


if __name__ == "__main__":
    work(sys.argv[1])
