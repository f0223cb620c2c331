import os
import sys

import kasoku as ks

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures
from timing import report


def of_ours(function):
    def call(x):
        result = function(x)
        ks.eval(*result) if isinstance(result, tuple) else ks.eval(result)

    return call


functions = {
    "sort": ks.sort,
    "argsort": ks.argsort,
    "unique": ks.unique,
    "median": ks.median,
    "top 10": lambda x: ks.topk(x, 10),
}
functions = {word: of_ours(function) for word, function in functions.items()}


def make(shape, dtype):
    x = ks.random.rand(*shape) * (1 if dtype == "float32" else 2.0**62)
    return x.astype(dtype).eval()


found = {}
for device in ("cpu", "cuda"):
    if ks.has_device(device):
        with ks.default_device(device):
            found |= figures(device, functions, make, ks.synchronize)
report(found)
