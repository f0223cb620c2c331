import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import _functions
from timing import report

_functions.prange = ks.prange
report(_functions.figures(lambda function, name: ks.jit(function, boundscheck=False)))
