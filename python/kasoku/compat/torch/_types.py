"""torch.dtype and torch.device."""

import functools
import math
import os
import threading

import numpy as np

import kasoku as ks


class dtype:
    """Prints as torch's do; one object per type."""

    def __init__(self, name, numpy, category):
        self.name, self.numpy, self.category = name, numpy, category
        self.is_floating_point, self.is_complex = category == 2, category == 3
        self.itemsize = 2 if name == "bfloat16" else np.dtype(numpy).itemsize

    __repr__ = lambda self: f"torch.{self.name}"
    __reduce__ = lambda self: (_named, (self.name,))


def _named(name):
    return _all[name]


# by the category of promotion: bool, integer, floating, complex
_all = {
    name: dtype(name, name, category)
    for category, names in enumerate((
        "bool", "uint8 int8 int16 int32 int64 uint16 uint32 uint64", "float16 bfloat16 float32 float64", "complex64 complex128",
    ))
    for name in names.split()
}  # fmt: skip
_aliases = {
    "half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32",
    "long": "int64", "byte": "uint8", "char": "int8", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
names = {**_all, **{alias: _all[name] for alias, name in _aliases.items()}}

# what Tensor.type() calls the dtypes, and programs that are older than them
legacy = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "float16": "Half", "bfloat16": "BFloat16", "float32": "Float", "float64": "Double",
}  # fmt: skip


def scalar_name(d):
    """The name of a dtype in torch's messages."""
    names = {**legacy, "complex64": "ComplexFloat", "complex128": "ComplexDouble"}
    return names.get(d.name, d.name.upper())


_of_legacy = {f"torch.{name}Tensor": _all[d] for d, name in legacy.items()}

_python = {bool: _all["bool"], int: _all["int64"], float: _all["float64"], complex: _all["complex128"]}
default_float = _all["float32"]


def set_default_dtype(d):
    """The type of floats that have none: float32 at first."""
    global default_float
    if not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, not {d!r}")
    default_float = d


def get_default_dtype():
    return default_float


def default_complex():
    """The type of complex numbers that have none, as wide as that of floats."""
    return _all["complex128" if default_float.itemsize == 8 else "complex64"]


def as_dtype(x):
    """A dtype of ours from a torch name, a Python type or a NumPy dtype."""
    if isinstance(x, dtype):
        return x
    if x in _python:
        return _python[x]
    if hasattr(x, "legacy_dtype"):  # torch.FloatTensor
        return x.legacy_dtype
    if isinstance(x, str) and x in _of_legacy:
        return _of_legacy[x]
    return _all[str(x) if isinstance(x, str) else np.dtype(x).name]


_of_numpy = {}  # NumPy's own names of its types take microseconds to make


def of_array(array):
    d = array.dtype
    try:
        return _of_numpy[d]
    except KeyError:
        return _of_numpy.setdefault(d, _all[d if isinstance(d, str) else d.name])


def must_hold(value, d):
    """Raises unless the dtype holds a number that fills a tensor. Negative numbers fit into unsigned dtypes, as in
    torch.
    """
    value = value.item() if isinstance(value, np.generic) else value
    if d.category != 1 or not isinstance(value, (int, float)):
        return
    info = np.iinfo(d.numpy)
    if not (info.min or -info.max) <= value <= info.max:
        raise RuntimeError(f"value cannot be converted to type {d.name}_t without overflow: {value}")


def as_number(x, d=None):
    """NumPy's numbers count as Python's; one that an integer dtype does not hold wraps around in it."""
    x = x.item() if isinstance(x, np.generic) else x
    if d is not None and d.category == 1 and type(x) is int:
        span = 1 << (8 * d.itemsize)
        x %= span
        if x >= span >> 1 and d.name.startswith("int"):
            x -= span
    return x


class device:
    """torch.device: "cpu", "cuda" (the current GPU) or "cuda:1"."""

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int):
            type, index = "cuda", type
        kind, _, number = str(type).partition(":")
        if kind not in ("cpu", "cuda"):
            raise RuntimeError(f"Expected one of cpu, cuda device type at start of device string: {kind}")
        self.type, self.index = kind, int(number) if number else index

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    __str__ = lambda self: self.type if self.index is None else f"{self.type}:{self.index}"
    __eq__ = lambda self, other: isinstance(other, device) and (self.type, self.index) == (other.type, other.index)
    __hash__ = lambda self: hash((self.type, self.index))
    __reduce__ = lambda self: (device, (self.type, self.index))

    def __enter__(self):
        self._block = set_block_device(self)
        return self

    def __exit__(self, *_):
        set_block_device(self._block)


_block_device = None
_cpu = ks.Device("cpu")


def set_block_device(d):
    global _block_device
    before, _block_device = _block_device, d
    return before


class _Current(threading.local):
    index = 0  # of the GPU that "cuda" means in the calling thread


current = _Current()


def engine_device(d=None):
    """kasoku's device of a torch one; none: torch's default, the cpu."""
    d = d if d is not None else _block_device
    if d is None:
        return _cpu
    d = d if isinstance(d, device) else device(d)
    if d.type == "cpu":
        return _cpu
    if not cuda_is_available():
        raise RuntimeError("No CUDA GPUs are available")
    return ks.Device(f"cuda:{current.index if d.index is None else d.index}")


@functools.cache
def of_engine(d):
    return device("cpu") if d.kind == "cpu" else device("cuda", d.index)


def cuda_is_available():
    """A GPU is there, and KASOKU_DEVICE does not say cpu."""
    return not os.environ.get("KASOKU_DEVICE", "").startswith("cpu") and ks.has_device("cuda")


class Size(tuple):
    def numel(self):
        return math.prod(self)

    __repr__ = lambda self: f"torch.Size({list(self)})"
