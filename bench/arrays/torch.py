import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import CPU, CUDA, names, rate


@torch.compile(dynamic=False)
def expression(x, y):
    return torch.sin(x) * torch.exp(-x) + torch.sqrt(x * y)


found = {}
for n in CPU:
    x, y = torch.rand(n), torch.rand(n)
    found[names(n)] = rate(expression, x, y) / 1e9
    found[names(n) + ", shared with NumPy"] = found[names(n)]
if torch.cuda.is_available():
    x, y = torch.rand(CUDA, device="cuda"), torch.rand(CUDA, device="cuda")
    found["sin exp sqrt, cuda"] = rate(expression, x, y, torch.cuda.synchronize, 10) / 1e12
    found["sin exp sqrt, imported, cuda"] = found["sin exp sqrt, cuda"]
report(found)
