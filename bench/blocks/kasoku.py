import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _launches import figures, text
from timing import report

ks.default_device("cpu")
module = ks.RawModule(code=text)
result = figures(module.get_function, ks.array, lambda v: v.numpy(), ks.synchronize)
if ks.has_device("cuda"):
    ks.default_device("cuda")
    result |= figures(
        module.get_function, ks.array, lambda v: v.numpy(), ks.synchronize, ", cuda", 20
    )
report(result)
