"""KASOKU_CHECK=bounds: a launch whose indices leave an array is an IndexError, and nothing is written."""

import os
import subprocess
import sys

PROGRAM = """
import kasoku as ks, numpy as np
k = ks.RawModule(code="extern \\"C\\" __global__ void f(int *x, int n) { int i = threadIdx.x; if (i <= n) x[i] = 7; }").get_function("f")
x = ks.array(np.zeros(8, np.int32))
try:
    k((1,), (16,), (x, 8))
    print("ran")
except IndexError as error:
    print(str(error).splitlines()[0], x.numpy().sum())
k((1,), (16,), (x, 7))
print(x.numpy().sum())
"""


def test_a_launch_that_leaves_its_array():
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "KASOKU_CHECK": "bounds", "KASOKU_DEVICE": "cpu"},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    first, second = result.stdout.split("\n")[:2]
    assert first == (
        "f: thread 8 of block 0 writes x[8], which has 8 elements; guard the access, or give a larger array 0"
    )
    assert second == "56"
