"""A user's file as a module whose imports of torch and the like lead to our faces, for commands
that look at what a file defines."""

import importlib.util
import os
import sys

from . import redirect
from .errors import Error


def misused(what, command="kasoku run"):
    """Says what is wrong with the command line; the exit status is 2, as that of Python. It is that of all subcommands,
    for whom 1 means that something was found."""
    print(f"{command}: {what}", file=sys.stderr)
    return SystemExit(2)


def must_be_a_file(path, command="kasoku run"):
    if not os.path.exists(path):
        raise misused(f"there is no file {path or repr(path)}", command)
    if os.path.isdir(path):
        raise misused(f"{path} is a folder, not a file", command)


def load(path, real=(), name=None, ended=lambda code: None):
    """Runs the file and returns its module. `real`: packages to leave as they are installed; `ended` is told
    the code with which the program ends itself, if it does."""
    must_be_a_file(path, "kasoku")
    full = os.path.realpath(path)
    folder = os.path.dirname(full)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    redirect.install([folder], redirect.faces() - set(real), None)
    name = name or os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None:
        raise Error(f"{path} is not a Python file\n  fix  name a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its classes and dataclasses know their module
    try:
        spec.loader.exec_module(module)
    except SystemExit as exit:  # a program that ends with its own verdict has defined all that it defines
        ended(exit.code)
    return module
