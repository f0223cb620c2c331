"""Functions of NumPy, math and random that compiled code lacks, in Python that is compiled along with its caller.

Each function is of the compiled language itself: it is read, typed and lowered like the user's. Branches that ask for
types (`x.ndim`, isinstance, `is None`, a word like mode="same") are decided when compiling. A result's dtype is that of
an expression (`a.sum().dtype`), which is known when compiling and never computed.
"""

import ast
import bisect
import builtins
import cmath
import functools
import heapq
import inspect
import math
import operator
import random

import numpy as np

from .. import _core, _scopes
from . import (
    attributes,
    calls,
    contractions,
    draws,
    foreign,
    generators,
    indices,
    iterators,
    linear,
    matrices,
    numbers,
    operators,
    shapes,
    signals,
    sorting,
    sums,
    transforms,
)


def _all_of(*modules):
    return {
        name: f for m in modules for name, f in vars(m).items() if inspect.isfunction(f) and not name.startswith("_")
    }


_of_engine = ("take_along_axis", "put_along_axis", "compress", "diagonal", "insert", "unravel_index", "ravel_multi_index",
              "lexsort", "sort_complex", "gradient")  # fmt: skip
_numpy = _all_of(sorting, sums, shapes, matrices, linear, signals)
_numpy.update({k: getattr(calls, k) for k in _of_engine})
_numpy.update(trapz=sums.trapezoid, row_stack=shapes.vstack)
_matrices = ("norm", "solve", "inv", "det", "slogdet", "cholesky", "matrix_power", "qr", "eigh", "eigvalsh", "pinv",
             "matrix_rank", "cond", "svd", "lstsq", "eig",
             "eigvals")  # fmt: skip
_complex = {name[2:]: f for name, f in _all_of(numbers).items() if name.startswith("c_")}
_homes = [
    (np, {name: f for name, f in _numpy.items() if name not in _matrices}),
    (np.fft, _all_of(transforms)),
    (np.linalg, {name: _numpy[name] for name in _matrices}),
    (np.linalg, {name: getattr(calls, name) for name in ("vector_norm", "matrix_norm", "svdvals", "multi_dot", "vecdot",
                                                         "matrix_transpose", "tensorsolve", "tensorinv")}),
    (np.linalg, {"trace": calls.trace_of_last, "diagonal": calls.diagonal_of_last, "outer": linear.outer,
                 "cross": linear.cross, "matmul": linear.matmul}),
    (np.polynomial.polynomial, {"polyval": signals.polynomial_value, "polyadd": signals.polynomial_sum,
                                "polysub": signals.polynomial_difference, "polymul": signals.polynomial_product}),
    (math, {k: getattr(numbers, k) for k in "gcd lcm factorial comb perm isqrt modf isclose dist fsum prod".split()}),
    (cmath, {**_complex, **{k: getattr(numbers, k) for k in "phase polar rect".split()}}),
    (builtins, {"divmod": numbers.quotient_and_remainder, "hash": numbers.hash_of}),
    (np, {"divmod": numbers.quotient_and_remainder}),
    (heapq, {k: getattr(numbers, k) for k in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop", "nsmallest",
                                              "nlargest")}),
    (bisect, {"bisect": sorting.bisect_right, "bisect_left": sorting.bisect_left,
              "bisect_right": sorting.bisect_right}),
    (np.random, _all_of(draws)),
    (random, {"shuffle": draws.shuffle, "choice": draws.choice_of, "getrandbits": draws.getrandbits,
              "gammavariate": draws.gammavariate,
              "betavariate": draws.betavariate, "lognormvariate": draws.lognormvariate,
              "paretovariate": draws.paretovariate, "weibullvariate": draws.weibullvariate}),
    (np, {"ldexp": numbers.ldexp_of_arrays}),
    (np.lib.stride_tricks, {k: getattr(shapes, k) for k in ("as_strided", "sliding_window_view")}),
    (functools, {"reduce": sums.reduced}),
    (operator, {"abs": numbers.absolute, **{k: f for k, f in _all_of(operators).items() if k != "written"}}),
    (np.add, {"reduce": sums.add_reduce, "accumulate": sums.add_accumulate}),
    (np.multiply, {"reduce": sums.multiply_reduce, "accumulate": sums.multiply_accumulate}),
    (np.maximum, {"reduce": sums.maximum_reduce, "accumulate": sums.maximum_accumulate}),
    (np.minimum, {"reduce": sums.minimum_reduce, "accumulate": sums.minimum_accumulate}),
]  # fmt: skip
_by_object = {
    getattr(home, name): f for home, functions in _homes for name, f in functions.items() if hasattr(home, name)
}
_methods = {"cumsum": sums.cumsum, "cumprod": sums.cumprod, "sort": sorting.sort_in_place, "argsort": sorting.argsort,
            "repeat": shapes.repeat, "trace": linear.trace, "ptp": sums.ptp, "searchsorted": sorting.searchsorted,
            "nonzero": signals.nonzero, "take": shapes.take, "put": shapes.put, "choose": shapes.choose,
            "diagonal": calls.diagonal, "swapaxes": shapes.swapaxes, "compress": calls.compress_method, "partition": sorting.partition_in_place,
            **generators.methods}  # fmt: skip
_positions = {name for name, row in _core._reductions().items() if row["is_position"]}
_reductions = _core._reductions().keys() - _positions | {"mean"}
_of_rows = _positions | {"std", "var", "median", "ptp", "nanmean", "nanstd", "nanvar", "nanmedian"}


