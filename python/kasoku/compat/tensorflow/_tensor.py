"""Tensor: a kasoku array with TensorFlow's strictness about types.

Outside tf.function each statement runs at its place; inside, operations wait and are fused, and run
when a value is needed (a branch, a loop bound, the result).
"""

from __future__ import annotations

import math
import threading

import numpy as np

import kasoku as ks
from kasoku import _core

from .. import says_what_is_missing
from .._face.table import methods as _methods
from .._operands import divides_by_zero
from . import dtypes
from .errors import InvalidArgumentError

_mode = threading.local()


def in_graph():
    return getattr(_mode, "depth", 0) > 0


def in_a_graph(function, *args, **kwargs):
    """function(*args, **kwargs), whose operations wait."""
    _mode.depth = getattr(_mode, "depth", 0) + 1
    try:
        return _core._unsettled(function, *args, **kwargs)
    finally:
        _mode.depth -= 1


def held(tensors):
    """Computed outside of a graph: they go into a container, and nobody sees how they are taken out."""
    if not in_graph():
        ks.eval(*(t._array for t in tensors))
    return tensors


class TensorShape(tuple):
    """A shape; its dims are known."""

    rank = ndims = property(len)
    dims = property(list)

    __hash__ = tuple.__hash__

    def __getitem__(self, index):
        value = super().__getitem__(index)
        return TensorShape(value) if isinstance(index, slice) else value


_methods(TensorShape, {
    "is_compatible_with": (lambda self, other: len(other) == len(self) and all(
        n is None or n == own for n, own in zip(other, self)), "Whether it is a shape of which some lengths may be None."),
    "as_list": lambda self: list(self),
    "num_elements": lambda self: math.prod(self),
    "is_fully_defined": lambda self: True,
    "__str__": lambda self: "(" + ", ".join(map(str, self)) + ("," if len(self) == 1 else "") + ")",
    "__repr__": lambda self: f"TensorShape([{', '.join(map(str, self))}])",
    "__eq__": lambda self, other: isinstance(other, (tuple, list)) and tuple(self) == tuple(other),
    "__ne__": lambda self, other: not self == other,
})  # fmt: skip


class Reference:
    """A tensor or variable as a key."""

    def __init__(self, value):
        self._value = value


_methods(Reference, {
    "deref": lambda self: self._value,
    "__eq__": lambda self, other: isinstance(other, Reference) and self._value is other._value,
    "__hash__": lambda self: id(self._value),
})  # fmt: skip


@says_what_is_missing("tensorflow.Tensor")
class Tensor:
    """tf.Tensor. Arithmetic wants equal types and says which cast would give them."""

    __slots__ = ("_array", "__weakref__", "__dict__")
    __array_priority__ = 100

    def __init__(self, array):
        self._array = _core._settle(array)

    dtype = property(lambda self: dtypes.of_array(self._array))
    shape = property(lambda self: TensorShape(self._array.shape))
    ndim = property(lambda self: len(self._array.shape))

    @property
    def device(self):
        kind, _, index = str(self._array.device).partition(":")
        kind = "GPU" if kind == "cuda" else kind.upper()
        return f"/job:localhost/replica:0/task:0/device:{kind}:{index or 0}"

    def numpy(self):
        value = self._array.numpy()
        return value if value.ndim else value[()]

    def __array__(self, dtype=None, copy=None):
        value = self._array.numpy()
        return value if dtype is None else value.astype(dtype, copy=False)

    def _item(self):
        if self._array.size != 1:
            raise TypeError(f"only a tensor of one element converts to a number, this one has shape {self.shape}")
        return self._array.item()

    def __bool__(self):
        if self._array.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self._array.item())

    def __index__(self):
        if not self.dtype.is_integer:
            raise TypeError(f"only integer tensors of one element convert to an index, this one is {self.dtype!r}")
        return int(self._item())

    def __len__(self):
        if not self.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        for k in range(self.shape[0]):
            yield self[k]

    @staticmethod
    def _plain_key(key):
        """A key whose tensors are the engine's arrays, or numbers."""

        def plain(k):
            if isinstance(k, Tensor):
                return int(k) if not k.shape else k._array
            if isinstance(k, slice):
                return slice(*(int(p) if isinstance(p, Tensor) else p for p in (k.start, k.stop, k.step)))
            return k

        return tuple(plain(k) for k in key) if isinstance(key, tuple) else plain(key)

    def __getitem__(self, key):
        return Tensor(self._array[self._plain_key(key)])

    def __hash__(self):
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __invert__(self):
        must_take("Invert", "biu", self)
        return Tensor(~self._array)


_methods(Tensor, {
    "get_shape": lambda self: self.shape,
    "set_shape": (lambda self, shape: None, "Accepted: shapes are known."),
    "ref": (lambda self: Reference(self), "What can be a key: equal for the same tensor only."),
    "__int__": lambda self: int(self._item()),
    "__float__": lambda self: float(self._item()),
    "__repr__": lambda self: f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={shown(self.numpy(), repr)}>",
    "__str__": lambda self: f"tf.Tensor({shown(self.numpy(), str)}, shape={self.shape}, dtype={self.dtype.name})",
    "__format__": lambda self, spec: format(self.numpy(), spec),
    "__matmul__": lambda self, other: binary("MatMul", ks.matmul, self, other),
    "__rmatmul__": lambda self, other: binary("MatMul", ks.matmul, other, self),
})  # fmt: skip


def shown(value, text_of):
    """NumPy's text of what a tensor holds, from the next line on if it has several; as repr a number is Python's."""
    text = text_of(value.item() if text_of is repr and isinstance(value, np.generic) else value)
    return "\n" + text if "\n" in text else text


