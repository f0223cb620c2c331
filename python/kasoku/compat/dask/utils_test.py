"""dask.utils_test: the functions that examples delay."""

from .._face.table import plain

plain(globals(), {"inc": lambda x: x + 1, "dec": lambda x: x - 1, "add": lambda x, y: x + y})
