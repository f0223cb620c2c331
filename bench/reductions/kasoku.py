import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import CPU, CUDA, figures
from timing import report

found = {}
for place, sizes in (("cpu", CPU), ("cuda", CUDA)):
    if ks.has_device(place):
        with ks.default_device(place):
            found |= figures(ks.random.rand(sizes[0], dtype="float32").eval(), ks.synchronize, place, ks.eager)
report(found)
