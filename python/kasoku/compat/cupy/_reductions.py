"""Reductions with CuPy's arguments, as functions and as methods. The engine reduces."""

import inspect

import numpy as np

import kasoku as ks
from kasoku import _core

from . import _util
from ._arrays import asarray, stored_as_it_fits
from numpy.exceptions import ComplexWarning


def _drops_imaginary(a, axis=None, dtype=None, *args, **kwargs):
    return getattr(a.dtype, "kind", "") == "c" and dtype is not None and np.dtype(dtype).kind not in "cb"


_defaults = {"axis": None, "dtype": None, "out": None, "ddof": 0, "keepdims": False}


def _reduction(name, words):
    """name(a, …) of CuPy's arguments in this order."""
    engines, names, is_position = getattr(_core, name), words.split(), name.endswith(("argmax", "argmin"))

    def function(a, *args, **arguments):
        if len(args) > len(names) or not arguments.keys() <= {*names, "where"}:
            raise TypeError(f"cupy.{name}{function.__signature__} takes no other arguments")
        arguments = {"axis": None, **dict(zip(names, args)), **arguments}
        if isinstance(a, np.ndarray) and hasattr(a, name):  # as in CuPy, what is asked is the argument's own method
            return getattr(a, name)(**arguments)
        a, out, dtype = asarray(a), arguments.pop("out", None), arguments.get("dtype")
        if is_position:
            arguments.pop("dtype", None)
            result = engines(a, **arguments)
            return stored_as_it_fits(result if dtype is None else result.astype(dtype), out, name)
        if _drops_imaginary(a, dtype=dtype):
            ks.errors._warn(ComplexWarning, "the imaginary part is dropped")
            a = a.real
        # Bools are joined into bools as bools, and quotients of means go to any dtype.
        is_any = name in ("mean", "var", "std") or out is not None and a.dtype == out.dtype == bool
        return stored_as_it_fits(engines(a, **arguments), out, name, "unsafe" if is_any else "same_kind")

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(n, kind, default=_defaults[n]) for n in names]
    function.__signature__ = inspect.Signature([inspect.Parameter("a", kind), *parameters])
    function.__name__, function.__doc__ = name, engines.__doc__
    return function


_rows = {
    name: "axis dtype out keepdims" if row["dtype"] or row["is_position"] else "axis out keepdims"
    for name, row in _core._reductions().items()
}
_rows |= {"mean": "axis dtype out keepdims", "count_nonzero": "axis"}
_rows |= dict.fromkeys(("var", "std"), "axis dtype out ddof keepdims")
functions = {name: _reduction(name, words) for name, words in _rows.items()}


def extend():
    """Makes them methods of arrays too."""
    for name, function in functions.items():
        if hasattr(np.ndarray, name):
            takes_dtype = "dtype" in _rows[name] and "arg" not in name
            _util.add_method(name, function, _drops_imaginary if takes_dtype else None)
