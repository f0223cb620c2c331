"""Many numbers of NumPy's usual generator: those that NumPy would draw, drawn by all threads."""

import functools
import math

import numpy as _real

from kasoku import _core

least = 16384  # elements; fewer are NumPy's


@functools.cache
def _widths():
    """Of the layers of NumPy's ziggurat: what it makes of the word that asks for 2**44 widths of a layer. As computed by a formula
    they would not have its last bits."""
    bits = _real.random.PCG64(0)
    normal, state = _real.random.Generator(bits).standard_normal, bits.state
    increment, back = state["state"]["inc"], pow(0x2360ED051FC65DA44385DF649FCCF645, -1, 1 << 128)

    def width(layer):
        word = layer | 1 << 44 + 9
        state["state"]["state"] = (word - increment) * back % (1 << 128)  # from which the next one is the word
        bits.state = state
        return normal() / 2**44

    return [width(layer) for layer in range(256)]


def _normal(loc=0.0, scale=1.0, size=None):
    return _widths(), size, loc, scale


def _uniform(low=0.0, high=1.0, size=None):
    return None, size, low, high - low


_rows = {
    "random": lambda size=None: _uniform(size=size),
    "uniform": _uniform,
    "standard_normal": lambda size=None: _normal(size=size),
    "normal": _normal,
}


def drawn(generator, name):
    """What draws as the generator's method of that name; None where that is left to NumPy."""
    bits = getattr(generator, "bit_generator", None)
    if type(generator) is not _real.random.Generator or type(bits) is not _real.random.PCG64 or name not in _rows:
        return None

    def draw(*args, **named):
        widths, size, begin, width = _rows[name](*args, **named)
        if not (isinstance(begin, (int, float)) and isinstance(width, (int, float)) and 0 <= width < math.inf):
            raise TypeError("parameters that NumPy looks at")
        with bits.lock:
            state = bits.state
            two = state["state"]
            words = two["state"].to_bytes(16, "little") + two["inc"].to_bytes(16, "little")
            array, after = _core._draw_pcg64(words, widths, size, begin, width)
            two["state"] = int.from_bytes(after, "little")
            bits.state = state
        return array

    return draw
