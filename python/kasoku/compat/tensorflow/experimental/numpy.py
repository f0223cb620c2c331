"""tf.experimental.numpy: ks's functions of NumPy's names, of tensors and with tensors for results. Dtypes are NumPy's."""

import functools as _functools
import sys as _sys

import kasoku as ks

from ... import Face as _Face
from .._table import _made
from .._tensor import Tensor as _Tensor
from .._variable import Variable as _Variable


def _given(x):
    if isinstance(x, (_Tensor, _Variable)):
        return (x if isinstance(x, _Tensor) else x.value())._array
    return type(x)(map(_given, x)) if type(x) in (list, tuple) else x


def _of_tensors(f):
    @_functools.wraps(f)
    def call(*args, **kwargs):
        return _made(f(*map(_given, args), **{k: _given(v) for k, v in kwargs.items()}))

    return call


class _Names(_Face):
    def __getattr__(self, name):
        import numpy as np

        if name.startswith("_") or name == "record" or not hasattr(np, name) or name not in ks.__all__:
            return super().__getattr__(name)
        found = getattr(ks, name)
        value = _of_tensors(found) if callable(found) and not isinstance(found, type) else found
        setattr(self, name, value)
        return value

    def __dir__(self):
        import numpy as np

        return sorted(name for name in ks.__all__ if hasattr(np, name) and name != "record")


ndarray = _Tensor
_sys.modules[__name__].__class__ = _Names
