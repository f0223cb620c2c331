"""A matrix product in several processes: each has some rows of A and all of B, and computes those rows of the product.

kasoku run --processes 2 examples/distributed_matmul.py
kasoku run --gpus 2 examples/distributed_matmul.py 8192
"""

import sys
import time

import kasoku as ks

together = ks.distributed

together.init()
rank, size = together.rank(), together.size()
n = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
n -= n % size

ks.random.seed(rank)
rows = ks.random.rand(n // size, n, dtype="float32")  # of A; each process makes its own
b = together.broadcast(ks.random.rand(n, n, dtype="float32"), root=0)
(rows @ b).sum().numpy()

together.barrier()
began = time.perf_counter()
product = rows @ b
total = together.all_reduce(product.sum(dtype="float64"))
seconds = (float(total), time.perf_counter() - began)[1]

# Each row of the product adds up to that row of A times the sums of B's rows.
wanted = together.all_reduce((rows.astype("float64") @ b.sum(axis=1, dtype="float64")).sum())
assert abs(float(total / wanted) - 1) < 1e-5
if rank == 0:
    print(f"{n} x {n} in {size} processes: {2 * n**3 / seconds / 1e9:.1f} Gflop/s, with the sum over all")
