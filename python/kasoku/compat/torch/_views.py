"""Tensors that show a part of another tensor's memory in another way: diagonals, windows, parts of complex
numbers, other dtypes. What is written to them is written to that tensor."""

import numpy as np

from kasoku import _core

from .. import _layout
from . import _types
from ._table import functions
from ._tensor import Tensor, shaped
from ._types import as_dtype


def _view(x, offset, shape, strides, dtype=None):
    a = x._a
    return Tensor(_core._view(a, offset, shape, strides, dtype or a.dtype, 0, a.device))


@functions.row("tensors")
def diagonal(input, offset=0, dim1=0, dim2=1):
    return _view(input, *_layout.diagonal(input._a.shape, input._a.strides, offset, dim1, dim2))


@functions.row("tensors")
def as_strided(input, size, stride, storage_offset=None):
    itemsize = input._a.itemsize
    offset = storage_offset * itemsize if storage_offset is not None else None
    try:
        return Tensor(_layout.strided(input._a, tuple(size), tuple(s * itemsize for s in stride), offset))
    except ValueError as error:
        raise RuntimeError(f"as_strided: {error}") from None


def unfold(self, dimension, size, step):
    """Windows of `size` elements along an axis, as a new last axis."""
    shape, strides = (list(self._a.shape), list(self._a.strides)) if self._a.ndim else ([1], [self._a.itemsize])
    dim = range(len(shape))[dimension]
    if size > shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {shape[dim]} but size is {size}")
    if step < 1:
        raise RuntimeError(f"step is {step} but must be > 0")
    windows = (shape[dim] - size) // step + 1
    return _view(
        self, 0, (*shape[:dim], windows, *shape[dim + 1 :], size),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim]),
    )  # fmt: skip


def _part(x, which):
    a, half = x._a, x._a.itemsize // 2
    return _view(x, which * half, a.shape, a.strides, np.dtype(f"f{half}"))


@functions.row("tensors")
def real(input):
    return _part(input, 0) if input.dtype.is_complex else input


@functions.row("tensors")
def imag(input):
    if not input.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return _part(input, 1)


@functions.row("tensors")
def view_as_real(input):
    a, half = input._a, input._a.itemsize // 2
    return _view(input, 0, (*a.shape, 2), (*a.strides, half), np.dtype(f"f{half}"))


@functions.row("tensors")
def view_as_complex(input):
    a = input._a
    if not a.ndim or a.shape[-1] != 2 or a.strides[-1] != a.itemsize:
        raise RuntimeError("Tensor must have a last dimension of size 2 with stride 1")
    return _view(input, 0, a.shape[:-1], a.strides[:-1], np.dtype(f"c{2 * a.itemsize}"))


def _set_part(which):
    def set_part(self, value):
        (imag if which else real)(self)[...] = value

    return set_part


def view(self, *shape):
    """Another shape, or another dtype of the same memory."""
    if len(shape) != 1 or not isinstance(shape[0], (_types.dtype, type)):
        seen = self.reshape(*shape)
        if self._a.size and not self.is_contiguous() and seen._a.ptr != self._a.ptr:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans "
                "across two contiguous subspaces). Use .reshape(...) instead."
            )
        return seen
    a, wanted = self._a, as_dtype(shape[0])
    if wanted.itemsize == a.itemsize:
        return _view(self, 0, a.shape, a.strides, wanted.numpy)
    if not a.ndim or a.strides[-1] != a.itemsize or a.shape[-1] * a.itemsize % wanted.itemsize:
        raise RuntimeError(
            f"self.size(-1) must be divisible by {wanted.itemsize // a.itemsize or 1} and contiguous to view "
            f"{self.dtype!r} as {wanted!r} (different element sizes)"
        )
    last = a.shape[-1] * a.itemsize // wanted.itemsize
    return _view(self, 0, (*a.shape[:-1], last), (*a.strides[:-1], wanted.itemsize), wanted.numpy)


def expand(self, *shape):
    """Axes of length 1 stretched: each element of the result is one of this tensor's."""
    shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    more = len(shape) - self._a.ndim
    if -1 in shape[: max(more, 0)]:
        raise RuntimeError(
            f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {shape.index(-1)}"
        )
    own = (1,) * more + self._a.shape
    wanted = [o if n == -1 else n for n, o in zip(shape, own, strict=False)]
    stretched = shaped(_core.broadcast_to, self._a, wanted)
    return _view(self, 0, stretched.shape, stretched.strides)


Tensor.expand = expand
Tensor.real, Tensor.imag = property(functions.real, _set_part(0)), property(functions.imag, _set_part(1))
Tensor.view, Tensor.unfold, Tensor.as_strided, Tensor.diagonal = view, unfold, as_strided, functions.diagonal
