"""Grid-stride loops, whose passes and blocks the CPU reorders, against loops that go thread by thread."""

import numpy as np
import pytest

import kasoku as ks

shapes = [(1, 32), (5, 7), (3, 256), (64, 32), (4, 1), (9, 96)]  # (blocks, threads each)
counts = [0, 1, 6, 31, 700, 1024, 2500]


def launch(text, grid, block, args):
    ks.RawModule(code=text).get_function("k")(grid, block, args)


def stride_loop(
    body, head="int i = blockIdx.x * blockDim.x + threadIdx.x", step="i += gridDim.x * blockDim.x", n="int n"
):
    return (
        f'extern "C" __global__ void k({n}, const int* x, int* y) {{\n'
        "  const int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;\n"
        f"  for ({head}; i < n; {step}) {{ {body} }}\n}}"
    )


def check(device, text, one, length=None, counts=counts, shapes=shapes, n_type=np.int32):
    """`one(me, all, n, x, y)` does what one thread does, on lists."""
    for blocks, threads in shapes:
        for n in counts:
            everything = blocks * threads
            size = (length or (lambda n, everything: n))(n, everything) + 8
            source = (np.arange(size) * 2654435761 % 1009).astype(np.int32)
            want = [-1] * size
            for me in range(everything):
                one(me, everything, n, source.tolist(), want)
            y = ks.array(np.full(size, -1, np.int32), device=device)
            launch(text, (blocks,), (threads,), (n_type(n), ks.array(source, device=device), y))
            np.testing.assert_array_equal(y.numpy(), want, err_msg=f"{blocks} x {threads}, {n}")


def passes(me, everything, n):
    return range(me, n, everything)


def plain(me, everything, n, x, y):
    for i in passes(me, everything, n):
        y[i] = 3 * x[i] + x[i + 1]


@pytest.mark.parametrize(
    ("head", "step", "n", "n_type"),
    [
        ("int i = blockIdx.x * blockDim.x + threadIdx.x", "i += gridDim.x * blockDim.x", "int n", np.int32),
        ("int i = threadIdx.x + blockDim.x * blockIdx.x", "i += blockDim.x * gridDim.x", "long n", np.int64),
        ("unsigned i = blockIdx.x * blockDim.x + threadIdx.x", "i += gridDim.x * blockDim.x", "unsigned n", np.uint32),
        ("long i = blockIdx.x * (long)blockDim.x + threadIdx.x", "i += (long)gridDim.x * blockDim.x", "int n", np.int32),
        ("size_t i = blockIdx.x * blockDim.x + threadIdx.x", "i += blockDim.x * gridDim.x", "size_t n", np.uint64),
        ("long long i = blockIdx.x * blockDim.x + threadIdx.x", "i += all", "int n", np.int32),
    ],
)  # fmt: skip
def test_types_of_indices(head, step, n, n_type, device):
    check(device, stride_loop("y[i] = 3 * x[i] + x[i + 1];", head, step, n), plain, n_type=n_type)


def test_no_elements(device):
    for n in (0, -1, -(2**31)):
        y = ks.array(np.full(8, -1, np.int32), device=device)
        launch(stride_loop("y[i] = x[i];"), (3,), (32,), (np.int32(n), y, y))
        assert (y.numpy() == -1).all()


def from_before(me, everything, n, x, y):
    for i in passes(me, everything, n):
        y[i] = x[i] + me


def asks_grid(me, everything, n, x, y):
    for i in passes(me, everything, n):
        y[i] = x[i] + everything


def breaks(me, everything, n, x, y):
    for i in passes(me, everything, n):
        if x[i] % 5 == 4:
            break
        y[i] = x[i]


def skips(me, everything, n, x, y):
    for i in passes(me, everything, n):
        if x[i] % 5 != 4:
            y[i] = x[i]


def only_some(me, everything, n, x, y):
    if me % 3 == 1:
        skips(me, everything, n, x, y)


def inner(me, everything, n, x, y):
    for i in passes(me, everything, n):
        y[i] = sum(x[i : i + i % 4])


forms = {
    "value of the thread": ("y[i] = x[i] + me;", from_before),
    "asks for the grid": ("y[i] = x[i] + all;", asks_grid),
    "breaks": ("if (x[i] % 5 == 4) break; y[i] = x[i];", breaks),
    "returns": ("if (x[i] % 5 == 4) return; y[i] = x[i];", breaks),
    "continues": ("if (x[i] % 5 == 4) continue; y[i] = x[i];", skips),
    "some threads only": ("if (me % 3 == 1) if (x[i] % 5 != 4) y[i] = x[i];", only_some),
    "inner loop": ("int s = 0; for (int k = 0; k < i % 4; ++k) s += x[i + k]; y[i] = s;", inner),
}


