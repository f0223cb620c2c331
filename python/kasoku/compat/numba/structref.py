"""numba.experimental.structref: objects of fields that compiled code and Python share. Functions that are given one run in
the interpreter, where its fields stand in the place of the proxy, as in compiled code."""

import threading

from ... import _jit, _overloads
from ..._signature import of_value

_running = threading.local()
_numbers = (bool, int, float, complex)


class StructRef:
    """The type of such objects, of which a program derives its own."""

    def __init__(self, fields):
        self._fields = tuple(self.preprocess_fields(tuple(fields)))
        self.field_dict = dict(self._fields)
        self.name = f"numba.{type(self).__name__}{self._fields}"

    def preprocess_fields(self, fields):
        return fields

    __repr__ = lambda self: self.name
    __eq__ = lambda self, other: type(self) is type(other) and self._fields == other._fields
    __hash__ = lambda self: hash(self._fields)


class _Fields:
    """What compiled code sees of an object: its fields, and what the program overloads of its type."""

    def __init__(self, proxy, values):
        vars(self).update(values, _proxy=proxy)

    def __setattr__(self, name, value):
        if name not in vars(self):
            raise AttributeError(f"{self._proxy.__name__} has no field '{name}'")
        of = type(vars(self)[name])  # a field keeps its type
        vars(self)[name] = of(value) if of in _numbers and type(value) in _numbers else value

    def __getattr__(self, name):
        if _overloads.key("=" + name):
            return _overloads.chosen("=" + name, [_type_of(self)])(self)
        if _overloads.key("." + name):
            return lambda *args: _overloads.chosen("." + name, [_type_of(each) for each in (self, *args)])(self, *args)
        raise AttributeError(f"{self._proxy.__name__} has no field '{name}'")


def _type_of(value):
    if not isinstance(value, _Fields):
        return of_value(value)
    named = [(name, _type_of(vars(value)[name])) for name in value._proxy._field_names]
    return value._proxy._struct_type(named)


class StructRefProxy:
    """The Python object of a structref; its properties call compiled functions."""

    __slots__ = ("_inside",)
    _struct_type = _field_names = None

    def __new__(cls, *args):
        if cls._field_names is None:
            raise TypeError(f"structref.define_proxy({cls.__name__}, …) comes before its objects")
        if len(args) != len(cls._field_names):
            raise TypeError(f"{cls.__name__} has {len(cls._field_names)} fields, and {len(args)} values are given")
        values = [_within(value) for value in args]
        fields = _Fields(cls, zip(cls._field_names, values, strict=True))
        return fields if getattr(_running, "depth", 0) else _outside(fields)

    _numba_type_ = property(lambda self: _type_of(self._inside))


def _within(value):
    return value._inside if isinstance(value, StructRefProxy) else value


def _outside(value):
    if type(value) is tuple:
        return tuple(map(_outside, value))
    if not isinstance(value, _Fields):
        return value
    made = object.__new__(value._proxy)
    made._inside = value
    return made


def _run(run, args, named):
    """A call in the interpreter: proxies are fields inside, and fields are proxies outside."""
    depth = getattr(_running, "depth", 0)
    _running.depth = depth + 1
    try:
        result = run(*map(_within, args), **{name: _within(value) for name, value in named.items()})
    finally:
        _running.depth = depth
    return result if depth else _outside(result)


_jit.run_interpreted = _run


def register(struct_type):
    """The type itself: it is one of those that the program's functions are given."""
    return struct_type


def define_proxy(py_class, struct_class, fields):
    """Objects of `py_class` are of this type and have these fields."""
    py_class._struct_type, py_class._field_names = struct_class, tuple(fields)


define_boxing = define_attributes = lambda *args: None  # the proxy has all of it
define_constructor = define_proxy
