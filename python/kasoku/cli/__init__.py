"""The command line. One file per subcommand; `run` is started without loading any of it."""

import sys


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "run":
        from kasoku.run import main as run

        return run(sys.argv[2:])
    from .app import main as command_line

    return command_line()