@pytest.mark.parametrize("form", forms)
def test_bodies(form, device):
    body, one = forms[form]
    check(device, stride_loop(body), one)


def test_loop_of_some_threads(device):
    text = stride_loop("y[i] = x[i];").replace("for (", "if (me % 3 == 1) for (", 1)

    def one(me, everything, n, x, y):
        if me % 3 == 1:
            for i in passes(me, everything, n):
                y[i] = x[i]

    check(device, text, one)


def test_values_carried_from_pass_to_pass(device):
    text = stride_loop("total = (3 * total + x[i]) % 1000; y[i] = total;").replace("  for", "  int total = 0; for", 1)

    def one(me, everything, n, x, y):
        total = 0
        for i in passes(me, everything, n):
            y[i] = total = (3 * total + x[i]) % 1000

    check(device, text, one)


def test_values_kept_after_the_loop(device):
    text = stride_loop("count += x[i] & 1; last = i;").replace("  for", "  int count = 0, last = -7; for", 1)
    text = text[:-1] + "y[2 * me] = count; y[2 * me + 1] = last; }"

    def one(me, everything, n, x, y):
        steps = list(passes(me, everything, n))
        y[2 * me : 2 * me + 2] = [sum(x[i] & 1 for i in steps), steps[-1] if steps else -7]

    check(device, text, one, lambda n, everything: max(n, 2 * everything))


def test_values_loaded_before_the_loop(device):
    """The loop writes what its threads have read: they must have read it before."""
    text = stride_loop("y[i] = own + x[i];").replace("  for", "  const int own = y[me]; for", 1)

    def one(me, everything, n, x, y):
        own = y[me]
        for i in passes(me, everything, n):
            y[i] = own + x[i]

    check(device, text, one, max)


def test_two_grid_stride_loops_run_one_after_the_other(device):
    text = stride_loop("y[i] = x[i] + 1;")
    text = text[:-1] + "for (int i = me; i < n; i += all) y[i] = 2 * y[i]; }"

    def one(me, everything, n, x, y):
        for i in passes(me, everything, n):
            y[i] = 2 * (x[i] + 1)

    check(device, text, one)


def test_passes_that_read_what_earlier_ones_wrote(device):
    text = stride_loop("y[i + all] = y[i] + x[i];")

    def one(me, everything, n, x, y):
        for i in passes(me, everything, n):
            y[i + everything] = y[i] + x[i]

    check(device, text, one, lambda n, everything: n + everything)


def test_other_strides(device):
    def two(me, everything, n, x, y):
        for i in range(me, n, 2 * everything):
            y[i] = x[i]

    check(device, stride_loop("y[i] = x[i];", step="i += 2 * gridDim.x * blockDim.x"), two)

    def every(me, everything, n, x, y):
        for i in range(me, n):
            y[i] = x[i]

    check(device, stride_loop("y[i] = x[i];", step="i += 1"), every, counts=[0, 40, 300], shapes=[(2, 32), (3, 7)])

    def later(me, everything, n, x, y):
        for i in range(me + 5, n, everything):
            y[i] = x[i]

    check(device, stride_loop("y[i] = x[i];", "int i = me + 5"), later)


@pytest.mark.parametrize("restrict", ["", "__restrict__"])
@pytest.mark.parametrize("ahead", [-2, -1, 0, 1, 2])
def test_arrays_that_overlap(ahead, restrict, device):
    """The passes of a thread follow each other: one reads what the one before it has written, or not yet."""
    if restrict and ahead:
        pytest.skip("then they may not overlap")
    text = stride_loop("y[i] = y[i] + 1;" if restrict else "y[i] = x[i] + 1;").replace("int* ", f"int* {restrict} ")
    for blocks, threads in [(1, 4), (1, 2), *shapes]:  # fewer threads than a vector has lanes, too
        everything = blocks * threads
        n = 5 * everything + 3
        base = (np.arange(n + 4 * everything) * 7919 % 1013).astype(np.int32)
        want = base.tolist()
        reads, writes = 2 * everything, (2 + ahead) * everything
        for me in range(everything):
            for i in passes(me, everything, n):
                want[writes + i] = want[reads + i] + 1
        memory = ks.array(base, device=device)
        launch(text, (blocks,), (threads,), (np.int32(n), memory[reads:], memory[writes:]))
        np.testing.assert_array_equal(memory.numpy(), want, err_msg=f"{blocks} x {threads}")


