"""kasoku run: here for its help; main() starts programs without typer (see kasoku/run.py)."""

import typer

settings = {
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
    "add_help_option": False,
}


def run(context: typer.Context):
    """Run a Python program or a notebook unchanged, on kasoku."""
    from kasoku.run import main

    return main(context.args)
