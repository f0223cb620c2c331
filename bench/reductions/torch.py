import os
import sys

from timing import report, skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import CPU, CUDA, figures

found = figures(torch.rand(CPU[0]), lambda: None, "cpu")
if torch.cuda.is_available():
    found |= figures(torch.rand(CUDA[0], device="cuda"), torch.cuda.synchronize, "cuda")
report(found)
