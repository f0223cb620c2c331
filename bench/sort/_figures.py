"""Keys a second of sorts and what follows from them: 10^7 keys in a row, and a thousand rows of a thousand. PyTorch's sort gives
positions too; beside a sort of values alone it does more."""

import itertools

from timing import best

dtypes = ("float32", "int64")
n = {"cpu": 10**7, "cuda": 10**8}
rows = {"cpu": (1000, 1000), "cuda": (10_000, 1000)}
words = ("sort", "argsort", "unique", "median", "top 10", "sort rows", "argsort rows")


def figures(device, functions, make, synchronize=lambda: None):
    """functions: of an array, by word; make(shape, dtype): random numbers on the device."""
    found = {}
    for dtype, word in itertools.product(dtypes, words):
        shape = rows[device] if word.endswith("rows") else (n[device],)
        x = make(shape, dtype)
        call = functions[word.removesuffix(" rows")]

        def run(call=call, x=x):
            call(x)
            synchronize()

        run()
        keys = shape[0] * (shape[1] if len(shape) > 1 else 1)
        found[f"{word}, {dtype}, {device}"] = keys / best(run, 5) / 1e6
    return found
