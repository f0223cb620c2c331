"""dask.array.core: what dask.array has, by the module where Dask keeps it."""

import functools

from . import *  # noqa: F403
from .._task_spec import Task  # noqa: F401
from ._array import Array, made, one_chunk  # noqa: F401
from ._places import getter as _getter
from ._elementwise import elementwise as elemwise  # noqa: F401
from ._rechunk import BlockView  # noqa: F401

__getattr__ = _getter("core")


def from_func(func, shape, dtype=None, name=None, args=(), kwargs=None):
    """An array of one chunk, which func(*args, **kwargs) gives."""
    call = functools.partial(func, *args, **(kwargs or {}))
    return made("from_func", one_chunk(shape), dtype, (call,), token=[func, args, kwargs], name=name)
