import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures

functions = {
    "sort": torch.sort,
    "argsort": torch.argsort,
    "unique": torch.unique,
    "median": torch.median,
    "top 10": lambda x: torch.topk(x, 10),
}
found = {}
for device in ("cpu", "cuda"):
    if device == "cuda" and not torch.cuda.is_available():
        continue

    def make(shape, dtype, device=device):
        x = torch.rand(shape, device=device, dtype=torch.float64) * (1 if dtype == "float32" else 2.0**62)
        return x.to(getattr(torch, dtype))

    found |= figures(device, functions, make, torch.cuda.synchronize if device == "cuda" else lambda: None)
report(found)
