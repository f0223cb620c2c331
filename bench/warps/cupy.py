import os
import sys

try:
    import cupy
except ImportError:
    from timing import skip

    skip("CuPy is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _launches import figures, text
from timing import report, skip

if not cupy.cuda.is_available():
    skip("no GPU")
module = cupy.RawModule(code=text)
report(figures(module.get_function, cupy.asarray, cupy.asnumpy, cupy.cuda.runtime.deviceSynchronize))
