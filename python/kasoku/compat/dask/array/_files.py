"""Arrays written chunk by chunk, and read."""

import contextlib
import glob
import os
import pickle

import numpy as np

from kasoku import delayed

from ..utils import SerializableLock
from ._chunks import numpys, starts
from ._core import Array, asarray, from_array, from_delayed
from ._shape import concatenate, stack


def _within(region, piece, shape):
    """The place in an array of a piece of what fills a region of it."""
    region, own = (*region, *(slice(None),) * (len(shape) - len(region))), iter(piece)
    found = []
    for part, n in zip(region, shape):
        if isinstance(part, slice):
            start, _, step = part.indices(n)
            of_piece = next(own)
            part = slice(start + of_piece.start * step, start + of_piece.stop * step, step)
        found.append(part)
    return tuple(found)


def _written(block, target, place, lock):
    with lock or contextlib.nullcontext():
        target[place] = numpys(block)


def store(sources, targets, lock=True, regions=None, compute=True, return_stored=False, **options):
    """Writes arrays, chunk by chunk, into what can be assigned to by slices. regions: where, for a target that is larger.
    lock: one chunk at a time. Without compute a delayed value, of all of them. return_stored: arrays of the targets."""
    from ..base import compute as run

    sources, targets = ([sources], [targets]) if isinstance(sources, Array) else (sources, targets)
    regions = [regions] * len(sources) if regions is None or isinstance(regions, (tuple, slice)) else regions
    if not len(sources) == len(targets) == len(regions):
        raise ValueError(f"Different number of sources [{len(sources)}] and targets [{len(targets)}] or regions [{len(regions)}]")  # fmt: skip
    lock = SerializableLock() if lock is True else lock
    write, parts = delayed(_written, pure=False), []
    for source, target, region in zip(sources, targets, regions):
        region = () if region is None else region if isinstance(region, tuple) else (region,)
        ends = [starts(c) for c in source.chunks]
        for place, block in np.ndenumerate(source.to_delayed()):
            piece = tuple(slice(e[i], e[i + 1]) for e, i in zip(ends, place))
            parts.append(write(block, target, _within(region, piece, target.shape) if region else piece or ..., lock))
    written = delayed(tuple)(parts)
    if not compute:
        return written
    run(written, **options)
    if return_stored:
        return tuple(from_array(t, s.chunks) for s, t in zip(sources, targets))


def _zarr():
    try:
        import zarr
    except ImportError:
        raise ImportError("dask.array: Zarr is not installed\n  fix  pip install zarr") from None
    return zarr


def to_zarr(arr, url, component=None, storage_options=None, region=None, compute=True, return_stored=False, overwrite=False, mode="a", **words):  # fmt: skip
    """Writes an array into one of Zarr's, a chunk each: an open one, or a new one at `url`, below it at `component`."""
    zarr, arr = _zarr(), asarray(arr)
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


# ── files of NumPy's, and pictures ────────────────────────────────────────────────────────


def to_npy_stack(dirname, x, axis=0):
    """A folder of .npy files, one for each chunk along the axis, and a file of what they are together."""
    x = x.rechunk({k: -1 for k in range(x.ndim) if k != axis})
    os.makedirs(dirname, exist_ok=True)
    with open(os.path.join(dirname, "info"), "wb") as file:
        pickle.dump({"chunks": x.chunks, "dtype": x.dtype, "axis": axis}, file)
    for k, block in enumerate(x.blocks[(slice(None),) * axis + (i,)] for i in range(len(x.chunks[axis]))):
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
        try:
            from skimage.io import imread
        except ImportError:
            raise ImportError(
                "dask.array.image.imread needs scikit-image, or imread=, a function of a file's name"
            ) from None
    names = sorted(glob.glob(filename))
    if not names:
        raise ValueError(f"No files found under name {filename}")
    read = (lambda name: preprocess(imread(name))) if preprocess else imread
    sample = read(names[0])
    return stack([from_delayed(delayed(read)(name), sample.shape, sample.dtype) for name in names])


__all__ = ["from_npy_stack", "from_zarr", "imread", "store", "to_npy_stack", "to_zarr"]
