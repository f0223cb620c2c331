"""Methods of cupy's arrays that the engine's arrays do not have. Those that both have take CuPy's arguments in
addition.
"""

import builtins
import warnings

import numpy as np
from numpy.exceptions import ComplexWarning

import kasoku as ks
from kasoku import _core
from kasoku._namespace.memory import Flat

from .. import says_what_is_missing
from .._face.table import bound
from .._layout import must_fit, order_of
from . import _arrays, _util, cuda

_Array, ndarray, _slot = ks.Array, _arrays.ndarray, _arrays.ndarray._viewed
_comparisons = "less less_equal equal not_equal greater greater_equal".split()


def _is_complex(a):
    return getattr(a.dtype, "kind", "") == "c"  # bfloat16 is a name alone


def _viewing(self, result):
    """The result, which knows whose memory it shows, or of whom to ask."""
    viewed = _viewed_by(self)
    result._viewed = self if viewed is None else viewed
    return result


def _viewed_by(a):
    try:
        return _slot.__get__(a)
    except AttributeError:  # it shows its own
        return None


def _from_function(self, *args, name, **kwargs):
    """A method that is the function of that name in this package."""
    import kasoku.compat.cupy as cupy

    return getattr(cupy, name)(self, *args, **kwargs)


class _Flat(Flat):
    """The elements in a row: one is asked for by its position, several by a slice."""

    __getitem__ = lambda self, index: Flat.__getitem__(self, _position(index))

    def __setitem__(self, index, value):
        Flat.__setitem__(self, _position(index), value)


def _position(index):
    if isinstance(index, (tuple, list, _Array, np.ndarray)):
        raise IndexError("unsupported iterator index")
    return index


def _without_gaps(array):
    if not array.flags.c_contiguous:
        raise NotImplementedError("what has gaps is not sorted in place: cupy.sort() gives a copy")
    return array


