"""dask.array's elementwise functions, as NumPy's ufuncs are called."""

import numpy as np

import kasoku as ks

from ..base import is_dask_collection
from ._core import asanyarray, elementwise


_words = {"out", "where", "dtype", "casting", "order", "subok", "axes", "axis", "keepdims", "signature"}


class ufunc:  # noqa: N801 - Dask's name
    """NumPy's function of that name, of each element of arrays in chunks. What it says of itself (nin, types, …) is NumPy's."""

    def __init__(self, name):
        self.__name__ = name
        self.__doc__ = self._of_numpy.__doc__

    @property
    def _of_numpy(self):
        return getattr(np, self.__name__)

    def __call__(self, *args, **words):
        if isinstance(self._of_numpy, np.ufunc) and (unknown := set(words) - _words):
            raise TypeError(f"{self.__name__} does not take the following keyword arguments {sorted(unknown)}")
        if any(isinstance(x, ks.Array) or is_dask_collection(x) for x in (*args, *words.values())):
            return elementwise(self.__name__, *args, **words)
        return self._of_numpy(*args, **words)  # what is there is computed at once

    def __getattr__(self, name):
        if name in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
            return getattr(self._of_numpy, name)
        raise AttributeError(f"dask.array.{self.__name__} has no {name!r}")

    def __dir__(self):
        return [*super().__dir__(), "nin", "nout", "nargs", "ntypes", "types", "identity", "signature"]

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return ufunc, (self.__name__,)

    def outer(self, a, b, **words):
        """Of each element of a with each of b: an array of a.ndim + b.ndim axes."""
        if self.nin != 2:
            raise ValueError("outer product only supported for binary functions")
        a, b = asanyarray(a), asanyarray(b)
        return self(a[(..., *(None,) * b.ndim)], b, **words)
