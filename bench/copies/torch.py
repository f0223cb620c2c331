import importlib.util

import numpy as np
from timing import best, report, skip

if importlib.util.find_spec("torch") is None:
    skip("torch is not installed")
import torch

if not torch.cuda.is_available():
    skip("no GPU")
host = np.random.default_rng(0).random(1 << 28, np.float32)
there = torch.from_numpy(host).cuda()
pinned = torch.from_numpy(host).pin_memory()


def up(source):
    source.cuda()
    torch.cuda.synchronize()


report(
    {
        "NumPy array to the GPU": host.nbytes / best(lambda: up(torch.from_numpy(host))) / 1e9,
        "back to NumPy": host.nbytes / best(lambda: there.cpu().numpy()) / 1e9,
        "pinned memory to the GPU": host.nbytes / best(lambda: up(pinned)) / 1e9,
    }
)
