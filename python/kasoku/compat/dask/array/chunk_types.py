"""dask.array.chunk_types: arrays of which packages may be chunks."""

import numpy as np

import kasoku as ks

_types = [np.ndarray, np.ma.MaskedArray, ks.Array]


def register_chunk_type(kind):
    """Makes arrays of that class what Dask's arrays take in: operations of both give an array in chunks."""
    _types.append(kind)


def is_valid_chunk_type(kind):
    return isinstance(kind, type) and issubclass(kind, tuple(_types))


def is_valid_array_chunk(array):
    return array is None or isinstance(array, tuple(_types))
