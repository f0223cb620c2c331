"""Functions of cupy that are made of the engine's, and names that are NumPy's own."""

import builtins
import math
import sys

import numpy as np

import kasoku as ks
from kasoku import _core
from kasoku._namespace.memory import is_contiguous

from . import _arrays, _host, cuda
from ._arrays import asarray, ndarray


def get_array_module(*args):
    """This module if one of the arguments is one of its arrays, else NumPy."""
    face = sys.modules[__package__]
    return face if builtins.any(isinstance(a, ndarray) for a in args) else np


def array_equal(a1, a2, equal_nan=False):
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return _arrays.array(False)
    same = a1 == a2
    if equal_nan:
        same = same | ((a1 != a1) & (a2 != a2))
    return same.all()


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return _host.on_host(np.isclose)(a, b, rtol, atol, equal_nan).all()


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Evenly spaced numbers."""
    is_plain = not retstep and axis == 0 and np.ndim(start) == np.ndim(stop) == 0
    is_plain = is_plain and not isinstance(start, (complex, ks.Array)) and not isinstance(stop, (complex, ks.Array))
    if is_plain and (dtype is None or np.dtype(dtype).kind == "f"):
        return _core.linspace(float(start), float(stop), num, endpoint, dtype, cuda.current())
    return _host.on_host(np.linspace)(start, stop, num, endpoint, retstep, dtype, axis)


def concatenate(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays in a row along an axis."""
    if isinstance(tup, ks.Array):
        tup = list(tup)
    if builtins.any(not isinstance(a, (ks.Array, np.ndarray)) for a in tup):
        raise TypeError("cupy.concatenate joins arrays")
    if out is not None and dtype is not None:
        raise TypeError("cupy.concatenate takes out or dtype, not both")
    if len(tup) == 0:
        raise ValueError("cupy.concatenate: need at least one array")
    result = _core.concatenate(list(tup), axis)
    wanted = dtype if out is None else out.dtype
    if wanted is not None and result.dtype != wanted:
        result = result.astype(wanted, casting=casting)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"the output has the shape {out.shape}, not {result.shape}")
    out[...] = result
    return out


