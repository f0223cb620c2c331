"""cupyx.scipy.spatial: distances, and neighbours of points."""

from . import distance
from ._kdtree import KDTree
from .distance import distance_matrix
