"""The value of the nearest point."""

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._util import in_face as _in_face
from ..spatial import KDTree as _KDTree


@_in_face
class NearestNDInterpolator:
    """Values y at points x, rows of coordinates; anywhere else the value of the nearest one. `rescale`: coordinates are first moved
    and scaled to one size."""

    def __init__(self, x, y, rescale=False, tree_options=None):
        points = _asarray(_ks.stack(_ks.broadcast_arrays(*map(_asarray, x)), -1) if isinstance(x, tuple) else x)
        points = points.astype("float64").reshape(-1, points.shape[-1] if points.ndim > 1 else 1)
        self.values = _asarray(y)
        if points.shape[0] != self.values.shape[0]:
            raise ValueError(f"there are {points.shape[0]} points and {self.values.shape[0]} values")
        self._offset, self._scale = points.mean(0), _ks.ptp(points, axis=0)
        self._scale = _ks.where(self._scale > 0, self._scale, 1)
        self._rescale = rescale
        self.points = self._placed(points)
        self.tree = _KDTree(self.points, **(tree_options or {}))

    def _placed(self, points):
        return (points - self._offset) / self._scale if self._rescale else points

    def __call__(self, *args, **query_options):
        """The values at points: rows of coordinates, or an array of each coordinate."""
        apart = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args if len(args) > 1 else None
        if apart is not None:
            xi = _ks.stack(_ks.broadcast_arrays(*map(_asarray, apart)), -1)
        else:
            xi = _asarray(args[0])
            xi = xi[..., None] if self.tree.m == 1 and (xi.ndim == 0 or xi.shape[-1] != 1) else xi
        if xi.shape[-1] != self.tree.m:
            raise ValueError(f"points have {self.tree.m} coordinates, and {xi.shape[-1]} are given")
        shape = xi.shape[:-1]
        flat = self._placed(xi.astype("float64").reshape(-1, self.tree.m))
        distances, at = self.tree.query(flat, **query_options)
        is_near = _ks.isfinite(distances)
        found = self.values[_ks.where(is_near, at, 0)]
        if not bool(is_near.all()):  # beyond distance_upper_bound
            is_near = is_near.reshape(is_near.shape + (1,) * (found.ndim - 1))
            found = _ks.where(is_near, found.astype(_np.result_type(found.dtype, "float32")), _ks.nan)
        return found.reshape(shape + self.values.shape[1:])
