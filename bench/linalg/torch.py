import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402


def function(name):
    if name == "lstsq":  # wants its right sides as a matrix
        return lambda a, b: torch.linalg.lstsq(a, b[:, None])
    return getattr(torch.linalg, name)


figures = times(function, torch.from_numpy)
if torch.cuda.is_available():
    made = times(function, lambda x: torch.from_numpy(x).cuda(), torch.cuda.synchronize)
    figures |= {name + ", cuda": value for name, value in made.items()}
report(figures)
