"""Arrays in files: NumPy's formats, written and read by NumPy."""

from typing import Any

import numpy as np

from .. import _core
from .given import Array


def _host(x):
    return x.numpy() if isinstance(x, Array) else np.asarray(x)


def save(file, arr, allow_pickle=False) -> None:
    """Writes an array into a .npy file, which NumPy reads too. `file`: a path or a file object. Returns None.

    >>> import io
    >>> file = io.BytesIO()
    >>> ks.save(file, ks.ones(2))
    >>> ks.load(io.BytesIO(file.getvalue()))
    array([1., 1.])
    """
    np.save(file, _host(arr), allow_pickle=allow_pickle)


def savez(file, *args, allow_pickle=False, **kwds) -> None:
    """Writes several arrays into a .npz file, by their keywords or as arr_0, arr_1, … Returns None.

    >>> import io
    >>> file = io.BytesIO()
    >>> ks.savez(file, x=ks.ones(2))
    >>> ks.load(io.BytesIO(file.getvalue()))["x"]
    array([1., 1.])
    """
    np.savez(file, *map(_host, args), **{name: _host(x) for name, x in kwds.items()})


def savez_compressed(file, *args, allow_pickle=False, **kwds) -> None:
    """Writes several arrays into a .npz file as savez() does, each compressed by zlib. Returns None.

    >>> import io
    >>> file = io.BytesIO()
    >>> ks.savez_compressed(file, x=ks.ones(2))
    >>> ks.load(io.BytesIO(file.getvalue()))["x"]
    array([1., 1.])
    """
    np.savez_compressed(file, *map(_host, args), **{name: _host(x) for name, x in kwds.items()})


class NpzFile:
    """The arrays of a .npz file by their names, read when they are asked for."""

    def __init__(self, file, device):
        self._file, self._device = file, device
        self.files = file.files

    def __getitem__(self, name):
        if self._file.zip is None:
            raise ValueError("the file of these arrays is closed")
        return _core.array(self._file[name], device=self._device)

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, name):
        return name in self._file

    def keys(self):
        """The names of the arrays."""
        return list(self.files)

    def values(self):
        """The arrays."""
        return [self[name] for name in self.files]

    def items(self):
        """Names and arrays."""
        return [(name, self[name]) for name in self.files]

    def close(self):
        """Closes the file."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def load(file, mmap_mode=None, allow_pickle=False, *, device=None) -> Any:
    """The array of a .npy file, or the arrays of a .npz file by their names. With `mmap_mode="r"` the file's memory is shown.

    Raises ValueError for a file of objects.

    >>> import io; file = io.BytesIO(); ks.save(file, ks.ones(2)); _ = file.seek(0)
    >>> ks.load(file)
    array([1., 1.])
    """
    read = np.load(file, mmap_mode=mmap_mode, allow_pickle=allow_pickle)
    if isinstance(read, np.lib.npyio.NpzFile):
        return NpzFile(read, device)
    return _core.asarray(read, device=device)


def loadtxt(fname, dtype=float, *, device=None, **options) -> Any:
    """The numbers of a text file: numpy.loadtxt's arguments. With unpack=True of records a list of arrays.

    >>> import io; ks.loadtxt(io.StringIO("1 2"))
    array([1., 2.])
    """
    return _core.asarray(np.loadtxt(fname, dtype=dtype, **options), device=device)


def genfromtxt(fname, dtype=float, *, device=None, **options) -> Any:
    """The numbers of a text file in which some are missing: numpy.genfromtxt's arguments.

    >>> import io; ks.genfromtxt(io.StringIO("1,,3"), delimiter=",")
    array([ 1., nan,  3.])
    """
    return _core.asarray(np.genfromtxt(fname, dtype=dtype, **options), device=device)


def savetxt(fname, X, *args, **options) -> None:
    """Writes an array of one or two axes as text: numpy.savetxt's arguments. Returns None.

    >>> import io; file = io.StringIO(); ks.savetxt(file, ks.ones(1)); file.getvalue()
    '1.000000000000000000e+00\\n'
    """
    np.savetxt(fname, _host(X), *args, **options)


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, device=None) -> Array:
    """The numbers of a file of bytes, or with `sep` of text.

    >>> ks.fromfile.__name__
    'fromfile'
    """
    return _core.asarray(np.fromfile(file, dtype, count, sep, offset), device=device)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, device=None) -> Array:
    """An array that shows a buffer's bytes; on a GPU a copy of them.

    >>> ks.frombuffer(b"\\x01\\x02", dtype="uint8")
    array([1, 2], dtype=uint8)
    """
    return _core.asarray(np.frombuffer(buffer, dtype, count, offset), device=device)


def fromstring(string, dtype=float, count=-1, *, sep, device=None) -> Array:
    """The numbers of a text, between separators.

    >>> ks.fromstring("1 2", sep=" ")
    array([1., 2.])
    """
    return _core.asarray(np.fromstring(string, dtype, count, sep=sep), device=device)


def fromiter(iter, dtype, count=-1, *, device=None) -> Array:
    """The values of an iterator as a row.

    >>> ks.fromiter(range(3), "int64")
    array([0, 1, 2])
    """
    return _core.asarray(np.fromiter(iter, dtype, count), device=device)


def array2string(a, *args, **options) -> str:
    """The text of an array: numpy.array2string's arguments.

    >>> ks.array2string(ks.array([1.5]))
    '[1.5]'
    """
    return np.array2string(_host(a), *args, **options)


def array_str(a, *args, **options) -> str:
    """The str() of an array: numpy.array_str's arguments. Returns a text.

    >>> ks.array_str(ks.array([1.5]))
    '[1.5]'
    """
    return np.array_str(_host(a), *args, **options)


def array_repr(arr, *args, **options) -> str:
    """The repr() of an array: numpy.array_repr's arguments. Returns a text.

    >>> ks.array_repr(ks.array([1.5]))
    'array([1.5])'
    """
    return np.array_repr(_host(arr), *args, **options)
