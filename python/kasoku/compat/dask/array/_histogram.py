"""Histograms, chunk by chunk."""

import numbers

import numpy as np

from ..base import is_dask_collection
from ._array import Array, grid, made
from ._chunks import on_numpys
from ._sources import asanyarray, from_array
from ._table import functions as f
from ._whole import whole


def _spaced(lo, hi, count):
    return np.linspace(lo, hi, int(count) + 1)


def _edges(bins, range):  # noqa: A002
    """The edges of bins, as an array; of numbers of which some are known later, too."""
    if bins is None or np.ndim(bins) == 0 and range is None:
        raise ValueError("dask.array.histogram requires specifying bins: edges, or their number and range=")
    if range is not None and not isinstance(range, (list, tuple)) and np.ndim(range) != 1:
        kind = ValueError if np.ndim(range) else TypeError
        raise kind(f"Expected a sequence or array of two items for range, not {range}")
    if range is not None and len(range) != 2:
        raise ValueError(f"range must be a sequence or array of length 2, but got {len(range)} items")
    if np.ndim(bins) > 1:
        raise ValueError(f"bins must be a 1-dimensional array or sequence, got shape {np.shape(bins)}")
    if np.ndim(bins):
        return bins if isinstance(bins, Array) else np.asarray(bins)
    told = (*range, bins)
    if not any(map(is_dask_collection, told)):
        return _spaced(*told)
    told = [asanyarray(x) if isinstance(x, Array) else x for x in told]
    return whole((np.nan if is_dask_collection(bins) else int(bins) + 1,), float, _spaced, *told)


def _counted(edges, a, weights=None):
    return np.histogram(a, edges, weights=weights)[0][None]


def histogram(a, bins=None, range=None, normed=False, weights=None, density=None):  # noqa: A002
    """How many elements are in each bin, chunk by chunk, and the edges. bins: edges, or how many there are between the ends
    that range= says; arrays of Dask too."""
    if normed:
        raise ValueError("The normed= keyword argument has been deprecated. Please use density instead.")
    if density and is_dask_collection(bins) and np.ndim(bins) == 0:
        raise NotImplementedError("When `density` is True, `bins` cannot be a scalar Dask object")
    a, edges, more = asanyarray(a), _edges(bins, range), []
    lazy = [edges if len(edges.chunks[0]) == 1 else edges.rechunk(-1)] if isinstance(edges, Array) else []
    given = lazy[0].ref((0,)) if lazy else edges
    if weights is not None:
        more = [asanyarray(weights)]
        if more[0].chunks != a.chunks:
            raise ValueError("Input array and weights must have the same chunked structure")
    places = list(grid(a.chunks))

    def task_of(place):
        at = places[place[0]]
        return on_numpys, _counted, given, a.ref(at), *(w.ref(at) for w in more)

    kind = more[0].dtype if more else np.dtype(np.int64)
    chunks = ((1,) * len(places), (edges.shape[0] - 1,))
    counts = made("histogram-sum", chunks, kind, task_of, [a, *more, *lazy], [] if lazy else edges.tolist()).sum(axis=0)
    if density:
        counts = counts / asanyarray(f.diff(edges) if lazy else np.diff(edges)).astype(float) / counts.sum()
    return counts, edges


def histogramdd(sample, bins, range=None, normed=None, weights=None, density=None):  # noqa: A002
    """Counts in cells of several axes. sample: an (N, D) array or one array for each axis."""
    if normed is not None and density is not None:
        raise TypeError("Cannot specify both 'normed' and 'density'")
    density = normed if density is None else density
    if not isinstance(sample, (tuple, list)) and sample.ndim != 2:
        raise ValueError("Single array input to histogramdd should be columnar")
    columns = list(map(asanyarray, sample if isinstance(sample, (tuple, list)) else sample.T))
    each = [bins] * len(columns) if isinstance(bins, numbers.Integral) else list(bins)
    if len(each) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample.")
    if range is not None and len(range) != len(columns):
        raise ValueError("range argument requires one entry, a min max pair, per dimension.")
    if range is not None and any(np.shape(pair) != (2,) for pair in range):
        raise ValueError("range argument should be a sequence of pairs")
    if range is None and any(isinstance(b, numbers.Integral) for b in each):
        raise ValueError("dask.array.histogramdd requires range= where bins are numbers")
    edges = [_spaced(*range[k], b) if isinstance(b, numbers.Integral) else np.asarray(b) for k, b in enumerate(each)]

    def count(*parts):
        columns, more = parts[: len(edges)], parts[len(edges) :]
        return np.histogramdd(columns, edges, weights=more[0] if more else None, density=density)[0]

    more = [] if weights is None else [asanyarray(weights)]
    counts = whole(tuple(len(e) - 1 for e in edges), float, count, *columns, *more)
    return counts, [from_array(e) for e in edges]


f.rows("plain", {"histogram2d": lambda x, y, bins=10, range=None, normed=None, weights=None, density=None: (
    lambda counts, edges: (counts, *edges))(*histogramdd((x, y), bins, range, normed, weights, density))})  # fmt: skip
__all__ = ["histogram", "histogramdd"]
