"""Textures of the faces: what a device's memory is to the engine's Texture."""

import ctypes

import numpy as np

import kasoku as ks

ADDRESS_MODES = ("wrap", "clamp", "mirror", "border")  # in CUDA's order
FILTER_MODES = ("point", "linear")


def require_cpu(device, what):
    """Refuses references to textures on a GPU: GPUs of today do not have them."""
    if device.kind != "cpu":
        raise ks.errors.UnsupportedError(
            f"{what}: references to textures are read on a CPU only\n"
            "  fix  pass the array itself to the kernel, or run with KASOKU_DEVICE=cpu"
        )


def memory_at(address, shape, strides, dtype):
    """A NumPy array over memory of the CPU."""
    dtype = np.dtype(dtype)
    count = sum((n - 1) * s for n, s in zip(shape, strides)) + dtype.itemsize
    bytes_ = (ctypes.c_char * count).from_address(int(address))
    return np.ndarray(shape, dtype, bytes_, 0, strides)


def places(dtype, channels, lengths, pitches=()):
    """Shape and strides of elements of some channels, along axes of some lengths whose places are some bytes apart."""
    size = np.dtype(dtype).itemsize
    shape, strides = tuple(map(int, lengths)), (*map(int, pitches), size * channels)
    return ((*shape, channels), (*strides, size)) if channels > 1 else (shape, strides)


def elements_at(address, dtype, channels, lengths, pitches=()):
    """A NumPy array over such elements."""
    return memory_at(address, *places(dtype, channels, lengths, pitches), dtype)


def make(elements, channels, address, filter, normalized, unit):
    """An engine's Texture over `elements`, NumPy's or on a GPU, which it reads and writes in place. `address` is CUDA's number
    of the mode, or one for each axis; wrapping and mirroring without normalised coordinates clamp."""
    modes = [address] if np.isscalar(address) else list(address) or [1]
    names = {ADDRESS_MODES[int(mode)] for mode in modes[: len(elements.shape) - (channels > 1)]}
    if not normalized:
        names = {"clamp" if name in ("wrap", "mirror") else name for name in names}
    if len(names) > 1:
        raise ks.errors.UnsupportedError(f"a texture has one address mode for all axes, not {sorted(names)}")
    is_integer = elements.dtype.kind in "iu"
    return ks.Texture(
        elements, channels=channels, address=names.pop(), filter=FILTER_MODES[int(filter)],
        normalized=bool(normalized), unit=bool(unit and is_integer), copy=False,
    )  # fmt: skip
