"""The process ends while threads are at work in the engine."""

import subprocess
import sys

import pytest

# What was registered first ends last: the threads go on while and after the libraries have ended.
program = r"""
import ctypes
libc = ctypes.CDLL(None)
libc.__cxa_atexit(libc.usleep, ctypes.c_void_p(600_000), None)

import random, threading, time
import kasoku as ks
x = ks.arange(3000.0)
steps = [ks.sin, ks.sort, ks.cumsum, lambda a: a * random.random(), lambda a: a + x, lambda a: a[::2].sum() + x,
         lambda a: ks.where(a > 0, a, x), lambda a: a.astype("float32").astype("float64")]
def work():
    while True:
        a = x
        for _ in range(300):
            a = random.choice(steps)(a)
        float(a.sum())
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.6)
"""


@pytest.mark.parametrize("run", range(4))
def test_threads_at_work_find_everything_until_the_process_is_gone(run):
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
