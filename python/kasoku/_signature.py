"""Types of compiled functions as objects, and signatures: what @ks.jit("float64(float64[:])") means."""

from . import errors

__all__ = ["Type", "TupleType", "ListType", "DictType", "Record", "Signature"]


class Type:
    """A number type; with `ndim` an array of it. Called, it makes a value or a signature."""

    def __init__(self, dtype="void", ndim=-1, layout="A", name=None, readonly=False):
        self.__kasoku_dtype__ = dtype
        self.name = name or dtype
        if ndim >= 0:
            self.ndim, self.layout, self.readonly = ndim, layout, bool(readonly)
            self.name = repr(self)

    key = property(lambda self: self.name, doc="What tells it from other types.")

    def __call__(self, *args):
        if len(args) == 1 and not isinstance(args[0], _types):
            if isinstance(args[0], tuple):  # numba.float64((int64, int64))
                return Signature(self, args[0])
            import numpy as np

            return np.dtype(self.__kasoku_dtype__).type(args[0])
        return Signature(self, args)

    def __getitem__(self, axes):
        axes = axes if isinstance(axes, tuple) else (axes,)
        layout = "C" if axes[-1].step == 1 else "F" if axes[0].step == 1 else "A"
        return Type(self.__kasoku_dtype__, len(axes), layout)

    @property
    def dtype(self):
        """The type of an array's items; of a number type NumPy's dtype, by which NumPy takes it for one."""
        if hasattr(self, "ndim"):
            return Type(self.__kasoku_dtype__)
        if self.__kasoku_dtype__ in ("void", "none", "unicode_type"):
            raise AttributeError(f"{self.name} has no dtype")
        import numpy as np

        return np.dtype(self.__kasoku_dtype__)

    @property
    def bitwidth(self):
        import numpy as np

        return np.dtype(self.__kasoku_dtype__).itemsize * 8

    @property
    def signed(self):
        """Whether an integer type has negative numbers."""
        return self.__kasoku_dtype__.startswith("int")

    @property
    def minval(self):
        """The least number of an integer type."""
        return -(1 << (self.bitwidth - 1)) if self.signed else 0

    @property
    def maxval(self):
        """The greatest number of an integer type."""
        return (1 << (self.bitwidth - self.signed)) - 1

    @property
    def underlying_float(self):
        """The type of a complex number's parts."""
        return Type({"complex64": "float32", "complex128": "float64"}[self.__kasoku_dtype__])

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        """The same array type with other properties."""
        keep = lambda new, old: old if new is None else new  # noqa: E731
        return Type(
            dtype.__kasoku_dtype__ if dtype is not None else self.__kasoku_dtype__,
            keep(ndim, self.ndim),
            keep(layout, self.layout),
            readonly=keep(readonly, self.readonly),
        )

    def __eq__(self, other):
        return isinstance(other, Type) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        if hasattr(self, "ndim"):
            before = "readonly " * self.readonly
            return f"{before}array({self.__kasoku_dtype__}, {self.ndim}d, {self.layout})"
        return self.name

    def _describe(self):
        name = self.__kasoku_dtype__
        if name in ("void", "none"):
            return ("none",)
        return name, getattr(self, "ndim", -1), getattr(self, "layout", "A") == "C", getattr(self, "readonly", False)


class Literal(Type):
    """The type of a value that is known when compiling."""

    def __init__(self, literal_type, value):
        super().__init__(literal_type.__kasoku_dtype__, name=f"Literal[{type(value).__name__}]({value})")
        self.literal_type, self.literal_value = literal_type, value


class TupleType:
    """A tuple of types."""

    def __init__(self, types):
        self.types = tuple(types)

    def __len__(self):
        return len(self.types)

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return isinstance(other, TupleType) and self.types == other.types

    def __hash__(self):
        return hash(self.types)

    def __repr__(self):
        if self.types and all(t == self.types[0] for t in self.types):
            return f"UniTuple({self.types[0]!r} x {len(self.types)})"
        return f"Tuple({', '.join(map(repr, self.types))})"

    name = property(__repr__)

    def __call__(self, *args):
        return Signature(self, args)

    def _describe(self):
        return "tuple", [t._describe() for t in self.types]


