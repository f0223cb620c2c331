"""kasoku run: here for its help and completion; main() starts programs without typer (see kasoku/run.py)."""

import sys

import typer

settings = {
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
    "add_help_option": False,
}


def run(
    context: typer.Context,
    explain: bool = typer.Option(False, "--explain"),
    stats: bool = typer.Option(False, "--stats"),
    check: bool = typer.Option(False, "--check"),
    numpy: bool = typer.Option(False, "--numpy"),
    device: str = typer.Option(None, "--device"),
    real: str = typer.Option(None, "--real"),
    gpus: int = typer.Option(None, "--gpus"),
    processes: int = typer.Option(None, "--processes"),
):
    """Run a Python program or a notebook unchanged, on kasoku."""
    from kasoku.run import main

    return main(sys.argv[sys.argv.index("run") + 1 :])
