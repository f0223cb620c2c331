import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402
from timing import report

ks.default_device("cpu")


def finish(result):
    for one in result if isinstance(result, tuple) else (result,):
        if isinstance(one, ks.Array):
            one.eval()


report(times(ks, finish))
