import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures
from timing import report


def made(n, dtype):
    x, y = ((ks.random.random(n) * 3).astype(dtype).eval() for _ in range(2))
    return lambda: (x + y).eval()


found = {}
for device in ("cpu", "cuda"):
    if ks.has_device(device):
        with ks.default_device(device):
            found |= figures(made, ks.synchronize, device)
report(found)
