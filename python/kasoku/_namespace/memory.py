"""How arrays lie in memory: what they share, their flags, and their elements in a row."""

import numpy as np

from .. import _core
from .given import Array, given

ndarray = Array  # as annotations and isinstance() of programs for NumPy call it


class _Place:
    """The memory of an array as NumPy's interface shows it. NumPy compares the addresses and reads nothing."""

    def __init__(self, x):
        dtype = np.dtype(f"V{x.itemsize}")
        address = _core._address(x) if x.size else 0
        self.__array_interface__ = {
            "version": 3, "data": (address, True), "shape": x.shape, "strides": x.strides, "typestr": dtype.str,
        }  # fmt: skip


def _place(x):
    return np.asarray(_Place(x)) if isinstance(x, Array) else x


def _may(a, b):
    """Whether both have elements, and on one device."""
    places = [x.device if isinstance(x, Array) else _core.Device("cpu") for x in (a, b)]
    return places[0] == places[1] and all(x.size for x in (a, b) if isinstance(x, Array))


def may_share_memory(a, b, max_work=None) -> bool:
    """Whether the memory from the first to the last element of one array meets that of another one; nothing is copied.

    `a`, `b`: arrays, ours or NumPy's, of any shapes. What is pending is computed.

    >>> x = ks.arange(6)
    >>> ks.may_share_memory(x[::2], x[1::2]), ks.may_share_memory(x, x + 1)
    (True, False)
    """
    return _may(a, b) and bool(np.may_share_memory(_place(a), _place(b), max_work=max_work))


def shares_memory(a, b, max_work=None) -> bool:
    """Whether two arrays have an element in common in memory; nothing is copied.

    `a`, `b`: arrays, ours or NumPy's, of any shapes. Raises numpy.exceptions.TooHardError where more than `max_work`
    candidates would have to be looked at.

    >>> x = ks.arange(6)
    >>> ks.shares_memory(x[::2], x[1::2]), ks.shares_memory(x[::2], x[2:])
    (False, True)
    """
    return _may(a, b) and bool(np.shares_memory(_place(a), _place(b), max_work=max_work))


def is_contiguous(shape, strides, itemsize, order):
    """Whether elements lie one behind the other, rows first (C) or columns first (F)."""
    expected = itemsize
    if 0 in shape:
        return True
    for n, stride in zip(shape, strides) if order == "F" else zip(reversed(shape), reversed(strides)):
        if n != 1 and stride != expected:
            return False
        expected *= n
    return True


class Flags:
    """How an array's elements lie, as NumPy's `flags`: attributes, and items by the same names or their first letters."""

    _letters = {
        "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous", "O": "owndata", "W": "writeable",
        "A": "aligned", "X": "writebackifcopy", "B": "behaved", "CA": "carray", "FA": "farray",
    }  # fmt: skip
    _shown = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy")
    _names = (*_shown, "forc", "fnc", "behaved", "carray", "farray")
    writebackifcopy = False

    def __init__(self, array):
        self._array = array

    @property
    def c_contiguous(self):
        return is_contiguous(self._array.shape, self._array.strides, self._array.itemsize, "C")

    @property
    def f_contiguous(self):
        return is_contiguous(self._array.shape, self._array.strides, self._array.itemsize, "F")

    contiguous, fortran = c_contiguous, f_contiguous

    @property
    def forc(self):
        return self.c_contiguous or self.f_contiguous

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def owndata(self):
        return getattr(self._array, "base", None) is None

    @property
    def writeable(self):
        return not _core._is_read_only(self._array)

    @writeable.setter
    def writeable(self, value):
        if value and not _core._make_writable(self._array):
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        if not value:
            _core._make_read_only(self._array)

    @property
    def aligned(self):
        return True

    @property
    def behaved(self):
        return self.aligned and self.writeable

    @property
    def carray(self):
        return self.behaved and self.c_contiguous

    @property
    def farray(self):
        return self.behaved and self.fnc

    def __getitem__(self, name):
        attribute = self._letters.get(name, str(name).lower())
        if attribute not in self._names:
            raise KeyError(f"an array has no flag {name!r}")
        return getattr(self, attribute)

    def __setitem__(self, name, value):
        if self._letters.get(name, str(name).lower()) != "writeable":
            raise KeyError(f"an array has no flag {name!r} that can be set")
        self.writeable = value

    def __repr__(self):
        return "".join(f"  {name.upper()} : {getattr(self, name)}\n" for name in self._shown)

    def __eq__(self, other):
        if not isinstance(other, Flags):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._shown)

    __hash__ = None


