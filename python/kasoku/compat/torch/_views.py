"""Tensors that show a part of another tensor's memory in another way: diagonals, windows, parts of complex
numbers, other dtypes. What is written to them is written to that tensor."""

import operator

import numpy as np

from kasoku.lib.stride_tricks import _shown

from .._face.table import bound
from .. import _layout
from . import _types
from ._table import functions
from ._tensor import Tensor, shaped
from ._types import as_dtype


def _view(x, function, *args):
    """What NumPy's function shows of a tensor."""
    return Tensor(_layout.viewed(x._a, lambda host: function(host, *args)))


_in_dtype = lambda x, dtype: _view(x, np.ndarray.view, np.dtype(dtype))


def _part(input, *, name):
    if input.dtype.is_complex:
        return _view(input, lambda host: getattr(host, name))
    if name == "imag":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return input


functions.rows("tensors", {
    "diagonal": lambda input, offset=0, dim1=0, dim2=1: _view(input, np.diagonal, offset, dim1, dim2),
    "real": bound(_part, name="real"), "imag": bound(_part, name="imag"),
    "view_as_real": lambda input: _in_dtype(input.unsqueeze(-1), f"f{input._a.itemsize // 2}"),
})  # fmt: skip


@functions.row("tensors")
def as_strided(input, size, stride, storage_offset=None):
    itemsize = input._a.itemsize
    offset = storage_offset * itemsize if storage_offset is not None else None
    try:
        return Tensor(_shown(input._a, tuple(size), tuple(s * itemsize for s in stride), offset))
    except ValueError as error:
        raise RuntimeError(f"as_strided: {error}") from None


@functions.row("tensors")
def view_as_complex(input):
    a = input._a
    if not a.ndim or a.shape[-1] != 2 or a.strides[-1] != a.itemsize:
        raise RuntimeError("Tensor must have a last dimension of size 2 with stride 1")
    return _in_dtype(input, f"c{2 * a.itemsize}").squeeze(-1)


def unfold(self, dimension, size, step):
    """Windows of `size` elements along an axis, as a new last axis."""
    x = self if self.ndim else self.reshape(1)
    dim = range(x.ndim)[dimension]
    if size > x.shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {x.shape[dim]} but size is {size}")
    if step < 1:
        raise RuntimeError(f"step is {step} but must be > 0")
    windows = _view(x, np.lib.stride_tricks.sliding_window_view, size, dim)
    return windows[(slice(None),) * dim + (slice(None, None, step),)]


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
    is_row = a.ndim and a.strides[-1] == a.itemsize and a.shape[-1] * a.itemsize % wanted.itemsize == 0
    if wanted.itemsize != a.itemsize and not is_row:
        raise RuntimeError(
            f"self.size(-1) must be divisible by {wanted.itemsize // a.itemsize or 1} and contiguous to view "
            f"{self.dtype!r} as {wanted!r} (different element sizes)"
        )
    return Tensor(a.view(wanted.numpy))


def expand(self, *shape):
    """Axes of length 1 stretched: each element of the result is one of this tensor's."""
    shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    more = len(shape) - self._a.ndim
    if -1 in shape[: max(more, 0)]:
        said = f"isn't allowed in a leading, non-existing dimension {shape.index(-1)}"
        raise RuntimeError(f"The expanded size of the tensor (-1) {said}")
    own = (1,) * more + self._a.shape
    wanted = [o if n == -1 else n for n, o in zip(shape, own, strict=False)]
    return shaped(_view, self, np.broadcast_to, wanted)


Tensor.expand = expand
for _name in ("real", "imag"):
    _part_of = functions[_name]
    setattr(Tensor, _name, property(_part_of, lambda self, value, of=_part_of: operator.setitem(of(self), ..., value)))
Tensor.view, Tensor.unfold, Tensor.as_strided, Tensor.diagonal = view, unfold, functions.as_strided, functions.diagonal
