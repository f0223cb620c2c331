"""`kasoku run`: a program or notebook, unchanged, as `__main__`.

The program sees what `python PROGRAM` would show it: sys.argv, sys.path[0], __file__, its exit
status, its tracebacks. Only `import torch` and the like lead to kasoku's faces (redirect.py).
"""

import atexit
import builtins
import linecache
import os
import sys
import traceback as printer  # it reads linecache, where cells and -c texts are
import types

from . import redirect
from ._guests import AfterImport
from ._program import misused, must_be_a_file

usage = """usage: kasoku run [--explain] [--stats] [--check] [--numpy] [--device NAME]
                  [--real PACKAGE]… [--gpus N | --processes N] (PROGRAM | NOTEBOOK | -m MODULE | -c TEXT) [ARGS…]

Runs a Python program or a Jupyter notebook unchanged; what it imports as torch, pycuda,
cupy, numba, tensorflow or dask comes from kasoku.

  --explain        say on stderr which import was redirected where
  --stats          say on stderr at the end what was compiled, launched and copied
  --check          check each launch and parallel loop before it runs, on the CPU, and say
                   on stderr at the end what was found; the exit status is the program's,
                   or 1 if that is 0 and something was found
  --numpy          numpy is kasoku's as well; what only NumPy has is computed by it and
                   listed on stderr at the end
  --device NAME    cpu, cuda or cuda:1; sets KASOKU_DEVICE
  --real PACKAGE   leave this package as it is installed
  --gpus N         N processes, each with a GPU of its own, for kasoku.distributed
  --processes N    N processes that compute on the CPU
"""

_lists_options = "\n  fix  `kasoku run --help` lists the options"
flags = ("--explain", "--stats", "--check", "--numpy")
takes_value = {
    "--device": "device", "--real": "real", "--gpus": "gpus", "--processes": "processes", "-m": "module", "-c": "text",
}  # fmt: skip
_package = os.path.dirname(os.path.abspath(__file__)) + os.sep
_launcher = None  # the module that was __main__ before; its dictionary must stay alive


class Options:
    explain = False
    stats = False
    check = False
    numpy = False
    device = None
    real = ()
    gpus = None
    processes = None
    module = None
    text = None


def parse(arguments):
    """Our options, then the program and what belongs to it, untouched."""
    options, rest = Options(), list(arguments)
    options.others = []  # what is not about the number of processes
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word, equals, value = rest.pop(0).partition("=")
        if word == "--":
            options.others.append(word)
            break
        if word in ("-h", "--help"):
            print(usage, end="")
            raise SystemExit(0)
        if word in flags:
            setattr(options, word[2:], True)
            options.others.append(word)
            continue
        if word not in takes_value:
            from ._hints import did_you_mean

            raise misused(f"no option {word}{did_you_mean(word, [*flags, *takes_value])}{_lists_options}")
        if not equals:
            if not rest:
                raise misused(f"{word} wants a value{_lists_options}")
            value = rest.pop(0)
        if word in ("--gpus", "--processes"):
            if not value.isdecimal() or not int(value):
                raise misused(f"{word} wants a number from 1, not {value!r}{_lists_options}")
            setattr(options, takes_value[word], int(value))
            continue
        options.others += [word, value]
        if word == "--real":
            options.real = (*options.real, value)
        else:
            setattr(options, takes_value[word], value)
        if word in ("-m", "-c"):
            break
    if not rest and options.module is None and options.text is None:
        raise misused(f"what is to be run?\n{usage}")
    return options, rest


def main(arguments):
    global _launcher
    _launcher = sys.modules["__main__"]
    options, rest = parse(arguments)
    if options.gpus or options.processes:
        if options.gpus and options.processes:
            raise misused(f"--gpus or --processes, not both{_lists_options}")
        from ._launch import launch

        raise SystemExit(launch([*options.others, *rest], options.gpus or options.processes, bool(options.gpus)))
    if options.check:
        options.device = options.device or "cpu"
    if options.device:
        os.environ["KASOKU_DEVICE"] = options.device
    if options.stats:
        atexit.register(_show_stats)
    explain = (lambda line: print(f"kasoku: {line}", file=sys.stderr)) if options.explain else None

    def start(folder):
        names = redirect.faces(options.numpy) - set(options.real)
        redirect.install([folder], names, explain)
        _redirect_children(folder, names)
        _run_children(["--numpy"] * options.numpy + [word for name in options.real for word in ("--real", name)])
        if explain:
            explain("faces for imports below " + folder + ": " + ", ".join(sorted(names)))

    sys.excepthook = _show
    if options.check:
        from ._check import launches

        return launches.run(lambda: _start(options, rest, start))
    return _start(options, rest, start)


def _start(options, rest, start):
    """The program that the options name."""
    if options.module is not None:
        return _run_module(options.module, rest, start)
    if options.text is not None:
        return _run_text(options.text, "<string>", ["-c", *rest], os.getcwd(), "", start)
    program = rest[0]
    if program == "-":
        return _run_text(sys.stdin.read(), "<stdin>", rest, os.getcwd(), "", start)
    if os.path.isdir(program):
        inner = os.path.join(program, "__main__.py")
        if os.path.exists(inner):
            return _run_file(inner, rest, os.path.abspath(program), start)
        raise misused(f"{program} is a folder without __main__.py")
    must_be_a_file(program)
    if program.endswith((".cu", ".cuh")):
        raise SystemExit(
            f"kasoku run: {program} is CUDA C++, whose host part is not run\n"
            f'  fix  launch its kernels from Python: kasoku.RawModule(path={program!r}).get_function("name")'
        )
    folder = os.path.dirname(os.path.realpath(program))
    if program.endswith(".ipynb"):
        from .notebook import run_notebook

        _enter(rest, folder, folder, start)
        return run_notebook(program, new_main())  # cells have no file, as in Jupyter
    return _run_file(program, rest, folder, start)


