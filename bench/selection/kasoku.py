import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import cases, figures, inputs
from timing import report


def wait(result):
    for part in result if isinstance(result, tuple) else [result]:
        part.eval()
    ks.synchronize()


found = {}
for device in ("cpu", "cuda"):
    if ks.has_device(device):
        with ks.default_device(device):
            found |= figures(lambda n: cases(ks, *map(ks.array, inputs(n))), wait, device)
report(found)
