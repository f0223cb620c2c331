import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402
from timing import report

report(times(np))
