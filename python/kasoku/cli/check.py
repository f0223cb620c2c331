"""kasoku check: races, bounds and mutations of a file's functions, as findings."""

import inspect
import json as json_lines
import os
import signal
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import typer

from .output import JSON, console, print_json


def check(
    what: list[str] = typer.Argument(help="FILE.py that calls ks.check, or FILE.py:function."),
    threads: int = typer.Option(None, min=1, help="Look at so many concurrent calls of each named function."),
    real: list[str] = typer.Option([], help="Leave this package of the files' imports as it is installed."),
    json: bool = JSON,
    report_to: str = typer.Option(None, hidden=True),
):
    """Look for races, indices out of bounds and arrays changed behind another's back.

    FILE.py runs, and each call of ks.check in it is shown. FILE.py:function checks a function without
    arguments: what it does with the threads that it starts, or a jitted loop. A Delayed value can be
    named as well. Each runs in a process of its own. The exit status is the program's own, or 128 and
    the signal that ended it; if that is 0, it is 1 if something was found.
    """
    if report_to is not None:  # this is the process of its own
        raise typer.Exit(_run(what[0], threads, real, report_to))
    found, status = [], 0
    for number, one in enumerate(what, 1):
        if len(what) > 1 and sys.stderr.isatty():  # a line, not a bar: the program may print beside it
            print(f"checking {one}, {number} of {len(what)}", file=sys.stderr)
        checked, ended = _in_a_process(one, threads, real, json)
        found += checked
        status = status or ended
    rows = [
        {"of": of.name, **{key: finding[key] for key in ("kind", "array", "file", "line", "text")}}
        for of in found
        for finding in of.findings
    ]
    if json:
        unseen = sorted({name for of in found for name in of.unseen})
        print_json({"checked": len(found), "findings": rows, "unseen": unseen})
    elif found:
        _show(found, len(rows))
    if status or rows:
        raise typer.Exit(status or 1)


def _in_a_process(one, threads, real, json):
    """The findings, including those from before the program died, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        command = [sys.executable, "-m", "kasoku", "check", "--report-to", report, one]
        command += [word for package in real for word in ("--real", package)]
        command += ["--threads", str(threads)] if threads else []
        # In JSON, what the program prints goes where it does not disturb.
        status = subprocess.run(command, stdout=sys.stderr if json else None, check=False).returncode
        found = []
        if os.path.exists(report):
            with open(report) as lines:
                found = [SimpleNamespace(**json_lines.loads(line)) for line in lines]
    if status < 0:
        print(f"kasoku: {one} was ended by {signal.Signals(-status).name}", file=sys.stderr)
        status = 128 - status
    return found, status


def _run(what, threads, real, report_to):
    """Checks a file or one function of it, writes what was found as it is found, and gives the program's status."""
    import kasoku as ks
    from kasoku import _check
    from kasoku._program import load

    path, colon, name = what.rpartition(":")
    if not colon or name.endswith(".py") or os.sep in name:
        path, name = what, ""
    count, statuses, original = 0, [], ks.check

    def report(of, findings):
        nonlocal count
        count += 1
        rows = [
            {"kind": f.kind, "array": f.array, "file": f.file, "line": f.line, "text": f.text, "sentence": str(f)}
            for f in findings
        ]
        with open(report_to, "a") as lines:
            print(
                json_lines.dumps({"name": of, "findings": rows, "unseen": list(getattr(findings, "unseen", ()))}),
                file=lines,
            )

    def recording(f, *args, **options):
        findings = original(f, *args, **options)
        report(_name_of(f), findings)
        return findings

    ks.check = _check.check = recording
    sys.argv[:] = [path]
    try:
        # Files that are run check themselves, so they are __main__ as with `python FILE.py`.
        module = load(path, real, None if name else "__main__", statuses.append)
    finally:
        ks.check = _check.check = original
    if not name:
        if not count:
            raise ks.Error(f"{path} ran and checked nothing\n  fix  name a function: kasoku check {path}:function")
        return _status(*statuses)
    target = getattr(module, name, None)
    if target is None:
        raise ks.Error(f"{path} defines no {name}")
    if not callable(target) and not isinstance(target, ks.Delayed):
        raise ks.Error(f"{name} in {path} is {type(target).__name__} {target!r}, and functions are checked")
    wanted = _arguments(target)
    if wanted:
        raise ks.Error(
            f"{name} wants {', '.join(wanted)}, and a function that is checked from here takes no arguments\n"
            f"  fix  a function that makes them and calls it, or ks.check({name}, …) in {path}"
        )
    options = {} if threads is None else {"threads": threads}
    report(name, original(target, **options))
    return 0


def _status(code=None):
    """The exit status of a program that ends itself with this code."""
    if code is None or isinstance(code, int):
        return (code or 0) & 255
    print(code, file=sys.stderr)
    return 1


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
    for of in found:
        out.print(f"{'[red]✗[/]' if of.findings else '[green]✓[/]'} {of.name}", soft_wrap=True)
        for finding in of.findings:
            out.print(f"    {finding['sentence']}", markup=False, soft_wrap=True)
        if of.unseen:
            out.print(f"    not watched inside: {', '.join(of.unseen)}", markup=False, soft_wrap=True)
    out.print(f"{len(found)} checked, {count} finding{'s' * (count != 1)}")
