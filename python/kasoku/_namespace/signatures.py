"""Signatures of the extension's functions, as `inspect` has them."""

import ast
import inspect
import re


def signature_of(function):
    """The signature that nanobind writes for a function or method."""
    text, _, defaults = function.__nb_signature__[0]
    tree = ast.parse(re.sub(r"\\(\d+)", r"_default(\1)", text) + ": ...").body[0]
    kinds = inspect.Parameter
    parameters = []

    def add(argument, kind, default=None):
        given = kinds.empty if default is None else defaults[default.args[0].value]
        parameters.append(kinds(argument.arg, kind, default=given))

    given = tree.args
    positional = [*given.posonlyargs, *given.args]
    for argument, default in zip(positional, [None] * (len(positional) - len(given.defaults)) + given.defaults):
        add(argument, kinds.POSITIONAL_ONLY if argument in given.posonlyargs else kinds.POSITIONAL_OR_KEYWORD, default)
    if given.vararg:
        add(given.vararg, kinds.VAR_POSITIONAL)
    for argument, default in zip(given.kwonlyargs, given.kw_defaults):
        add(argument, kinds.KEYWORD_ONLY, default)
    if given.kwarg:
        add(given.kwarg, kinds.VAR_KEYWORD)
    return inspect.Signature(parameters)