def test_elements_of_several_numbers(device):
    text = (
        'extern "C" __global__ void k(int n, const int4* x, int* y) {\n'
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n"
        "    int4 v = x[i]; y[3 * i] = v.x - v.w; y[3 * i + 2] = v.y + v.z; }\n}"
    )
    for blocks, threads in shapes:
        for n in counts:
            source = (np.arange(4 * n + 4) * 7919 % 1013).astype(np.int32)
            y = ks.array(np.full(3 * n + 3, -1, np.int32), device=device)
            launch(text, (blocks,), (threads,), (np.int32(n), ks.array(source, device=device), y))
            want = np.full((n + 1, 3), -1)
            fours = source.reshape(-1, 4)[:n]
            want[:n, 0], want[:n, 2] = fours[:, 0] - fours[:, 3], fours[:, 1] + fours[:, 2]
            np.testing.assert_array_equal(y.numpy(), want.ravel(), err_msg=f"{blocks} x {threads}, {n}")


def test_counting(device):
    def one(me, everything, n, x, y):
        for i in passes(me, everything, n):
            y[x[i] % 5] += 1

    check(device, stride_loop("atomicAdd(&y[x[i] % 5], 1);"), one)


def test_grids_of_two_axes(device):
    text = (
        'extern "C" __global__ void k(int w, int h, const int* x, int* y) {\n'
        "  for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < h; j += gridDim.y * blockDim.y)\n"
        "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w; i += gridDim.x * blockDim.x)\n"
        "      y[j * w + i] += x[j * w + i] + i;\n}"
    )
    rows = (  # a loop along x only, in a grid of two axes
        'extern "C" __global__ void k(int w, int h, const int* x, int* y) {\n'
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w; i += gridDim.x * blockDim.x)\n"
        "    if (blockIdx.y + threadIdx.y == 0) y[i] += x[i] + i;\n}"
    )
    for grid, block in (((2, 3), (8, 4)), ((1, 1), (32, 8)), ((3, 2), (7, 1)), ((2, 2), (256, 1))):
        for w, h in ((1, 1), (100, 9), (33, 40), (3000, 2)):
            source = (np.arange(w * h) * 7919 % 1013).astype(np.int32)
            for kernel, lines in ((text, h), (rows, 1)):
                y = ks.array(np.ones(w * h, np.int32), device=device)
                launch(kernel, grid, block, (np.int32(w), np.int32(h), ks.array(source, device=device), y))
                want = np.ones((h, w), np.int32)
                want[:lines] += source.reshape(h, w)[:lines] + np.arange(w, dtype=np.int32)
                np.testing.assert_array_equal(y.numpy().reshape(h, w), want, err_msg=f"{grid} {block} {w} {h}")


