import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _programs import times  # noqa: E402
from timing import report


def function(name):
    if name == "matmul":
        return lambda a, b: ks.eval(ks.matmul(a, b))
    f = getattr(ks.linalg, name)

    def run(*args):
        made = f(*args)
        ks.eval(*(x for x in (made if isinstance(made, tuple) else (made,)) if isinstance(x, ks.Array)))

    return run


figures = {}
for device in ["cpu", *(["cuda"] if ks.has_device("cuda") else [])]:
    with ks.default_device(device):
        made = times(function, ks.array, ks.synchronize if device == "cuda" else lambda: None)
    figures |= {name + (", cuda" if device == "cuda" else ""): value for name, value in made.items()}
report(figures)
