"""cupy.vectorize: a Python function of scalars, compiled for every element."""

import functools

import numpy as np

import kasoku as ks

from .. import numba
from . import _util


@_util.in_face
class vectorize:
    """f(*arrays) computes the function of each element, with NumPy's broadcasting, in one compiled loop."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        for name, value in (("excluded", excluded), ("signature", signature)):
            if value is not None:
                raise NotImplementedError(f"cupy.vectorize does not support the argument {name!r}")
        if otypes is not None and not isinstance(otypes, str):
            otypes = "".join(np.dtype(t).char for t in otypes)
        if otypes is not None and len(otypes) != 1:
            raise NotImplementedError("cupy.vectorize gives one output: otypes is one type")
        self.pyfunc, self.otypes = pyfunc, otypes
        self._compiled = numba.vectorize(pyfunc)
        functools.update_wrapper(self, pyfunc)
        self.__doc__ = doc if doc is not None else pyfunc.__doc__

    def __call__(self, *args):
        from ._arrays import asarray

        result = self._compiled(*(asarray(a) if isinstance(a, np.ndarray) else a for a in args))
        result = result if isinstance(result, ks.Array) else asarray(result)
        wanted = self.otypes or self._dtype(result, args)
        return result if wanted is None else result.astype(wanted, copy=False)

    @staticmethod
    def _dtype(result, args):
        """The arrays', if only constants made it wider: they have no type of their own."""
        given = [a.dtype for a in args if isinstance(a, (ks.Array, np.ndarray))]
        wanted = np.result_type(*given) if given else result.dtype
        return wanted if wanted.kind == result.dtype.kind else None
