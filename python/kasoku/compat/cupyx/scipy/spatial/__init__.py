"""cupyx.scipy.spatial: distances."""

from . import distance
from .distance import distance_matrix
