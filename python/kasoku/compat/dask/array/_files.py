"""Arrays written chunk by chunk, and read."""

import glob
import importlib
import numbers
import os
import pickle

import numpy as np

from kasoku import delayed

from ..base import is_dask_collection
from ..utils import SerializableLock
from ._array import Array, Each, made
from ._blockwise import reference
from ._chunks import along, numpys, ours, slices
from ._shape import concatenate, stack
from ._sources import asanyarray, from_array, from_delayed, held


def _within(region, piece, target):
    """The place in an array of a piece of what fills a region of it."""
    if not region:
        return piece or ...
    shape = getattr(target, "shape", None)
    left = len(piece) - sum(not isinstance(part, numbers.Integral) for part in region)
    region, own = (*region, *(slice(None),) * left), iter(piece)
    found = []
    for part, n in zip(region, shape or [None] * len(region)):
        if isinstance(part, slice):
            start, _, step = part.indices(n) if n is not None else (part.start or 0, None, part.step or 1)
            of_piece = next(own)
            part = slice(start + of_piece.start * step, start + of_piece.stop * step, step)
        elif not isinstance(part, numbers.Integral):
            part = part[next(own)]
        found.append(part)
    return tuple(found)


def _written(block, target, region, piece, lock):
    with held(lock):
        target[_within(region, piece, target)] = numpys(block)
    return np.empty((0,) * block.ndim, block.dtype)


def _loaded(target, region, piece, lock, *after):
    with held(lock):
        return ours(np.asarray(target[_within(region, piece, target)]))


def store(sources, targets, lock=True, regions=None, compute=True, return_stored=False, load_stored=None, **options):
    """Writes arrays, chunk by chunk, into what can be assigned to by slices, also if that is a delayed value. regions:
    where, for a target that is larger. lock: one chunk at a time. Without compute an array, of nothing, whose computation
    writes, or a tuple of such. return_stored: arrays of what the targets have then."""
    from ..base import compute as run

    is_one = isinstance(sources, Array)
    sources, targets = ([sources], [targets]) if is_one else (list(sources), list(targets))
    regions = [regions] * len(sources) if regions is None or isinstance(regions, (tuple, slice)) else regions
    if not len(sources) == len(targets) == len(regions):
        raise ValueError(f"Different number of sources [{len(sources)}] and targets [{len(targets)}] or regions [{len(regions)}]")  # fmt: skip
    if not all(isinstance(source, Array) for source in sources):
        raise ValueError("All sources must be dask array objects")
    lock = SerializableLock() if lock is True else lock
    found = [
        _stored(*each, lock, return_stored and load_stored is not False) for each in zip(sources, targets, regions)
    ]
    if compute:
        run(*(written for written, _ in found), **options)
    if compute and not return_stored:
        return None
    arrays = tuple(loaded([] if compute else [written]) if return_stored else written for written, loaded in found)
    return arrays[0] if is_one else arrays


def _stored(source, target, region, lock, loads):
    """The array whose chunks are written when it is computed, and a function of arrays that come before, of that which
    the target has then."""
    region = () if region is None else region if isinstance(region, tuple) else (region,)
    is_later, chunks = is_dask_collection(target), source.chunks
    place, more = (reference(target), region, Each(slices(chunks)), lock), [target] if is_later else []
    told = [target if is_later else id(target), repr(region)]  # equal targets are two
    written = made("store", chunks, source.dtype, (_written, source, *place), [source, *more], told)

    def loaded(before):
        if not loads:
            return written
        return made("load-stored", chunks, source.dtype, (_loaded, *place, *before), [*before, *more], told)

    return written, loaded


def _needed(module, message):
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"dask.array{message}") from None


def _zarr():
    return _needed("zarr", ": Zarr is not installed\n  fix  pip install zarr")


