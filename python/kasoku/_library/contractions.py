"""np.einsum and np.tensordot by the engine. How many axes a result has is part of its type, so there is a function for each count."""

import ast

import numpy as np

from .engine import call


def _constant(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def named(name, call):
    """The function for this call of np.einsum or np.tensordot, by what stands in it; None if it has no compiled form."""
    if name == "einsum" and call.args and len(call.args) <= 4 and all(k.arg == "optimize" for k in call.keywords):
        return _by_subscripts(_constant(call.args[0]))
    if name == "tensordot" and 2 <= len(call.args) + len(call.keywords) <= 3:
        given = call.args[2] if len(call.args) > 2 else call.keywords[0].value if call.keywords else ast.Constant(2)
        axes = _constant(given)
        if isinstance(axes, int):
            return (outer_product, tensordot_1, tensordot_2)[axes] if 0 <= axes <= 2 else None
        if isinstance(axes, (list, tuple)) and len(axes) == 2:
            if isinstance(axes[0], int):
                return tensordot_of_numbers
            if len(axes[0]) in (1, 2):
                return (tensordot_of_1, tensordot_of_2)[len(axes[0]) - 1]
    return None


def _by_subscripts(text):
    if not isinstance(text, str) or "." in text:
        return None
    inputs, arrow, result = text.replace(" ", "").partition("->")
    if not arrow:
        letters = inputs.replace(",", "")
        result = [letter for letter in letters if letters.count(letter) == 1]
    functions = (einsum_0, einsum_1, einsum_2, einsum_3, einsum_4)
    return functions[len(result)] if len(result) < len(functions) else None


def einsum_0(subscripts, a, b=None, c=None, optimize=False):
    if b is None:
        return call("einsum", np.empty(1, np.result_type(a))[0], subscripts, a)
    if c is None:
        return call("einsum", np.empty(1, np.result_type(a, b))[0], subscripts, a, b)
    return call("einsum", np.empty(1, np.result_type(a, b, c))[0], subscripts, a, b, c)


def einsum_1(subscripts, a, b=None, c=None, optimize=False):
    if b is None:
        return call("einsum", np.empty(1, np.result_type(a)), subscripts, a)
    if c is None:
        return call("einsum", np.empty(1, np.result_type(a, b)), subscripts, a, b)
    return call("einsum", np.empty(1, np.result_type(a, b, c)), subscripts, a, b, c)


def einsum_2(subscripts, a, b=None, c=None, optimize=False):
    if b is None:
        return call("einsum", np.empty((1, 1), np.result_type(a)), subscripts, a)
    if c is None:
        return call("einsum", np.empty((1, 1), np.result_type(a, b)), subscripts, a, b)
    return call("einsum", np.empty((1, 1), np.result_type(a, b, c)), subscripts, a, b, c)


def einsum_3(subscripts, a, b=None, c=None, optimize=False):
    if b is None:
        return call("einsum", np.empty((1, 1, 1), np.result_type(a)), subscripts, a)
    if c is None:
        return call("einsum", np.empty((1, 1, 1), np.result_type(a, b)), subscripts, a, b)
    return call("einsum", np.empty((1, 1, 1), np.result_type(a, b, c)), subscripts, a, b, c)


def einsum_4(subscripts, a, b=None, c=None, optimize=False):
    if b is None:
        return call("einsum", np.empty((1, 1, 1, 1), np.result_type(a)), subscripts, a)
    if c is None:
        return call("einsum", np.empty((1, 1, 1, 1), np.result_type(a, b)), subscripts, a, b)
    return call("einsum", np.empty((1, 1, 1, 1), np.result_type(a, b, c)), subscripts, a, b, c)


def outer_product(a, b, axes=0):
    if a.ndim == 1 and b.ndim == 1:
        return np.outer(a, b)
    return a.tensordot_without_axes()  # which compiled code does not have, and says so


def tensordot_1(a, b, axes=1):
    return _contracted(a, b, (a.ndim - 1,), (0,), 2)


def tensordot_2(a, b, axes=2):
    return _contracted(a, b, (a.ndim - 2, a.ndim - 1), (0, 1), 4)


def tensordot_of_numbers(a, b, axes):
    return _contracted(a, b, (axes[0] % a.ndim,), (axes[1] % b.ndim,), 2)


def tensordot_of_1(a, b, axes):
    return _contracted(a, b, (axes[0][0] % a.ndim,), (axes[1][0] % b.ndim,), 2)


def tensordot_of_2(a, b, axes):
    i, j = axes
    return _contracted(a, b, (i[0] % a.ndim, i[1] % a.ndim), (j[0] % b.ndim, j[1] % b.ndim), 4)


def _contracted(a, b, at, to, axis):
    """`axis`: how many axes are gone; numbers that are called so are known when compiling."""
    if a.ndim + b.ndim - axis == 0:
        return call("tensordot", np.empty(1, np.result_type(a, b))[0], a, b, at, to)
    if a.ndim + b.ndim - axis == 1:
        return call("tensordot", np.empty(1, np.result_type(a, b)), a, b, at, to)
    if a.ndim + b.ndim - axis == 2:
        return call("tensordot", np.empty((1, 1), np.result_type(a, b)), a, b, at, to)
    if a.ndim + b.ndim - axis == 3:
        return call("tensordot", np.empty((1, 1, 1), np.result_type(a, b)), a, b, at, to)
    return call("tensordot", np.empty((1, 1, 1, 1), np.result_type(a, b)), a, b, at, to)
