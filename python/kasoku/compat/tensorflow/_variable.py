"""tf.Variable."""

import threading

import kasoku as ks

from .._face.table import bound as _bound, methods as _methods
from ._table import functions
from ._tensor import Tensor, convert, held, shown


class Variable:
    """tf.Variable: a tensor that can be assigned; every assignment makes a new value."""

    __slots__ = ("_value", "trainable", "name", "_lock", "__weakref__", "__dict__")
    __array_priority__ = 100

    def __init__(self, initial_value, trainable=True, name=None, dtype=None, shape=None, **ignored):
        value = initial_value() if callable(initial_value) else initial_value
        (self._value,) = held([convert(value, dtype)])
        self.trainable, self.name = trainable, name or "Variable:0"
        self._lock = threading.Lock()

    _as_tensor = lambda self: self._value

    def value(self):
        return self._value

    read_value = value

    def _set(self, make):
        with self._lock:
            value = make(self._value)
            if tuple(value.shape) != tuple(self._value.shape):
                said = f"shape mismatch {value.shape} and {self._value.shape}"
                raise ValueError(f"Cannot assign value to variable '{self.name}': {said}")
            ks.eval(value._array)
            self._value = value
        return self

    def __getitem__(self, key):
        """A part as it is now; its assign() writes to that part of the variable."""
        part = self._value[key]
        part.assign = lambda value, **ignored: self._set(lambda old: _written(old, key, value))
        return part

    @staticmethod
    def _like(old, value):
        """Numbers and lists of them in the variable's type."""
        return convert(value, old.dtype) if isinstance(value, (list, tuple)) else value

    ref = Tensor.ref

    def __deepcopy__(self, memo):
        copy = Variable(Tensor(self._value._array.copy()), trainable=self.trainable, name=self.name)
        memo[id(self)] = copy
        return copy

    __getattr__ = lambda self, name: getattr(object.__getattribute__(self, "_value"), name)

    def __repr__(self):
        return (
            f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, numpy={shown(self.numpy(), repr)}>"
        )


def _written(old, key, value):
    """A copy of a tensor with a value at the key's places."""
    made = Tensor(old._array.copy())
    made._array[made._plain_key(key)] = convert(value, old.dtype)._array
    return made


_methods(Variable, {
    "assign": lambda self, value, **ignored: self._set(lambda old: convert(value, old.dtype)),
    "assign_add": lambda self, delta, **ignored: self._set(lambda old: old + self._like(old, delta)),
    "assign_sub": lambda self, delta, **ignored: self._set(lambda old: old - self._like(old, delta)),
    "scatter_nd_update": lambda self, indices, updates, name=None: self._set(
        lambda old: functions.tensor_scatter_nd_update(old, indices, updates)),
    "scatter_nd_add": lambda self, indices, updates, name=None: self._set(
        lambda old: functions.tensor_scatter_nd_add(old, indices, updates)),
})  # fmt: skip


def _refused(self, other, *, sign, instead):
    raise RuntimeError(
        f"`variable {sign}= value` with `tf.Variable`s is not supported. Use `{instead}` to modify the variable, "
        f"or `out = variable {sign} value` if you need to get a new output Tensor."
    )


for _name, _sign, _instead in (
    ("add", "+", "variable.assign_add(value)"), ("sub", "-", "variable.assign_sub(value)"),
    ("mul", "*", "variable.assign(variable * value)"), ("truediv", "/", "variable.assign(variable / value)"),
    ("floordiv", "//", "variable.assign(variable // value)"), ("pow", "**", "variable.assign(variable ** value)"),
):  # fmt: skip
    setattr(Variable, f"__i{_name}__", _bound(_refused, sign=_sign, instead=_instead))
for _name in "__hash__ __matmul__ __rmatmul__ __invert__ __format__ __len__ __iter__ __bool__ __int__ __float__ __index__ __array__".split():  # fmt: skip
    setattr(Variable, _name, lambda self, *args, _name=_name, **kw: getattr(Tensor, _name)(self._value, *args, **kw))