def _must_hold(number, dtype):
    if dtype.is_integer and not dtype.min <= number <= dtype.max:
        held = f"it holds {dtype.min} to {dtype.max}"
        raise TypeError(f"Cannot convert {number} to EagerTensor of dtype {dtype.name}: {held}")


def convert(value, dtype=None, like=None):
    """A Tensor of `value`; a Python number takes the type of `like` if it fits there."""
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype != dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with dtype {value.dtype.name}: {value!r}"
            )
        return value
    if hasattr(value, "_as_tensor"):
        return convert(value._as_tensor(), dtype, like)
    if isinstance(value, ks.Array):
        return Tensor(value if dtype is None else value.astype(dtypes.as_dtype(dtype).as_numpy_dtype))
    if isinstance(value, (list, tuple)):
        value = [np.asarray(v) if isinstance(v, Tensor) else v for v in value]
    wanted = dtypes.as_dtype(dtype) if dtype is not None else None
    if wanted is None and like is not None and isinstance(value, (bool, int, float, complex)):
        wanted = like
        if (isinstance(value, float) and not (like.is_floating or like.is_complex)) or (
            isinstance(value, bool) != like.is_bool and (like.is_bool or isinstance(value, bool))
        ):
            raise TypeError(
                f"Cannot convert {value!r} to EagerTensor of dtype {like.name}; cast it: tf.cast(x, tf.float32)"
            )
    if wanted is not None and type(value) is int:
        _must_hold(value, wanted)
    array, is_typed = np.asarray(value), isinstance(value, (np.ndarray, np.generic))
    if array.dtype.kind in "SUO":
        raise TypeError("kasoku's tensors hold no text and no objects: numbers and bools only")
    if wanted is None and like is not None and type(value) is list and not like.is_bool:  # of Python's numbers
        if not array.size or array.dtype.kind == "i" or array.dtype.kind == "f" and like.is_floating:
            wanted = like
    if wanted is None:
        if array.dtype == np.float64 and not is_typed:
            wanted = dtypes.float32
        elif array.dtype == np.int64 and not is_typed:
            wanted = dtypes.int32 if np.array_equal(array, array.astype(np.int32)) else dtypes.int64
        else:
            wanted = dtypes.as_dtype(array.dtype)
    if array.dtype.kind in "iu" and array.size and not is_typed:
        for bound in (array.min(), array.max()):
            _must_hold(int(bound), wanted)
    if array.dtype.kind == "f" and array.size and wanted.is_integer and not is_typed:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {wanted.name}")
    return Tensor(ks.array(array.astype(wanted.as_numpy_dtype)))


_SHORT = {"float32": "float", "float64": "double", "float16": "half"}
_ALLOWED = {  # by NumPy's letters of their kinds
    "f": "bfloat16, half, float, double",
    "fc": "bfloat16, half, float, double, complex64, complex128",
    "iuf": "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64",
    "iufc": "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128",
    "biu": "bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64",
}


def must_take(op, kinds, *tensors):
    """That the operation is one of tensors of these kinds, in TensorFlow's words."""
    for at, x in enumerate(tensors):
        name = _SHORT.get(x.dtype.name, x.dtype.name)
        if x.dtype.kind in kinds:
            continue
        if kinds == "b":
            said = f"was expected to be a bool tensor but is a {name} tensor"
            raise InvalidArgumentError(f"cannot compute {op} as input #{at}(zero-based) {said} [Op:{op}]")
        raise InvalidArgumentError(
            f"Value for attr 'T' of {name} is not in the list of allowed values: {_ALLOWED[kinds]} [Op:{op}]; "
            f"cast it: tf.cast(x, tf.{'float32' if 'f' in kinds else 'int32'})"
        )
    return tensors[0]


def op_name(function):
    """TensorFlow's name of a function's operation, where it follows from it."""
    return "".join(part.capitalize() for part in function.split("_"))


def operands(op, x, y):
    """Two tensors of one type, or the error that TensorFlow raises, with the cast that would help."""
    x, y = (v._as_tensor() if hasattr(v, "_as_tensor") else v for v in (x, y))
    y = convert(y, like=x.dtype if isinstance(x, Tensor) else None)
    x = convert(x, like=y.dtype)
    if x.dtype != y.dtype:
        a, b = x.dtype.name, y.dtype.name
        raise InvalidArgumentError(
            f"cannot compute {op} as input #1(zero-based) was expected to be a {_SHORT.get(a, a)} tensor but is a "
            f"{_SHORT.get(b, b)} tensor [Op:{op}]; cast one: tf.cast(x, tf.{b}) or tf.cast(y, tf.{a})"
        )
    return x, y


def broadcast(x, y):
    """Whether their shapes do."""
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return True


def binary(op, function, x, y, kinds="biufc"):
    x, y = operands(op, x, y)
    must_take(op, kinds, x, y)
    if op in ("FloorDiv", "FloorMod") and divides_by_zero(x._array, y._array):
        raise InvalidArgumentError(f"Integer division by zero [Op:{op}]")
    if op == "Pow" and x.dtype.is_integer and bool((y._array < 0).any()):
        raise InvalidArgumentError(f"Integers to negative integer powers are not allowed [Op:{op}]")
    try:
        return Tensor(function(x._array, y._array))
    except ValueError as error:
        said = error if op != "MatMul" and broadcast(x, y) else f"Incompatible shapes: {x.shape} vs. {y.shape}"
        raise InvalidArgumentError(f"{said} [Op:{op}]") from error
