import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures, inputs


def cases(n, device):
    x, at, few = (torch.from_numpy(a).to(device) for a in inputs(n))
    mask, y, sums = x > 0.5, x.clone(), few * 0
    values, rows, weights = x[mask], x.reshape(-1, 100), few[:31].flip(0)[None, None]
    some = at[: rows.shape[0]] % rows.shape[0]

    def store(value):
        y[mask] = value

    return {
        "x[x > 0.5]": lambda: x[x > 0.5],
        "nonzero": lambda: torch.nonzero(mask, as_tuple=True),
        "x[mask] = 0": lambda: store(0.0),
        "x[mask] = values": lambda: store(values),
        "rows at indices": lambda: rows[some],
        "add.at": lambda: sums.index_add_(0, at, x),
        "bincount": lambda: torch.bincount(at),
        "histogram": lambda: torch.histc(x, 100, 0, 1),
        "searchsorted": lambda: torch.searchsorted(few, x),
        "cumsum": lambda: torch.cumsum(x, 0),
        "convolve": lambda: torch.nn.functional.conv1d(x[None, None], weights),
        "einsum": lambda: torch.einsum("ij,ij->i", rows, rows),
        "percentile": lambda: torch.quantile(rows, 0.9, dim=1),
        "repeat": lambda: torch.repeat_interleave(x, 2),
        "tile": lambda: torch.tile(x, (2,)),
        "pad": lambda: torch.nn.functional.pad(x[None], (100, 100), mode="replicate")[0],
        "roll": lambda: torch.roll(x, 7),
    }


found = figures(lambda n: cases(n, "cpu"), lambda result: None)
if torch.cuda.is_available():
    found |= figures(lambda n: cases(n, "cuda"), lambda result: torch.cuda.synchronize(), "cuda")
report(found)
