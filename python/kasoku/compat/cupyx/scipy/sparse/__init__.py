"""cupyx.scipy.sparse: matrices of which only some elements are kept, and their algebra, where their arrays lie."""

from . import csgraph, linalg  # noqa: F401
from ._construct import *  # noqa: F403
from ._matrix import *  # noqa: F403
