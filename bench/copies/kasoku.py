import kasoku as ks
import numpy as np
from timing import best, report, skip

if not ks.has_device("cuda"):
    skip("no GPU")
host = np.random.default_rng(0).random(1 << 28, np.float32)
there = ks.array(host, device="cuda")


def up():
    ks.array(host, device="cuda")
    ks.synchronize()


assert np.array_equal(there.numpy(), host)
report(
    {
        "NumPy array to the GPU": host.nbytes / best(up) / 1e9,
        "back to NumPy": host.nbytes / best(there.numpy) / 1e9,
    }
)
