import os
import sys

try:
    import cupy
except ImportError:
    from timing import skip

    skip("CuPy is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _cuda import figures
from timing import report, skip

if not cupy.cuda.is_available():
    skip("no GPU")
report(figures(cupy.ElementwiseKernel, cupy.asarray, cupy.cuda.runtime.deviceSynchronize))