class NamedTupleType(TupleType):
    """A tuple of types whose items have names."""

    def __init__(self, types, fields):
        super().__init__(types)
        self.fields = tuple(fields)


class ListType:
    """A list of items of one type."""

    def __init__(self, item, reflected=True):
        self.dtype = self.item_type = item

    def __eq__(self, other):
        return isinstance(other, ListType) and self.dtype == other.dtype

    def __hash__(self):
        return hash(("list", self.dtype))

    def __repr__(self):
        return f"list({self.dtype!r})"

    name = property(__repr__)

    def __call__(self, *args):
        return Signature(self, args)

    def _describe(self):
        return "list", self.dtype._describe()


class DictType:
    """A dict from keys of one type to values of one type."""

    def __init__(self, key_type, value_type):
        self.key_type, self.value_type = as_type(key_type), as_type(value_type)

    def __eq__(self, other):
        return isinstance(other, DictType) and (self.key_type, self.value_type) == (other.key_type, other.value_type)

    def __hash__(self):
        return hash((self.key_type, self.value_type))

    def __repr__(self):
        return f"DictType[{self.key_type!r},{self.value_type!r}]"

    name = property(__repr__)

    def __call__(self, *args):
        return Signature(self, args)

    def _describe(self):
        return "dict", self.key_type._describe(), self.value_type._describe()


class Opaque:
    """A type that compiled code does not have; what is declared with one is compiled for what it is called with."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return type(other) is type(self) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name

    def __call__(self, *args):
        return Signature(self, args)

    def _describe(self):
        raise errors.UnsupportedError(f"the type {self.name} cannot be compiled yet")


class Optional(Opaque):
    """A value of a type, or None."""

    def __init__(self, of):
        super().__init__(f"OptionalType({as_type(of)!r})")
        self.type = as_type(of)


class Pointer(Opaque):
    """C's pointer to numbers of a type, or void's."""

    def __init__(self, dtype=None):
        super().__init__("void*" if dtype is None else f"{dtype!r}*")
        self.dtype = dtype


class FunctionType(Opaque):
    """A compiled function of this signature, as an argument."""

    def __init__(self, signature):
        super().__init__(f"FunctionType[{signature!r}]")
        self.signature = signature


class DeferredType(Opaque):
    """A type that is defined later, such as that of a class's own instances."""

    def __init__(self):
        super().__init__(f"DeferredType#{id(self)}")
        self._defined = None

    def define(self, of):
        if self._defined is not None:
            raise TypeError("deferred type already defined")
        self._defined = of

    def get(self):
        if self._defined is None:
            raise RuntimeError("deferred type not defined")
        return self._defined

    def unify(self, *_):
        return self.get()


class Record:
    """What one element of a structured array is: fields by name, as NumPy's dtype lays them out."""

    def __init__(self, dtype):
        import numpy as np

        self.dtype = np.dtype(dtype)

    def __getitem__(self, axes):
        """An array of these records."""
        made = names["none"][axes]
        return RecordArray(self.dtype, made.ndim, made.layout)

    def __eq__(self, other):
        return type(other) is type(self) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        fields = [
            f"{name}[type={as_type(of)!r};offset={at}]"
            for name, (of, at, *_) in sorted(self.dtype.fields.items(), key=lambda field: field[1][1])
        ]
        return f"Record({','.join(fields)};{self.dtype.itemsize};{self.dtype.isalignedstruct})"

    name = property(__repr__)

    def __call__(self, *args):
        return Signature(self, args)

    def _describe(self):
        return "record", self.dtype


class RecordArray(Record):
    """An array of records."""

    def __init__(self, dtype, ndim, layout="A", readonly=False):
        super().__init__(dtype)
        self.ndim, self.layout, self.readonly = ndim, layout, readonly

    def __repr__(self):
        return f"array({super().__repr__()}, {self.ndim}d, {self.layout})"

    def _describe(self):
        return "records", self.dtype, self.ndim, self.layout == "C", self.readonly


