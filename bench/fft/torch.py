import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402

figures = times(lambda name: getattr(torch.fft, name), torch.from_numpy)
if torch.cuda.is_available():
    made = times(lambda name: getattr(torch.fft, name), lambda x: torch.from_numpy(x).cuda(), torch.cuda.synchronize)
    figures |= {name + ", cuda": value for name, value in made.items()}
report(figures)
