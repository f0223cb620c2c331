import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402
from timing import report

figures = {}
for device in ["cpu", *(["cuda"] if ks.has_device("cuda") else [])]:
    with ks.default_device(device):
        made = times(
            lambda name: lambda x: ks.eval(getattr(ks.fft, name)(x)),
            ks.array,
            ks.synchronize if device == "cuda" else lambda: None,
        )
    figures |= {name + (", cuda" if device == "cuda" else ""): value for name, value in made.items()}
report(figures)
