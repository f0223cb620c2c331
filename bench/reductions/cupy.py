import os
import sys

from timing import cupy_with_gpu, report

cupy = cupy_with_gpu()
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import CUDA, figures

x = cupy.random.default_rng(0).random(CUDA[0], dtype="float32")
report(figures(x, cupy.cuda.runtime.deviceSynchronize, "cuda"))
