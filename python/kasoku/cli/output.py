"""How commands show things: tables and colour on a terminal, JSON for programs."""

import json
import sys

import typer

JSON = typer.Option(False, "--json", help="Print JSON, for programs.")


def print_json(value):
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False, default=str)
    print()


def console():
    from rich.console import Console

    return Console(highlight=False)


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
