import importlib.util

from timing import best, report, skip

if importlib.util.find_spec("torch") is None:
    skip("torch is not installed")
import torch

if not torch.cuda.is_available():
    skip("no GPU")
a, b = (torch.randn(15360, 15360, device="cuda") for _ in range(2))


def product():
    torch.matmul(a, b)
    torch.cuda.synchronize()


product()
report({"matmul, cuda": best(product) * 1e3})
