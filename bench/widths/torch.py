import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures


def on(device):
    def made(n, dtype):
        x, y = ((torch.rand(n, device=device) * 3).to(getattr(torch, dtype)) for _ in range(2))
        return lambda: x + y

    return made


found = figures(on("cpu"), lambda: None, "cpu")
if torch.cuda.is_available():
    found |= figures(on("cuda"), torch.cuda.synchronize, "cuda")
report(found)
