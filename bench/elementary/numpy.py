import os
import sys

import numpy as np
from timing import report

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _rates import rates

with np.errstate(all="ignore"):
    report(rates(lambda name: getattr(np, name), lambda x: x))
