"""Reductions with CuPy's arguments, as functions and as methods. The engine reduces."""

import numpy as np

import kasoku as ks
from kasoku import _core

from . import _util
from ._arrays import asarray, stored_as_it_fits
from .exceptions import ComplexWarning


def _drops_imaginary(a, axis=None, dtype=None, *args, **kwargs):
    return getattr(a.dtype, "kind", "") == "c" and dtype is not None and np.dtype(dtype).kind not in "cb"


def _reduce(name, a, out, **arguments):
    if isinstance(a, np.ndarray) and hasattr(a, name):  # as in CuPy, what is asked is the argument's own method
        return getattr(a, name)(out=out, **{k: v for k, v in arguments.items() if v is not None or k == "axis"})
    a = asarray(a)
    if _drops_imaginary(a, dtype=arguments.get("dtype")):
        ks.errors._warn(ComplexWarning, "the imaginary part is dropped")
        a = a.real
    return stored_as_it_fits(_engine[name](a, **arguments), out, name)


def _over(name):
    """name(a, axis, out, keepdims)."""

    def function(a, axis=None, out=None, keepdims=False):
        return _reduce(name, a, out, axis=axis, keepdims=keepdims)

    return function


def _summing(name):
    """name(a, axis, dtype, out, keepdims)."""

    def function(a, axis=None, dtype=None, out=None, keepdims=False, **where):
        return _reduce(name, a, out, axis=axis, dtype=dtype, keepdims=keepdims, **where)

    return function


def _spread(name):
    """name(a, axis, dtype, out, ddof, keepdims)."""

    def function(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        return _reduce(name, a, out, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    return function


def _position(name):
    """name(a, axis, dtype, out, keepdims) of argmax and argmin."""

    def function(a, axis=None, dtype=None, out=None, keepdims=False):
        result = _reduce(name, a, None, axis=axis, keepdims=keepdims)
        return stored_as_it_fits(result if dtype is None else result.astype(dtype), out, name)

    return function


def count_nonzero(a, axis=None):
    """How many elements are not 0."""
    return _core.count_nonzero(asarray(a), axis=axis)


_makers = {"mean": _summing, "var": _spread, "std": _spread}
for _name, _row in _core._reductions().items():
    _makers[_name] = _position if _row["is_position"] else _summing if _row["dtype"] else _over
_makers.pop("count_nonzero")
functions = {"count_nonzero": count_nonzero}
_engine = {_name: getattr(_core, _name) for _name in _makers}
for _name, _maker in _makers.items():
    functions[_name] = _maker(_name)
    functions[_name].__name__ = _name
    functions[_name].__doc__ = _engine[_name].__doc__


def extend():
    """Makes them methods of arrays too."""
    for name, function in functions.items():
        if hasattr(np.ndarray, name):
            takes_dtype = _makers[name] in (_summing, _spread)
            _util.add_method(name, function, _drops_imaginary if takes_dtype else None)