class Signature:
    """result(arguments); `return_type` is None if it is left open."""

    def __init__(self, return_type, args):
        self.return_type, self.args = return_type, tuple(args)

    def __eq__(self, other):
        return isinstance(other, Signature) and (self.return_type, self.args) == (other.return_type, other.args)

    def __hash__(self):
        return hash(self.args)

    def __iter__(self):
        return iter(self.args)

    def __repr__(self):
        return f"{self.args!r} -> {self.return_type!r}"


_aliases = {
    "bool": "bool boolean bool_ b1",
    "int8": "int8 i1 char", "int16": "int16 i2 short", "int32": "int32 i4 intc",
    "int64": "int64 i8 int_ intp long_ longlong ssize_t",
    "uint8": "uint8 u1 byte uchar", "uint16": "uint16 u2 ushort", "uint32": "uint32 u4 uintc",
    "uint64": "uint64 u8 uint uintp ulong ulonglong size_t",
    "float16": "float16 f2", "float32": "float32 f4 float_", "float64": "float64 f8 double",
    "complex64": "complex64 c8", "complex128": "complex128 c16",
    "none": "none void NoneType",
    "unicode_type": "unicode_type string",
}  # fmt: skip
names = {name: Type(dtype) for dtype, all_names in _aliases.items() for name in all_names.split()}


def Array(dtype, ndim, layout, readonly=False, aligned=True):  # noqa: N802
    if isinstance(dtype, Record):
        return RecordArray(dtype.dtype, ndim, layout, readonly)
    return Type(dtype.__kasoku_dtype__, ndim, layout, readonly=readonly)


def UniTuple(dtype, count):  # noqa: N802
    return TupleType((dtype,) * count)


def Tuple(types):  # noqa: N802
    return TupleType(types)


def Set(dtype, reflected=False):  # noqa: N802
    return Opaque(f"{'reflected ' * reflected}set({dtype!r})")


def NamedTuple(types, cls):  # noqa: N802
    return Opaque(f"{cls.__name__}({', '.join(map(repr, types))})")


def NamedUniTuple(dtype, count, cls):  # noqa: N802
    return NamedTuple((dtype,) * count, cls)


def _buffer(kind):
    def make(dtype, ndim, layout="C", readonly=kind == "bytes"):
        return Opaque(f"{'readonly ' * readonly}{kind}({dtype!r}, {ndim}d, {layout})")

    return make


Bytes, ByteArray, MemoryView, PyArray = map(_buffer, ("bytes", "bytearray", "memoryview", "pyarray"))
types_of_signatures = _types = (Type, TupleType, ListType, DictType, Record, Opaque)
constructors = {
    "Array": Array,
    "UniTuple": UniTuple,
    "Tuple": Tuple,
    "List": ListType,
    "ListType": ListType,
    "DictType": DictType,
    "Set": Set,
    "Optional": Optional,
    "optional": Optional,
    "Bytes": Bytes,
    "ByteArray": ByteArray,
    "MemoryView": MemoryView,
    "PyArray": PyArray,
    "CPointer": Pointer,
    "voidptr": Pointer(),
}
_python = {int: "int64", float: "float64", bool: "bool", complex: "complex128"}


def as_type(item):
    """A type of a signature: ours, NumPy's or Python's."""
    if isinstance(item, _types):
        return item
    if item is None:
        return names["none"]
    if isinstance(item, tuple):
        return TupleType(map(as_type, item))
    if item in _python:
        return Type(_python[item])
    import numpy as np

    try:
        dtype = np.dtype(item)
        return Type(dtype.name) if dtype.fields is None else Record(dtype)
    except TypeError:
        raise errors.TypeError(f"{item!r} is not a type of a signature") from None


