"""cupy.vectorize: a Python function of scalars, computed for every element."""

import dis
import functools
import inspect

import numpy as np

import kasoku as ks

from .._face.table import bound
from .. import numba
from . import _ufunc, _util
from ._arrays import array, asarray, ndarray


_jumps = {*dis.hasjrel, *dis.hasjabs}


class _IsNumber(Exception):
    """The function asks for what a number has and an array of numbers has not."""


def _refused(self, *args):
    raise _IsNumber


def _ordered(self, other, *, compare):
    if self.dtype.kind == "c" or getattr(other, "dtype", np.dtype(type(other))).kind == "c":
        raise TypeError("complex numbers have no order")
    return compare(self, other)


class _Each(ndarray):
    """An array in the place of each of its numbers."""

    for _name in "bool int float complex index len iter contains getitem setitem round format hash array".split():
        locals()[f"__{_name}__"] = _refused
    for _name in "add sub mul truediv floordiv mod lshift rshift and or xor matmul".split():
        locals()[f"__i{_name}__"] = getattr(ndarray, f"__{_name}__")  # a number is not changed in place
    for _name in "__lt__ __le__ __gt__ __ge__".split():
        locals()[_name] = bound(_ordered, compare=getattr(ndarray, _name))

    def __pow__(self, other):
        return np.power(self, other)  # a truth value's square has the integer's dtype, an array's has 8 bits

    __ipow__ = __pow__

    def __array_ufunc__(self, function, method, *inputs, **kwargs):
        result = ndarray.__array_ufunc__(self, function, method, *inputs, **kwargs)
        return result.view(_Each) if isinstance(result, ndarray) else result


def _is_of_elements(name):
    """Whether what has that name, in CuPy or of an array, is computed of each element alone."""
    import kasoku.compat.cupy as cupy

    found = getattr(cupy, name, None)
    return isinstance(found, (_ufunc.ufunc, type)) or (found is None and not hasattr(ndarray, name))


def _is_straight(function):
    """Whether arrays in the place of numbers give the same: no branch, no loop, nothing but what is computed of elements."""
    code = getattr(function, "__code__", None)
    if code is None or any(at.opcode in _jumps or at.opname == "MAKE_FUNCTION" for at in dis.get_instructions(code)):
        return False
    outside, globals, builtins, names = inspect.getclosurevars(function)
    inner = (f for f in (*outside.values(), *globals.values()) if inspect.isfunction(f) and f is not function)
    return (
        builtins.keys() <= {"abs", "divmod", "pow"}
        and all(map(_is_of_elements, names))
        and all(map(_is_straight, inner))
    )


@_util.in_face
class vectorize:
    """f(*arrays) computes the function of each element, with NumPy's broadcasting: a function without branches is called
    once, with the arrays; another is compiled into a loop."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        for name, value in (("excluded", excluded), ("signature", signature)):
            if value is not None:
                raise NotImplementedError(f"cupy.vectorize does not support the argument {name!r}")
        if otypes is not None and not isinstance(otypes, str):
            otypes = "".join(np.dtype(t).char for t in otypes)
        self.pyfunc, self.otypes = pyfunc, otypes
        self._is_straight, self._compiled = _is_straight(pyfunc), None
        functools.update_wrapper(self, pyfunc)
        self.__doc__ = doc if doc is not None else pyfunc.__doc__

    def __call__(self, *args):
        args = [asarray(a) if isinstance(a, np.ndarray) else np.asarray(a)[()] if np.isscalar(a) else a for a in args]
        results = self._of_arrays(args) if self._is_straight else None
        results = self._of_numbers(args) if results is None else results
        if self.otypes is None:
            return results
        if len(self.otypes) != (len(results) if isinstance(results, tuple) else 1):
            raise ValueError(f"{self.__name__} gives another number of results than otypes={self.otypes!r} says")
        if isinstance(results, tuple):
            return tuple(x.astype(t, copy=False) for x, t in zip(results, self.otypes, strict=True))
        return results.astype(self.otypes, copy=False)

    def _of_arrays(self, args):
        """The function of the arrays, or None if it needs their numbers."""
        each = [a.view(_Each) if isinstance(a, ks.Array) else a for a in args]
        try:
            results = self.pyfunc(*each)
        except _IsNumber:
            self._is_straight = False
            return None
        shape = np.broadcast_shapes(*(a.shape for a in each if isinstance(a, ks.Array)))
        return tuple(_whole(x, shape) for x in results) if isinstance(results, tuple) else _whole(results, shape)

    def _of_numbers(self, args):
        self._compiled = self._compiled or numba.vectorize(self.pyfunc)
        result = self._compiled(*args)
        result = result if isinstance(result, ks.Array) else asarray(result)
        wanted = self.otypes or self._dtype(result, args)
        return result if wanted is None else result.astype(wanted, copy=False)

    @staticmethod
    def _dtype(result, args):
        """The arrays', if only constants made it wider: they have no type of their own."""
        given = [a.dtype for a in args if hasattr(a, "dtype")]
        wanted = np.result_type(*given) if given else result.dtype
        return wanted if wanted.kind == result.dtype.kind else None


def _whole(result, shape):
    """A result with an element for each, in memory of its own."""
    result = asarray(result)
    is_own = result.shape == shape and result.base is None
    return result.view(ndarray) if is_own else array(ks.broadcast_to(result, shape))
