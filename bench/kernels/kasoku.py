import os
import sys

import kasoku as ks
import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _launches import figures, text
from _sizes import weights
from timing import report

module = ks.RawModule(code=text)
module.get_global("weights", np.float32)[:] = weights
report(figures(module.get_function, ks.array, lambda v: v.numpy(), ks.synchronize))
