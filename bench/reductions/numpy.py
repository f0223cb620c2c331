import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import CPU, figures
from timing import report

report(figures(np.random.default_rng(0).random(CPU[0], dtype="float32"), lambda: None, "cpu"))
