"""Dtypes: what they can hold, what kind they are, and what there is on this machine (the array API's inspection)."""

import numpy as np

from .. import _core
from .given import Array
from .._hints import did_you_mean

_kinds = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
_names = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip


def _one(dtype, function):
    """The dtype that is meant, of an array its own."""
    if isinstance(dtype, Array):
        return dtype.dtype
    if isinstance(dtype, (bool, int, float, complex)) or dtype is None:
        raise TypeError(f"{function}: {dtype!r} is no dtype")
    return _core.result_type(dtype)


def _kind(dtype):
    return "f" if dtype == "bfloat16" else dtype.kind


class finfo:
    """What a dtype of floats can hold; of complex numbers, what their parts can.

    Parameters: `type`, a dtype or an array of one. Attributes: `bits`, `eps` (from 1 to the next number), `max`, `min`,
    `smallest_normal` (and `tiny`, the same), `smallest_subnormal`, `resolution`, all of Python's types, and `dtype`. Raises
    TypeError for any other dtype.

    >>> ks.finfo(ks.float32).eps
    1.1920928955078125e-07
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    tiny: float
    smallest_subnormal: float
    resolution: float

    def __init__(self, type, /) -> None:
        dtype = _one(type, "finfo")
        if _kind(dtype) not in "fc":
            raise TypeError(f"finfo of {dtype}, which has no floats; ks.iinfo is for integers")
        if dtype == "bfloat16":
            self.dtype, self.bits, self.eps = dtype, 16, 2.0**-7
            self.max, self.smallest_normal, self.smallest_subnormal = (2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133
            self.resolution = 0.01
        else:
            limits = np.finfo(dtype)
            self.dtype, self.bits, self.eps = limits.dtype, limits.bits, float(limits.eps)
            self.max, self.smallest_normal = float(limits.max), float(limits.smallest_normal)
            self.smallest_subnormal, self.resolution = float(limits.smallest_subnormal), float(limits.resolution)
        self.min, self.tiny = -self.max, self.smallest_normal

    def __repr__(self):
        return f"finfo(dtype={self.dtype}, bits={self.bits}, eps={self.eps}, min={self.min}, max={self.max})"


class iinfo:
    """What a dtype of integers can hold.

    Parameters: `type`, a dtype or an array of one. Attributes: `bits`, `max`, `min`, `dtype`. Raises TypeError for any
    other dtype.

    >>> ks.iinfo(ks.int8).max
    127
    """

    bits: int
    max: int
    min: int

    def __init__(self, type, /) -> None:
        dtype = _one(type, "iinfo")
        if _kind(dtype) not in "iu":
            raise TypeError(f"iinfo of {dtype}, which has no integers; ks.finfo is for floats")
        limits = np.iinfo(dtype)
        self.dtype, self.bits, self.max, self.min = dtype, int(limits.bits), int(limits.max), int(limits.min)

    def __repr__(self):
        return f"iinfo(dtype={self.dtype}, bits={self.bits}, min={self.min}, max={self.max})"


def isdtype(dtype, kind) -> bool:
    """Whether a dtype is of a kind: another dtype, "bool", "signed integer", "unsigned integer", "integral",
    "real floating", "complex floating", "numeric", or one of a tuple of these.

    Raises ValueError for a kind that there is not, TypeError for what is no dtype.

    >>> ks.isdtype(ks.int32, ("real floating", "integral"))
    True
    """
    if isinstance(dtype, Array):
        raise TypeError("isdtype: an array is no dtype; x.dtype is its")
    dtype = _one(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str) and kind in _kinds:
        return _kind(dtype) in _kinds[kind]
    if isinstance(kind, str) and kind not in (*_names, "bfloat16", "float16"):
        raise ValueError(f"isdtype: there is no kind {kind!r}{did_you_mean(kind, _kinds)}")
    return dtype == _one(kind, "isdtype")


def common_type(*arrays) -> np.dtype:
    """The dtype of floats or complex numbers that holds the elements of all arrays; integers count as float64.

    Raises TypeError for bools.

    >>> ks.common_type(ks.ones(2, dtype="float32"), ks.ones(2, dtype="int8"))
    dtype('float64')
    """
    dtypes = [_one(x, "common_type") if isinstance(x, Array) else np.asarray(x).dtype for x in arrays]
    if any(_kind(dtype) == "b" for dtype in dtypes):
        raise TypeError("common_type: can't get common type for non-numeric array")
    return _core.result_type(np.float16, *(np.float64 if _kind(dtype) in "iu" else dtype for dtype in dtypes))


def min_scalar_type(value) -> np.dtype:
    """The smallest dtype that holds a number; of an array with axes its own.

    >>> ks.min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(value, Array):
        return value.dtype if value.ndim else np.min_scalar_type(value.item())
    return np.min_scalar_type(value)


def issubdtype(arg1, arg2) -> bool:
    """Whether a dtype stands below another one, or below one of NumPy's abstract ones (`ks.floating`, `ks.integer` …).

    >>> ks.issubdtype(ks.float32, ks.floating)
    True
    """
    return bool(np.issubdtype(arg1, arg2))


class _Info:
    """What `ks.__array_namespace_info__()` gives: the devices and dtypes of this machine."""

    def capabilities(self):
        """What the namespace can do that the standard leaves open.

        >>> ks.__array_namespace_info__().capabilities()["boolean indexing"]
        True
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device of arrays for which none is named."""
        return _core.default_device()

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays for which none is named; they are the same on all devices."""
        self._one(device)
        names = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        return {kind: np.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of the standard, by their names: all, or those of a kind as isdtype() has it."""
        self._one(device)
        all = {name: np.dtype(name) for name in _names}
        return all if kind is None else {name: dtype for name, dtype in all.items() if isdtype(dtype, kind)}

    def devices(self):
        """The devices of this machine."""
        return list(_core.devices())

    def _one(self, device):
        if device is not None and not isinstance(device, _core.Device):
            _core.empty(0, device=device)  # says what is wrong with the name


def __array_namespace_info__() -> Array:
    """The inspection API of the array API standard.

    >>> ks.__array_namespace_info__().default_dtypes()["integral"]
    dtype('int64')
    """
    return _Info()
