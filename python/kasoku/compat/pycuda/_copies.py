"""Copies of rows that are not next to each other: pycuda.driver.Memcpy2D and Memcpy3D."""

import operator as _operator

import numpy as np

from .. import _texture
from .._face.table import methods as _methods, plain as _plain
from ._context import _device
from ._errors import LogicError
from ._memory import memcpy_dtod, memcpy_dtoh, memcpy_htod
from ._textures import Array


class Memcpy2D:
    """A rectangle of bytes from one place to another: set a source, a destination and the sizes, then call."""

    def __init__(self):
        self.width_in_bytes, self.height, self.depth = 0, 1, 1
        for side in ("src", "dst"):
            for name in ("x_in_bytes", "y", "z", "pitch", "height"):
                setattr(self, f"{side}_{name}", 0)
        self._src = self._dst = None

    def _place(self, side):
        """Kind, address of the first byte, and bytes from row to row and from slice to slice."""
        if getattr(self, f"_{side}") is None:
            raise LogicError(f"{type(self).__name__}: set_{side}_host(), _device() or _array() comes first")
        kind, what = getattr(self, f"_{side}")
        pitch, rows = getattr(self, f"{side}_pitch"), getattr(self, f"{side}_height")
        if isinstance(what, Array):
            kind, address, axes = "host", what._elements.ctypes.data, len(what._shape)
            pitch, rows = (what._elements.strides[axes - 2], what._shape[-2]) if axes > 1 else (0, 1)
        else:
            address = what.ctypes.data if kind == "host" else int(getattr(what, "ptr", what))
        pitch, rows = int(pitch or self.width_in_bytes), int(rows or self.height)
        x, y, z = (int(getattr(self, f"{side}_{name}")) for name in ("x_in_bytes", "y", "z"))
        return kind, address + x + y * pitch + z * rows * pitch, pitch, rows * pitch

    def __call__(self, stream=None, aligned=True):
        width, height, depth = int(self.width_in_bytes), int(self.height), max(1, int(self.depth))
        if not width * height:
            return
        from_kind, source, *from_steps = self._place("src")
        to_kind, to, *to_steps = self._place("dst")

        def rows(address, steps, height=height, depth=depth):
            shape, strides = (depth, height, width), (steps[1], steps[0], 1)
            return _texture.memory_at(address, shape, strides, np.uint8)

        if from_kind == to_kind == "host" or _device().kind == "cpu":
            rows(to, to_steps)[...] = rows(source, from_steps)
            return
        for z in range(depth):
            for y in range(height):
                a, b = source + z * from_steps[1] + y * from_steps[0], to + z * to_steps[1] + y * to_steps[0]
                if from_kind == "host":
                    memcpy_htod(b, rows(a, (width, width), 1, 1).ravel())
                elif to_kind == "host":
                    memcpy_dtoh(rows(b, (width, width), 1, 1).reshape(-1), a)
                else:
                    memcpy_dtod(b, a, width)


def _setting(side, kind):
    return lambda self, place: setattr(self, f"_{side}", (kind, np.asarray(place) if kind == "host" else place))


_methods(Memcpy2D, {f"set_{side}_{name}": _setting(side, "device" if name == "unified" else name)
                    for side in ("src", "dst") for name in ("host", "device", "array", "unified")})  # fmt: skip


class Memcpy3D(Memcpy2D):
    """A box of bytes from one place to another."""


def _bytes_of(array, index, length):
    """Part of an Array with one axis, from the byte `index`, as a host array."""
    if len(array._shape) != 1:
        raise LogicError(f"the Array has {len(array._shape)} axes: Memcpy2D and Memcpy3D copy from and to such")
    flat = array._elements.reshape(-1).view(np.uint8)
    if index < 0 or length < 0 or index + length > flat.size:
        raise LogicError(f"bytes {index} to {index + length} are not all in an Array of {flat.size} bytes")
    return flat[index : index + length]


_plain(globals(), {
    "memcpy_dtoa": (lambda ary, index, src, len: memcpy_dtoh(_bytes_of(ary, index, len), src),
        "Device memory to an Array, whose byte `index` is the first that is written."),
    "memcpy_atoa": lambda dest, dest_index, src, src_index, len: _operator.setitem(
        _bytes_of(dest, dest_index, len), ..., _bytes_of(src, src_index, len).copy()),
    "memcpy_atod": lambda dest, ary, index, len: memcpy_htod(dest, _bytes_of(ary, index, len)),
})  # fmt: skip


def memcpy_htoa(ary, index, src):
    """A host array to an Array."""
    source = np.ascontiguousarray(src).reshape(-1).view(np.uint8)
    _bytes_of(ary, index, source.size)[...] = source


def memcpy_atoh(dest, ary, index):
    out = np.asarray(dest)
    out[...] = _bytes_of(ary, index, out.nbytes).view(out.dtype).reshape(out.shape)
