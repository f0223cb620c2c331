"""dask.sizeof: about how many bytes a value takes."""

import functools
import sys


@functools.singledispatch
def sizeof(o):
    return o.nbytes if hasattr(o, "nbytes") and not isinstance(o, type) else sys.getsizeof(o)


for _kind in (list, tuple, set, frozenset):
    sizeof.register(_kind, lambda o: sys.getsizeof(o) + sum(map(sizeof, o)))
sizeof.register(dict, lambda o: sys.getsizeof(o) + sum(map(sizeof, o)) + sum(map(sizeof, o.values())))