def to_zarr(arr, url, component=None, storage_options=None, region=None, compute=True, return_stored=False, overwrite=False, mode="a", **words):  # fmt: skip
    """Writes an array into one of Zarr's, a chunk each: an open one, or a new one at `url`, below it at `component`."""
    zarr, arr = _zarr(), asanyarray(arr)
    if isinstance(url, zarr.Array):
        return store(arr, url, True, region, compute, return_stored)
    arr = arr.rechunk(arr.chunksize)  # Zarr's chunks are alike
    words = {**words, **({"storage_options": storage_options} if storage_options else {})}
    target = zarr.create(shape=arr.shape, chunks=arr.chunksize, dtype=arr.dtype, store=url, path=component, overwrite=overwrite or mode == "w", **words)  # fmt: skip
    return store(arr, target, False, region, compute, return_stored)


def from_zarr(url, component=None, storage_options=None, chunks=None, name=None, **words):
    """An array of one of Zarr's: an open one, or that at `url`, below it at `component`."""
    zarr = _zarr()
    if not isinstance(url, zarr.Array):
        words = {**words, **({"storage_options": storage_options} if storage_options else {})}
        url = zarr.open_array(store=url, path=component, mode="r", **words)
    return from_array(url, chunks=url.chunks if chunks is None else chunks, name=name)


def to_hdf5(filename, *args, chunks=True, **words):
    """Writes arrays into a file of HDF5: to_hdf5(file, "/x", x), or a dictionary of such. chunks: the file's, True for
    those of the array. words: as h5py's require_dataset has them."""
    h5py = _needed("h5py", ": h5py is not installed\n  fix  pip install h5py")
    data = dict([args]) if len(args) == 2 else args[0] if len(args) == 1 else None
    if not isinstance(data, dict) or not all(isinstance(x, Array) for x in data.values()):
        raise ValueError("Please provide {'/data/path': array} dictionary")
    with h5py.File(filename, mode="a") as file:
        targets = [
            file.require_dataset(path, shape=x.shape, dtype=x.dtype, chunks=tuple(c[0] for c in x.chunks) if chunks is True and x.ndim else chunks or None, **words)
            for path, x in data.items()
        ]  # fmt: skip
        store(list(data.values()), targets)


# ── files of NumPy's, and pictures ────────────────────────────────────────────────────────


def to_npy_stack(dirname, x, axis=0):
    """A folder of .npy files, one for each chunk along the axis, and a file of what they are together."""
    x = x.rechunk({k: -1 for k in range(x.ndim) if k != axis})
    os.makedirs(dirname, exist_ok=True)
    with open(os.path.join(dirname, "info"), "wb") as file:
        pickle.dump({"chunks": x.chunks, "dtype": x.dtype, "axis": axis}, file)
    for k, block in enumerate(x.blocks[along(axis, i)] for i in range(len(x.chunks[axis]))):
        np.save(os.path.join(dirname, f"{k}.npy"), block.compute())


def from_npy_stack(dirname, mmap_mode="r"):
    """The array of such a folder; files are read when they are needed."""
    with open(os.path.join(dirname, "info"), "rb") as file:
        info = pickle.load(file)
    chunks, axis = info["chunks"], info["axis"]
    shape = [sum(c) for c in chunks]
    parts = []
    for k, n in enumerate(chunks[axis]):
        shape[axis] = n
        value = delayed(np.load)(os.path.join(dirname, f"{k}.npy"), mmap_mode=mmap_mode)
        parts.append(from_delayed(value, tuple(shape), info["dtype"]))
    return concatenate(parts, axis)


def imread(filename, imread=None, preprocess=None):
    """Pictures of a pattern of names, read by imread, as an array with one chunk for each."""
    if imread is None:
        imread = _needed(
            "skimage.io", ".image.imread needs scikit-image, or imread=, a function of a file's name"
        ).imread
    names = sorted(glob.glob(filename))
    if not names:
        raise ValueError(f"No files found under name {filename}")
    read = (lambda name: preprocess(imread(name))) if preprocess else imread
    sample = read(names[0])
    return stack([from_delayed(delayed(read)(name), sample.shape, sample.dtype) for name in names])


__all__ = ["from_npy_stack", "from_zarr", "imread", "store", "to_hdf5", "to_npy_stack", "to_zarr"]
