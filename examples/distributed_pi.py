"""π by Monte Carlo in several processes: each draws its share, all_reduce() adds the hits.

kasoku run --processes 4 examples/distributed_pi.py        on a CPU
kasoku run --gpus 2 examples/distributed_pi.py             a GPU for each process
torchrun --nproc-per-node 2 examples/distributed_pi.py     the same, started by another
"""

import sys
import time

import kasoku as ks

together = ks.distributed


def hits(samples, seed):
    """How many of the random points of the unit square lie in the circle."""
    ks.random.seed(seed)
    x, y = (ks.random.rand(samples, dtype="float32") for _ in range(2))
    return (x * x + y * y < 1).sum()


samples = int(float(sys.argv[1])) if len(sys.argv) > 1 else 20_000_000
rounds = 10
together.init()
hits(samples, 0).numpy()  # the first call compiles

together.barrier()
began = time.perf_counter()
inside = sum(hits(samples, 1 + rounds * together.rank() + k) for k in range(rounds))
inside = int(together.all_reduce(inside))
seconds = time.perf_counter() - began

if together.rank() == 0:
    drawn = samples * rounds * together.size()
    print(f"pi is about {4 * inside / drawn:.5f}: {drawn / seconds / 1e6:.0f} million samples a second")
