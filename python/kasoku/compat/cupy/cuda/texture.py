"""cupy.cuda.texture: textures and surfaces that kernels read by coordinates."""

import contextlib

import numpy as np

import kasoku as ks
from kasoku import _core

from ... import _texture
from ..._layout import Place as _Place, must_fit
from . import runtime
from ._device import current

# By kind (signed, unsigned, float, as runtime counts them) and bits
_kinds = {
    (k, bits): np.dtype(f"{'iuf'[k]}{bits // 8}") for k in range(3) for bits in (8, 16, 32) if (k, bits) != (2, 8)
}


class ChannelFormatDescriptor:
    """The bits of each channel, and what kind of numbers they are."""

    def __init__(self, x, y, z, w, f):
        self._bits, self._f = (int(x), int(y), int(z), int(w)), int(f)
        self.channels = sum(bits > 0 for bits in self._bits)
        if self.channels not in (1, 2, 4) or len(set(self._bits[: self.channels])) != 1:
            raise ValueError(f"a texture has 1, 2 or 4 channels of the same size, not {self._bits} bits")
        if (self._f, self._bits[0]) not in _kinds:
            raise ValueError(f"a texture cannot hold numbers of {self._bits[0]} bits and kind {f}")
        self.dtype = _kinds[self._f, self._bits[0]]

    def get_channel_format(self):
        return {**dict(zip("xyzw", self._bits)), "f": self._f}


class CUDAarray:
    """Memory for textures and surfaces: width, height and depth in elements; 0 for an axis that is not there."""

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        if width < 1:
            raise ValueError("a CUDAarray has a width of at least 1")
        if depth > 0 and height < 1:
            raise ValueError("a CUDAarray with a depth has a height")
        self.desc, self.width, self.height, self.depth, self.flags = desc, width, height, depth, flags
        self.ndim = 3 if depth > 0 else 2 if height > 0 else 1
        lengths = (depth, height, width)[3 - self.ndim :]
        shape, _ = _texture.places(desc.dtype, desc.channels, lengths)
        if current().kind == "cpu":
            self._elements = np.zeros(shape, desc.dtype)
        else:
            self._elements = _core._TextureMemory(shape, desc.dtype, desc.channels, current())
        self._flat_shape = (*lengths[:-1], lengths[-1] * desc.channels)

    @property
    def ptr(self):
        """Where it lies, on a GPU the driver's own number for it."""
        return self._elements.ctypes.data if isinstance(self._elements, np.ndarray) else self._elements.ptr

    def _fitting(self, array, what):
        """What is copied has the channels side by side."""
        must_fit(array, self._flat_shape, self.desc.dtype, f"{what}: the array", ValueError)

    def copy_from(self, in_arr, stream=None):
        """Takes the values of an array."""
        self._fitting(in_arr, "copy_from")
        memory = self._elements
        with stream or contextlib.nullcontext():
            if isinstance(memory, np.ndarray):
                memory.reshape(self._flat_shape)[...] = in_arr.numpy() if isinstance(in_arr, ks.Array) else in_arr
            else:
                memory.copy_from(ks.ascontiguousarray(ks.asarray(in_arr, device=current())).reshape(memory.shape))

    def copy_to(self, out_arr, stream=None):
        """Gives an array the values."""
        self._fitting(out_arr, "copy_to")
        values = self._elements
        with stream or contextlib.nullcontext():
            if not isinstance(values, np.ndarray):
                values = ks.empty(values.shape, values.dtype, current())
                self._elements.copy_to(values)
            values = values.reshape(self._flat_shape)
            if isinstance(out_arr, ks.Array):
                out_arr[...] = ks.asarray(values, device=current())
            else:
                out_arr[...] = values.numpy() if isinstance(values, ks.Array) else values

    def get_channel_format(self):
        return self.desc.get_channel_format()


class ResourceDescriptor:
    """The memory that a texture reads: a CUDAarray, an array as a row, or an array as rows."""

    def __init__(self, restype, cuArr=None, arr=None, chDesc=None, sizeInBytes=0, width=0, height=0, pitchInBytes=0):
        self.chDesc, self.cuArr, self.arr, self._type = chDesc, cuArr, arr, restype
        if restype == runtime.cudaResourceTypeArray:
            if cuArr is None:
                raise ValueError("cudaResourceTypeArray needs cuArr=")
            self._elements, self.channels = cuArr._elements, cuArr.desc.channels
            return
        if restype not in (runtime.cudaResourceTypeLinear, runtime.cudaResourceTypePitch2D):
            raise NotImplementedError("the resource is a CUDAarray, linear or pitched memory")
        if arr is None or chDesc is None:
            raise ValueError("memory as a texture needs arr= and chDesc=")
        self.channels, dtype = chDesc.channels, chDesc.dtype
        lengths, pitches = (height, width), (pitchInBytes,)
        if restype == runtime.cudaResourceTypeLinear:
            lengths, pitches = (int(sizeInBytes or arr.nbytes) // (self.channels * dtype.itemsize),), ()
        if arr.device.kind == "cpu":
            self._elements = _texture.elements_at(arr.data.ptr, dtype, self.channels, lengths, pitches)
        else:
            shape, strides = _texture.places(dtype, self.channels, lengths, pitches)
            self._elements = _core._view(arr.data.mem, arr.data.offset, shape, strides, dtype, 0, arr.device)

    def get_resource_desc(self):
        return {"resType": self._type}


class TextureDescriptor:
    """How coordinates are read: address modes, filter, numbers or fractions, elements or [0, 1)."""

    def __init__(self, addressModes=None, filterMode=0, readMode=0, sRGB=None, borderColors=None,
                 normalizedCoords=None, maxAnisotropy=None):  # fmt: skip
        more = {"sRGB": sRGB, "borderColors": any(borderColors or ()), "maxAnisotropy": maxAnisotropy}
        for name, value in more.items():
            if value:
                raise ks.errors.UnsupportedError(f"TextureDescriptor: {name} is not supported")
        self._address, self._filter = tuple(addressModes or (0,)), filterMode
        self._normalized, self._unit = bool(normalizedCoords), readMode == runtime.cudaReadModeNormalizedFloat

    def get_texture_desc(self):
        return {"addressMode": self._address, "filterMode": self._filter, "normalizedCoords": self._normalized}


class TextureObject(_Place):
    """The argument for a kernel's cudaTextureObject_t."""

    def __init__(self, ResDesc, TexDesc):
        address = TexDesc._address * 3 if len(TexDesc._address) == 1 else TexDesc._address
        self._texture = _texture.make(
            ResDesc._elements, ResDesc.channels, address, TexDesc._filter, TexDesc._normalized, TexDesc._unit
        )
        self.ResDesc, self.TexDesc = ResDesc, TexDesc

    ptr = property(lambda self: int(self._texture))


class SurfaceObject(TextureObject):
    """What a kernel takes as its cudaSurfaceObject_t: it reads and writes a CUDAarray."""

    def __init__(self, ResDesc):
        if ResDesc.cuArr is None:
            raise ValueError("a surface is over a CUDAarray")
        super().__init__(ResDesc, TextureDescriptor((1,)))

    ptr = property(lambda self: self._texture.surface)


class TextureReference:
    """References are older than objects, and gone from CUDA."""

    def __init__(self, texref, ResDesc, TexDesc):
        raise ks.errors.UnsupportedError(
            "cupy.cuda.texture.TextureReference is not supported\n  fix  give the kernel a TextureObject"
        )
