"""numba.cfunc: a Python function as one of C's, which libraries call; and what its pointers lead to."""

import ctypes

import numpy as np

from ... import _jit, _signature
from ..._signature import Pointer
from ._loops import Made


def _of_c(item):
    """ctypes' class of a number's type or a pointer's; None of void."""
    if isinstance(item, Pointer):
        return ctypes.c_void_p if item.dtype is None else ctypes.POINTER(_of_c(item.dtype))
    name = getattr(item, "__kasoku_dtype__", None)
    if name == "none":
        return None
    if name is None or hasattr(item, "ndim") or np.dtype(name).kind not in "biuf":
        raise _jit.TypingError(f"cfunc: C has no {item} as an argument or a result\n  fix  a number, or CPointer(type)")
    return np.ctypeslib.as_ctypes_type(np.dtype(name))


class CFunc(Made):
    """A function of C's that runs a compiled one. Numbers are converted as the signature says."""

    def __init__(self, function, given):
        super().__init__(function, given)
        args, result = _signature.signature(given)
        if result is None:
            raise _jit.TypingError(
                "cfunc: the signature says no result\n  fix  write result(arguments), with void for none"
            )
        self.__wrapped__ = function
        self.__kasoku_jit__ = _jit.jit(function, parallel=False)
        self.native_name = f"cfunc.{function.__module__}.{function.__qualname__}"
        self.ctypes = ctypes.CFUNCTYPE(*map(_of_c, (result, *args)))(self.__kasoku_jit__)
        self.address = ctypes.cast(self.ctypes, ctypes.c_void_p).value
        self._sig = _signature.Signature(result, args)

    __call__ = lambda self, *args: self.py_func(*args)


def cfunc(signature, **options):
    """Decorates a function for C: its pointer is `.ctypes`, or `.address` as a number."""
    return lambda function: CFunc(getattr(function, "py_func", function), signature)


def carray(pointer, shape, dtype=None):
    """The array in C order to which a pointer leads; where that is void's, with the dtype."""
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    address = pointer if isinstance(pointer, int) else ctypes.cast(pointer, ctypes.c_void_p).value
    own = getattr(type(pointer), "_type_", None)
    if not isinstance(own, type):
        own = None  # void's
    if own is None and dtype is None:
        raise TypeError("explicit 'dtype' argument required for void* argument")
    dtype = np.dtype(getattr(dtype, "__kasoku_dtype__", dtype) if dtype is not None else own)
    if own is not None and np.dtype(own) != dtype:
        raise TypeError(f"mismatching dtype '{dtype}' for pointer type '{np.dtype(own)}'")
    buffer = (ctypes.c_char * (int(np.prod(lengths)) * dtype.itemsize)).from_address(address)
    return np.frombuffer(buffer, dtype).reshape(lengths)


def farray(pointer, shape, dtype=None):
    """carray() in Fortran's order."""
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    return carray(pointer, lengths[::-1], dtype).T
