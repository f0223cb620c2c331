"""Operators of GPUArray: the engine's operations, in the dtype in which PyCUDA's operands meet. Comparisons have the dtype
of their left operand."""

import numpy as np

import kasoku as ks

from .._face.table import bound
from .._operands import arithmetic, comparisons
from ._array import GPUArray, result


def common(x, y):
    """The dtype in which two operands meet; one of them may be a number."""
    return np.result_type(*(v.dtype if isinstance(v, GPUArray) else v for v in (x, y)))


def binary(name, x, y, meeting=None, dtype=None, out=None, stream=None):
    """The engine's operation of that name; its result has the dtype in which x and y meet, or `dtype`."""
    meeting = common(x, y) if meeting is None else meeting
    convert = lambda v: v.__kasoku_array__.astype(meeting, copy=False) if isinstance(v, GPUArray) else meeting.type(v)
    like = x if isinstance(x, GPUArray) else y
    return result(getattr(ks, name)(convert(x), convert(y)), like, out, stream, meeting if dtype is None else dtype)


def unary(name, x, out=None, stream=None):
    return result(getattr(ks, name)(x.__kasoku_array__), x, out, stream)


def _operand(value):
    if isinstance(value, np.ndarray) and value.shape:
        from ._make import to_gpu

        return to_gpu(value)
    return value


def _arithmetic(symbol, name):
    def compute(x, y, dtype=None, out=None):
        meeting = common(x, y)
        if name == "divide" and meeting.kind in "biu":
            meeting = np.dtype(np.float64)
        if meeting.kind == "b" and name in ("power", "floor_divide", "remainder", "subtract"):
            meeting, dtype = np.dtype(np.int8), bool if name == "subtract" else dtype
        return binary(name, x, y, meeting, dtype, out)

    def forward(self, other):
        other = _operand(other)
        if not isinstance(other, GPUArray) and not np.isscalar(other) and np.ndim(other):
            return NotImplemented
        return compute(self, other)

    setattr(GPUArray, f"__{symbol}__", forward)
    setattr(GPUArray, f"__r{symbol}__", lambda self, other: compute(_operand(other), self))
    setattr(GPUArray, f"__i{symbol}__", lambda self, other: compute(self, _operand(other), self.dtype, self))


def _compare(self, other, *, name):
    if other is None or isinstance(other, str):
        return NotImplemented
    return binary(name, self, _operand(other), dtype=self.dtype)


for _symbol, _name in arithmetic.items():
    _arithmetic(_symbol, _name)
for _symbol, _name in comparisons.items():
    setattr(GPUArray, f"__{_symbol}__", bound(_compare, name=_name))


def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
    """selffac * self + otherfac * other"""
    total = selffac * self + otherfac * other
    return total if out is None else out._store(total.__kasoku_array__, stream)


GPUArray.real = property(lambda self: unary("real", self) if self.dtype.kind == "c" else self)
GPUArray.imag = property(lambda self: unary("imag", self))
GPUArray.conj = GPUArray.conjugate = lambda self, out=None: (
    self if self.dtype.kind != "c" and out is None else unary("conjugate", self, out)
)
GPUArray.mul_add = mul_add
GPUArray.rpow = lambda self, other: other**self
GPUArray.__neg__ = lambda self: self.copy() if self.dtype.kind == "b" else unary("negative", self)
GPUArray.__pos__ = GPUArray.copy
GPUArray.__invert__ = lambda self: unary("invert", self)
GPUArray.__abs__ = lambda self: unary("absolute", self)
GPUArray.__divmod__ = lambda self, other: (self // other, self % other)
