"""Overloads: functions that a program writes for compiled code to use in the place of other functions and methods.

An overload is Python that is given the types of a call's arguments and gives the function that is compiled for them, or
None. Compiling asks here when the types are known, and reads the function anew with the answer (kasoku/jit/infer_overload.cpp).
"""

import inspect
import types

from . import _jit, _signature

_of = {}  # key -> [(overload, class of the object whose method it is or None, for what it is)], the oldest first
_names = {}  # a function, ".name" of a method or "=name" of an attribute -> its key
_known = {}  # key, whether kernels ask -> [(types, names of arguments, function or None)]


def add(of, overload, owner=None, target=""):
    """From now on calls of `of` are those of what `overload` gives: in kernels alone for the target "cuda", elsewhere alone
    for "cpu"."""
    _names[of] = of if isinstance(of, str) else f"{getattr(of, '__qualname__', of)} {id(of):x}"
    _of.setdefault(_names[of], []).append((overload, owner, target))
    for in_kernels in (False, True):
        _known.pop((_names[of], in_kernels), None)


def _overloads_for(key, in_kernels):
    """The overloads that compiled code of a kind may take, those that are for it alone before the others."""
    own, others = ("cuda", "cpu") if in_kernels else ("cpu", "cuda")
    found = [row for row in _of[key] if row[2] != others]
    return [row[:2] for row in sorted(found, key=lambda row: row[2] != own)]


def key(of):
    """The key of what is overloaded; "" of anything else."""
    try:
        return _names.get(of, "")
    except TypeError:  # it has no hash
        return ""


def are_called_by(function):
    """Whether the function names a function of the program's that is overloaded."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    read = [function.__globals__.get(name) for name in function.__code__.co_names]
    read += [cell.cell_contents for cell in cells.values() if cell != types.CellType()]
    return any(isinstance(each, types.FunctionType) and key(each) for each in read)


def known(key, in_kernels):
    return _known.get((key, in_kernels), [])


def chosen(of, given):
    """What the first overload that takes arguments of these types gives for them, as a function of Python."""
    for overload, owner in _overloads_for(_names[of], False):
        if owner is None or isinstance(given[0], owner):
            function = overload(*given)
            if function is not None:
                return getattr(function, "py_func", function)
    raise _jit.TypingError(f"no overload of {of.lstrip('.=')} takes {given}")


def _takes(function, positional, named):
    try:
        inspect.signature(function).bind(*positional, **named)
    except TypeError:
        return False
    return True


def ask(key, arguments, by_name, in_kernels):
    """Keeps what the overloads give for arguments of these types."""
    found = _known.setdefault((key, in_kernels), [])
    for with_values in (False, True):
        given = [
            _type(described, value if with_values or described[0] == "tuple" else "") for described, value in arguments
        ]
        positional = given[: len(given) - len(by_name)]
        named = dict(zip(by_name, given[len(positional) :], strict=True))
        for overload, owner in _overloads_for(key, in_kernels):
            if owner is not None and not isinstance(given[0], owner):
                continue
            if not _takes(overload, positional, named):
                continue
            try:
                function = overload(*positional, **named)
            except _jit.TypingError:
                if with_values:
                    raise
                continue  # it may want an argument's value
            if function is not None:
                kept = arguments if with_values else [(d, "" if len(d) == 4 else text) for d, text in arguments]
                found.append((kept, by_name, getattr(function, "py_func", function)))
                return
    found.append((arguments, by_name, None))


def _type(described, value):
    type = _signature.of_description(described)
    if described[0] == "tuple" and value:
        return _signature.NamedTupleType(type.types, value.rstrip(",").split(","))
    if not value or not (len(described) == 4 or described[0] == "unicode_type"):
        return type
    made = {"unicode_type": str, "bool": lambda text: text == "1"}.get(described[0], int)
    return _signature.Literal(type, made(value))
