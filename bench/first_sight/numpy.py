import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _expressions import measure
from timing import report

x = np.linspace(1, 2, 10, dtype="float32")
took = measure(np, x, x + 1, lambda z: float(z[0]))
report({"a new machine, cpu": took, "a new process, cpu": took})
