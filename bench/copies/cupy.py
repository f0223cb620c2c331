import numpy as np
from timing import best, cupy_with_gpu, report

cp = cupy_with_gpu()
host = np.random.default_rng(0).random(1 << 28, np.float32)
there = cp.asarray(host)


def up():
    cp.asarray(host)
    cp.cuda.Device().synchronize()


report(
    {
        "NumPy array to the GPU": host.nbytes / best(up) / 1e9,
        "back to NumPy": host.nbytes / best(lambda: cp.asnumpy(there)) / 1e9,
    }
)
