"""tf.dtypes: the types by TensorFlow's names."""

import numpy as np


class DType:
    """An element type; compares equal to its name and to NumPy's type."""

    def __init__(self, name, numpy_name=None):
        self.name = name
        self.as_numpy_dtype = np.dtype(numpy_name or name).type
        self.kind = np.dtype(self.as_numpy_dtype).kind  # NumPy's letter
        self.is_floating, self.is_complex = self.kind == "f", self.kind == "c"
        self.is_integer, self.is_bool = self.kind in "iu", self.kind == "b"
        self.size = np.dtype(self.as_numpy_dtype).itemsize

    _info = property(lambda self: (np.finfo if self.is_floating else np.iinfo)(self.as_numpy_dtype))
    min, max = property(lambda self: self._info.min), property(lambda self: self._info.max)

    def __eq__(self, other):
        if isinstance(other, DType):
            return self is other
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    __hash__ = lambda self: hash(self.name)
    __repr__ = lambda self: f"tf.{self.name}"
    __str__ = lambda self: f"<dtype: '{self.name}'>"


bool = DType("bool")  # noqa: A001 - TensorFlow's own name
int8, int16, int32, int64 = DType("int8"), DType("int16"), DType("int32"), DType("int64")
uint8, uint16, uint32, uint64 = DType("uint8"), DType("uint16"), DType("uint32"), DType("uint64")
half = float16 = DType("float16")
float32 = DType("float32")
double = float64 = DType("float64")
complex64, complex128 = DType("complex64"), DType("complex128")
_by_name = {d.name: d for d in list(vars().values()) if isinstance(d, DType)}


_by_number = {1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 8: "complex64", 9: "int64",
              10: "bool", 17: "uint16", 18: "complex128", 19: "float16", 22: "uint32", 23: "uint64"}  # of TensorFlow's files  # fmt: skip

_known = {}  # what as_dtype has answered: NumPy's own names of its types take microseconds to make


def of_array(array):
    """The DType of a kasoku or NumPy array."""
    return as_dtype(array.dtype)


def as_dtype(value):
    """The DType of a DType, a name, a NumPy type or Python's int, float and bool."""
    if isinstance(value, DType):
        return value
    try:
        return _known[value]
    except (KeyError, TypeError):
        return _found(value)


def _found(value):
    if value is float:
        return float32
    if value is int:
        return int32
    if isinstance(value, int) and value in _by_number:
        value = _by_number[value]
    name = value if isinstance(value, str) else np.dtype(value).name
    name = {"float": "float32", "half": "float16", "double": "float64"}.get(name, name)
    if name not in _by_name:
        raise TypeError(f"Cannot convert {value!r} to a TensorFlow DType.")
    return _known.setdefault(value, _by_name[name])