def stack(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays in a row along a new axis."""
    tup = list(tup)
    if not tup:
        raise ValueError("cupy.stack: need at least one array")
    if builtins.any(a.shape != tup[0].shape for a in tup):
        raise ValueError("cupy.stack: the arrays have one shape")
    if not -tup[0].ndim - 1 <= axis <= tup[0].ndim:
        raise np.exceptions.AxisError(axis, tup[0].ndim + 1)
    axis %= tup[0].ndim + 1
    return concatenate([expand_dims(a, axis) for a in tup], axis, out, dtype=dtype, casting=casting)


def round(a, decimals=0, out=None):
    """Rounded to a number of decimals, halves to even."""
    a = asarray(a)
    result = _host.on_host(np.round)(a, decimals) if a.dtype.kind == "c" else _core.round(a, decimals)
    if out is None:
        return result
    out[...] = result
    return out


around = round_ = round


def take(a, indices, axis=None, out=None):
    """The elements at positions along an axis, or of the raveled array."""
    a = asarray(a)
    result = _core.take(a, asarray(indices), axis)
    if out is None:
        return result
    if out.dtype != a.dtype:
        raise TypeError(f"cupy.take: the output has the dtype {out.dtype}, not {a.dtype}")
    if out.shape != result.shape:
        raise ValueError(f"cupy.take: the output has the shape {out.shape}, not {result.shape}")
    out[...] = result
    return out


def meshgrid(*xi, indexing="xy", sparse=False, copy=True):
    """A list of coordinate arrays."""
    return list(_core.meshgrid(*xi, indexing=indexing, sparse=sparse))


def expand_dims(a, axis):
    """A view with new axes of length 1."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shape = np.expand_dims(np.broadcast_to(0, a.shape), tuple(axes)).shape
    return a.reshape(shape)


def vstack(tup, *, dtype=None, casting="same_kind"):
    tup = [asarray(a) for a in tup]
    rows = [a if a.ndim > 1 else a.reshape(1, -1) for a in tup]
    return concatenate(rows, 0, dtype=dtype, casting=casting)


row_stack = vstack


def hstack(tup, *, dtype=None, casting="same_kind"):
    tup = [asarray(a) for a in tup]
    tup = [a if a.ndim else a.reshape(1) for a in tup]
    axis = 0 if not tup or tup[0].ndim == 1 else 1
    return concatenate(tup, axis, dtype=dtype, casting=casting)


def reshape(a, newshape, order="C"):
    """The same elements in another shape."""
    return asarray(a).reshape(newshape, order=order)


def ravel(a, order="C"):
    return asarray(a).ravel(order)


def real(val):
    """The real part, a view."""
    return asarray(val).real


def imag(val):
    """The imaginary part, a view; zeros of a real array."""
    return asarray(val).imag


def moveaxis(a, source, destination):
    """A view with axes moved to other places."""
    # NumPy moves axes of different lengths, which then tell where each came from.
    lengths = np.moveaxis(np.broadcast_to(0, range(1, a.ndim + 1)), source, destination).shape
    return a.transpose([n - 1 for n in lengths])


def copyto(dst, src, casting="same_kind", where=None):
    """dst[...] = src, where the mask is true."""
    dtype = getattr(src, "dtype", None)
    if dtype is None and np.isscalar(src):
        np.copyto(np.empty((), dst.dtype), src, casting)  # NumPy's word on the number
    elif dtype is not None and not np.can_cast(dtype, dst.dtype, casting):
        raise TypeError(f"cupy.copyto: {dtype} cannot be cast to {dst.dtype} by the rule {casting!r}")
    if where is None or where is True:
        dst[...] = src
    else:
        dst[...] = _core.where(asarray(where), asarray(src, dst.dtype), dst)


def _into(out, product, name):
    if out.dtype != product.dtype or out.shape != product.shape:
        raise ValueError(
            f"cupy.{name}: the output has the dtype {out.dtype} and the shape {out.shape}, not {product.dtype} and {product.shape}"
        )
    if not is_contiguous(out.shape, out.strides, out.itemsize, "C"):
        raise ValueError(f"cupy.{name}: the output is C-contiguous")
    out[...] = product
    return out


def dot(a, b, out=None):
    """Products of rows and columns, as numpy.dot; written to `out` if it has the product's dtype and shape."""
    product = _core.dot(a, b)
    return product if out is None else _into(out, product, "dot")


def matmul(x1, x2, /, out=None):
    """The product of matrices, or of stacks of them."""
    product = _core.matmul(x1, x2)
    if out is None:
        return product
    if not np.can_cast(product.dtype, out.dtype, "same_kind"):
        raise TypeError(f"cupy.matmul: {product.dtype} cannot be cast to {out.dtype} by the rule 'same_kind'")
    if out.shape != product.shape:
        raise ValueError(f"cupy.matmul: the output has the shape {out.shape}, not {product.shape}")
    out[...] = product
    return out


def fromDlpack(dltensor):  # noqa: N802
    """An array that shows the memory of a DLPack capsule."""
    return _core.from_dlpack(dltensor)


def may_share_memory(a, b, max_work=None):
    """Whether the two may show the same memory."""
    return np.may_share_memory(*map(_span, (a, b)))


def shares_memory(a, b, max_work=None):
    return np.shares_memory(*map(_span, (a, b)))


def _span(a):
    """A NumPy array with the array's addresses, which nobody reads."""
    from numpy.lib.stride_tricks import as_strided

    face = {"shape": a.shape, "strides": a.strides, "typestr": a.dtype.str, "data": (a.ptr, True), "version": 3}
    return (
        np.asarray(type("Span", (), {"__array_interface__": face})())
        if a.size
        else as_strided(np.empty(0, a.dtype), (0,), (a.itemsize,))
    )


class broadcast:
    """Arrays stretched to one shape: values, shape, nd, size."""

    def __init__(self, *arrays):
        self.shape = np.broadcast_shapes(*(np.shape(a) if np.isscalar(a) else a.shape for a in arrays))
        self.nd, self.size = len(self.shape), math.prod(self.shape)
        self.values = tuple(_core.broadcast_to(a, self.shape) if isinstance(a, ks.Array) else a for a in arrays)


def asarray_chkfinite(a, dtype=None, order=None):
    """An array without NaN and infinity, or a ValueError."""
    a = asarray(a, dtype, order)
    if a.dtype.kind in "fc" and not bool(_core.isfinite(a).all()):
        raise ValueError("array must not contain Infs or NaNs")
    return a


def size(a, axis=None):
    return asarray(a).size if axis is None else asarray(a).shape[axis]


def ndim(a):
    return asarray(a).ndim


def shape(a):
    return a.shape if isinstance(a, ks.Array) else np.shape(a)


def isscalar(element):
    """Whether it is a number of Python's or NumPy's."""
    return np.isscalar(element)


def iscomplexobj(x):
    return _kind(x) == "c"


def isrealobj(x):
    return _kind(x) != "c"


def isfortran(a):
    return a.flags.fnc


def _kind(x):
    return x.dtype.kind if hasattr(x, "dtype") else np.asarray(x).dtype.kind


def result_type(*arrays_and_dtypes):
    return np.result_type(*(a.dtype if isinstance(a, ks.Array) else a for a in arrays_and_dtypes))


def can_cast(from_, to, casting="safe"):
    return np.can_cast(from_.dtype if isinstance(from_, ks.Array) else from_, to, casting)


def min_scalar_type(a):
    return a.dtype if isinstance(a, ks.Array) else np.min_scalar_type(a)


def common_type(*arrays):
    return np.common_type(*(np.empty(0, a.dtype) for a in arrays))


def fuse(*args, **kwargs):
    """The function itself: arrays are fused as they are."""
    return args[0] if args and callable(args[0]) else (lambda f: f)


def get_default_memory_pool():
    return cuda.memory._pool


def get_default_pinned_memory_pool():
    return _pinned_pool


_pinned_pool = cuda.PinnedMemoryPool()


def show_config(*, _full=False):
    """What runs here, in lines."""
    import platform

    from . import __version__

    device = cuda.current()
    rows = {
        "OS": platform.platform(), "Python Version": platform.python_version(),
        "CuPy Version": f"{__version__} (kasoku {ks.__version__})", "NumPy Version": np.__version__,
        "Device 0 Name": device.properties["name"], "Device 0 Kind": device.kind,
    }  # fmt: skip
    width = builtins.max(map(len, rows))
    print("\n".join(f"{name:{width}} : {value}" for name, value in rows.items()))


class _Join:
    """cupy.r_ and cupy.c_."""

    def __init__(self, numpys):
        self._numpys = numpys

    def __getitem__(self, key):
        return _host.to_device(self._numpys[_host.to_host(key)])


r_, c_ = _Join(np.r_), _Join(np.c_)
mgrid, ogrid = _Join(np.mgrid), _Join(np.ogrid)

# Types and numbers that are NumPy's own.
dtype, finfo, iinfo, ndindex, s_, index_exp = np.dtype, np.finfo, np.iinfo, np.ndindex, np.s_, np.index_exp
bool_, byte, short, intc, int_, longlong, intp = (
    np.bool_, np.byte, np.short, np.intc, np.int_, np.longlong, np.intp)  # fmt: skip
ubyte, ushort, uintc, uint, ulonglong, uintp = (
    np.ubyte, np.ushort, np.uintc, np.uint, np.ulonglong, np.uintp)  # fmt: skip
half, single, double, float_ = np.half, np.single, np.double, np.float64
csingle, singlecomplex, cdouble, complex_, cfloat = (
    np.complex64, np.complex64, np.complex128, np.complex128, np.complex128)  # fmt: skip
generic, number, integer, signedinteger, unsignedinteger = (
    np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger)  # fmt: skip
inexact, floating, complexfloating = np.inexact, np.floating, np.complexfloating
issubdtype, promote_types, broadcast_shapes = np.issubdtype, np.promote_types, np.broadcast_shapes
format_float_positional, format_float_scientific = np.format_float_positional, np.format_float_scientific
base_repr, binary_repr, typename = np.base_repr, np.binary_repr, np.typename
euler_gamma, newaxis = np.euler_gamma, None
Inf = Infinity = PINF = infty = np.inf
NINF, NAN, NaN, PZERO, NZERO = -np.inf, np.nan, np.nan, 0.0, -0.0
