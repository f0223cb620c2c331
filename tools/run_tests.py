#!/usr/bin/env python3
"""Runs the C++ tests, the Python tests and the users' programs; ends with one line that
counts them all."""

import argparse
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as xml

root = pathlib.Path(__file__).resolve().parent.parent
most_minutes = 60


def counts_of_doctest(output):
    found = re.search(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed", output)
    return (int(found[2]), int(found[3]), 0) if found else None


def counts_of_pytest(report):
    suites = xml.parse(report).getroot().iter("testsuite")
    passed = failed = skipped = 0
    for suite in suites:
        total, bad = int(suite.get("tests")), int(suite.get("failures")) + int(suite.get("errors"))
        skips = int(suite.get("skipped"))
        passed, failed, skipped = passed + total - bad - skips, failed + bad, skipped + skips
    return passed, failed, skipped


def stage(name, command):
    """Shows a command's output as it comes and keeps it. One that does not end, as tests may whose worker died, is ended."""
    print(f"== {name}", flush=True)
    lines = []
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    ) as process:
        limit = threading.Timer(most_minutes * 60, process.kill)
        limit.start()
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
        limit.cancel()
    if process.returncode == -signal.SIGKILL:
        print(f"== {name}: killed; a stage may take {most_minutes} minutes")
    return process.returncode, "".join(lines)


def kernels_of_corpus(report):
    cases = [c for c in xml.parse(report).getroot().iter("testcase") if "test_kernel[" in c.get("name")]
    good = [c for c in cases if not len(c)]
    files = {re.split(r"[\[-]", c.get("name"))[2] for c in good}
    return len(files), len(good), len(cases)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument(
        "--jobs", default="auto", help="files of tests side by side; by itself as many as there are cores"
    )
    parser.add_argument("--slow", action="store_true", help="also what takes minutes more")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest")
    options = parser.parse_args()
    start = time.perf_counter()
    report = root / options.build / "pytest.xml"
    report.unlink(missing_ok=True)
    rows = []

    status, output = stage("layers", [sys.executable, "tools/check_layers.py"])
    rows.append(("layers", (int(status == 0), int(status != 0), 0)))

    status, output = stage("C++", [f"{options.build}/tests/kasoku_tests"])
    got = counts_of_doctest(output) or (0, 1, 0)
    rows.append(("C++", got if status == 0 or got[1] else (got[0], 1, 0)))

    marks = [] if options.slow else ["-m", "not slow"]
    command = [sys.executable, "-m", "pytest", f"--junitxml={report}", "--durations=8", *marks]
    command += ["-n", options.jobs, "--dist", "loadfile"]
    status, output = stage("Python", command + options.pytest)
    got = counts_of_pytest(report) if report.exists() else (0, 1, 0)
    rows.append(("Python", got if status == 0 or got[1] else (got[0], 1, got[2])))

    print("== summary")
    for name, (passed, failed, skipped) in rows:
        print(f"{name:8s} {passed:5d} passed {failed:4d} failed {skipped:4d} skipped")
    if report.exists():
        files, good, cases = kernels_of_corpus(report)
        print(f"kernels  {files:5d} files of the corpus right, {good} of {cases} cases")
    print(f"time     {time.perf_counter() - start:5.0f} s")
    passed, failed, skipped = (sum(row[1][i] for row in rows) for i in range(3))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