def function(object):
    """The function that stands for this one, or None."""
    try:
        return _by_object.get(object)
    except TypeError:  # not hashable, as functions of ctypes
        return foreign.function(object)


def method(name):
    """The function that stands for this method of arrays or of generators, or None."""
    return _methods.get(name)


def attribute(node, resolve):
    """(the function of `attributes` that gives an attribute, what it is given), or None."""
    return attributes.of(node, resolve)


def generator(object, call):
    """The generator that a call makes, of what makes iterators, or None."""
    if len(call.args) != 1 or call.keywords:
        return None
    given = call.args[0]
    if object is iter:
        is_range = isinstance(given, ast.Call) and getattr(given.func, "id", "") == "range"
        return iterators.numbers_of if is_range else iterators.iterated
    if object is np.nditer and not isinstance(given, (ast.Tuple, ast.List)):
        return iterators.elements
    return None


def _axis(call, at):
    found = [k.value for k in call.keywords if k.arg == "axis"]
    return found[0] if found else call.args[at] if len(call.args) > at else None


def _is_number(node):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant)


def _is_reduction(meant):
    name = getattr(meant, "__name__", "")
    return name in _reductions | _of_rows and meant is getattr(np, name, None)


def _reduction(name, call, is_method):
    axis = _axis(call, 0 if is_method else 1)
    keywords = {k.arg for k in call.keywords}
    if "dtype" in keywords and keywords <= {"axis", "dtype"}:
        if name == "mean":
            return sums.mean_in_dtype, None
        if name in ("sum", "prod"):
            return sums.in_dtype, getattr(np, name)
    if axis is not None and keywords <= {"axis"} and len(call.args) + len(keywords) == (1 if is_method else 2):
        if name in _of_rows:
            return sums.by_rows, getattr(np, name)
        if name in _reductions and not _is_number(axis):
            return sums.along, getattr(np, name)
    return None


def _named_tuple(of, call):
    """The tuple's items, in their order, of what a call gives and of the defaults."""
    given = dict(zip(of._fields, call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords})
    defaults = {k: ast.copy_location(ast.Constant(v), call) for k, v in of._field_defaults.items()}
    if len(call.args) > len(of._fields) or set(given) | set(defaults) != set(of._fields):
        return None
    return of, [{**defaults, **given}[k] for k in of._fields]


def _unique(call):
    words = {k.arg for k in call.keywords}
    if words == {"axis"}:
        return calls.unique_parts, None
    wanted = {k.arg for k in call.keywords if isinstance(k.value, ast.Constant) and k.value.value is True}
    if not wanted or wanted != words:
        return None
    name = "_".join(["unique", *(word for word in ("index", "inverse", "counts") if f"return_{word}" in wanted)])
    return getattr(sorting, name), None


def _written(made):
    return made and (made, None)


def _n_arguments(call):
    return len(call.args) + len(call.keywords)


# By what is called: of a call of it, what stands for it, or None.
_by_call = {
    np.unique: _unique,
    np.intersect1d: lambda call: "return_indices" in {k.arg for k in call.keywords} and (calls.intersection, None),
    np.einsum: lambda call: _written(contractions.named("einsum", call)),
    np.tensordot: lambda call: _written(contractions.named("tensordot", call)),
    np.linalg.tensordot: lambda call: _written(contractions.named("tensordot", call)),
    pow: lambda call: len(call.args) == 3 and (numbers.pow_modulo, None),
    np.where: lambda call: len(call.args) == 1 and not call.keywords and (signals.nonzero, None),
    np.transpose: lambda call: _n_arguments(call) == 2 and (shapes.transpose, None),
    sum: lambda call: len(call.args) == 2 and (sums.sum_from, None),
    np.broadcast_arrays: lambda call: _n_arguments(call) == 3 and (shapes.broadcast_arrays_3, None),
    np.dot: lambda call: _n_arguments(call) == 3 and (linear.dot_into, None),
}
for each in (reversed, map, filter):
    _by_call[each] = lambda call, name=each.__name__: not call.keywords and _written(_scopes.as_items(name, call))


def _has_hash(value):
    try:
        hash(value)
    except TypeError:  # a ctypes pointer only says that it has one
        return False
    return True


def instead(meant, name, call):
    """(function that does what this call asks for, whether it takes what was called as its first argument), or None.

    `meant` is what is called, or None for a method called `name`.
    """
    if meant is None and name == "transpose" and 1 <= len(call.args) <= 4:
        return (shapes.transpose, shapes.transpose_2, shapes.transpose_3, shapes.transpose_4)[len(call.args) - 1], None
    if meant is None or _is_reduction(meant):
        return _reduction(name if meant is None else meant.__name__, call, meant is None)
    if isinstance(meant, type) and issubclass(meant, tuple) and hasattr(meant, "_fields"):
        return _named_tuple(meant, call)
    if type(meant) is type(abs) and (made := operators.written(meant, call)) is not None:
        return made, None
    if _has_hash(meant) and meant in _by_call:
        return _by_call[meant](call) or None
    if isinstance(getattr(meant, "__self__", None), np.ufunc) and meant.__name__ == "accumulate":
        return None if function(meant) else (sums.accumulate, meant.__self__)
    if isinstance(meant, np.ufunc) and meant.nin < 3 and len(call.args) == meant.nin + 1 and not call.keywords:
        return (sums.into if meant.nin == 1 else sums.into_2), meant
    return None
