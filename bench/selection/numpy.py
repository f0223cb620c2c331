import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import cases, figures, inputs
from timing import report

report(figures(lambda n: cases(np, *inputs(n)), lambda result: None))