class Flat:
    """An array's elements in a row, C order: what `x.flat` is, and an iterator over them. Items may be read and set, with
    values that start again where they are fewer; `x.flat = v` sets all."""

    def __init__(self, base):
        self.base = base
        self._elements = None

    def __len__(self):
        return self.base.size

    def __iter__(self):
        self._elements = iter(self.base.ravel())
        return self

    def __next__(self):
        if self._elements is None:
            iter(self)
        return next(self._elements)

    def __getitem__(self, index):
        value = self.base.ravel()[_position(index)]
        return value.copy() if isinstance(value, Array) else value

    def __setitem__(self, index, value):
        index = _position(index)
        is_row = self.base.flags.c_contiguous
        row = self.base.reshape(-1) if is_row else self.base.flatten()
        value = given(value, self.base)
        if value.ndim and value.size and isinstance(index, slice):
            value = _core.resize(value, (len(range(*index.indices(row.size))),))
        elif value.ndim and value.size and index is Ellipsis:
            value = _core.resize(value, row.shape)
        row[index] = value
        if not is_row:
            self.base[...] = row.reshape(self.base.shape)

    def copy(self):
        """A copy of the elements, in one axis."""
        return self.base.flatten()


def _position(index):
    """The index of a row, which no axis is added to."""
    if index is None or isinstance(index, (bool, np.bool_)):
        raise IndexError("unsupported iterator index")
    return index


def _set_flat(self, value):
    values = given(value, self).ravel()
    self[...] = _core.resize(values, self.shape)


def _base(self):
    """What owns the memory of a view: all of that memory, as a row of elements. None where the array itself does."""
    memory = _core._buffer_of(self)
    n = memory.size // self.itemsize if self.itemsize else 0
    whole = _core._view(memory, 0, (n,), (self.itemsize,), self.dtype, self.itemsize, self.device)
    is_all = self.size == n and (self.size == 0 or _core._address(self) == _core._address(whole))
    return None if is_all else whole


def _data(self):
    """The elements as Python's memoryview, in the array's own memory. BufferError for memory of a GPU."""
    return memoryview(self)


def tofile(self, fid, sep="", format="%s"):
    """Writes the elements into a file, C order: their bytes, or text between separators.

    `fid`: a path or an open file; `sep` and `format` as NumPy's.
    """
    self.numpy().tofile(fid, sep, format)


def dumps(self):
    """The array as bytes of a pickle."""
    import pickle

    return pickle.dumps(self)


def dump(self, file):
    """Writes a pickle of the array into a file, a path or open."""
    import pickle

    if hasattr(file, "write"):
        pickle.dump(self, file)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened)


def setflags(self, write=None, align=None, uic=None):
    """Makes an array read-only: `write=False`. The memory stays as it is, others that show it may write there.

    Raises ValueError where `write` is true and the array is read-only; `align` and `uic` mean nothing here.

    >>> x = ks.arange(3)
    >>> x.setflags(write=False)
    >>> x.flags.writeable
    False
    """
    if write is not None:
        self.flags.writeable = write


Array.flags = property(Flags, doc="How the elements lie: c_contiguous, f_contiguous, owndata, writeable.")
Array.flat = property(Flat, _set_flat, doc="The elements in a row; assigned to, they are set.")
Array.base = property(_base, doc="What owns the memory of a view, as a row; None where the array itself does.")
Array.data = property(_data, doc=_data.__doc__)
for _method in (setflags, tofile, dump, dumps):
    _method.__module__, _method.__qualname__ = Array.__module__, f"Array.{_method.__name__}"
    setattr(Array, _method.__name__, _method)


def isfortran(a) -> bool:
    """Whether elements lie columns first and not rows first.

    >>> ks.isfortran(ks.ones((2, 3)).T), ks.isfortran(ks.ones(3))
    (True, False)
    """
    return Flags(given(a)).fnc


def require(a, dtype=None, requirements=None) -> Array:
    """An array that is as `requirements` say: "C" or "F" (which is its transposed array's "C"), "W" (may be written),
    "O" (owns its memory), "A" (aligned, which all are). Copies only what is not so.

    Raises ValueError for a requirement that there is not, or "C" and "F" together.

    >>> ks.require(ks.arange(6).reshape(2, 3)[:, ::2], requirements="C").flags.c_contiguous
    True
    """
    known = {
        "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
        "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E",
    }  # fmt: skip
    names = [requirements] if isinstance(requirements, str) else list(requirements or [])
    unknown = [name for name in names if name.upper() not in known]
    if unknown:
        raise ValueError(f"require: there is no requirement {unknown[0]!r}")
    wanted = {known[name.upper()] for name in names}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    x = given(a)
    x = x if dtype is None else x.astype(dtype, copy=False)
    flags = Flags(x)
    if "F" in wanted and not flags.f_contiguous:
        return _core.copy(x.T).T
    is_so = ("C" not in wanted or flags.c_contiguous) and ("W" not in wanted or flags.writeable)
    return x if is_so and ("O" not in wanted or flags.owndata) else _core.copy(x)
