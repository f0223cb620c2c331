"""Statements over ten elements, as programs that count in small vectors have them by the million."""

from timeit import Timer

from timing import report

STATEMENTS = {
    "x + y": "z = x + y",
    "sin(x) * y + x": "z = lib.sin(x) * y + x",
    "an element read": "x[3]",
    "an element written": "x[3] = 1.0",
    "a slice": "x[1:5]",
    "a slice assigned": "x[1:5] = y[1:5]",
    "x[1:-1] += y[2:]": "x[1:-1] += y[2:]",
    "float(x.sum())": "float(x.sum())",
}


def measure(lib, x, y, suffix="", finish="{}"):
    """Reports µs of each statement, the best of 9 runs; `finish` makes a statement compute what it leaves pending."""
    figures = {}
    for name, text in STATEMENTS.items():
        timer = Timer(finish.format(text), globals={"lib": lib, "x": x, "y": y})
        timer.timeit(200)
        figures[name + suffix] = min(timer.repeat(9, 5000)) / 5000 * 1e6
    return figures


__all__ = ["measure", "report"]
