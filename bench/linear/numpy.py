import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402
from timing import report

report(times(lambda function: function))
