"""One process's share of the work; rank 0 prints the rates of all together."""

import json
import time

import kasoku as ks

together = ks.distributed
together.init()
rank, size = together.rank(), together.size()


def rate(work, amount, calls=10, repeats=5):
    """Amount a second of all processes, the best of some trains of calls that begin together and each end with a sum over
    all: processes leave a barrier apart by a part of a millisecond, which is not the work's."""
    together.all_reduce(work()).eval()
    ks.synchronize()
    seconds = []
    for _ in range(repeats):
        together.barrier()
        began = time.perf_counter()
        for _ in range(calls):
            together.all_reduce(work()).eval()
        ks.synchronize()
        seconds.append((time.perf_counter() - began) / calls)
    slowest = together.all_reduce(min(seconds), "max")
    return amount * size / float(slowest)


ks.random.seed(rank)


def hits(samples=2_000_000_000):
    total = 0
    for _ in range(4):
        x, y = ks.random.rand(samples // 4, dtype="float32"), ks.random.rand(samples // 4, dtype="float32")
        total = total + ks.count_nonzero(x * x + y * y < 1)
    return total


n = 16384 // size  # the same product, in rows
a, b = ks.random.rand(n, 16384, dtype="float32"), ks.random.rand(16384, 16384, dtype="float32")
whole = ks.random.rand(64 * 2**20, dtype="float32")
found = {
    "pi": rate(hits, 2_000_000_000) / 1e6,
    "matmul": rate(lambda: (a @ b).sum(), 2 * n * 16384**2) / 1e12,
    "all_reduce": rate(lambda: whole, whole.nbytes / size) / 1e9 if size > 1 else 0,
}
if rank == 0:
    print(json.dumps(found))
