"""Selection, stores, bins, scans and rearrangement of float64 and int64, for whoever has NumPy's names."""

from timing import best, warm

SIZES = {"10^3": 1000, "10^7": 10_000_000}


def cases(xp, x, at, few):
    """name -> call; x lies in [0, 1), `at` in [0, 1000), `few` is 1,000 sorted numbers."""
    mask, y, sums = x > 0.5, x.copy(), few * 0
    values, rows = x[mask], x.reshape(-1, 100)
    some = at[: rows.shape[0]] % rows.shape[0]
    add_at = xp.add.at if hasattr(xp.add, "at") else xp.add_at

    def store(value):
        y[mask] = value
        return y

    def add():
        add_at(sums, at, x)
        return sums

    return {
        "x[x > 0.5]": lambda: x[x > 0.5],
        "nonzero": lambda: xp.nonzero(mask),
        "x[mask] = 0": lambda: store(0.0),
        "x[mask] = values": lambda: store(values),
        "rows at indices": lambda: rows[some],
        "add.at": add,
        "bincount": lambda: xp.bincount(at),
        "histogram": lambda: xp.histogram(x, 100, (0, 1)),
        "searchsorted": lambda: xp.searchsorted(few, x),
        "cumsum": lambda: xp.cumsum(x),
        "convolve": lambda: xp.convolve(x, few[:31], "valid"),
        "einsum": lambda: xp.einsum("ij,ij->i", rows, rows),
        "percentile": lambda: xp.percentile(rows, 90, axis=1),
        "repeat": lambda: xp.repeat(x, 2),
        "tile": lambda: xp.tile(x, 2),
        "pad": lambda: xp.pad(x, 100, mode="edge"),
        "roll": lambda: xp.roll(x, 7),
    }


def figures(made, wait, device="cpu"):
    """figure -> microseconds; `made(n)` gives the calls for n elements, `wait` ends what a call began."""
    found = {}
    for label, n in SIZES.items():
        for name, call in made(n).items():

            def done(call=call):
                wait(call())

            warm(done)
            # A call of ten million elements is one of many on a GPU, whose clock and caches take some to settle.
            rounds, calls = 7 if device == "cpu" or n < 10_000 else 60, 100 if n < 10_000 else 1
            found[f"{name}, {label}" + (f", {device}" if device != "cpu" else "")] = best(done, rounds, calls) * 1e6
    return found


def inputs(n):
    import numpy as np

    rng = np.random.default_rng(1)
    return rng.random(n), rng.integers(0, 1000, n), np.sort(rng.random(1000))
