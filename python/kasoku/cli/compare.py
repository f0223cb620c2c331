"""kasoku compare: the same work in several ways, with its error and what it uses of the machine."""

import importlib.util
import inspect
import os

import typer

from .output import JSON, console, print_json, progress, table


def compare(
    file: str = typer.Argument(None, help="A file of functions of the number of samples; default: ours, for π."),
    samples: str = typer.Option("1e7", help="Samples for each, fewer for what is slow."),
    threads: str = typer.Option("", help="Numbers of threads to try, as in 1,2,4; default 1 and all cores."),
    seconds: float = typer.Option(1.0, help="One call takes about so long at most."),
    repeat: int = typer.Option(3, min=1, help="Timed calls; the best counts."),
    plot: str = typer.Option(None, help="Draw speed, time and error into this file (.png, .svg, .pdf)."),
    real: list[str] = typer.Option([], help="Leave this package of FILE's imports as it is installed."),
    json: bool = JSON,
):
    """Compare ways to do the same work: rate, first call, cores busy, share of time under the GIL,
    error against its six-sigma bound, threads.

    FILE defines functions of one argument, the number of samples, that return the result. They run
    in the order in which they stand; APPROACHES = {name: function} names them otherwise. REFERENCE
    is the right result and SIGMA one sample's standard deviation, if there are such. The exit status
    is 1 if one of them fails or is wrong. Ctrl-C ends the measuring and shows what was measured.
    """
    import kasoku as ks
    from kasoku._compare import compared, measured
    from kasoku._program import load

    n = _count(samples, "--samples")
    if plot:
        _must_be_drawable(plot)
    if file is None:
        from kasoku import _pi as program
    else:
        program = load(file, real)
    approaches = _approaches(program)
    if not approaches:
        raise ks.Error(
            f"{file} defines no function of one argument, the number of samples\n"
            "  fix  def name(n): …, or APPROACHES = {'name': function}"
        )
    counts = [_count(t, "--threads") for t in threads.split(",") if t.strip()] or _usual_threads()
    sizes = sorted({max(10, n // k) for k in (1000, 100, 10, 1)}) if plot else ()
    sigma, rows, interrupted = getattr(program, "SIGMA", None), [], False
    reference = getattr(program, "REFERENCE", None)
    with progress("measuring", len(approaches)) as next_step:
        try:
            for row in measured(
                approaches, n, reference=reference, sigma=sigma, repeat=repeat, threads=counts, sizes=sizes, limit=seconds,
                on_start=next_step,
            ):  # fmt: skip
                rows.append(row)
        except KeyboardInterrupt:
            interrupted = True
    result = compared(rows, reference, sigma)
    if json:
        print_json({"reference": result.reference, "rows": result.as_dict(), "plot": plot})
    elif rows:
        _show(result, counts)
    if interrupted:
        raise ks.Error(f"compare was interrupted after {len(rows)} of {len(approaches)} approaches")
    if plot:
        result.plot(plot)
        if not json:
            print(f"drawn into {plot}")
    if not all(row.is_right for row in result):
        raise typer.Exit(1)


def _must_be_drawable(path):
    """Makes a plot that cannot be drawn fail before anything is measured."""
    import kasoku as ks

    if importlib.util.find_spec("matplotlib") is None:
        raise ks.Error("compare --plot draws with matplotlib, which is not installed\n  fix  pip install matplotlib")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise ks.Error(f"compare --plot cannot write {path}: {folder} is not a folder that can be written")
    if not path.lower().endswith((".png", ".svg", ".pdf")):
        raise ks.Error(f"compare --plot cannot draw {path}\n  fix  a name that ends in .png, .svg or .pdf")


def _count(text, option):
    try:
        value = int(float(text))
    except (ValueError, OverflowError):
        value = 0
    if value < 1:
        raise typer.BadParameter(f"{text!r} is not a number of 1 or more", param_hint=option)
    return value


def _usual_threads():
    cores = len(os.sched_getaffinity(0))
    return sorted({1, cores})


def _approaches(module):
    """name -> function, in the order of the file."""
    import kasoku as ks

    named = getattr(module, "APPROACHES", None)
    if named is not None:
        return dict(named)
    found = {}
    for name, value in vars(module).items():
        inner = getattr(value, "py_func", getattr(value, "__wrapped__", value))
        own = getattr(inner, "__module__", None) == module.__name__
        if name.startswith("_") or isinstance(value, (type, ks.Delayed)) or not callable(value) or not own:
            continue
        if _takes_one(inner):
            found[name] = value
    return found


def _takes_one(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    wanted = [p for p in parameters if p.default is p.empty and p.kind in plain]
    keywords = [p for p in parameters if p.default is p.empty and p.kind is p.KEYWORD_ONLY]
    return len(wanted) == 1 and not keywords


def _show(result, counts):
    has_error = result.reference is not None
    columns = ["approach", ">samples", ">Msamples/s", ">ratio", ">first call", ">cores", ">GIL"]
    columns += [">|error|", ">6 sigma"] if has_error else []
    shown = table(*columns, *(f">{t} thr." for t in counts))
    for row in result:
        if row.failure:
            shown.add_row(row.name, f"{row.samples:,}", "[red]failed[/]")
            continue
        cells = [
            f"{row.rate / 1e6:,.1f}",
            f"{row.ratio:,.1f}",
            f"{row.first:.3f} s",
            f"{row.cores:.1f}",
            f"{row.gil:.0%}",
        ]
        if has_error:
            cells.append(f"{row.error:.1e}" + ("" if row.is_right else " [red]WRONG[/]"))
            cells.append(f"{row.bound:.1e}" if row.bound < float("inf") else "")
        one = row.threads.get(min(counts))
        cells += [f"{one / row.threads[t]:.2f} x" if one and t in row.threads else "" for t in counts]
        shown.add_row(row.name, f"{row.samples:,}", *cells)
    out = console()
    if not out.is_terminal:
        out.width = 160  # a table in a file or a pipe is not cut to a terminal's width
    out.print(shown)
    for row in result:
        if row.failure:
            out.print(f"[red]failed[/]  {row.name}: ", end="")
            out.print(row.failure, markup=False, soft_wrap=True)
