"""Arrays in chunks of what a program has: NumPy's arrays and ours, files, lists, delayed values."""

import contextlib

import numpy as np

import kasoku as ks

from .._task_spec import TaskRef
from ..base import is_dask_collection, tokenize
from ..utils import SerializableLock
from ._array import Array, Each, made, one_chunk
from ._chunks import normalize_chunks, ours, slices


def asanyarray(x, dtype=None, ndmin=0, **words):
    """An array in chunks of whatever NumPy takes for one."""
    x = _as_array(x, words.get("chunks") or "auto")
    x = x if x.ndim >= ndmin else x[(None,) * (ndmin - x.ndim)]
    return x if dtype is None else x.astype(dtype)


def _as_array(x, chunks):
    if isinstance(x, Array):
        return x
    if is_dask_collection(x) and hasattr(x, "to_dask_array"):
        return x.to_dask_array()
    if isinstance(x, (list, tuple)) and any(isinstance(i, Array) for i in x):
        from ._shape import stack

        return stack(x)
    return from_array(x if hasattr(x, "__array_function__") else np.asanyarray(x), chunks=chunks)


def asarray(x, dtype=None, **words):
    """As asanyarray(), of NumPy's arrays: what is masked, or another package's, becomes one."""
    if not isinstance(x, ks.Array) and hasattr(x, "__array_function__") and not isinstance(x, Array):
        x = np.asarray(x)
    return asanyarray(x, dtype, **words)


def array(x, dtype=None, ndmin=0, **words):
    return asarray(x, dtype, ndmin=ndmin, **words)


@contextlib.contextmanager
def held(lock):
    """A program's lock, which has acquire() and release(); or none."""
    if lock:
        lock.acquire()
    try:
        yield
    finally:
        if lock:
            lock.release()


def _piece(x, index, is_array, lock=None, getitem=None):
    with held(lock):
        if getitem is not None:
            piece = getitem(x, index)
        else:
            piece = x[index] if index else x[...] if hasattr(x, "shape") and x.shape == () else x
        return ours(np.asarray(piece) if is_array else piece)


def from_array(
    x, chunks="auto", name=None, lock=False, asarray=None, fancy=True, getitem=None, meta=None, inline_array=False
):
    """An array in chunks of one that has shape, dtype and slices: NumPy's, which is copied, ours, a file's, which is read
    when it is needed. lock: True, or one of the program's, if it is to be read by one thread at a time. asarray: whether its
    parts become NumPy's arrays, else those that NumPy's functions take stay what they are."""
    if isinstance(x, Array):
        raise ValueError("Array is already a dask array. Use 'asarray' or 'rechunk' instead.")
    if isinstance(x, (list, tuple, memoryview, np.generic)) or not hasattr(x, "shape"):
        x = np.asarray(x)
    dtype = np.dtype(x.dtype)
    if asarray is None:
        asarray = not hasattr(x, "__array_function__")
    chunks = normalize_chunks(chunks, x.shape, dtype=dtype, previous_chunks=None)
    if name in (None, True):
        name = "array-" + tokenize(x, chunks, lock)
    elif name is False:
        import uuid

        name = f"array-{uuid.uuid4().hex}"
    pieces = slices(chunks)
    is_numpys = type(x) is np.ndarray and not lock
    lock = SerializableLock() if lock is True else lock or None

    def copied(place):
        return np.array(x[tuple(own[i] for own, i in zip(pieces, place))])

    # What a program writes into NumPy's array later is not for us.
    task = copied if is_numpys else (_piece, x, Each(pieces), asarray, lock, getitem)
    return made("array", chunks, dtype, task, meta=x if meta is None and not asarray else meta, name=name)


def from_delayed(value, shape, dtype=None, meta=None, name=None):
    """An array of one chunk, which a delayed value is."""
    if not is_dask_collection(value):
        from kasoku import delayed

        value = delayed(value)
    return made("from-value", one_chunk(shape), dtype, (ours, TaskRef(value.key)), [value], meta=meta, name=name)
