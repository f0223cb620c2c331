"""cupyx.scipy.sparse.linalg: equations and eigenvalues of matrices that are known by their products."""

from ._conjugate import *  # noqa: F403
from ._eigen import *  # noqa: F403
from ._operators import *  # noqa: F403
from ._solve import *  # noqa: F403
from ._steps import *  # noqa: F403
