"""Small programs with known verdicts for test_check_cases.py, racy ones beside clean twins.

A case is (name, run, kinds): run() gives ks.check's findings, kinds is what must be found, () for clean.
"""

import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import kasoku as ks
import numpy as np
from kasoku import cuda, delayed, njit, prange

CASES = []
X = np.random.default_rng(1).random(256)
IDX = np.random.default_rng(2).permutation(256)
TWICE = np.append(np.arange(255), 0)


def case(*kinds):
    def register(run):
        CASES.append((run.__name__, run, set(kinds)))
        return run

    return register


def loop(*kinds, args):
    """A jitted function, checked on args()."""

    def register(function):
        CASES.append((function.__name__, lambda: ks.check(njit(parallel=True)(function), *args()), set(kinds)))
        return function

    return register


# ── jitted loops ──────────────────────────────────────────────────────────────────────────


@loop("race", args=lambda: (X, np.zeros(1)))
def one_cell(x, total):
    for i in prange(x.size):
        total[0] += x[i]


@loop(args=lambda: (X,))
def reduction(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


@loop("race", args=lambda: (X, np.zeros(8, np.int64)))
def histogram(x, bins):
    for i in prange(x.size):
        bins[int(x[i] * 8)] += 1


@loop(args=lambda: (X, np.zeros((256, 8), np.int64)))
def histogram_by_rows(x, bins):
    for i in prange(x.size):
        bins[i, int(x[i] * 8)] += 1


@loop("race", args=lambda: (X.copy(),))
def stencil_in_place(x):
    for i in prange(1, x.size - 1):
        x[i] = (x[i - 1] + x[i + 1]) / 2


@loop(args=lambda: (X, np.zeros(256)))
def stencil(x, y):
    for i in prange(1, x.size - 1):
        y[i] = (x[i - 1] + x[i + 1]) / 2


@loop("race", args=lambda: (X.copy(),))
def true_dependence(x):
    for i in prange(1, x.size):
        x[i] = x[i - 1] + 1


@loop("race", args=lambda: (X.copy(),))
def anti_dependence(x):
    for i in prange(x.size - 1):
        x[i] = x[i + 1] + 1


@loop("race", args=lambda: (X, np.zeros(1)))
def output_dependence(x, last):
    for i in prange(x.size):
        last[0] = x[i]


@loop(args=lambda: (X, np.zeros(1)))
def one_iteration_writes(x, first):
    for i in prange(x.size):
        if i == 0:
            first[0] = x[i]


@loop("race", args=lambda: (X, np.zeros(128)))
def two_to_one(x, y):
    for i in prange(x.size):
        y[i // 2] += x[i]


@loop(args=lambda: (X, np.zeros(512)))
def one_to_two(x, y):
    for i in prange(x.size):
        y[2 * i] = x[i]
        y[2 * i + 1] = -x[i]


@loop("race", args=lambda: (X, np.zeros(256), TWICE))
def scatter_that_meets(x, y, index):
    for i in prange(x.size):
        y[index[i]] = x[i]


@loop(args=lambda: (X, np.zeros(256), IDX))
def scatter_of_a_permutation(x, y, index):
    for i in prange(x.size):
        y[index[i]] = x[i]


@loop("race", args=lambda: (X.reshape(16, 16).copy(),))
def transpose_in_place(a):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[j, i]


@loop(args=lambda: (X.reshape(16, 16), np.zeros((16, 16))))
def transpose(a, b):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            b[j, i] = a[i, j]


@loop("race", args=lambda: (X.reshape(16, 16).copy(),))
def neighbouring_rows(a):
    for i in prange(a.shape[0] - 1):
        for j in range(a.shape[1]):
            a[i, j] += a[i + 1, j]


@loop(args=lambda: (X.reshape(16, 16).copy(),))
def along_rows(a):
    for i in prange(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] += a[i, j - 1]


@loop("race", args=lambda: (X,))
def carried_scalar(x):
    s = 1.0
    for i in prange(x.size):
        s = s * 0.5 + x[i]
    return s


@loop("race", args=lambda: (X, np.zeros(256)))
def shared_scratch(x, y):
    scratch = np.zeros(4)
    for i in prange(x.size):
        for k in range(4):
            scratch[k] = x[i] * k
        y[i] = scratch[0] + scratch[3]


@loop(args=lambda: (X, np.zeros(256)))
def scratch_of_its_own(x, y):
    for i in prange(x.size):
        scratch = np.zeros(4)
        for k in range(4):
            scratch[k] = x[i] * k
        y[i] = scratch[0] + scratch[3]


@loop("race", args=lambda: (X,))
def inner_array_of_bins(x):
    bins = np.zeros(8, np.int64)
    for i in prange(x.size):
        bins[int(x[i] * 8)] += 1
    return bins


@loop(args=lambda: (X,))
def inner_array_by_element(x):
    y = np.empty(x.size)
    for i in prange(x.size):
        y[i] = 2 * x[i]
    for i in prange(x.size):
        y[i] += 1
    return y


@loop("uninitialised", args=lambda: (X,))
def reads_what_nobody_wrote(x):
    y = np.empty(x.size)
    for i in prange(1, x.size):
        y[i] = x[i]
    return y[0] + y[1]


@loop("bounds", args=lambda: (X, np.zeros(256)))
def past_the_end(x, y):
    for i in prange(x.size):
        y[i] = x[i + 1]


@loop("bounds", args=lambda: (X.reshape(16, 16),))
def past_a_row(a):
    total = 0.0
    for i in prange(a.shape[0]):
        total += a[i, a.shape[1]]
    return total


@loop(args=lambda: (X.reshape(16, 16),))
def negative_index(a):
    total = 0.0
    for i in prange(a.shape[0]):
        total += a[i, -1]
    return total


@loop(args=lambda: (X,))
def largest(x):
    best = 0.0
    for i in prange(x.size):
        best = max(best, x[i])
    return best


@loop(args=lambda: (X.copy(), np.zeros(256)))
def one_loop_after_the_other(x, y):
    for i in prange(x.size):
        y[i] = x[i]
    for i in prange(x.size):
        x[i] = y[x.size - 1 - i]


@njit
def add_to(y, i, value):
    y[i] += value


@loop("race", args=lambda: (X, np.zeros(1)))
def in_a_called_function(x, y):
    for i in prange(x.size):
        add_to(y, 0, x[i])


# ── CUDA kernels ──────────────────────────────────────────────────────────────────────────


def kernel(name, *kinds, body, block=64, grid=1, n=None, before="", shared=0):
    """`body` with int t, int n, int* d (0, 1, 2 … in block * grid elements) and int* out (zeros)."""
    text = f'{before}\nextern "C" __global__ void f(int *d, int *out, int n) {{\n  int t = threadIdx.x;\n{body}\n}}'

    def run():
        size = block * grid
        d, out = ks.array(np.arange(size, dtype=np.int32)), ks.array(np.zeros(size, np.int32))
        k = ks.RawModule(code=text).get_function("f")
        return ks.check(k, d, out, np.int32(n or size), block=(block, 1, 1), grid=(grid, 1, 1), shared=shared)

    CASES.append((name, run, set(kinds)))


reverse = "  __shared__ int s[64];\n  s[t] = d[t];\n  {}\n  d[t] = s[63 - t];"
kernel("reverse_without_a_barrier", "race", body=reverse.format(""))
kernel("reverse_with_a_barrier", body=reverse.format("__syncthreads();"))
kernel("reverse_with_a_barrier_of_warps", "race", body=reverse.format("__syncwarp();"))
kernel("pairs_in_a_warp", body="  __shared__ int s[64]; s[t] = d[t]; __syncwarp(); d[t] = s[t ^ 1];")
kernel(
    "pairs_after_a_shuffle",
    "race",
    body="  __shared__ int s[64]; s[t] = d[t]; __shfl_xor_sync(~0u, t, 1); d[t] = s[t ^ 1];",
)
kernel("half_of_a_warp_waits", "race", block=32, body="  __shared__ int s[32]; s[t] = d[t];\n  if (t < 16) __syncwarp(0xffffu);\n  d[t] = s[31 - t];")  # fmt: skip
leaving = "  __shared__ int s[32]; s[t] = d[t];\n  if (t == 0) return;\n  {}\n  d[t] = s[t ^ 1];"
kernel("a_lane_leaves_before_a_barrier_of_its_warp", block=32, body=leaving.format("__syncwarp();"))
kernel("a_lane_leaves_that_a_barrier_does_not_name", "race", block=32, body=leaving.format("__syncwarp(0xfffffffeu);"))
kernel("a_lane_leaves_and_nobody_waits", "race", block=32, body=leaving.format(""))
warp = "  __shared__ int s[32]; {}"
for name, kinds, body in (
    ("warp_then_eight_lanes", (), "s[t] = d[t]; __syncwarp(); int v = s[31 - t]; __syncwarp(); __syncwarp(0xffu << (t & 24u)); s[t] = v;"),
    ("eight_lanes_are_no_warp", ("race",), "s[t] = d[t]; __syncwarp(0xffu << (t & 24u)); d[t] = s[31 - t];"),
    ("lanes_that_met_more_often", (), "if (t < 8) for (int i = 0; i < (t < 4 ? 1 : 2); ++i) __syncwarp(t < 4 ? 0xfu : 0xf0u); s[t] = t; __syncwarp(); int v = s[31 - t]; __syncwarp(); s[t] = v;"),
    ("lanes_that_meet_through_others", (), "s[t] = d[t]; if (t < 16) __syncwarp(0xffffu); if (t >= 15 && t < 24) __syncwarp(0xff8000u); if (t == 20) d[0] = s[3];"),
    ("lanes_that_met_others_before", ("race",), "s[t] = d[t]; if (t >= 15 && t < 24) __syncwarp(0xff8000u); if (t < 16) __syncwarp(0xffffu); if (t == 20) d[0] = s[3];"),
    ("written_between_barriers_of_a_warp", ("race",), "for (int i = 0; i < 3; ++i) { s[t] = d[t] + i; __syncwarp(); d[t] = s[31 - t]; }"),
):  # fmt: skip
    kernel(name, *kinds, block=32, body=warp.format(body))
tree = "  __shared__ int s[64]; s[t] = d[t]; __syncthreads();\n  for (int k = 32; k; k /= 2) {{ if (t < k) s[t] += s[t + k]; {} }}\n  if (t == 0) out[0] = s[0];"  # fmt: skip
kernel("tree_without_barriers", "race", body=tree.format(""))
kernel("tree_with_barriers", body=tree.format("__syncthreads();"))
tiles = "  __shared__ int s[64]; int sum = 0;\n  for (int k = 0; k < 4; ++k) {{ s[t] = d[(t + k) % 64]; __syncthreads(); sum += s[63 - t]; {} }}\n  out[t] = sum;"  # fmt: skip
kernel("tiles_without_the_second_barrier", "race", body=tiles.format(""))
kernel("tiles_with_both_barriers", body=tiles.format("__syncthreads();"))
kernel("plain_counter", "race", grid=2, body="  out[0] += 1;")
kernel("atomic_counter", grid=2, body="  atomicAdd(&out[0], 1);")
kernel("atomic_and_a_plain_read", "race", grid=2, body="  atomicAdd(&out[0], 1); d[blockIdx.x * 64 + t] = out[0];")
kernel("plain_start_before_atomics", "race", body="  if (t == 0) { out[0] = 5; atomicAdd(&out[0], 1); }\n  else atomicAdd(&out[0], 1);")  # fmt: skip
kernel("start_a_barrier_before_atomics", body="  if (t == 0) out[0] = 5; __syncthreads(); atomicAdd(&out[0], 1);")
kernel("shared_histogram", "race", body="  __shared__ int h[4]; if (t < 4) h[t] = 0; __syncthreads(); h[d[t] % 4] += 1; __syncthreads(); if (t < 4) out[t] = h[t];")  # fmt: skip
kernel("atomic_shared_histogram", body="  __shared__ int h[4]; if (t < 4) h[t] = 0; __syncthreads(); atomicAdd(&h[d[t] % 4], 1); __syncthreads(); if (t < 4) out[t] = h[t];")  # fmt: skip
kernel(
    "unwritten_shared_memory",
    "uninitialised",
    body="  __shared__ int s[64]; if (t < 32) s[t] = t; __syncthreads(); out[t] = s[t];",
)
kernel("one_past_the_end", "bounds", body="  d[t + 1] = t;")
kernel("guarded", block=64, n=40, body="  if (t + 1 < n) d[t] = out[t + 1];")
kernel("blocks_overlap", "race", grid=2, body="  d[t] = blockIdx.x;")
kernel("grid_stride", grid=2, body="  for (int i = blockIdx.x * 64 + t; i < n; i += 128) d[i] *= 2;")
kernel("compare_and_exchange_loop", grid=2, body="  int old = out[0], seen; do { seen = old; old = atomicCAS(&out[0], seen, seen + t); } while (old != seen);")  # fmt: skip
last = """  __shared__ bool is_last;
  if (t == 0) {{ out[blockIdx.x] = blockIdx.x; {} is_last = atomicAdd(&done, 1) == gridDim.x - 1; }}
  __syncthreads();
  if (is_last && t == 0) {{ int sum = 0; for (int b = 0; b < gridDim.x; ++b) sum += out[b]; d[0] = sum; }}"""
kernel("last_block_behind_a_fence", grid=3, before="__device__ int done = 0;", body=last.format("__threadfence();"))
kernel("last_block_without_a_fence", "race", grid=3, before="__device__ int done = 0;", body=last.format(""))
lock = "  if (t == 0) {{ while (atomicCAS(&taken, 0, 1)) {{}}\n    {0} out[0] += 1; {0}\n    atomicExch(&taken, 0); }}"
kernel("lock_with_fences", grid=3, before="__device__ int taken = 0;", body=lock.format("__threadfence();"))
kernel("lock_without_fences", "race", grid=3, before="__device__ int taken = 0;", body=lock.format(""))
kernel(
    "dynamic_shared_memory",
    "race",
    shared=256,
    body="  extern __shared__ int s[]; s[t] = d[t]; out[t] = s[(t + 1) % 64];",
)
kernel("own_dynamic_shared_memory", shared=256, body="  extern __shared__ int s[]; s[t] = d[t]; out[t] = s[t];")
kernel("bytes_beside_each_other", body="  ((char*)out)[t] = t;")
kernel("words_over_bytes", "race", body="  ((char*)out)[t] = t; if (t == 9) out[1] = 7;")


@cuda.jit
def no_barrier(x):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    x[t] = s[63 - t]


@cuda.jit
def with_barrier(x):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    x[t] = s[63 - t]


@cuda.jit
def sum_plain(x, out):
    out[0] += x[cuda.grid(1)]


@cuda.jit
def sum_atomic(x, out):
    cuda.atomic.add(out, 0, x[cuda.grid(1)])


@cuda.jit
def no_guard(x):
    x[cuda.grid(1)] += 1


@cuda.jit
def with_guard(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.jit
def leaves_its_row(a):
    i, j = cuda.grid(2)
    if i < a.shape[0]:
        a[i, j] = 1


@cuda.jit
def stays_in_its_row(a):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] = 1


@case("race")
def python_kernel_without_a_barrier():
    return ks.check(no_barrier[1, 64], X[:64])


@case()
def python_kernel_with_a_barrier():
    return ks.check(with_barrier[1, 64], X[:64])


@case("race")
def python_kernel_that_adds_plainly():
    return ks.check(sum_plain[4, 64], X, np.zeros(1))


@case()
def python_kernel_that_adds_atomically():
    return ks.check(sum_atomic[4, 64], X, np.zeros(1))


@case("bounds")
def python_kernel_without_a_guard():
    return ks.check(no_guard, X, block=128, grid=3)


@case()
def python_kernel_with_a_guard():
    return ks.check(with_guard, X, block=128, grid=3)


@case("bounds")
def python_kernel_that_leaves_its_row():
    return ks.check(leaves_its_row[(2, 2), (8, 8)], np.zeros((16, 12)))


@case()
def python_kernel_that_stays_in_its_row():
    return ks.check(stays_in_its_row[(2, 2), (8, 8)], np.zeros((16, 12)))


# ── delayed graphs ────────────────────────────────────────────────────────────────────────


def grow(x):
    x += 1
    return x


def total(x):
    return x.sum()


def sort(x):
    x.sort()
    return x


def into(x, out):
    np.multiply(x, 2, out=out)


both = delayed(lambda *values: values)
seen = []


@case("mutation")
def tasks_that_change_one_array():
    x = np.zeros(9)
    return ks.check(both(delayed(grow)(x), delayed(grow)(x)))


@case("mutation")
def one_task_changes_what_another_reads():
    x = np.zeros(9)
    return ks.check(both(delayed(grow)(x), delayed(total)(x)))


@case()
def tasks_that_read_one_array():
    x = np.zeros(9)
    return ks.check(both(delayed(total)(x), delayed(total)(x)))


@case()
def tasks_that_change_their_own_copies():
    x = np.zeros(9)
    return ks.check(both(delayed(grow)(x.copy()), delayed(grow)(x.copy())))


@case()
def a_chain_that_hands_its_array_on():
    return ks.check(delayed(total)(delayed(grow)(delayed(grow)(np.zeros(9)))))


@case("mutation")
def a_result_changed_by_one_of_two_readers():
    made = delayed(np.ones)(9)
    return ks.check(both(delayed(grow)(made), delayed(total)(made)))


@case("mutation")
def a_shared_array_sorted():
    x = X.copy()
    return ks.check(both(delayed(sort)(x), delayed(total)(x)))


@case("mutation")
def two_tasks_write_one_output():
    out = np.zeros(9)
    return ks.check(both(delayed(into)(np.ones(9), out), delayed(into)(np.zeros(9) + 2, out)))


@case()
def outputs_that_do_not_overlap():
    out = np.zeros(18)
    return ks.check(both(delayed(into)(np.ones(9), out[:9]), delayed(into)(np.ones(9), out[9:])))


@case("mutation")
def a_list_that_tasks_append_to():
    def note(k):
        seen.append(k)

    return ks.check(both(delayed(note)(1), delayed(note)(2)))


@case("mutation")
def an_engine_array_changed():
    x = ks.zeros(9)
    return ks.check(both(delayed(grow)(x), delayed(total)(x)))


@case()
def an_engine_array_read():
    x = ks.zeros(9)
    return ks.check(both(delayed(total)(x), delayed(total)(x)))


# ── Python threads ────────────────────────────────────────────────────────────────────────


class Box:
    def __init__(self):
        self.n = 0
        self.made = None
        self.lock = threading.Lock()
        self.again = threading.RLock()


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def threads(*kinds):
    def register(function):
        CASES.append((function.__name__, lambda: ks.check(function), set(kinds)))
        return function

    return register


@threads("race")
def attribute():
    box = Box()

    def work():
        box.n += 1

    run(work, work)


@threads()
def attribute_under_a_lock():
    box = Box()

    def work():
        with box.lock:
            box.n += 1

    run(work, work)


@threads()
def attribute_under_a_lock_taken_twice():
    box = Box()

    def inner():
        with box.again:
            box.n += 1

    def work():
        with box.again:
            inner()

    run(work, work)


@threads("race")
def lock_on_one_side():
    box = Box()

    def careful():
        with box.lock:
            box.n += 1

    def careless():
        box.n += 1

    run(careful, careless)


@threads("race")
def made_at_first_use():
    box = Box()

    def get():
        if box.made is None:
            box.made = []
        return box.made

    run(get, get)


@threads("race")
def read_before_join():
    out = [0]

    def work():
        out[0] = 1

    thread = threading.Thread(target=work)
    thread.start()
    n = out[0]
    thread.join()
    return n


@threads()
def read_after_join():
    out = [0]

    def work():
        out[0] = 1

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return out[0]


@threads("race")
def slices_that_overlap():
    x = np.zeros(20)

    def work(lo, hi):
        x[lo:hi] += 1

    run(lambda: work(0, 11), lambda: work(10, 20))


@threads()
def slices_that_do_not():
    x = np.zeros(20)

    def work(lo, hi):
        x[lo:hi] += 1

    run(lambda: work(0, 10), lambda: work(10, 20))


@threads()
def handed_over_by_an_event():
    box, ready = Box(), threading.Event()

    def make():
        box.n = 7
        ready.set()

    def take():
        ready.wait()
        return box.n

    run(take, make)


@threads("race")
def an_event_nobody_waits_for():
    box, ready = Box(), threading.Event()

    def make():
        box.n = 7
        ready.set()

    def take():
        return box.n

    run(take, make)


@threads()
def handed_over_by_a_queue():
    work, out = queue.Queue(maxsize=1), []

    def produce():
        for k in range(4):
            item = np.zeros(3)
            item += k
            work.put(item)
        work.put(None)

    def consume():
        while True:
            item = work.get()
            if item is None:
                break
            item += 1
            out.append(item)

    run(consume, produce)
    return len(out)


@threads("race")
def changed_after_it_was_handed_over():
    work = queue.Queue()

    def produce():
        item = np.zeros(3)
        work.put(item)
        item += 1

    def consume():
        return work.get().sum()

    run(produce, consume)


@threads()
def phases_behind_a_barrier():
    x, barrier = np.zeros(2), threading.Barrier(2)

    def work(k):
        x[k] = k
        barrier.wait()
        return x[1 - k]

    run(lambda: work(0), lambda: work(1))


@threads("race")
def phases_without_a_barrier():
    x = np.zeros(2)

    def work(k):
        x[k] = k
        return x[1 - k]

    run(lambda: work(0), lambda: work(1))


@threads()
def told_by_a_condition():
    items, condition = [], threading.Condition()

    def produce():
        with condition:
            items.append(1)
            condition.notify()

    def consume():
        with condition:
            while not items:
                condition.wait()
            items.pop()

    run(consume, produce)


@threads()
def semaphore_as_a_lock():
    box, one = Box(), threading.Semaphore(1)

    def work():
        with one:
            box.n += 1

    run(work, work)


@threads("race")
def semaphore_that_lets_two_in():
    box, two = Box(), threading.Semaphore(2)

    def work():
        with two:
            box.n += 1

    run(work, work)


@threads("deadlock")
def locks_in_both_orders():
    a, b = threading.Lock(), threading.Lock()
    in_a, in_b = threading.Event(), threading.Event()

    def first():
        with a:
            in_a.set()
            in_b.wait()
            with b:
                pass

    def second():
        with b:
            in_b.set()
            in_a.wait()
            with a:
                pass

    run(first, second)


@threads("race")
def a_flag_that_is_polled():
    box = Box()

    def work():
        box.n = 1

    def wait():
        while box.n == 0:
            time.sleep(0.01)

    run(wait, work)


@threads()
def futures_that_are_asked_for():
    x = np.zeros(8)

    def work(k):
        x[k] = k
        return k

    with ThreadPoolExecutor(2) as pool:
        return sum(future.result() for future in [pool.submit(work, k) for k in range(8)])


@threads("race")
def a_pool_that_shares_a_dict():
    counts = {}

    def work(word):
        counts[word] = counts.get(word, 0) + 1

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, ["a", "b", "a"]))


@threads()
def a_pool_that_reduces():
    def work(word):
        return {word: 1}

    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(work, ["a", "b", "a"]))
    counts = {}
    for part in parts:
        for word, n in part.items():
            counts[word] = counts.get(word, 0) + n
    return counts
