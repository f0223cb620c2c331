"""What the machine code of loops over vectors looks like."""

import os
import re
import subprocess
import sys

PROGRAM = """
import kasoku as ks
terms = " ".join(f"p = p * a + {k}.5f;" for k in range(1, 13))
kernel = ks.RawKernel('extern "C" __global__ void f(float* __restrict__ y, const float* __restrict__ x, int n) {'
                      f"for (int i = 0; i < n; ++i) {{ const float a = x[i]; float p = 0.25f; {terms} y[i] = p; }} }}", "f")
print(kernel.assembly(block=(1, 1, 1)))
"""


def innermost_loops(assembly):
    """The lines of each loop that is one block."""
    lines = assembly.splitlines()
    for first, line in enumerate(lines):
        label = re.match(r"(\.LBB\d+_\d+):", line)
        for last in range(first + 1, len(lines) if label else 0):
            if re.search(rf"\sj\w+\s+{re.escape(label[1])}$", lines[last]):
                yield lines[first:last]
            if re.match(r"\.LBB", lines[last]):
                break


def test_the_widest_vectors_have_their_constants_in_registers():
    """Behind them come loops for the last elements, which have the same constants and turn once or twice."""
    run = [sys.executable, "-c", PROGRAM]
    env = {**os.environ, "KASOKU_CPU": "x86-64-v4"}
    loops = list(innermost_loops(subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout))
    wide = [loop for loop in loops if any("zmm" in line and "vfmadd" in line for line in loop)]
    assert len(loops) > len(wide) == 1
    assert not any("(%rip)" in line for line in wide[0]), wide[0]
