"""Functions of dask.array as rows: names and arguments, and what is computed of them."""

from ..._face.table import Table
from ._sources import asanyarray


def of_an_array(f):
    """The first argument is an array, whatever comes as one."""
    first = f.__code__.co_varnames[0]

    def call(*args, **words):
        if args:
            return f(asanyarray(args[0]), *args[1:], **words)
        return f(**{name: asanyarray(value) if name == first else value for name, value in words.items()})

    return call


def of_arrays(f):
    """All that come by their places are."""
    return lambda *args, **words: f(*map(asanyarray, args), **words)


functions = Table({"array": of_an_array, "arrays": of_arrays})
