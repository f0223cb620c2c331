"""Numba's types: dtypes that are called (a value, or a signature) and indexed (an array of them)."""

import ctypes

import numpy as np

from .._face.table import bound as _bound, plain as _plain
from ... import _signature, errors
from ..._signature import (  # noqa: F401
    ByteArray, Bytes, DeferredType, DictType, FunctionType, ListType, Literal, MemoryView, NamedUniTuple, Optional, Pointer,
    PyArray, Set, Signature, Tuple, TupleType,
)  # fmt: skip

globals().update(_signature.names)


class _Kind(type):
    """A class of types that are asked for by isinstance: `of` says which, `made` what a call gives."""

    def __new__(cls, name, of, made=None):
        if isinstance(of, tuple):
            raise errors.UnsupportedError(
                f"class {name} would be a type of the program's own, which compiled code does not have"
            )
        return super().__new__(cls, name, (), {"__module__": __name__, "_of": staticmethod(of), "_made": made})

    def __init__(cls, *_):
        super().__init__(cls.__name__)

    def __call__(cls, *args, **named):
        if cls._made is None:
            raise TypeError(f"types.{cls.__name__} is asked for by isinstance alone")
        return type.__getattribute__(cls, "__dict__")["_made"](*args, **named)

    __instancecheck__ = lambda cls, value: cls._of(value)
    __subclasscheck__ = lambda cls, other: cls is other


_every = _signature.types_of_signatures


def _numbers(value, *, letters):
    of_number = isinstance(value, _signature.Type) and not hasattr(value, "ndim")
    return of_number and value.__kasoku_dtype__[0] in letters and value.__kasoku_dtype__ not in ("unicode_type", "void")


_is_literal = lambda value, *, of: isinstance(value, Literal) and type(value.literal_value) is of
_has_axes = lambda value: isinstance(value, (_signature.Type, _signature.RecordArray)) and hasattr(value, "ndim")
_is_tuple = lambda value: isinstance(value, TupleType)
_none_is = lambda value: False
_kinds = {
    "Type": (lambda value: isinstance(value, _every), _signature.Type),
    **{name: (_bound(_numbers, letters=letters),) for name, letters in {
        "Number": "iufc", "Integer": "iu", "Float": "f", "Complex": "c", "Boolean": "b"}.items()},
    "UnicodeType": (lambda value: isinstance(value, _signature.Type) and value.__kasoku_dtype__ == "unicode_type",),
    "NoneType": (lambda value: value == _signature.names["none"],),
    "Array": (_has_axes, _signature.Array), "ArrayCompatible": (_has_axes,), "Buffer": (_has_axes,),
    "Record": (lambda value: isinstance(value, _signature.Record) and not _has_axes(value), _signature.Record),
    "BaseTuple": (_is_tuple,), "BaseAnonymousTuple": (_is_tuple,),
    "NamedTuple": (lambda value: isinstance(value, _signature.NamedTupleType), _signature.NamedTuple),
    "UniTuple": (lambda value: _is_tuple(value) and len(set(value.types)) == 1, _signature.UniTuple),
    "Sequence": (lambda value: isinstance(value, (TupleType, ListType)),),
    **{f"{name}Literal": (_bound(_is_literal, of=of),) for name, of in {"Integer": int, "Boolean": bool, "String": str}.items()},
    "Omitted": (_none_is,), "Function": (_none_is,), "Dispatcher": (_none_is,), "Callable": (_none_is,),
}  # fmt: skip
globals().update((name, _Kind(name, *row)) for name, row in _kinds.items())
List, LiteralStr = ListType, globals()["StringLiteral"]
optional, deferred_type = Optional, DeferredType
CPointer, voidptr = Pointer, Pointer()
signed_domain = frozenset(_signature.names[f"int{n}"] for n in (8, 16, 32, 64))
unsigned_domain = frozenset(_signature.names[f"uint{n}"] for n in (8, 16, 32, 64))
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset(_signature.names[f"float{n}"] for n in (32, 64))
complex_domain = frozenset(_signature.names[f"complex{n}"] for n in (64, 128))
number_domain = real_domain | integer_domain | complex_domain


class WrapperAddressProtocol:
    """What a program derives objects from that stand for a function of C: its address and its signature."""

    def __call__(self, *args):
        function = vars(self).get("_function")
        if function is None:
            signature = self.signature()
            kinds = [
                np.ctypeslib.as_ctypes_type(of.__kasoku_dtype__) for of in (signature.return_type, *signature.args)
            ]
            function = self._function = ctypes.CFUNCTYPE(*kinds)(self.__wrapper_address__())
        return function(*args)


_plain(globals(), {
    "unliteral": (lambda lit_type: getattr(lit_type, "literal_type", lit_type), "The type without the value that is known of it."),
    "literal": (lambda value: Literal(_signature.of_value(value), value), "The type of this value."),
})  # fmt: skip
__all__ = [name for name in _signature.names if name not in ("bool", "NoneType")] + ["optional", "deferred_type"]
