"""Operators of GPUArray: each is a kernel that computes at its place. Comparisons have the dtype
of their left operand, as PyCUDA's do."""

import numpy as np

from . import _kernels


def unary(name, x, dtype=None, out=None):
    result = x._new_like_me(dtype) if out is None else out
    _kernels.unary_kernel(name, x.dtype)(x, result)
    return result


def _operand(value):
    if isinstance(value, np.ndarray) and value.shape:
        from ._make import to_gpu

        return to_gpu(value)
    return value


def binary(name, x, y, common, out_dtype=None, out=None, stream=None):
    """x op y in the dtype `common`; one of them may be a number."""
    dtype = common if out_dtype is None else out_dtype
    if out is None:
        like = x if isinstance(x, Operators) else y
        if isinstance(x, Operators) and isinstance(y, Operators) and x.shape != y.shape:
            out = type(like)(np.broadcast_shapes(x.shape, y.shape), dtype)
        else:
            out = like._new_like_me(dtype)
    x, y = (v if isinstance(v, Operators) else common.type(v) for v in (x, y))
    _kernels.binary_kernel(name, common)(x, y, out, stream=stream)
    return out


def common(x, y):
    x, y = (v.dtype if isinstance(v, Operators) else v for v in (x, y))
    return np.result_type(x, y)


class Operators:
    """What GPUArray inherits."""

    __slots__ = ()

    def __neg__(self):
        return unary("negative", self)

    def __pos__(self):
        return self.copy()

    def __invert__(self):
        return unary("invert", self)

    def __abs__(self):
        dtype = np.dtype(f"f{self.itemsize // 2}") if self.dtype.kind == "c" else self.dtype
        return unary("absolute", self, dtype)

    def __divmod__(self, other):
        return self // other, self % other

    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        result = selffac * self + otherfac * other
        if out is None:
            return result
        return unary("copy", result, out=out)

    def rpow(self, other):
        return other**self

    @property
    def real(self):
        return self._part("z.real()", "gpuarray_real") if self.dtype.kind == "c" else self

    @property
    def imag(self):
        if self.dtype.kind == "c":
            return self._part("z.imag()", "gpuarray_imag")
        return self._new_like_me().fill(0)

    def _part(self, text, name):
        result = self._new_like_me(np.dtype(f"f{self.itemsize // 2}"))
        _kernels.element_kernel("S z", "T part", f"part = {text}", name)(self, result)
        return result

    def conj(self, out=None):
        if self.dtype.kind != "c" and out is None:
            return self
        return unary("conjugate", self, out=out)

    conjugate = conj


def _arithmetic(name, symbol, is_division=False):
    def common_of(x, y):
        dtype = common(x, y)
        if is_division and dtype.kind in "biu":
            return np.dtype(np.float64)
        if dtype.kind == "b" and name in ("power", "floor_divide", "mod"):
            return np.dtype(np.int8)
        return dtype

    def forward(self, other):
        other = _operand(other)
        if not isinstance(other, Operators) and not np.isscalar(other) and np.ndim(other):
            return NotImplemented
        return binary(name, self, other, common_of(self, other))

    def backward(self, other):
        other = _operand(other)
        if isinstance(other, Operators):
            return forward(other, self)
        return binary(name, other, self, common_of(other, self))

    def in_place(self, other):
        other = _operand(other)
        return binary(name, self, other, common_of(self, other), self.dtype, out=self)

    setattr(Operators, f"__{symbol}__", forward)
    setattr(Operators, f"__r{symbol}__", backward)
    setattr(Operators, f"__i{symbol}__", in_place)


def _comparison(name, symbol):
    def compare(self, other):
        other = _operand(other)
        if other is None or isinstance(other, str):
            return NotImplemented
        return binary(name, self, other, common(self, other), self.dtype)

    setattr(Operators, f"__{symbol}__", compare)


for _name, _symbol in [
    ("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("floor_divide", "floordiv"),
    ("mod", "mod"), ("power", "pow"), ("bitwise_and", "and"), ("bitwise_or", "or"),
    ("bitwise_xor", "xor"), ("left_shift", "lshift"), ("right_shift", "rshift"),
]:  # fmt: skip
    _arithmetic(_name, _symbol)
_arithmetic("true_divide", "truediv", is_division=True)
for _name, _symbol in [
    ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge"),
    ("equal", "eq"), ("not_equal", "ne"),
]:  # fmt: skip
    _comparison(_name, _symbol)
