"""Functions of cupy that are made of the engine's, and names that are NumPy's own."""

import builtins
import math
import sys
import warnings

import numpy as np

import kasoku as ks
from kasoku import _core

from .._face.table import bound as _bound, each as _each, plain as _plain
from .._layout import must_fit
from . import _arrays, _util, cuda
from ._arrays import asarray, ndarray
from ._views import diagonal, einsum  # noqa: F401


def get_array_module(*args):
    """This module if one of the arguments is one of its arrays, or a sparse matrix of them, else NumPy."""
    return sys.modules[__package__] if _is_on_device(*args) else np


def _is_on_device(*args):
    """Whether one of the arguments is an array, or made of arrays."""
    return builtins.any(isinstance(a, ks.Array) or hasattr(type(a), "_made_of_arrays") for a in args)


def array_equal(a1, a2, equal_nan=False):
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return _arrays.array(False)
    same = a1 == a2
    if equal_nan:
        same = same | ((a1 != a1) & (a2 != a2))
    return same.all()


def _arrays_alone(tup):
    tup = list(tup)
    if builtins.any(not isinstance(a, (ks.Array, np.ndarray)) for a in tup):
        raise TypeError("cupy.concatenate joins arrays")
    return tup


def _fused(f):
    """The function itself, which keeps nothing to be cleared."""
    try:
        f.clear_cache = lambda: None
    except AttributeError:  # a callable that takes no names
        pass
    return f


def take(a, indices, axis=None, out=None):
    """The elements at positions along an axis, or of the raveled array."""
    a, indices = asarray(a), asarray(indices)
    if out is not None:  # before the indices are looked at, which need not be in range
        shape = indices.shape if axis is None else a.shape[:axis] + indices.shape + a.shape[axis:][1:]
        must_fit(out, shape, a.dtype, "cupy.take: the output")
    return _core.take(a, indices, axis, out)


def _scanned(a, axis=None, dtype=None, out=None, *, scan):
    if not isinstance(a, ks.Array):
        raise TypeError(f"cupy.{scan.__name__} takes an array of cupy's, not a {type(a).__name__}")
    return scan(a, axis=axis, dtype=dtype, out=out)


def byte_bounds(a):
    """The addresses of the first byte and behind the last one."""
    reaches = [(n - 1) * stride for n, stride in zip(a.shape, a.strides)]
    low, high = builtins.sum(r for r in reaches if r < 0), builtins.sum(r for r in reaches if r > 0)
    return a.ptr + low, a.ptr + high + a.itemsize