class _Members:
    """What becomes the class's: its own class has one base, the engine's."""

    T, mT = _Array.T, _Array.mT
    cstruct = property(lambda self: self.ptr, doc="What a kernel is given for the array.")
    diagonal = bound(_from_function, name="diagonal")  # CuPy's may be written to
    diagonal.__doc__ = "A view of the diagonals of two axes."

    def reduced_view(self, dtype=None):
        """A view with as few axes as its strides allow: neighbours that lie one behind the other are one axis."""
        lengths, strides = [], []
        for length, stride in zip(self.shape, self.strides, strict=True):
            if length == 1:
                continue
            if lengths and strides[-1] == length * stride:
                lengths[-1] *= length
                strides[-1] = stride
            else:
                lengths.append(length)
                strides.append(stride)
        return self.view(dtype).reshape(lengths or self.shape[:1])

    def __bool__(self):
        """The truth of the one element; of none it is False."""
        if not self.size:
            warnings.warn("the truth of an empty array: ask for its size", DeprecationWarning, stacklevel=2)
        return self.size != 0 and _Array.__bool__(self)

    @property
    def base(self):
        """The array whose memory this one shows, or None."""
        viewed = _viewed_by(self)
        base = _Array.base.__get__(self) if viewed is None else viewed.base
        return viewed if base is None else base

    @property
    def real(self):
        """The real part, a view."""
        return _viewing(self, _Array.real.__get__(self)) if _is_complex(self) else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        """The imaginary part, a view; zeros of a real array."""
        imag = _Array.imag.__get__(self)
        return _viewing(self, imag) if _is_complex(self) else imag

    @imag.setter
    def imag(self, value):
        if not _is_complex(self):
            raise TypeError("cupy.ndarray does not have imaginary part to set")
        self.imag[...] = value

    def view(self, dtype=None, type=None):
        """The same memory with another dtype, or as another class."""
        if isinstance(dtype, builtins.type) and issubclass(dtype, _Array):
            dtype, type = None, dtype
        if type is not None and not issubclass(type, ndarray):
            raise ValueError(f"cupy.ndarray.view: {type.__name__} is no class of cupy's arrays")
        dtype = self.dtype if dtype is None else dtype
        if not self.size and self.shape and self.strides[-1] != self.itemsize:  # there is nothing that lies apart
            self = _core.empty(self.shape, self.dtype, self.device)
        result = _Array.view(self, dtype)
        if not isinstance(result, _Array):  # no array of ours holds it
            return result
        return _viewing(self, result if type is None else _arrays.of_class(type, result, self))

    def get(self, stream=None, order="C", out=None, blocking=True):
        """The values in a NumPy array."""
        _arrays.may_synchronize()
        host = self.numpy()
        if out is None:
            return np.asarray(host, order=order_of(self) if order in ("A", "K", "a", "k") else order)
        if not isinstance(out, np.ndarray):
            raise TypeError(f"the output is a numpy.ndarray, not a {type(out).__name__}")
        must_fit(out, self.shape, self.dtype, "cupy.ndarray.get: the output")
        if not out.flags.forc:
            raise RuntimeError("cupy.ndarray.get: the output has gaps")
        out[...] = host
        return out

    def set(self, arr, stream=None):
        """Copies a NumPy array into this one."""
        arr = np.asarray(arr) if isinstance(arr, np.generic) else arr
        if not isinstance(arr, np.ndarray):
            raise TypeError(f"only a numpy.ndarray can be set, not a {type(arr).__name__}")
        must_fit(arr, self.shape, self.dtype, "cupy.ndarray.set: the array")
        self[...] = _arrays.array(arr)

    def astype(self, dtype, order="K", casting="unsafe", subok=None, copy=True):
        try:
            dtype = np.dtype(dtype)
        except TypeError:  # one of ours that NumPy has not
            return _Array.astype(self, dtype)
        if casting != "unsafe" and not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"an array of {self.dtype} cannot be cast to {dtype} by the rule {casting!r}")
        if _is_complex(self) and dtype.kind not in "cb":
            warnings.warn("the imaginary part is dropped", ComplexWarning, stacklevel=2)
            return self.real.astype(dtype, order)
        return _Array.astype(self, dtype, copy, order=order or "K")

    @property
    def __cuda_array_interface__(self):
        """Where the array lies; without a GPU its address is the CPU's, which all arrays of the program then have."""
        try:
            shown = _Array.__cuda_array_interface__.__get__(self)
        except AttributeError:
            if ks.has_device("cuda"):
                raise
            shown = {
                "shape": self.shape, "typestr": self.dtype.str, "data": (self.ptr, False), "version": 3,
                "strides": None if self.flags.c_contiguous else self.strides,
            }  # fmt: skip
        shown["descr"] = [("", shown["typestr"])]
        if not self.size:
            shown["data"] = (0, shown["data"][1])
        shown["version"] = _util.CUDA_ARRAY_INTERFACE_EXPORT_VERSION
        shown.pop("stream", None)
        if shown["version"] >= 3:
            shown["stream"] = cuda.get_current_stream().ptr or cuda.stream.get_default_stream_ptr()
        return shown

    flat = property(lambda self: _Flat(self))

    flat = flat.setter(_Array.flat.fset)

    def sort(self, axis=-1, kind=None):
        return _Array.sort(_without_gaps(self), axis, kind)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        return _Array.partition(_without_gaps(self), kth, axis, kind, order)

    def __dlpack__(self, *, stream=None, dl_device=None, copy=None, **kwargs):
        """A capsule of the array for other packages; memory of a host is in no stream's order."""
        if dl_device == (1, 0) and self.device.kind != "cpu" and copy is not False:  # on the host is a copy
            return _core.array(self.numpy(), None, "cpu").__dlpack__(**kwargs)
        kwargs |= {"dl_device": dl_device, "copy": copy}
        return _Array.__dlpack__(self, stream=stream if self.device.kind == "cuda" else None, **kwargs)

    @property
    def data(self):
        """The memory, as a MemoryPointer."""
        if not self.size:  # nothing lies anywhere
            return cuda.MemoryPointer(cuda.UnownedMemory(0, 0, self), 0)
        return cuda.MemoryPointer(cuda.ArrayMemory(self), 0)

    def scatter_add(self, slices, value):
        """self[slices] += value, with repeated indices added up."""
        from ..cupyx import scatter_add as add

        add(self, slices, value)

    def scatter_max(self, slices, value):
        """The greater of self[slices] and the values, index by index."""
        from ..cupyx import scatter_max as store

        store(self, slices, value)

    def scatter_min(self, slices, value):
        """The less of self[slices] and the values, index by index."""
        from ..cupyx import scatter_min as store

        store(self, slices, value)

    def byteswap(self, inplace=False):
        """The elements with the bytes of each number in the opposite order."""
        made = self if inplace else self.copy("K")
        word = self.itemsize // (2 if _is_complex(self) else 1)
        if word > 1 and self.size:
            words = self.copy("C").reshape(-1).view("uint8").reshape(-1, word)
            made[...] = ks.flip(words, 1).copy().reshape(-1).view(self.dtype).reshape(self.shape)
        return made

    def conj(self):
        """The complex conjugate; a real array itself."""
        return _Array.conj(self) if _is_complex(self) else self

    def __reduce__(self):
        make, arguments = _Array.__reduce__(self)
        return _core._in_face(make), arguments

    def __array_function__(self, function, types, args, kwargs):
        """numpy.f(array): the engine's function of that name, else this package's."""
        result = _Array.__array_function__(self, function, types, args, kwargs)
        if result is not NotImplemented:
            return result
        import kasoku.compat.cupy as cupy

        parts = function.__module__.split(".")[1:]
        if parts[:1] not in ([], ["linalg"], ["fft"]):
            return NotImplemented
        ours = getattr(getattr(cupy, parts[0]) if parts else cupy, function.__name__, None)
        return NotImplemented if ours is None else ours(*args, **kwargs)

    def __array_ufunc__(self, function, method, *inputs, **kwargs):
        """numpy's ufuncs and their methods on arrays."""
        import kasoku.compat.cupy as cupy

        if function.__name__ in _comparisons:  # NumPy's number that an operator compares comes as an array of no axes
            inputs = tuple(x[()] if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs)
        if any(isinstance(x, np.ndarray) for x in (*inputs, *kwargs.get("out", ()))):
            return NotImplemented  # arrays of two places: a TypeError
        ours = getattr(cupy, function.__name__, None)
        if function.signature is None or ours is None:
            result = _Array.__array_ufunc__(self, function, method, *inputs, **kwargs)
            if result is not NotImplemented or method == "__call__":
                return result
        ours = ours if method == "__call__" else getattr(ours, method, None)
        if isinstance(kwargs.get("out"), tuple):
            (kwargs["out"],) = kwargs["out"]
        return NotImplemented if ours is None else ours(*inputs, **kwargs)

    conjugate = conj


for _name, _value in vars(_Members).items():
    if isinstance(_value, property):
        setattr(ndarray, _name, _util.property_in_face(_value))
    elif callable(_value):
        _value.__doc__ = _value.__doc__ or getattr(getattr(_Array, _name, None), "__doc__", None)
        setattr(ndarray, _name, _core._in_face(_value))


class _NotInPlace(ks.errors.ValueError, AttributeError):
    """The memory does not lie as the shape would have it: NumPy's AttributeError."""


def _set_shape(self, shape):
    try:
        _Array.shape.__set__(self, shape)
    except ks.errors.ValueError as error:
        if self.flags.c_contiguous:
            raise
        raise _NotInPlace(f"incompatible shape: {error}") from None


ndarray.shape = property(_Array.shape.fget, _set_shape, doc=_Array.shape.__doc__)
for _name in "choose round compress cumprod cumsum ptp repeat searchsorted take trace".split():
    _util.add_method(_name, bound(_from_function, name=_name))
_util.add_method("toDlpack", lambda self: self.__dlpack__())
says_what_is_missing("cupy.ndarray")(ndarray)
