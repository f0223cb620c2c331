import os
import sys

from timing import cupy_with_gpu, report

cupy = cupy_with_gpu()
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _cuda import figures

report(figures(cupy.ElementwiseKernel, cupy.asarray, cupy.cuda.runtime.deviceSynchronize))
