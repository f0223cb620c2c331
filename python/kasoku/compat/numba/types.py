"""Numba's types: dtypes that are called (a value, or a signature) and indexed (an array of them)."""

import numpy as np


class Type:
    """A number type, or with `ndim` an array of it."""

    def __init__(self, dtype, ndim=-1, layout="A", name=None, readonly=False):
        self.__kasoku_dtype__ = dtype
        self.name = name or dtype
        if ndim >= 0:
            self.ndim, self.layout, self.readonly = ndim, layout, bool(readonly)

    def __call__(self, *args):
        if args and all(isinstance(arg, Type) for arg in args):
            return Signature(self, args)
        if len(args) == 1:
            return np.dtype(self.__kasoku_dtype__).type(args[0])
        return Signature(self, args)

    def __getitem__(self, axes):
        axes = axes if isinstance(axes, tuple) else (axes,)
        layout = "C" if axes[-1].step == 1 else "F" if axes[0].step == 1 else "A"
        return Type(self.__kasoku_dtype__, len(axes), layout)

    @property
    def dtype(self):
        return Type(self.__kasoku_dtype__)

    def __eq__(self, other):
        return isinstance(other, Type) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __repr__(self):
        if hasattr(self, "ndim"):
            return f"{'readonly ' * self.readonly}array({self.__kasoku_dtype__}, {self.ndim}d, {self.layout})"
        return self.name


class Signature:
    """result(arguments)."""

    def __init__(self, return_type, args):
        self.return_type, self.args = return_type, tuple(args)

    def __repr__(self):
        return f"({', '.join(map(repr, self.args))}) -> {self.return_type!r}"


_names = {
    "boolean": "bool", "bool_": "bool", "b1": "bool",
    "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "int_": "int64", "intp": "int64",
    "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64", "uintp": "uint64", "byte": "uint8",
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32",
    "u8": "uint64", "intc": "int32", "uintc": "uint32", "long_": "int64", "longlong": "int64",
    "float32": "float32", "float64": "float64", "float_": "float64", "double": "float64", "f4": "float32",
    "f8": "float64", "complex64": "complex64", "complex128": "complex128", "c8": "complex64", "c16": "complex128",
}  # fmt: skip
for _name, _dtype in _names.items():
    globals()[_name] = Type(_dtype)
void = none = Type("void")


def Array(dtype, ndim, layout, readonly=False, **_):  # noqa: N802
    return Type(dtype.__kasoku_dtype__, ndim, layout, readonly=readonly)


def _of_value(value):
    if isinstance(value, bool):
        return Type("bool")
    if isinstance(value, int):
        return Type("int64")
    if isinstance(value, float):
        return Type("float64")
    if isinstance(value, complex):
        return Type("complex128")
    array = np.asarray(value)
    if array.ndim or isinstance(value, np.ndarray):
        layout = "C" if array.flags.c_contiguous else "F" if array.flags.f_contiguous else "A"
        return Type(array.dtype.name, array.ndim, layout, readonly=not array.flags.writeable)
    return Type(array.dtype.name)


__all__ = [*_names, "void", "none"]
