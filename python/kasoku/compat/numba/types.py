"""Numba's types: dtypes that are called (a value, or a signature) and indexed (an array of them)."""

from ... import _signature
from ..._signature import (  # noqa: F401
    Array, ByteArray, Bytes, DeferredType, DictType, ListType, MemoryView, Optional, Pointer, PyArray, Record, Set, Signature, Tuple,
    TupleType, Type, UniTuple,
)  # fmt: skip

globals().update(_signature.names)
Number = Integer = Float = Complex = Boolean = Type
BaseTuple = TupleType
List = ListType
optional, deferred_type = Optional, DeferredType
CPointer, voidptr = Pointer, Pointer()
signed_domain = frozenset(_signature.names[f"int{n}"] for n in (8, 16, 32, 64))
unsigned_domain = frozenset(_signature.names[f"uint{n}"] for n in (8, 16, 32, 64))
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset(_signature.names[f"float{n}"] for n in (32, 64))
complex_domain = frozenset(_signature.names[f"complex{n}"] for n in (64, 128))
number_domain = real_domain | integer_domain | complex_domain

__all__ = [name for name in _signature.names if name not in ("bool", "NoneType")] + ["optional", "deferred_type"]
