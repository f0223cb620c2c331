import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import count_of_right, times  # noqa: E402
from timing import report

ks.default_device("cpu")
report({**times(ks, ks._core._finish_background), "programs that are right": count_of_right(ks)})
