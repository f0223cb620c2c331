"""kasoku cache: the compiled kernels on disk."""

import time

import typer

from .output import JSON, console, print_json, progress, size

cache = typer.Typer(help="Look at or clear the cache of compiled kernels.", no_args_is_help=True, add_completion=False)


@cache.command("list")
def list_(json: bool = JSON):
    """List the entries, newest use first."""
    from kasoku import _core

    rows = _core._cache.list()
    if json:
        return print_json(rows)
    # Lines of text: there may be 10^5, of which a table that fits itself to all of them takes minutes.
    print(f"{'size':>9}  {'last used':16}  {'key':12}  what")
    for row in rows:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["last_used"]))
        print(f"{size(row['bytes']):>9}  {used}  {row['key'][:12]}  {row['title']}")
    return None


@cache.command()
def stats(json: bool = JSON):
    """Say where the cache is and how full."""
    from kasoku import _core

    use = {"folder": _core._cache.folder(), "problem": _core._cache.problem(), **_core._cache.use()}
    if json:
        return print_json(use)
    out = console()
    out.print(f"folder   {use['folder'] or '(off)'}", soft_wrap=True)
    out.print(f"entries  {use['entries']}")
    out.print(f"size     {size(use['bytes'])} of {size(use['most_bytes'])}")
    if use["problem"]:
        out.print(f"[yellow]problem[/]  {use['problem']}", soft_wrap=True)
    return None


@cache.command()
def clear(json: bool = JSON):
    """Remove all entries; programs that run keep what they have loaded."""
    from kasoku import _core

    with progress("removing compiled kernels"):
        before, removed = _core._cache.use()["bytes"], _core._cache.clear()
    if json:
        return print_json({"removed": removed, "bytes": before})
    console().print(f"removed {removed} entries, {size(before)}")
    return None
