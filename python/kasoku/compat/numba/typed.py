"""numba.typed: containers that know what they hold; compiled code takes any list, dict or set whose items have one type."""

import numpy as np

from ..._signature import as_type
from .._face.table import methods as _methods

_casts = {"int": int, "uin": int, "flo": float, "com": complex, "boo": bool}


_plain = {np.float64: float, np.int64: int, np.bool_: bool, np.complex128: complex}
_same = lambda value: value
_item = lambda value: _plain.get(type(value), _same)(value)  # a number of NumPy's that is one of Python's, as that


def _cast(described):
    """A function that converts values to a number type; it leaves everything else as it is."""
    return _casts.get(described[0][:3], _same) if len(described) == 4 and described[1] < 0 else _same


class _Typed:
    """What knows the type of its items, even without one."""

    _kasoku_item = None
    _typed = property(lambda self: bool(self or self._kasoku_item))

    def copy(self):
        made = type(self)(self)
        made._kasoku_item = self._kasoku_item
        return made


class List(_Typed, list):
    """A list of items of one type."""

    __kasoku_list__ = True

    def __init__(self, items=()):
        super().__init__(map(_item, items))

    def __setitem__(self, index, value):
        super().__setitem__(index, [*map(_item, value)] if isinstance(index, slice) else _item(value))

    @classmethod
    def empty_list(cls, item_type, allocated=0):
        made = cls()
        made._kasoku_item = as_type(item_type)._describe()
        return made

    empty_list.__func__.__kasoku_list__ = True


_methods(List, {
    "append": lambda self, value: list.append(self, _item(value)),
    "insert": lambda self, index, value: list.insert(self, index, _item(value)),
    "extend": lambda self, values: list.extend(self, map(_item, values)),
    "getitem_unchecked": lambda self, index: self[index],
})  # fmt: skip


class Dict(_Typed, dict):
    """A dict from keys of one type to values of one type."""

    __kasoku_dict__ = True

    @classmethod
    def empty(cls, key_type, value_type, n_keys=0):
        made = cls()
        made._kasoku_item = as_type(key_type)._describe(), as_type(value_type)._describe()
        return made

    empty.__func__.__kasoku_dict__ = True

    def __setitem__(self, key, value):
        if self._kasoku_item:
            (key_type, value_type) = map(_cast, self._kasoku_item)
            key, value = key_type(key), value_type(value)
        super().__setitem__(key, value)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value


class Set(_Typed, set):
    """A set of items of one type."""

    __kasoku_set__ = True

    @classmethod
    def empty(cls, key_type):
        made = cls()
        made._kasoku_item = as_type(key_type)._describe()
        return made

    empty.__func__.__kasoku_set__ = True


_methods(Set, {
    "add": lambda self, value: set.add(self, _cast(self._kasoku_item)(value) if self._kasoku_item else _item(value)),
})  # fmt: skip
