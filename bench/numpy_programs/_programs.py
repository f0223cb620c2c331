"""Times the programs of examples/numpy, as they are: run(sizes), the best of three after one to warm up."""

import pathlib

import timing

folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "numpy"


def settle(result):
    """Waits for what is still to be computed."""
    for one in result if isinstance(result, (list, tuple)) else [result]:
        getattr(one, "eval", lambda: None)()


def figures(only=()):
    times = {}
    for path in sorted(folder.glob("*.py")):
        if only and path.stem not in only:
            continue
        names = {"__name__": path.stem}  # without a file, it is the program's own text
        exec(compile(path.read_text(), str(path), "exec"), names)
        run = names["run"]
        settle(run())
        times[path.stem] = 1e3 * timing.best(lambda run=run: settle(run()), 3)
    return times