def test_sums_of_blocks(device):
    """A sum that a loop carries, then a barrier: whole numbers, so that any order gives the same."""
    text = (
        'extern "C" __global__ void k(int n, const int* x, int* y) {\n'
        "  __shared__ int s[256];\n"
        "  const int t = threadIdx.x;\n  int sum = BEFORE;\n"
        "  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i] * (i & 3);\n"
        "  s[t] = sum;\n  __syncthreads();\n"
        "  if (t == 0) { int all = 0; for (int k = 0; k < blockDim.x; ++k) all += s[k]; y[blockIdx.x] = all; }\n}"
    )
    for before in ("0", "t", "blockIdx.x", "n"):
        for blocks, threads in [*shapes, (40, 64), (130, 32)]:
            for n in counts:
                source = (np.arange(n + 1) * 7919 % 1013).astype(np.int32)
                y = ks.array(np.full(blocks, -1, np.int32), device=device)
                launch(
                    text.replace("BEFORE", before),
                    (blocks,),
                    (threads,),
                    (np.int32(n), ks.array(source, device=device), y),
                )
                i = np.arange(n)
                want = np.zeros(blocks, np.int64)
                np.add.at(want, i % (blocks * threads) // threads, source[:n] * (i & 3))
                want += {
                    "0": 0,
                    "t": threads * (threads - 1) // 2,
                    "blockIdx.x": threads * np.arange(blocks),
                    "n": threads * n,
                }[before]
                np.testing.assert_array_equal(y.numpy(), want, err_msg=f"{before} {blocks} x {threads}, {n}")


reductions = {  # what is carried, what the loop does, what each thread has in the end as {own}: by whole numbers
    "product kept": ("", "sum += x[i];", "sum", "blockIdx.x * blockDim.x + blockDim.x - 1 - t"),
    "of the block": ("const float scale = sqrtf(blockIdx.x * blockIdx.x + 0.0f);", "sum += x[i] + (int)scale;",
                     "sum + (int)scale", "me"),
    "of the thread": ("const int first = x[me];", "sum += first ^ x[i];", "sum - first", "me"),
    "last index": ("int last = -1;", "last = i; sum += x[i] & 7;", "1000 * sum + last", "me"),
    "two loops": ("for (int i = me; i < n; i += all) sum += 2 * x[i];", "sum ^= x[i];", "sum", "me"),
    "loop behind": ("", "sum += x[i];", "later(n, x, sum, me, all)", "me"),
    "some": ("", "if (x[i] & 1) sum += x[i]; else sum ^= i;", "sum", "me"),
    "return": ("if (n == 31) return;", "sum += x[i];", "sum", "me"),
    "return of blocks": ("if (blockIdx.x & 1) return;", "sum += x[i];", "sum", "me"),
    "shared before": ("s[t] = 5; __syncthreads(); sum = s[blockDim.x - 1 - t];", "sum += x[i];", "sum", "me"),
    "shared within": ("s[t] = 5;", "s[t] += x[i];", "s[t]", "me"),
}  # fmt: skip


def thread_of(form, me, everything, block, n, x):
    """What a thread of `reductions` has in the end; None if it writes nothing."""
    steps = list(passes(me, everything, n))
    total = sum(x[i] for i in steps)
    if form == "of the block":
        return total + (me // block) * (len(steps) + 1)
    if form == "of the thread":
        return sum(x[me] ^ x[i] for i in steps) - x[me]
    if form == "last index":
        return 1000 * sum(x[i] & 7 for i in steps) + (steps[-1] if steps else -1)
    if form == "two loops":
        total *= 2
        for i in steps:
            total ^= x[i]
        return total
    if form == "loop behind":
        for i in steps:
            total ^= x[i] + me
        return total
    if form == "some":
        total = 0
        for i in steps:
            total = total + x[i] if x[i] & 1 else total ^ i
        return total
    if form == "return" and n == 31 or form == "return of blocks" and me // block % 2:
        return None
    return total + 5 * form.startswith("shared")


@pytest.mark.parametrize("exchange", ["shared", "shuffle"])
@pytest.mark.parametrize("form", reductions)
def test_what_blocks_carry_to_a_barrier(form, exchange, device):
    before, body, own, at = reductions[form]
    hand_over = {
        "shared": "s[t] = own; __syncthreads(); own = s[t ^ 1];",
        "shuffle": "own = __shfl_xor_sync(~0u, own, 1);",
    }
    text = (
        "__device__ int later(int n, const int* x, int sum, int me, int all) {\n"
        "  for (int i = me; i < n; i += all) sum ^= x[i] + me;\n  return sum;\n}\n"
        'extern "C" __global__ void k(int n, const int* x, int* y) {\n'
        "  __shared__ int s[256];\n"
        "  const int t = threadIdx.x, me = blockIdx.x * blockDim.x + t, all = gridDim.x * blockDim.x;\n"
        f"  int sum = 0;\n  {before}\n"
        f"  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {{ {body} }}\n"
        f"  int own = {own};\n  __syncthreads();\n  {hand_over[exchange]}\n  y[{at}] = own;\n}}"
    )
    for blocks, threads in ((1, 32), (2, 96), (3, 256), (140, 32)):
        for n in (0, 31, 1900):
            everything = blocks * threads
            x = (np.arange(max(n, everything)) * 2654435761 % 1009).astype(np.int32)
            y = ks.array(np.full(everything, -1, np.int32), device=device)
            launch(text, (blocks,), (threads,), (np.int32(n), ks.array(x, device=device), y))
            elements = x.tolist()
            ends = [thread_of(form, me, everything, threads, n, elements) for me in range(everything)]
            want = np.full(everything, -1, np.int64)
            for me in range(everything):
                if ends[me ^ 1] is None:
                    continue
                place = me // threads * threads + threads - 1 - me % threads if "blockDim.x - 1 - t" in at else me
                want[place] = ends[me ^ 1]
            np.testing.assert_array_equal(y.numpy(), want, err_msg=f"{blocks} x {threads}, {n}")


def test_each_thread_adds_in_its_order(device):
    """Sums of float32 depend on the order: a thread's is the order of its passes."""
    text = (
        'extern "C" __global__ void k(int n, const float* x, float* y) {\n'
        "  __shared__ float s[64];\n  const int t = threadIdx.x;\n  float sum = 0;\n"
        "  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) sum += x[i];\n"
        "  s[t] = sum;\n  __syncthreads();\n  y[blockIdx.x * 64 + t] = s[63 - t];\n}"
    )
    x = np.random.default_rng(1).random(50_001, dtype=np.float32)
    for blocks in (1, 5, 200):
        y = ks.array(np.zeros(64 * blocks, np.float32), device=device)
        launch(text, (blocks,), (64,), (np.int32(x.size), ks.array(x, device=device), y))
        want = np.zeros(64 * blocks, np.float32)
        for begin in range(0, x.size, want.size):
            part = x[begin : begin + want.size]
            want[: part.size] += part
        np.testing.assert_array_equal(y.numpy(), want.reshape(blocks, 64)[:, ::-1].ravel())
