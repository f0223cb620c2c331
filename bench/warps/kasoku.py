import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _launches import figures, text
from timing import report

module = ks.RawModule(code=text)
report(figures(module.get_function, ks.array, lambda v: v.numpy(), ks.synchronize))
