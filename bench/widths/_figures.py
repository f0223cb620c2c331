"""x + y of elements of every width, in bytes a second: two arrays are read and one is written."""

from timing import best, warm

# bfloat16 is no dtype of NumPy's.
WIDTHS = {
    "int8": 1,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "int64": 8,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
CPU, CUDA = 2**24, 2**27  # elements; on a GPU no array is larger than 1 GiB
calls = 10  # in a train: a launch is short beside what it moves


def figures(made, wait, device):
    """figure -> GB/s or TB/s; `made(n, dtype)` gives the call, or None, `wait` ends what a call began."""
    found = {}
    for dtype, width in WIDTHS.items():
        n = CPU if device == "cpu" else min(CUDA, 2**30 // width)
        call = made(n, dtype)
        if call is None:
            continue

        def train(call=call):
            for _ in range(calls):
                call()
            wait()

        warm(train)
        found[f"x + y, {dtype}, {device}"] = 3 * n * width * calls / best(train) / (1e9 if device == "cpu" else 1e12)
    return found
