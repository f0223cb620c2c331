import importlib.util

from timing import best, report, skip

if importlib.util.find_spec("torch") is None:
    skip("torch is not installed")
import torch

if not torch.cuda.is_available():
    skip("torch sees no GPU")

x, y = torch.zeros(10, device="cuda"), torch.zeros(10, device="cuda")


def expressions():
    global x
    for _ in range(10):
        x += y


def waited(run):
    run()
    torch.cuda.current_stream().synchronize()


expressions()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    expressions()
report(
    {
        "x += y, cuda, replayed": best(lambda: waited(graph.replay), 9, 500) * 1e6,
        "x += y, cuda, one by one": best(lambda: waited(expressions), 9, 500) * 1e6,
    }
)
