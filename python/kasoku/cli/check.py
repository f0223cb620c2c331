"""kasoku check: races, bounds and mutations of a file's functions, as findings."""

import contextlib
import inspect
import os
import sys

import typer

from .output import JSON, console, print_json


def check(
    what: list[str] = typer.Argument(help="FILE.py that calls ks.check, or FILE.py:function."),
    threads: int = typer.Option(None, min=1, help="Look at so many concurrent calls of each named function."),
    real: list[str] = typer.Option([], help="Leave this package of the files' imports as it is installed."),
    json: bool = JSON,
):
    """Look for races, indices out of bounds and arrays changed behind another's back.

    FILE.py runs, and each call of ks.check in it is shown. FILE.py:function checks a function without
    arguments: what it does with the threads that it starts, or a jitted loop. A Delayed value can be
    named as well. The exit status is 1 if something was found.
    """
    found = []
    # In JSON, what the files themselves print goes where it does not disturb.
    with contextlib.redirect_stdout(sys.stderr if json else sys.stdout):
        for one in what:
            found += _checked(one, threads, real)
    rows = [
        {"of": name, "kind": f.kind, "array": f.array, "file": f.file, "line": f.line, "text": f.text}
        for name, findings in found
        for f in findings
    ]
    if json:
        unseen = sorted({name for _, findings in found for name in getattr(findings, "unseen", ())})
        print_json({"checked": len(found), "findings": rows, "unseen": unseen})
    else:
        _show(found, len(rows))
    if rows:
        raise typer.Exit(1)


def _checked(what, threads, real):
    """[(name, findings)] of a file or of one function of it."""
    import kasoku as ks
    from kasoku import _check
    from kasoku._program import load

    path, colon, name = what.rpartition(":")
    if not colon or name.endswith(".py") or os.sep in name:
        path, name = what, ""
    found, original = [], ks.check

    def recording(f, *args, **options):
        findings = original(f, *args, **options)
        found.append((_name_of(f), findings))
        return findings

    ks.check = _check.check = recording
    try:
        # Files that are run check themselves, so they are __main__ as with `python FILE.py`.
        module = load(path, real, None if name else "__main__")
    finally:
        ks.check = _check.check = original
    if not name:
        if not found:
            raise ks.Error(f"{path} ran and checked nothing\n  fix  name a function: kasoku check {path}:function")
        return found
    target = getattr(module, name, None)
    if target is None:
        raise ks.Error(f"{path} defines no {name}")
    wanted = _arguments(target)
    if wanted:
        raise ks.Error(
            f"{name} wants {', '.join(wanted)}, and a function that is checked from here takes no arguments\n"
            f"  fix  a function that makes them and calls it, or ks.check({name}, …) in {path}"
        )
    options = {} if threads is None else {"threads": threads}
    return [(name, original(target, **options))]


def _name_of(f):
    import kasoku as ks

    if isinstance(f, ks.Delayed):  # any attribute of it is a task again
        return f.key if isinstance(f.key, str) else "delayed graph"
    name = getattr(f, "__name__", None) or getattr(f, "name", None)
    return name if isinstance(name, str) else type(f).__name__


def _arguments(f):
    """Names of what the function cannot be called without."""
    f = getattr(f, "py_func", f)
    try:
        parameters = inspect.signature(f).parameters.values() if callable(f) else ()
    except (TypeError, ValueError):
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in variable]


def _show(found, count):
    out = console()
    for name, findings in found:
        out.print(f"{'[red]✗[/]' if findings else '[green]✓[/]'} {name}", soft_wrap=True)
        for finding in findings:
            out.print(f"    {finding}", markup=False, soft_wrap=True)
        if unseen := getattr(findings, "unseen", ()):
            out.print(f"    not watched inside: {', '.join(unseen)}", markup=False, soft_wrap=True)
    out.print(f"{len(found)} checked, {count} finding{'s' * (count != 1)}")
