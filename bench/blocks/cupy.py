import sys

sys.path = [p for p in sys.path if not p.endswith("blocks")] + sys.path[:1]  # cupy is the package, not this file
try:
    import cupy
except ImportError:
    from timing import skip

    skip("CuPy is not installed")
from _launches import figures, text
from timing import report, skip

if not cupy.cuda.is_available():
    skip("no GPU")
module = cupy.RawModule(code=text)
report(figures(module.get_function, cupy.asarray, cupy.asnumpy, cupy.cuda.runtime.deviceSynchronize))
