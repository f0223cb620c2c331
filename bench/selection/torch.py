import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures, inputs

device = "cuda" if torch.cuda.is_available() else "cpu"


def cases(n):
    x, at, few = (torch.from_numpy(a).to(device) for a in inputs(n))
    mask, y, sums = x > 0.5, x.clone(), few * 0
    values = x[mask]

    def store(value):
        y[mask] = value

    return {
        "x[x > 0.5]": lambda: x[x > 0.5],
        "nonzero": lambda: torch.nonzero(mask, as_tuple=True),
        "x[mask] = 0": lambda: store(0.0),
        "x[mask] = values": lambda: store(values),
        "add.at": lambda: sums.index_add_(0, at, x),
        "bincount": lambda: torch.bincount(at),
        "histogram": lambda: torch.histc(x, 100, 0, 1),
        "searchsorted": lambda: torch.searchsorted(few, x),
        "repeat": lambda: torch.repeat_interleave(x, 2),
        "tile": lambda: torch.tile(x, (2,)),
        "pad": lambda: torch.nn.functional.pad(x[None], (100, 100), mode="replicate")[0],
        "roll": lambda: torch.roll(x, 7),
    }


report(figures(cases, lambda result: torch.cuda.synchronize() if device == "cuda" else None))
