"""Signatures of the extension's functions, as `inspect` has them, and what is said of calls that do not fit them."""

import ast
import functools
import inspect
import re

import numpy as np

from kasoku._hints import did_you_mean

# What nanobind takes for an annotation. Others are classes, which an object's class and its bases have the name of.
_taken = {"int": (int, np.integer), "float": (int, float, np.number), "bool": (bool, np.bool_)}


@functools.cache
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


def _called(function):
    """What a function is called by: a constructor by its class."""
    return function.__qualname__.removesuffix(".__init__")


# NumPy's functions on arrays of ours fall back to NumPy's by such errors, call after call.
@functools.cache
def _shown(function):
    signature = signature_of(function)
    parameters = [p for name, p in signature.parameters.items() if name != "self"]
    return f"{_called(function).rpartition('.')[2]}{signature.replace(parameters=parameters)}"


@functools.lru_cache(1024)
def _hint(function, name):
    return did_you_mean(name, signature_of(function).parameters)


def _annotations_of(function):
    """The type that nanobind takes for each parameter, as nanobind writes it."""
    return dict(re.findall(r"(\w+): ([^,=)]+?)(?= =|,|\))", function.__nb_signature__[0][0]))


def _fits(value, annotation):
    kinds = annotation.split(" | ")
    if value is None:
        return "None" in kinds
    names = {name for base in type(value).__mro__ for name in (base.__name__, f"{base.__module__}.{base.__qualname__}")}
    is_open = any(
        kind.startswith("collections.abc") or "[" in kind for kind in kinds
    )  # nobody can say that it does not
    return is_open or any(isinstance(value, _taken.get(kind, ())) or kind in names for kind in kinds)


def _wrong_argument(function, given):
    """The argument whose type nanobind does not take."""
    annotations = _annotations_of(function)
    for name, value in given.items():
        if name in annotations and not _fits(value, annotations[name]):
            taken = " or ".join(annotations[name].replace("kasoku._core.", "").split(" | "))
            kind = type(value).__name__
            return f"{name!r} must not be None" if value is None else f"{name!r} must be {taken}, not {kind}"
    return "an argument has a type that cannot be used here"


_no_integer = (
    "object cannot be interpreted as an integer",
    "only integer scalar arrays can be converted to a scalar index",
)


def _of_no_integer(given, text):
    """The argument that is none: of arrays the last, behind those that a function computes with."""
    for name, value in reversed(given.items()):
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if text.startswith(f"{type(one).__name__!r} object") or text == _no_integer[1] and getattr(one, "ndim", 0):
                return f"{text}, given as {name!r}"
    return text


# What other packages call the first parameter, and others.
_first_names = frozenset("a array m x ary arr prototype arr1 ar1 tup arrays".split())
_other_names = {"arr2": "ar2", "indices": "obj", "newshape": "shape"}


def _in_own_names(signature, args, kwargs):
    """The named arguments with the function's own names for those that other packages call otherwise; None: there are none."""
    parameters = [*signature.parameters][len(args) :]
    is_first = parameters and len(args) == ("self" in signature.parameters)
    own = {
        name: parameters[0] if name in _first_names and is_first else _other_names.get(name, name)
        for name in kwargs
        if name not in parameters
    }
    fits = own and all(other in parameters and other not in kwargs for other in own.values())
    return {own.get(name, name): value for name, value in kwargs.items()} if fits else None


def worded(function, error, args, kwargs):
    """The error of a call of a function of nanobind's that failed with this TypeError: one sentence with the function, the
    argument and the signature. None where it says enough, and of what only kasoku calls. A dict where the call fits with
    these named arguments instead."""
    text = str(error)
    of_call = "incompatible function arguments." in text
    no_integer = text.endswith(_no_integer)
    of_value = text.startswith("an argument has a type or a value")
    if _called(function).rpartition(".")[2].startswith("_") or not (of_call or no_integer or of_value):
        return None
    signature, hint = signature_of(function), ""
    if of_call and kwargs and (own := _in_own_names(signature, args, kwargs)):
        return own
    try:
        given = signature.bind(*args, **kwargs).arguments
        text = _wrong_argument(function, given) if of_call else _of_no_integer(given, text) if no_integer else text
    except TypeError as unfit:
        text = str(unfit)
        hint = _hint(function, text.partition("keyword argument '")[2].rstrip("'"))
    made = type(error)(f"{_called(function)}(): {text}; it is {_shown(function)}{hint}")
    if of_call:
        made.signature = signature  # which the call does not fit
    return made


def unfit(cls, args, kwargs):
    """The error for a call of a class that fits none of its constructors."""
    return worded(cls.__init__, TypeError("incompatible function arguments."), (None, *args), kwargs)