def who(vardict=None):
    """Prints the arrays of a dictionary, or of the caller's module: name, shape, bytes and dtype."""
    found = sys._getframe(1).f_globals if vardict is None else vardict
    rows = [("Name", "Shape", "Bytes", "Type")] + [
        (name, " x ".join(map(str, a.shape)), str(a.nbytes), str(a.dtype))
        for name, a in found.items() if isinstance(a, ndarray)
    ]  # fmt: skip
    total = builtins.sum(int(row[2]) for row in rows[1:])
    if len(rows) > 1:
        widths = [builtins.max(map(len, column)) for column in zip(*rows)]
        lines = ["   ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        print(lines[0] + "\n" + "=" * builtins.sum(widths, 9) + "\n" + "\n".join(lines[1:]))
    print(f"\nUpper bound on total bytes  =       {total}")


def require(a, dtype=None, requirements=None):
    """The array with a dtype and in an order: requirements are C, F and O."""
    for one in [requirements] if isinstance(requirements, str) else requirements or ():
        if one[:1].upper() not in ("C", "F", "O"):
            raise ValueError(f"cupy.require() does not know the requirement {one!r}")
    try:
        dtype = dtype and np.dtype(dtype)
    except TypeError:
        raise ValueError(f"cupy.require() does not know the dtype {dtype!r}") from None
    return ks.require(asarray(a), dtype, requirements)


@_util.in_face
class broadcast:
    """Arrays stretched to one shape: values, shape, nd, size."""

    def __init__(self, *arrays):
        self.shape = np.broadcast_shapes(*(np.shape(a) if np.isscalar(a) else a.shape for a in arrays))
        self.nd, self.size = len(self.shape), math.prod(self.shape)
        self.values = tuple(_core.broadcast_to(a, self.shape) if isinstance(a, ks.Array) else a for a in arrays)


is_available = cuda.is_available


_pinned_pool = cuda.PinnedMemoryPool()


class _RuntimeInfo(str):
    """What runs here, in lines; versions are attributes too."""


def _runtime_info():
    import platform

    from . import __version__

    device = cuda.current()
    rows = {
        "OS": platform.platform(), "Python Version": platform.python_version(),
        "CuPy Version": f"{__version__} (kasoku {ks.__version__})", "NumPy Version": np.__version__,
        "Device 0 Name": device.properties["name"], "Device 0 Kind": device.kind,
    }  # fmt: skip
    width = builtins.max(map(len, rows))
    info = _RuntimeInfo("".join(f"{name:{width}} : {value}\n" for name, value in rows.items()))
    info.cupy_version, info.numpy_version = __version__, np.__version__
    return info


def _unless(refused, error, why):
    if refused:
        raise error(why)


def _older(*args, of, **kwargs):
    warnings.warn(f"the name is of NumPy 1: it is cupy.{of} now", DeprecationWarning, stacklevel=2)
    return getattr(sys.modules[__package__], of)(*args, **kwargs)


_plain(globals(), {
    **{name: (_bound(_older, of=of), f"cupy.{of} under its name in NumPy 1.") for name, of in {
        "alltrue": "all", "sometrue": "any", "product": "prod", "cumproduct": "cumprod", "round_": "round"}.items()},
    **_each(_core, "cumsum cumprod", lambda scan: _bound(_scanned, scan=scan)),
    "meshgrid": (lambda *xi, indexing="xy", sparse=False, copy=True: (
        list(_core.meshgrid(*xi, indexing=indexing, sparse=sparse))),
        "A list of coordinate arrays."),
    "reshape": (lambda a, newshape, order="C", *, copy=None: _core.reshape(asarray(a), newshape, order, copy=copy),
        "The same elements in another shape."),
    "histogram2d": (lambda x, y, bins=10, range=None, weights=None, density=None: (
        _core.histogram2d(x, y, bins, range, density, weights)), "How many points lie in each bin of a plane, and the bins' edges."),
    "histogramdd": lambda sample, bins=10, range=None, weights=None, density=None: (
        _core.histogramdd(sample, bins, range, density, weights)),
    "corrcoef": lambda a, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None: _core.corrcoef(a, y, rowvar, dtype=dtype),
    "ravel": lambda a, order="C": asarray(a).ravel(order),
    "clip": (lambda a, a_min, a_max, out=None: _core.clip(a, a_min, a_max, out), "The elements, none below or above the bounds."),
    "concatenate": lambda tup, axis=0, out=None, *, dtype=None, casting="same_kind": (
        _core.concatenate(_arrays_alone(tup), axis, out, dtype=dtype, casting=casting)),
    "dot": lambda a, b, out=None: _core.dot(a, b, out),
    "matmul": lambda x1, x2, /, out=None, *, casting="same_kind", axes=None: (
        _core.matmul(x1, x2, out, casting=casting, axes=axes)),
    "fromDlpack": (lambda dltensor: _core.from_dlpack(dltensor),
        "An array that shows the memory of a DLPack capsule."),
    "min_scalar_type": (lambda a: np.result_type(*kinds) if (kinds := [
        x.dtype for x in (a if isinstance(a, (list, tuple)) else [a]) if isinstance(x, ks.Array)]) else ks.min_scalar_type(a),
        "The smallest dtype that holds a number; that of arrays is theirs, whose values nobody looks at."),
    "isscalar": (lambda element: np.isscalar(element), "Whether it is a number or a text, and no array."),
    "binary_repr": (lambda num, width=None: np.binary_repr(num, width),
        "The text of a whole number to base 2; negative ones in two's complement if there is a width."),
    "base_repr": (lambda number, base=2, padding=0: np.base_repr(number, base, padding),
        "The text of a whole number to a base up to 36, with so many zeros before it."),
    "asfarray": (lambda a, dtype=np.float64: asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64),
        "An array of floats."),
    "in1d": (lambda ar1, ar2, assume_unique=False, invert=False: (
        _core.isin(asarray(ar1).ravel(), ar2, assume_unique, invert)),
        "Which elements of the first are among the second, as one axis."),
    "lexsort": lambda keys: (
        _unless(getattr(keys, "ndim", 1) > 2, NotImplementedError, "cupy.lexsort: a key has one axis")
        or _core.lexsort(keys)),
    "piecewise": (lambda x, condlist, funclist: (
        _unless(builtins.any(map(callable, funclist)), NotImplementedError, "cupy.piecewise takes values, no functions")
        or ks.piecewise(x, condlist, funclist)),
        "Of each element the value of the last condition that holds; one value more is for where none does."),
    "select": lambda condlist, choicelist, default=0: (
        _unless(not np.isscalar(default), TypeError, "cupy.select: the default is a number")
        or _core.select(condlist, choicelist, default)),
    "unravel_index": lambda indices, dims, order="C": _core.unravel_index(indices, dims, order or "C"),
    "ravel_multi_index": lambda multi_index, dims, mode="wrap", order="C": (
        _core.ravel_multi_index(multi_index, dims, mode, order)),
    "take_along_axis": lambda a, indices, axis: _core.take_along_axis(a, indices, axis),
    "msort": (lambda a: _core.sort(asarray(a), 0), "Sorted along the first axis."),
    "fuse": (lambda *args, **kwargs: _fused(args[0]) if args and callable(args[0]) else _fused,
        "The function itself: arrays are fused as they are."),
    "common_type": (lambda *arrays: ks.common_type(*arrays).type,
        "The type of floats or complex numbers that holds the elements of all arrays; integers count as float64."),
    "get_default_memory_pool": lambda: cuda.memory._pool,
    "get_default_pinned_memory_pool": lambda: _pinned_pool,
    "show_config": (lambda *, _full=False: sys.stdout.write(_runtime_info()) and None, "Prints what runs here."),
})  # fmt: skip


# Types and numbers that are NumPy's own, under names that ks has not.
bool_, float_, complex_, cfloat, singlecomplex = np.bool_, np.float64, np.complex128, np.complex128, np.complex64
newaxis = None
Inf = Infinity = PINF = infty = np.inf
NINF, NAN, NaN, PZERO, NZERO = -np.inf, np.nan, np.nan, 0.0, -0.0