def of_description(given):
    """The type that compiled code describes (python/src/jit_convert.cpp)."""
    if given[0] == "list":
        return ListType(of_description(given[1]))
    if given[0] == "dict":
        return DictType(of_description(given[1]), of_description(given[2]))
    if given[0] == "record":
        return Record(given[1])
    if given[0] == "records":
        dtype, ndim, contiguous, readonly = given[1:]
        return RecordArray(dtype, ndim, "C" if contiguous else "A", readonly)
    if given[0] == "tuple":
        return TupleType(map(of_description, given[1]))
    if given[0] == "str":
        return names["unicode_type"]
    if len(given) == 1:
        return names.get(given[0]) or Type(given[0])
    dtype, ndim, contiguous, readonly = given
    return Type(dtype) if ndim < 0 else Type(dtype, ndim, "C" if contiguous else "A", readonly=readonly)


def of_value(value):
    """The type of an argument."""
    for python in (bool, int, float, complex):
        if type(value) is python:
            return Type(_python[python])
    if value is None:
        return names["none"]
    if isinstance(value, str):
        return names["unicode_type"]
    if isinstance(value, tuple):
        return TupleType(map(of_value, value))
    if isinstance(value, list) and value:
        return ListType(of_value(value[0]))
    if isinstance(value, _types):
        return value
    import numpy as np

    if isinstance(value, dict) and value:
        return DictType(*map(of_value, next(iter(value.items()))))
    if isinstance(value, np.void) and value.dtype.fields:
        return Record(value.dtype)
    if isinstance(getattr(value, "dtype", None), np.dtype) and value.dtype.fields and hasattr(value, "flags"):
        flags = value.flags
        layout = "C" if flags["C_CONTIGUOUS"] else "F" if flags["F_CONTIGUOUS"] else "A"
        return RecordArray(value.dtype, value.ndim, layout, not getattr(flags, "writeable", True))

    array = value if hasattr(value, "dtype") and hasattr(value, "shape") else np.asarray(value)
    if array.dtype == object:
        raise ValueError(f"Cannot determine Numba type of {type(value)}")
    if getattr(array, "ndim", 0) or isinstance(value, np.ndarray):
        flags = getattr(array, "flags", None)
        if flags is None:
            return Type(np.dtype(array.dtype).name, array.ndim, "C")
        layout = "C" if flags["C_CONTIGUOUS"] else "F" if flags["F_CONTIGUOUS"] else "A"
        return Type(array.dtype.name, array.ndim, layout, readonly=not getattr(flags, "writeable", True))
    return Type(np.dtype(array.dtype).name)


def is_signature(given):
    return isinstance(given, (str, tuple, Signature, Type)) or hasattr(given, "args")


def signature(given):
    """(argument types, result type or None) of text, a tuple of types or a Signature."""
    if isinstance(given, str):
        text = given
        try:
            given = eval(text, {"__builtins__": {}}, {**names, **constructors})
        except Exception as error:
            raise errors.TypeError(f"the signature {text!r} cannot be read: {error}") from None
        if not isinstance(given, (tuple, Signature)):
            raise errors.TypeError(
                f"invalid signature: {text!r} evaluates to {given!r} instead of tuple or Signature\n"
                f"  fix  write ({text},) or result({text})"
            )
    if isinstance(given, tuple):
        return tuple(map(as_type, given)), None
    if not hasattr(given, "args"):
        raise errors.TypeError(f"invalid signature: {given!r} is not a tuple, text or result(arguments)")
    result = given.return_type
    return tuple(map(as_type, given.args)), None if result is None else as_type(result)


_without_form = ("str", "bytes", "datetime64", "timedelta64")


def has_compiled_form(given):
    """Whether compiled code has all types of a signature."""
    args, result = signature(given)
    parts = [*args, *([] if result is None else [result])]
    while parts:
        part = parts.pop()
        if isinstance(part, Opaque) or getattr(part, "__kasoku_dtype__", "").startswith(_without_form):
            return False
        parts += part.types if isinstance(part, TupleType) else [part.dtype] if isinstance(part, ListType) else []
        parts += [part.key_type, part.value_type] if isinstance(part, DictType) else []
    return True


def describe(given):
    """A signature as _core._jit_declare takes it."""
    args, result = signature(given)
    return [t._describe() for t in args], None if result is None else result._describe()
