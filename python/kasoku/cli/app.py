"""The commands: every file here with a function or a typer group of its own name is one."""

import importlib
import os
import sys

import typer
import typer.core


class _FlagsAreBare:
    """A command whose help shows no type beside a flag, which takes no value."""

    def get_params(self, ctx):
        params = super().get_params(ctx)
        for one in params:
            if getattr(one, "is_flag", False):
                one.metavar = ""
        return params


class _Command(_FlagsAreBare, typer.core.TyperCommand):
    pass


class _Group(_FlagsAreBare, typer.core.TyperGroup):
    pass


app = typer.Typer(
    name="kasoku",
    cls=_Group,
    help="Runs CUDA C++ kernels, arrays and compiled Python on x86-64 CPUs and on NVIDIA GPUs.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
# What people need first stands first; what is not here follows by name.
first = ["run", "devices", "doctor", "cache", "check", "compare"]


def _version(wanted: bool):
    if wanted:
        from kasoku import __version__

        print(f"kasoku {__version__}")
        raise typer.Exit()


@app.callback()
def _all(
    version: bool = typer.Option(False, "--version", callback=_version, help="Print the version."),
):
    pass


def _add_commands():
    here = os.path.dirname(__file__)
    names = {f.removesuffix(".py") for f in os.listdir(here) if f.endswith(".py")}
    names -= {"app", "output", "__init__", "__main__"}
    for name in sorted(names, key=lambda n: (first.index(n) if n in first else len(first), n)):
        module = importlib.import_module(f"kasoku.cli.{name}")
        command = getattr(module, name, None)
        if isinstance(command, typer.Typer):
            for inner in command.registered_commands:
                inner.cls = _Command
            app.add_typer(command, name=name, cls=_Group)
        elif command is not None:
            app.command(name, cls=_Command, **getattr(module, "settings", {}))(command)


_add_commands()


def main():
    import warnings

    from kasoku.errors import CacheWarning, Error

    warnings.simplefilter("ignore", CacheWarning)  # `cache` and `doctor` say it themselves
    try:
        return app(prog_name="kasoku")  # also by `python -m kasoku`; completion goes by the name
    except Error as error:  # one sentence, no traceback of ours
        print(f"kasoku: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        if not _is_of_the_program(error):
            raise
        return 1


def _is_of_the_program(error):
    """Shows an exception of the user's file with the user's frames only, if it is one."""
    import traceback

    from kasoku.run import clean

    folders = tuple(
        os.path.dirname(sys.modules[name].__file__) + os.sep for name in ("typer", "click") if name in sys.modules
    )
    frames = clean(error).__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(folders):
        frames = frames.tb_next
    text = isinstance(error, SyntaxError) and error.filename  # a file that is not read has no frames
    if frames is None and (not text or text.startswith(os.path.dirname(os.path.dirname(__file__)))):
        return False
    traceback.print_exception(type(error), error, frames)
    return True
