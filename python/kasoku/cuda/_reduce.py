"""`cuda.reduce`: a reduction of a 1-d array by a function of two elements."""

import numpy as np

from .. import _content, _core, _jit
from ._arrays import bare


def _fold(function):
    def fold(x, init):
        total = init
        for i in range(x.size):
            total = function(total, x[i])
        return total

    return _jit.jit(fold)


class Reduce:
    """A compiled reduction: `total = Reduce(add)(array, init=0)`."""

    def __init__(self, functor):
        self._functor = functor
        self._fold = _fold(_jit.jit(getattr(functor, "py_func", functor)))

    __reduce__ = _content.reduce

    def __kasoku_parts__(self):
        return Reduce, (self._functor,)

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        if getattr(arr, "ndim", 1) != 1:
            raise TypeError("only support 1D array")
        if res is not None and getattr(res, "dtype", None) != arr.dtype:
            raise TypeError("result and argument dtypes do not match")
        values = bare(arr)
        values = values if isinstance(values, _core.Array) else np.ascontiguousarray(values)
        size = len(values) if size is None else size
        total = self._fold(values[:size], np.dtype(arr.dtype).type(init))
        if res is not None:
            res[0] = total
            return None
        return total


reduce = Reduce
