"""Vectors of kernels, of one to four numbers: float4 or float32x4, made of numbers and of shorter vectors, read by .x, .y, .z, .w."""

import collections
import linecache

import numpy as np

from .. import _overloads, _signature
from .._jit import TypingError

_dtypes = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)] + ["float32", "float64"]
_aliases = {
    "char": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64", "uchar": "uint8",
    "ushort": "uint16", "uint": "uint32", "ulong": "uint64", "ulonglong": "uint64", "float": "float32", "double": "float64",
}  # fmt: skip


def _made_of(name, count, vector, number):
    """The overload of a vector's name: a function of so many arguments that takes the vectors among them apart."""

    def overload(*given):
        parts = []
        for at, each in enumerate(given):
            is_vector = isinstance(each, _signature.TupleType)
            parts += [f"_{at}[{k}]" for k in range(len(each))] if is_vector else [f"_{at}"]
        if len(parts) != count:
            raise TypingError(f"cuda.{name} has {count} components, and {len(parts)} are given")
        arguments, items = (", ".join(words) for words in ([f"_{at}" for at in range(len(given))], parts))
        components = ", ".join(f"number({item})" for item in items.split(", "))
        text = f"def {name}({arguments}):\n    return vector({components})\n"
        file = f"<cuda.{name} of {items}>"
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        space = {"vector": vector, "number": number}
        exec(compile(text, file, "exec"), space)
        return space[name]

    return overload


def _vector(dtype, count):
    name = f"{dtype}x{count}"

    def made(*components):
        raise TypingError(f"cuda.{name} belongs in a kernel\n  fix  decorate the function with @cuda.jit")

    made.__name__ = made.__qualname__ = name
    made.__doc__ = (
        f"A vector of {count} {dtype}, of numbers and of shorter vectors. It has a meaning inside a kernel only."
    )
    vector = globals()[name] = collections.namedtuple(name, [*"xyzw"[:count]])
    _overloads.add(made, _made_of(name, count, vector, np.dtype(dtype).type))
    return made


vectors = {f"{dtype}x{count}": _vector(dtype, count) for dtype in _dtypes for count in range(1, 5)}
vectors |= {f"{alias}{n}": vectors[f"{dtype}x{n}"] for alias, dtype in _aliases.items() for n in range(1, 5)}
