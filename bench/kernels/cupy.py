import os
import sys

try:
    import cupy
except ImportError:
    from timing import skip

    skip("CuPy is not installed")
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _launches import figures, text
from _sizes import weights
from timing import report, skip

if not cupy.cuda.is_available():
    skip("no GPU")
module = cupy.RawModule(code=text)
cupy.ndarray(17, cupy.float32, module.get_global("weights"))[:] = cupy.asarray(weights)
report(figures(module.get_function, cupy.asarray, cupy.asnumpy, cupy.cuda.runtime.deviceSynchronize))
