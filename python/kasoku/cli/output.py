"""How commands show things: tables and colour on a terminal, JSON for programs."""

import contextlib
import json
import sys
import threading

import typer

JSON = typer.Option(False, "--json", help="Print JSON, for programs.")


def print_json(value):
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False, default=str)
    print()


def console():
    from rich.console import Console

    return Console(highlight=False)


@contextlib.contextmanager
def progress(text, total=None):
    """A bar on a terminal for what takes longer than a second; gives a function of the next step's name.

    It is drawn between steps alone, so that no thread disturbs what is measured.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    terminal = Console(stderr=True, highlight=False)
    if not terminal.is_terminal:
        yield lambda step: None
        return
    columns = [TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()]
    if total is not None:
        columns.insert(2, MofNCompleteColumn())
    bar = Progress(*columns, console=terminal, transient=True, auto_refresh=False)
    task = bar.add_task(text, total=total)
    timer = threading.Timer(1.0, bar.start)
    timer.daemon = True
    timer.start()
    steps = iter(range(total or 0))

    def next_step(step):
        bar.update(task, description=f"{text} {step}", completed=next(steps, total), refresh=bar.live.is_started)

    try:
        yield next_step
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def table(*columns, title=None):
    """A table; a column that starts with '>' is aligned to the right."""
    from rich import box
    from rich.table import Table

    result = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        right = column.startswith(">")
        result.add_column(column.lstrip(">"), justify="right" if right else "left")
    return result


def size(n_bytes):
    """1536 -> '1.5 KiB'."""
    value, unit = float(n_bytes), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def duration(seconds):
    """0.0123 -> '12.3 ms'."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
