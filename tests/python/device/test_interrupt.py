"""Ctrl-C, warnings and printf: what the engine says goes where a Python user looks."""

import os
import signal
import subprocess
import sys
import time

import pytest

long_launch = r"""
import kasoku as ks, numpy as np, time, sys
spin = ks.RawModule(code='''__global__ void spin(long long n, double *x) {
  double s = x[0];
  for (long long i = 0; i < n; ++i) s = s * 0.999 + 1.0;
  x[blockIdx.x] = s;
}''').get_function("spin")
x = ks.array(np.zeros(1 << 16))
spin((1,), (1,), (1, x))
print("go", flush=True)
start = time.perf_counter()
try:
    spin((1 << 16,), (1,), (1 << 24, x))
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", flush=True)
spin((4,), (1,), (1, x))
print("goes on", x.numpy()[0] > 0)
"""


def test_ctrl_c_ends_a_long_launch_and_the_process_goes_on():
    process = subprocess.Popen(
        [sys.executable, "-c", long_launch], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "go\n", process.stderr.read()
    time.sleep(0.5)
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out.splitlines() == ["interrupted", "goes on True"], err
    assert time.perf_counter() - sent < 20


endless_block = r"""
import kasoku as ks, numpy as np, sys
which = sys.argv[1]
module = ks.RawModule(code='''
#include <cooperative_groups.h>
__device__ void spin(long long n, double *x) {
  double s = x[0];
  for (long long i = 0; i < n; ++i) s = s * 0.999 + sin(s);
  x[blockIdx.x] = s;
}
__global__ void one(long long n, double *x) { spin(n, x); }
__global__ void last(long long n, double *x) { if (blockIdx.x == gridDim.x - 1) spin(n, x); }
__global__ void meet(long long n, double *x) {
  if (blockIdx.x == 1) spin(n, x);
  cooperative_groups::this_grid().sync();
}''')
f, grid = module.get_function(which), {"one": 1, "last": 1 << 14, "meet": 3}[which]
x = ks.array(np.zeros(1 << 14))
f((grid,), (1,), (1, x))
print("go", flush=True)
try:
    f((grid,), (1,), (1 << 62, x))
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", flush=True)
f((grid,), (1,), (1, x))
print("goes on", np.isfinite(x.numpy()).all())
"""


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("which", ["one", "last", "meet"])
def test_ctrl_c_ends_a_block_that_does_not_end(tmp_path, which, threads):
    program = tmp_path / "program.py"
    program.write_text(endless_block)
    process = subprocess.Popen(
        [sys.executable, program, which], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "KASOKU_NUM_THREADS": threads},
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "go\n", process.stderr.read()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert out.splitlines() == ["interrupted", "goes on True"], err


def test_a_handler_that_returns_does_not_end_a_block(clean_process):
    text = """
import kasoku as ks, numpy as np, signal
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
f = ks.RawModule(code='''__global__ void f(long long n, double *x) {
  double s = 0;
  for (long long i = 0; i < n; ++i) s = s * 0.5 + 1;
  *x = s;
}''').get_function("f")
x = ks.array(np.zeros(1))
f((1,), (1,), (10, x))
signal.setitimer(signal.ITIMER_REAL, 0.3)
f((1,), (1,), (400_000_000, x))
print(seen, x.numpy())
"""
    assert clean_process(text).stdout == "[1] [2.]\n"


def test_a_handler_of_the_programs_own_is_called(clean_process):
    text = """
import signal
def handler(*_):
    raise TimeoutError("own")
signal.signal(signal.SIGALRM, handler)
""" + long_launch.replace("except KeyboardInterrupt", "except TimeoutError").replace(
        "start = time.perf_counter()", "signal.setitimer(signal.ITIMER_REAL, 0.7)"
    )
    assert "interrupted" in clean_process(text).stdout


prints = r"""
import kasoku as ks, io, contextlib
f = ks.RawModule(code='__global__ void f(int n) { printf("%d äö\\n", n); }').get_function("f")
out = io.StringIO()
with contextlib.redirect_stdout(out):
    f((1,), (1,), (7,))
print(repr(out.getvalue()))
print("before", end=" "); f((1,), (1,), (8,)); print("after")
"""


def test_printf_goes_to_sys_stdout_in_order(clean_process):
    assert clean_process(prints).stdout.splitlines() == ["'7 äö\\n'", "before 8 äö", "after"]


swapped = """
import numpy as np
from kasoku.compat.pycuda import gpuarray
from kasoku.compat.pycuda.elementwise import ElementwiseKernel
f = ElementwiseKernel("int *x, int *y", "y[i] = x[i] + 1", "plus_one")
x, y = gpuarray.to_gpu(np.arange(4, dtype=np.int32)), gpuarray.zeros(4, dtype=np.int32)
f(y, x)
print(y.get())
"""


def test_a_warning_is_pythons_and_names_the_users_line(clean_process):
    result = clean_process(swapped)
    assert "<string>:8: SwappedArgumentsWarning" in result.stderr and "plus_one" in result.stderr
    quiet = clean_process("import warnings; warnings.simplefilter('ignore')\n" + swapped)
    assert quiet.stderr == ""
    strict = clean_process("import warnings; warnings.simplefilter('error')\n" + swapped, check=False)
    assert strict.returncode == 1 and "SwappedArgumentsWarning" in strict.stderr


def test_threads_that_launch_do_not_deadlock_with_printf(clean_process):
    text = r"""
import kasoku as ks, numpy as np
from concurrent.futures import ThreadPoolExecutor
f = ks.RawModule(code='__global__ void f(int n) { if (threadIdx.x == 0) printf("%d\\n", n); }').get_function("f")
with ThreadPoolExecutor(4) as pool:
    list(pool.map(lambda n: f((64,), (32,), (n,)), range(20)))
"""
    assert len(clean_process(text).stdout.splitlines()) == 64 * 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_computes(clean_process):
    text = r"""
import kasoku as ks, numpy as np, os
f = ks.RawModule(code='__global__ void f(int *x) { x[blockIdx.x] = 7; }').get_function("f")
x = ks.array(np.zeros(5000, np.int32))
f((5000,), (1,), (x,))
pid = os.fork()
if pid == 0:
    y = ks.array(np.zeros(5000, np.int32))
    f((5000,), (1,), (y,))
    g = ks.RawModule(code='__global__ void g(int *x) { x[blockIdx.x] = 8; }').get_function("g")
    g((5000,), (1,), (y,))
    os._exit(0 if (y.numpy() == 8).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert clean_process(text).stdout == "0\n"


def seconds_until_interrupted(tmp_path, text, **environment):
    """Ctrl-C half a second after the program says go: how long it takes until it says so."""
    program = tmp_path / "program.py"
    program.write_text(text)
    process = subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "go\n", process.stderr.read()
        time.sleep(0.5)
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n", process.stderr.read()
        took = time.perf_counter() - sent
        assert (process.stdout.read(), process.stderr.read(), process.wait()) == ("goes on\n", "", 0)
        return took
    finally:
        process.kill()


loops = """
import kasoku as ks, numpy as np

@ks.jit
def callee(n):
    s = 0
    for k in range(n):
        s ^= k * k
    return s

@ks.jit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

@ks.jit
def f(n):
    s = {start}
{body}
    return s

f(3)
print("go", flush=True)
try:
    f({n})
except KeyboardInterrupt:
    print("interrupted", flush=True)
f(3)
print("goes on")
"""

long_loops = {  # start, body, n
    "nested": (0.0, "for i in range(n):\n for k in range(1000): s = s * 0.999 + k", 10**12),
    "nested long": (0, "for i in range(n):\n for k in range(n): s ^= i * k", 10**12),
    "endless": (1.0, "while s > 4 - n: s = s * 0.5", 10),
    "endless inside": (0, "for i in range(n):\n while s < n * n: s += 1", 10**9),
    "calls": (0, "for i in range(n): s ^= callee(1000)", 10**12),
    "step": (0, "for i in range(0, n, 3): s ^= i * i", 10**15),
    "down": (0, "for i in range(n, 0, -1): s ^= i * i", 10**15),
    "break": (0, "for i in range(n):\n s ^= i * i\n if s == -5: break", 10**15),
    "try": (0, "for i in range(n):\n try: s ^= 5 // (i + 1)\n except ZeroDivisionError: s = 0", 10**12),
    "recursion": (0, "s = fib(n)", 80),
    "prange sum": (0.0, "for i in ks.prange(n): s += np.sin(i)", 10**12),
    "prange count": (0, "for i in ks.prange(n): s += i % 7", 10**14),
    "prange largest": (0.0, "for i in ks.prange(n): s = max(s, np.sin(i))", 10**12),
    "prange of loops": (0.0, "for i in ks.prange(n):\n for k in range(n): s += np.sin(i + k)", 10**11),
    "prange of while": (0, "for i in ks.prange(n):\n k = 0\n while k < n: k += 1\n s += k", 10**13),
    "one chunk": (0, "for i in ks.prange(4):\n if i == 3:\n  for k in range(n): s += k * k", 10**15),
    "prange of calls": (0, "for i in ks.prange(n): s += callee(n)", 10**13),
    "array sums": (0.0, "x = np.zeros(1 + n // 10**4)\nfor i in range(n): s += np.sin(x).sum()", 10**11),
    "product": (0.0, "a = np.ones((n, n))\nfor i in range(n): s += (a @ a)[0, 0]", 3000),
}


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("which", long_loops)
def test_ctrl_c_ends_a_long_loop_of_a_compiled_function(tmp_path, which, threads):
    start, body, n = long_loops[which]
    text = loops.format(start=start, n=n, body="\n".join("    " + line for line in body.splitlines()))
    assert seconds_until_interrupted(tmp_path, text, KASOKU_NUM_THREADS=threads) < 3


endless = "def f():\n while True: pass\n"
summing = "@ks.jit\ndef f(n):\n s = 0.0\n for i in ks.prange(n): s += np.sin(i)\n return s\n"
calls = {  # what comes before, the call
    "task": (endless, "ks.compute(ks.delayed(f)(), ks.delayed(f)())"),
    "waiting task": ("import time", "ks.compute(ks.delayed(time.sleep)(15))"),
    "task in a task": (
        endless + "def g(): ks.compute(ks.delayed(f)())",
        "ks.compute(ks.delayed(g)(), ks.delayed(g)())",
    ),
    "failed task": (
        endless + "import time\ndef g(): time.sleep(0.2), {}[1]",
        "ks.compute(ks.delayed(f)(), ks.delayed(g)())",
    ),
    "compiled task": (summing, "ks.compute(ks.delayed(f)(10**12))"),
    "drawn task": (endless, "ks.visualize(ks.delayed(f)(), filename='graph.dot', times=True)"),
    "dask": (endless + "from kasoku.compat.dask.threaded import get", "get({'a': (f,), 'b': (f,)}, ['a', 'b'])"),
    "check": (summing, "ks.check(f, 10**10)"),
    "array": ("", "ks.random.random(10**12).sum().item()"),
    "matmul": ("a = ks.array(np.ones((9000, 9000)))", "while True: (a @ a).numpy()"),
}


@pytest.mark.parametrize("which", calls)
def test_ctrl_c_is_answered_at_once(tmp_path, which):
    before, call = calls[which]
    text = f"""
import kasoku as ks, numpy as np
{before}
print("go", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert ks.compute(ks.delayed(int)(3)) == (3,) and ks.arange(5).sum().item() == 10
print("goes on")
"""
    assert seconds_until_interrupted(tmp_path, text) < 3


def test_a_task_that_runs_when_ctrl_c_comes_ends_too(clean_process):
    text = """
import kasoku as ks, os, signal, threading, time
ended = []
def endless():
    try:
        k = 0
        while True: k += 1
    finally: ended.append(1)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    ks.compute(ks.delayed(endless)(), ks.delayed(endless)(), workers=2)
except KeyboardInterrupt:
    time.sleep(1)
    print(ended)
"""
    assert clean_process(text).stdout == "[1, 1]\n"


ending = r'''
import kasoku as ks, numpy as np, sys, threading, time, warnings
warnings.simplefilter("ignore")
x = ks.array(np.ones(256_000))
module = ks.RawModule(code="""
extern "C" __global__ void launch(double *x) { x[blockIdx.x * 256 + threadIdx.x] += 1; }
extern "C" __global__ void say() { printf("a"); }
""")
launch, say = module.get_function("launch"), module.get_function("say")

@ks.jit
def f(n):
    s = 0.0
    for i in ks.prange(n):
        s += i * 0.5
    return s

@ks.jit
def interpreted(n):
    return {k: [time.sleep(0.001)] for k in range(n)}

def work():
    while True:
        eval(sys.argv[1])

for k in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
'''


@pytest.mark.parametrize(
    "work",
    [
        "ks.compute(ks.delayed(time.sleep)(0.01))",
        "ks.compute([ks.delayed(abs)(k) for k in range(50)])",
        "ks.compute(ks.delayed(time.sleep)(0.01), progress=lambda done, total: time.sleep(0.01))",
        "(x * x + 1).sum().item()",
        "launch((1000,), (256,), (x,))",
        "say((10,), (2,), ())",
        "f(10**6)",
        "interpreted(10)",
    ],
)
def test_the_interpreter_ends_while_threads_are_at_work(tmp_path, work):
    program = tmp_path / "program.py"
    program.write_text(ending)
    for _ in range(3):
        done = subprocess.run([sys.executable, program, work], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


calling = r"""
import kasoku as ks, sys, threading, time, warnings
warnings.simplefilter("ignore")
calls, locks = sys.argv[1:], []
inside = threading.Semaphore(0)

def stay(*args, **kwargs):
    lock = threading.Lock()
    locks.append(lock)
    lock.acquire()
    inside.release()
    lock.acquire()

class Slow:
    __index__ = __len__ = __float__ = __getattr__ = __getitem__ = stay

class Kind(type):
    __subclasscheck__ = stay

class Asked(metaclass=Kind): pass

class Last:  # is gone when only the main thread may still run Python
    def __del__(self, locks=locks, sleep=time.sleep):
        for lock in locks: lock.release()
        sleep(0.5)

@ks.jit
def reads(n):
    s = n
    for k in range(3):
        if isinstance(n, Asked): s += 1
    return s

@ks.jit
def interpreted(n):
    return stay(n)

slow, x, sys.last = Slow(), ks.arange(5), Last()
kernel = ks.RawKernel('extern "C" __global__ void k(long long n, double *x) {}', "k")
for call in calls:
    threading.Thread(target=lambda call=call: eval(call), daemon=True).start()
    assert inside.acquire(timeout=30), call
"""


def test_the_interpreter_ends_while_the_engine_calls_python(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(calling)
    calls = [
        "reads(1)", "interpreted(1)", "ks.zeros((3, slow))", "x[slow]", "x.sum(axis=slow)", "x + slow", "ks.stack(slow)",
        "kernel((1,), (1,), (slow, x))", "ks.delayed(slow)", "ks.delayed(stay)().compute()",
        "ks.compute(ks.delayed(abs)(1), progress=stay)",
    ]  # fmt: skip
    done = subprocess.run([sys.executable, program, *calls], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
