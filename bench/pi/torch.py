import importlib.util

from timing import best, report, skip

if importlib.util.find_spec("torch") is None:
    skip("torch is not installed")
import torch


@torch.compile(dynamic=False)
def hits(like):
    x, y = torch.rand_like(like), torch.rand_like(like)
    return (x * x + y * y < 1.0).sum()


def rate(device, n, dtype=torch.float32):
    like = torch.empty(n, device=device, dtype=dtype)
    pi = lambda: 4 * hits(like).item() / n  # noqa: E731
    pi()  # compiles
    return n / best(pi, 5) / 1e6


figures = {"arrays float32, CPU": rate("cpu", 10_000_000)}
if torch.cuda.is_available():
    figures["arrays float32, cuda"] = rate("cuda", 1_000_000_000)
    figures["arrays float64, cuda"] = rate("cuda", 1_000_000_000, torch.float64)
report(figures)
