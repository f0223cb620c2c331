"""What NumPy, math and random have and compiled code lacks, in Python that is compiled along with its caller.

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
    calls,
    contractions,
    draws,
    generators,
    indices,
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
_numpy.update(trapz=sums.trapezoid)
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
    (math, {k: getattr(numbers, k) for k in "gcd lcm factorial comb perm isqrt modf isclose dist fsum prod".split()}),
    (cmath, {**_complex, **{k: getattr(numbers, k) for k in "phase polar rect".split()}}),
    (builtins, {"divmod": numbers.quotient_and_remainder}),
    (np, {"divmod": numbers.quotient_and_remainder}),
    (heapq, {k: getattr(numbers, k) for k in "heappush heappop heapify heapreplace heappushpop".split()}),
    (bisect, {"bisect": sorting.bisect_right, "bisect_left": sorting.bisect_left,
              "bisect_right": sorting.bisect_right}),
    (np.random, _all_of(draws)),
    (random, {"shuffle": draws.shuffle, "choice": draws.choice_of, "gammavariate": draws.gammavariate,
              "betavariate": draws.betavariate, "lognormvariate": draws.lognormvariate,
              "paretovariate": draws.paretovariate, "weibullvariate": draws.weibullvariate}),
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
            "diagonal": calls.diagonal, "compress": calls.compress_method, "partition": sorting.partition_in_place,
            **generators.methods}  # fmt: skip
_positions = {name for name, row in _core._reductions().items() if row["is_position"]}
_reductions = _core._reductions().keys() - _positions | {"mean"}
_of_rows = _positions | {"std", "var", "median", "ptp", "nanmean", "nanstd", "nanvar", "nanmedian"}


def function(object):
    """The function that stands for this one, or None."""
    try:
        return _by_object.get(object)
    except TypeError:  # not hashable
        return None


def method(name):
    """The function that stands for this method of arrays or of generators, or None."""
    return _methods.get(name)


def _axis(call, at):
    found = [k.value for k in call.keywords if k.arg == "axis"]
    return found[0] if found else call.args[at] if len(call.args) > at else None


def _is_number(node):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant)


def instead(meant, name, call):
    """(function that does what this call asks for, whether it takes what was called as its first argument), or None.

    `meant` is what is called, or None for a method called `name`.
    """
    is_method = meant is None
    known = _reductions | _of_rows
    if is_method or any(meant is getattr(np, each) for each in known if each == getattr(meant, "__name__", "")):
        name = name if is_method else meant.__name__
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
        if is_method and name == "transpose" and len(call.args) == 2:
            return shapes.transpose_2, None
        if is_method and name == "transpose" and len(call.args) == 1:
            return shapes.transpose, None
        return None
    if isinstance(meant, type) and issubclass(meant, tuple) and hasattr(meant, "_fields"):
        given = dict(zip(meant._fields, call.args, strict=False))
        given.update({k.arg: k.value for k in call.keywords})
        defaults = {k: ast.Constant(v) for k, v in meant._field_defaults.items()}
        if len(call.args) > len(meant._fields) or set(given) | set(defaults) != set(meant._fields):
            return None
        for each in defaults.values():
            ast.copy_location(each, call)
        return meant, [{**defaults, **given}[k] for k in meant._fields]
    if meant in (reversed, map, filter) and not call.keywords:
        made = _scopes.as_items(meant.__name__, call)
        return None if made is None else (made, None)
    if type(meant) is type(abs) and (made := operators.written(meant, call)) is not None:
        return made, None
    wanted = {k.arg for k in call.keywords if isinstance(k.value, ast.Constant) and k.value.value is True}
    if meant is np.unique and wanted and len(wanted) == len(call.keywords):
        name = "_".join(["unique", *(word for word in ("index", "inverse", "counts") if f"return_{word}" in wanted)])
        return getattr(sorting, name), None
    words = {k.arg for k in call.keywords}
    if meant is np.unique and words == {"axis"}:
        return calls.unique_parts, None
    if meant is np.intersect1d and "return_indices" in words:
        return calls.intersection, None
    if getattr(meant, "__name__", "") == "accumulate" and isinstance(getattr(meant, "__self__", None), np.ufunc):
        return None if function(meant) else (sums.accumulate, meant.__self__)
    if meant is np.linalg.tensordot:
        meant = np.tensordot
    if meant is np.einsum or meant is np.tensordot:
        made = contractions.named(meant.__name__, call)
        return None if made is None else (made, None)
    if meant is pow and len(call.args) == 3:
        return numbers.pow_modulo, None
    if meant is np.where and len(call.args) == 1 and not call.keywords:
        return signals.nonzero, None
    if meant is np.transpose and len(call.args) + len(call.keywords) == 2:
        return shapes.transpose, None
    if meant is sum and len(call.args) == 2:
        return sums.sum_from, None
    if meant is np.dot and len(call.args) + len(call.keywords) == 3:
        return linear.dot_into, None
    if isinstance(meant, np.ufunc) and meant.nin < 3 and len(call.args) == meant.nin + 1 and not call.keywords:
        return (sums.into if meant.nin == 1 else sums.into_2), meant
    return None
