"""numba.typed: lists that know what they hold; compiled code takes any list whose items have one type."""

from ..._signature import as_type


class List(list):
    """A list of items of one type."""

    __kasoku_list__ = True
    _kasoku_item = None

    @classmethod
    def empty_list(cls, item_type, allocated=0):
        made = cls()
        made._kasoku_item = as_type(item_type)._describe()
        return made

    empty_list.__func__.__kasoku_list__ = True

    def getitem_unchecked(self, index):
        return self[index]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from .. import missing

    raise AttributeError(missing(f"numba.typed.{name}"))
