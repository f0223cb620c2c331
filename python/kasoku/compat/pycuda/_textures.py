"""Arrays, texture references and copies in two and three dimensions of pycuda.driver."""

import numpy as np

import kasoku as ks

from .. import _texture
from .._face.table import methods as _methods, plain as _plain
from ._context import _device
from ._errors import LogicError
from ._flags import address_mode, array3d_flags, array_format, filter_mode

TRSA_OVERRIDE_FORMAT = TRSF_READ_AS_INTEGER = 1
TRSF_NORMALIZED_COORDINATES, TRSF_SRGB = 2, 16

_dtypes = dict(zip(array_format, (np.uint8, np.uint16, np.uint32, np.int8, np.int16, np.int32, np.float16, np.float32)))


def dtype_to_array_format(dtype):
    for format, known in _dtypes.items():
        if np.dtype(dtype) == known:
            return format
    raise TypeError(f"a texture cannot hold {np.dtype(dtype)}")


class ArrayDescriptor:
    """Width, height, format and channels of an Array."""

    width = height = 0
    format, num_channels = array_format.FLOAT, 1


class ArrayDescriptor3D(ArrayDescriptor):
    depth, flags = 0, array3d_flags(0)


class Array:
    """Memory for textures: elements in rows, of one, two or four channels."""

    def __init__(self, descriptor):
        _texture.require_cpu(_device(), "pycuda.driver.Array")
        self._descriptor = descriptor
        self._channels = int(descriptor.num_channels)
        sizes = [int(getattr(descriptor, name, 0)) for name in ("depth", "height", "width")]
        self._shape = tuple(n for n in sizes if n > 0)
        tail = (self._channels,) if self._channels > 1 else ()
        self._elements = np.zeros(self._shape + tail, _dtypes[array_format(descriptor.format)])

    def get_descriptor(self):
        return self._descriptor

    get_descriptor_3d = get_descriptor
    handle = property(lambda self: self._elements.ctypes.data)

    def free(self):
        self._elements = None


class TextureReference:
    """What a `texture<…>` of a kernel's text reads: an array, or device memory."""

    def __init__(self):
        self._place = self._texture = None  # of the reference in the module's memory
        self._elements, self._channels, self._owner, self._format = None, 1, None, (array_format.FLOAT, 1)
        self._address, self._filter, self._flags = address_mode.CLAMP, filter_mode.POINT, 0

    def _bind(self):
        if self._elements is None or self._place is None:
            return
        is_normalized = self._flags & TRSF_NORMALIZED_COORDINATES
        is_unit = not self._flags & TRSF_READ_AS_INTEGER and self._elements.dtype.itemsize < 4
        reads = self._address, self._filter, is_normalized, is_unit
        self._texture = _texture.make(self._elements, self._channels, *reads)
        self._place[0] = int(self._texture)

    def _read(self, elements, channels, owner):
        self._elements, self._channels, self._owner = elements, channels, owner
        self._bind()

    def _read_memory(self, pointer, dtype, channels, lengths, pitches=()):
        address = int(getattr(pointer, "ptr", pointer))
        self._read(_texture.elements_at(address, dtype, channels, lengths, pitches), channels, pointer)

    def set_array(self, array):
        """Reads from an Array from now on."""
        self._read(array._elements, array._channels, array)

    def get_array(self):
        return self._owner if isinstance(self._owner, Array) else None

    def set_address(self, devptr, bytes, allow_offset=False):
        """Reads from device memory, by tex1Dfetch; the offset is 0."""
        self._linear = (devptr, int(bytes))
        self._read_linear()
        return 0

    def _read_linear(self):
        (devptr, size), (format, channels) = self._linear, self._format
        dtype = np.dtype(_dtypes[format])
        self._read_memory(devptr, dtype, channels, (size // (dtype.itemsize * channels),))

    def set_address_2d(self, devptr, descr, pitch):
        """Reads rows of device memory, `pitch` bytes apart."""
        dtype = _dtypes[array_format(descr.format)]
        self._read_memory(devptr, dtype, int(descr.num_channels), (descr.height, descr.width), (pitch,))

    def set_format(self, format, num_components):
        self._format = (array_format(format), int(num_components))
        if hasattr(self, "_linear"):
            self._read_linear()

    def _set(self, **values):
        vars(self).update(values)
        self._bind()


_methods(TextureReference, {
    "set_address_mode": lambda self, dim, mode: self._set(_address=address_mode(mode)),
    "set_filter_mode": lambda self, mode: self._set(_filter=filter_mode(mode)),
    "set_flags": lambda self, flags: self._set(_flags=int(flags)),
    "get_address_mode": lambda self, dim: self._address,
    "get_format": lambda self: self._format,
    "get_filter_mode": lambda self: self._filter,
    "get_flags": lambda self: self._flags,
})  # fmt: skip


class SurfaceReference:
    def __init__(self):
        raise ks.errors.UnsupportedError(
            "surface references are not supported\n  fix  give the kernel a cudaSurfaceObject_t: kasoku.Texture makes one"
        )


def texref_of(module, name):
    """The reference `texture<…> name` of a module's text."""
    _texture.require_cpu(_device(), f"the texture reference {name}")
    address, size = module.get_global(name)
    if size != 8:
        raise LogicError(f"{name} is a variable of {size} bytes and no texture reference")
    reference = TextureReference()
    reference._place = _texture.memory_at(int(address), (1,), (8,), np.uint64)
    reference._module = module
    return reference


def _in_order(matrix, order):
    order = order.upper()
    if order not in ("C", "F"):
        raise LogicError(f"the order is C or F, not {order!r}")
    return matrix if order == "C" else matrix.T


def _array_of(elements, channels=1):
    descriptor = ArrayDescriptor3D()
    sizes = elements.shape[: -1 if channels > 1 else None][::-1]
    descriptor.width, descriptor.height, descriptor.depth = (*sizes, 0, 0)[:3]
    descriptor.format, descriptor.num_channels = dtype_to_array_format(elements.dtype), channels
    array = Array(descriptor)
    array._elements[...] = elements
    return array


def matrix_to_array(matrix, order, allow_double_hack=False):
    """An Array with the matrix: width is the last axis in order C, the first in order F."""
    if matrix.ndim != 2:
        raise LogicError(f"a matrix has two axes, not {matrix.ndim}")
    return _array_of(_in_order(np.asarray(matrix), order))


def make_multichannel_2d_array(ndarray, order):
    """An Array of channels: they are the first axis in order F, the last in order C."""
    elements = _in_order(np.asarray(ndarray), order)
    if elements.ndim != 3:
        raise LogicError(f"an array of channels has three axes, not {elements.ndim}")
    return _array_of(elements, elements.shape[-1])


def bind_array_to_texref(array, texref):
    texref.set_array(array)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


_plain(globals(), {
    "np_to_array": (lambda nparray, order, allowSurfaceBind=False: _array_of(_in_order(np.asarray(nparray), order)),
        "An Array with the numbers of a NumPy array of two or three axes."),
    "gpuarray_to_array": lambda gpuarray, order, allowSurfaceBind=False: _array_of(_in_order(gpuarray.get(), order)),
    "matrix_to_texref": lambda matrix, texref, order: bind_array_to_texref(matrix_to_array(matrix, order), texref),
})  # fmt: skip