def _show_stats():
    from ._stats import stats

    print(stats(), file=sys.stderr)


def new_main(file=None, spec=None, package=None, loader=None):
    """A fresh __main__, where the program's names live."""
    global _launcher
    module = types.ModuleType("__main__")
    module.__dict__.update(
        __builtins__=builtins, __spec__=spec, __package__=package, __loader__=loader, __cached__=None
    )
    if file is not None:
        module.__file__ = os.path.abspath(file)
    if _launcher is None:
        _launcher = sys.modules["__main__"]
    sys.modules["__main__"] = module
    return module


def _enter(argv, first_path, folder, start):
    sys.argv[:] = argv
    if sys.flags.safe_path:
        pass
    elif sys.path:
        sys.path[0] = first_path
    else:
        sys.path.append(first_path)
    start(folder)


def _run_file(file, argv, folder, start):
    from importlib.machinery import SourceFileLoader

    with open(file, "rb") as stream:
        text = stream.read()
    path = os.path.abspath(file)
    _enter(argv, folder, folder, start)
    names = new_main(file, loader=SourceFileLoader("__main__", path)).__dict__
    exec(compile(text, path, "exec", dont_inherit=True), names)


def _run_text(text, name, argv, folder, first_path, start):
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    _enter(argv, first_path, folder, start)
    exec(compile(text, name, "exec", dont_inherit=True), new_main().__dict__)


def _run_module(name, argv, start):
    import importlib.util

    folder = os.getcwd()
    _enter(["-m", *argv], folder, folder, start)
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(name + ".__main__")
    except ModuleNotFoundError:
        spec = None
    code = spec.loader.get_code(spec.name) if spec and hasattr(spec.loader, "get_code") else None
    if code is None:
        raise SystemExit(f"kasoku run: there is no module {name} that can be run")
    sys.argv[0] = spec.origin
    main = new_main(spec.origin, spec, spec.parent, spec.loader)
    exec(code, main.__dict__)


def _redirect_children(folder, names):
    """Children of multiprocessing.spawn import the program by way of _spawned.py, which redirects as we do here."""

    def tell(module):
        import json

        prepare = module.get_preparation_data

        def get_preparation_data(process_name):
            data = prepare(process_name)
            main = data.pop("init_main_from_path", None)
            if main is not None:
                told = {"folder": folder, "names": sorted(names), "main": main}
                os.environ["_KASOKU_SPAWNED"] = json.dumps(told)
                data["init_main_from_name"] = "kasoku._spawned"
            return data

        module.get_preparation_data = get_preparation_data

    AfterImport("multiprocessing.spawn", tell)


def _run_children(options):
    """A Python that the program's own files start (`subprocess.run([sys.executable, "worker.py"])`) is a `kasoku run` too."""

    def tell(module):
        start = module.Popen.__init__

        def __init__(self, args, *more, **words):
            frame = sys._getframe(1)
            while frame.f_globals.get("__name__") == "subprocess":
                frame = frame.f_back
            start(self, _by_us(args, options) if redirect.is_own(frame.f_globals) else args, *more, **words)

        module.Popen.__init__ = __init__

    AfterImport("subprocess", tell)


def _by_us(args, options):
    """The command, in which `kasoku run` stands before the program of this Python."""
    words = list(args) if isinstance(args, (list, tuple)) else []
    at = 1
    while (
        at < len(words) and isinstance(words[at], str) and words[at][:1] == "-" and words[at] not in ("-m", "-c", "-")
    ):
        at += 2 if words[at] in ("-W", "-X") else 1
    is_ours = words[at : at + 2] == ["-m", "kasoku"]
    if (
        is_ours
        or at >= len(words)
        or words[0] != sys.executable
        or {"-S", "-V", "--version", "-h", "--help"} & {*words[1:at]}
    ):
        return args
    return [*words[:at], "-m", "kasoku", "run", *options, *words[at:]]


# ── tracebacks ────────────────────────────────────────────────────────────────────────────


def _is_ours(frame):
    file = frame.f_code.co_filename
    if file.startswith(_package) or file.startswith("<frozen importlib"):
        return True
    return _launcher is not None and frame.f_globals is _launcher.__dict__


def without_our_frames(traceback):
    """The traceback with the user's frames only."""
    kept = []
    while traceback is not None:
        # Of runpy, that of `python -m kasoku`: what the program runs by it stands below a frame of the program's.
        is_start = not kept and traceback.tb_frame.f_code.co_filename == "<frozen runpy>"
        if not is_start and not _is_ours(traceback.tb_frame):
            kept.append(traceback)
        traceback = traceback.tb_next
    result = None
    for one in reversed(kept):
        one.tb_next = result
        result = one
    return result


def clean(error, seen=None):
    """Takes our frames out of an exception and of those that led to it."""
    from .errors import InternalError

    seen = seen if seen is not None else set()
    if error is None or id(error) in seen or isinstance(error, InternalError):
        return error
    seen.add(id(error))
    error.__traceback__ = without_our_frames(error.__traceback__)
    clean(error.__cause__, seen)
    clean(error.__context__, seen)
    for inner in getattr(error, "exceptions", ()):
        clean(inner, seen)
    return error


# What this imports is imported before the program starts: an import that evaluates text here
# would make Python forget that it is to die of SIGINT.
def _show(kind, error, traceback):
    error.__traceback__ = traceback
    clean(error)
    printer.print_exception(kind, error, error.__traceback__)
