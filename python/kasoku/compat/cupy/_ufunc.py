"""cupy.ufunc: the engine's elementwise operations as objects, with at, outer, reduce and accumulate."""

import numpy as np

import kasoku as ks
from kasoku import _core

from .._face.table import forwarding as _forwarding
from . import _util
from ._arrays import asarray, ndarray, stored_as_it_fits

_held = set("?bBhHiIlLqQefdFD->")  # dtypes of arrays


@_util.in_face
class ufunc:
    """An operation on each element; `types` and the like are NumPy's."""

    def __init__(self, name, operation, numpys):
        self.__name__, self._operation, self._numpy = name, operation, numpys
        self.__doc__ = operation.__doc__
        self.nin, self.nout = numpys.nin, numpys.nout
        self.types = [one for one in numpys.types if _held.issuperset(one)]
        self.nargs, self.ntypes, self.identity = numpys.nargs, len(self.types), numpys.identity

    name = property(lambda self: "cupy_" + self.__name__)
    __kasoku_numpys__ = property(lambda self: self._numpy)  # what it is in compiled code

    __repr__ = lambda self: f"<ufunc 'cupy_{self.__name__}'>"

    def __call__(self, *args, out=None, dtype=None, casting="same_kind", where=True, **kwargs):
        for name in kwargs:
            if name not in ("order", "subok"):
                raise TypeError(f"cupy.{self.__name__} has no argument {name!r} in kasoku")
        if len(args) > self.nin:
            if len(args) > self.nargs or out is not None:
                raise TypeError(f"cupy.{self.__name__} takes {self.nin} inputs, got {len(args)}")
            args, out = args[: self.nin], args[self.nin]
        if isinstance(out, tuple):
            (out,) = out
        for x in args:
            if isinstance(x, np.ndarray):
                raise TypeError(f"cupy.{self.__name__} takes arrays of cupy's and numbers, not a numpy.ndarray: "
                                "cupy.asarray() brings it to the device")  # fmt: skip
        if where is not True:
            return self._operation(*args, out=out, dtype=dtype, where=where, casting=casting)
        if out is None and dtype is None:
            try:
                result = self._operation(*args)
                own = next((a for a in args if isinstance(a, ndarray) and type(a) is not ndarray), None)
                return result if own is None else own._of_my_class(result)
            except TypeError:
                if self.__name__ == "nextafter" and not np.iscomplexobj(
                    np.empty(0, ks.result_type(*args))
                ):  # the engine steps in float32
                    return _half_after(*args)
                raise
        return self._into(args, out, dtype, casting)

    def _must_give(self, dtype):
        """That one of the loops has results of this dtype, or all have bools."""
        given = {np.dtype(one[-1]) for one in self.types}
        if dtype not in given and given != {np.dtype(bool)}:
            raise TypeError(f"cupy.{self.__name__}: no matching signature found: it does not give {dtype}")

    def _into(self, args, out, dtype, casting):
        if dtype is not None:
            self._must_give(np.dtype(dtype))
            # [()]: a number stays one, since an array of NumPy's is refused.
            args = [a.astype(dtype) if isinstance(a, ks.Array) else np.asarray(a).astype(dtype)[()] for a in args]
        result = self(*args)
        if out is None:
            return result if dtype is None or result.dtype.kind == "b" else result.astype(dtype, copy=False)
        if isinstance(out, ks.Array) and np.broadcast_shapes(result.shape, out.shape) == out.shape:
            result = _core.broadcast_to(result, out.shape)
        return stored_as_it_fits(result, out, self.__name__, casting)

    reduce, accumulate, reduceat = (
        _forwarding(f"_operation.{name}", said=getattr(_core.ufunc, name).__doc__)
        for name in ("reduce", "accumulate", "reduceat")
    )

    def outer(self, a, b, **kwargs):
        a, b = asarray(a), asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **kwargs)

    def at(self, a, indices, b=None):
        """a[indices] = op(a[indices], b), where an index may come again; the values become the array's, as in an assignment."""
        if b is not None:
            b = asarray(b)
            b = (b.real if b.dtype.kind == "c" and a.dtype.kind != "c" else b).astype(a.dtype, copy=False)
        self._operation.at(a, indices, *(() if b is None else (b,)))


def _half_after(x, y):
    """The next half towards another: its bits, as an integer, by one."""
    x, y = (asarray(v, np.float16) for v in (x, y))
    bits = x.view(np.int16)
    away = (y > x) == (x > 0)
    stepped = ks.where(x == 0, ks.where(y > 0, 1, -32767), bits + ks.where(away, 1, -1)).astype(np.int16)
    moved = ks.where(x == y, y.view(np.int16), stepped)
    return ks.where(ks.isnan(x) | ks.isnan(y), np.float16(np.nan), moved.view(np.float16))


def functions():
    """name -> ufunc, of every operation of the engine that is a ufunc of NumPy."""
    found, made = {}, {}
    for name in dir(_core):
        numpys = getattr(np, name, None)
        if isinstance(numpys, np.ufunc) and numpys.signature is None and callable(getattr(_core, name)):
            own = numpys.__name__  # names of one operation are one object
            if own not in made:
                made[own] = ufunc(own, getattr(_core, own, getattr(_core, name)), numpys)
            found[name] = made[own]
    return found
