"""Neighbours of points. All distances are taken, block by block: there is no tree that the points of a block would walk together."""

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._util import in_face as _in_face
from .. import sparse as _sparse

_at_once = 10_000_000  # differences of a block


class KDTree:
    """Points, of which those near others are asked for: `boxsize` is the period along each axis, 0 where there is none."""

    def __init__(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        data = _asarray(data)
        if data.dtype.kind == "c":
            raise TypeError("KDTree does not work with complex data")
        data = data.astype("float64", copy=bool(copy_data))
        if data.ndim != 2:
            raise ValueError("data must be 2 dimensions")
        if leafsize < 1:
            raise ValueError("leafsize must be at least 1")
        if not bool(_ks.isfinite(data).all()):
            raise ValueError("data must be finite, check for nan or inf values")
        self.n, self.m = data.shape
        self.data, self.leafsize = _ks.ascontiguousarray(data), leafsize
        self.maxes = data.max(0) if self.n else _ks.zeros_like(data, shape=(self.m,))
        self.mins = data.min(0) if self.n else self.maxes
        self.boxsize = None
        if boxsize is not None:
            box = _ks.broadcast_to(_asarray(boxsize).astype("float64"), (self.m,))
            if bool(((box > 0) & ((data < 0) | (data >= box))).any()):
                raise ValueError("Some input data are greater than the size of the periodic box, or negative.")
            self.boxsize = box.copy()

    def _points(self, x):
        x = _asarray(x)
        if x.ndim == 0 or x.shape[-1] != self.m:
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {x.shape}")
        x = x.astype("float64").reshape(-1, self.m)
        if not bool(_ks.isfinite(x).all()):
            raise ValueError("'x' must be finite, check for nan or inf values")
        return x

    def _distances(self, x, p):
        """Where the blocks of points begin, and the distances of each to all points of the tree."""
        step = max(1, _at_once // max(self.n * self.m, 1))
        for begin in range(0, x.shape[0], step):
            away = abs(x[begin : begin + step, None, :] - self.data)
            if self.boxsize is not None:
                box = _ks.where(self.boxsize > 0, self.boxsize, _ks.inf)
                away = _ks.where(self.boxsize > 0, away % box, away)
                away = _ks.minimum(away, box - away)
            if p == 2:
                yield begin, _ks.sqrt((away * away).sum(-1))
            elif p == _np.inf:
                yield begin, away.max(-1)
            else:
                yield begin, away.sum(-1) if p == 1 else (away**p).sum(-1) ** (1 / p)

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=_np.inf):
        """Distances and numbers of the k nearest points, or of the k-th nearest for each of several k; inf and n where there is none."""
        if k is None:
            raise ValueError("k must be an integer or a sequence of integers")
        if p < 1:
            raise ValueError("Only p-norms with 1<=p<=infinity permitted")
        shape = _asarray(x).shape[:-1]
        x = self._points(x)
        which = [int(j) for j in k] if _np.iterable(k) else list(range(1, int(k) + 1))
        if not which or min(which) < 1:
            raise ValueError("k must be greater or equal to 1")
        most = min(max(which), self.n)
        found = []
        for _, distances in self._distances(x, p):
            if 8 * most < self.n:  # a few of many
                near = _ks.argpartition(distances, most - 1, axis=1)[:, :most]
                near = _ks.take_along_axis(near, _ks.argsort(_ks.take_along_axis(distances, near, 1), axis=1), 1)
            else:
                near = _ks.argsort(distances, axis=1, kind="stable")[:, :most]
            d = _ks.take_along_axis(distances, near, 1)
            is_near = d < distance_upper_bound
            found.append((_ks.where(is_near, d, _ks.inf), _ks.where(is_near, near, self.n)))
        d, i = (
            _ks.concatenate(parts) if parts else _ks.zeros_like(x, shape=(0, most))
            for parts in zip(*found or [((), ())])
        )
        if max(which) > most:
            more = ((0, 0), (0, max(which) - most))
            d, i = _ks.pad(d, more, constant_values=_np.inf), _ks.pad(i, more, constant_values=self.n)
        d, i = (part[:, [j - 1 for j in which]] for part in (d, i))
        shape = shape if not _np.iterable(k) and int(k) == 1 else (*shape, len(which))
        return d.reshape(shape), i.astype("int64").reshape(shape)

    def _near(self, x, r, p):
        """Row by row the numbers of the points within a distance, in order."""
        r = _ks.broadcast_to(_asarray(r).astype("float64").reshape(-1), (x.shape[0],)) if x.shape[0] else None
        for begin, distances in self._distances(x, p):
            is_near = distances <= r[begin : begin + distances.shape[0], None]
            counts = is_near.sum(1).tolist()
            numbers, at = _ks.nonzero(is_near)[1], 0
            for count in counts:
                yield numbers[at : at + count]
                at += count

    def query_ball_point(self, x, r, p=2.0, eps=0, return_sorted=None, return_length=False):
        """The numbers of the points within the distance r of each, or how many they are."""
        is_one = _asarray(x).ndim == 1
        points = self._points(x)
        found = list(self._near(points, r, p))
        if return_length:
            lengths = _ks.array([one.size for one in found], "int64", device=points.device)
            return int(lengths[0]) if is_one else lengths.reshape(_asarray(x).shape[:-1])
        return found[0] if is_one else found

    def query_ball_tree(self, other, r, p=2.0, eps=0.0):
        """For each point of this tree the numbers of the other's points within the distance r."""
        return list(other._near(self.data, r, p))

    def _pairs(self, other, r, p):
        """All pairs within the distance, and their distances."""
        parts = []
        for begin, distances in other._distances(self.data, p):
            i, j = _ks.nonzero(distances <= r)
            parts.append((i + begin, j, distances[i, j]))
        return tuple(map(_ks.concatenate, zip(*parts)))

    def query_pairs(self, r, p=2.0, eps=0, output_type="set"):
        """The pairs of points within the distance r, the lower number first."""
        i, j, _ = self._pairs(self, r, p)
        is_once = i < j
        pairs = _ks.stack((i[is_once], j[is_once]), 1)
        if output_type == "ndarray":
            return pairs
        if output_type != "set":
            raise ValueError(f"output_type must be one of 'set' or 'ndarray', not {output_type!r}")
        return set(map(tuple, pairs.tolist()))

    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
        """How many pairs of points, one of each tree, are within the distance r."""
        if weights is not None or not cumulative:
            raise NotImplementedError("count_neighbors counts pairs, without weights, up to each distance")
        radii = _np.atleast_1d(_np.asarray(r, float))
        counts = _np.zeros(len(radii), "int64")
        for _, distances in other._distances(self.data, p):
            counts += [int((distances <= one).sum()) for one in radii]
        return int(counts[0]) if _np.ndim(r) == 0 else _ks.array(counts)

    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="coo_matrix"):
        """The distances up to one between points of both trees, as a sparse matrix."""
        i, j, d = self._pairs(other, max_distance, p)
        if output_type != "coo_matrix":
            raise NotImplementedError("sparse_distance_matrix gives a coo_matrix")
        return _sparse.coo_matrix((d, (i, j)), shape=(self.n, other.n))


_in_face(KDTree)
