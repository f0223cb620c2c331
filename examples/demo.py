#!/usr/bin/env python3
"""`make demo`: the articles' programs as their authors wrote them, through `kasoku run`.

The first article ends with the CPU's time for a product of matrices, the device's first call,
the mean of three, and the ratio; the second with a table, its plots, and whether threads are safe.
"""

import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
programs = root / "tests/acceptance"


def run(title, program, *arguments):
    """Runs a program with its output shown as it comes; its lines and exit status."""
    shown = " ".join(["kasoku run", os.path.relpath(program), *arguments])
    print(f"\n── {title} ──\n$ {shown}", flush=True)
    lines = []
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "kasoku", "run", str(program), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
    ) as process:  # fmt: skip
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return lines, process.returncode


def main():
    size = sys.argv[1] if len(sys.argv) > 1 else "2048"
    lines, status = run("Kernels from CUDA C++ text", programs / "seed_gpusoroban.py", size)
    failed = int(status != 0)
    text = "".join(lines)
    cpu = [float(x) for x in re.findall(r"^CPU (\S+) verify", text, re.M)]
    device = [float(x) for x in re.findall(r"^device (\S+) verify", text, re.M)]
    if cpu and len(device) == 3:
        mean = sum(device) / 3
        print(f"\nproduct of two {size} x {size} matrices, float32")
        print(f"  CPU                   {cpu[0]:10.4f} s")
        print(f"  device, first call    {device[0]:10.4f} s")
        print(f"  device, mean of three {mean:10.4f} s")
        print(f"  ratio                 {cpu[0] / mean:10.1f} x")
    failed += run("π written for each system of the talk", programs / "seed_okuda_pi.py", "4e6")[1] != 0
    lines, status = run("Can anyone predict whether a program is thread-safe?", programs / "seed_okuda_races.py")
    failed += status != 0
    race = next((line.strip() for line in lines if line.strip().startswith("race on")), None)
    picture = root / "build/talk.png"
    picture.parent.mkdir(exist_ok=True)
    print("\n── The talk's table ──\n$ kasoku compare --plot build/talk.png", flush=True)
    words = ["compare", "--samples", "5e6", "--seconds", "0.3", "--plot", str(picture)]
    failed += subprocess.run([sys.executable, "-m", "kasoku", *words]).returncode != 0
    if race:
        print(f"\none race found, whatever the timing:\n  {race}")
    return int(failed > 0)


sys.exit(main())
