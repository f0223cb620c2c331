"""cupyx.scipy.interpolate: polynomials, splines and radial functions through points, and values between those of a grid."""

from .... import tests_of as _tests_of
from ...._face.table import modules as _modules
from ._bernstein import *  # noqa: F403
from ._bsplines import *  # noqa: F403
from ._ndbspline import *  # noqa: F403
from ._nearest import NearestNDInterpolator
from ._pieces import *  # noqa: F403
from ._polynomials import *  # noqa: F403
from ._radial import *  # noqa: F403

_modules(__name__, {
    name: ("what CuPy's tests import of it (kasoku_testing).", _tests_of(f"{__name__}.{name}", "cupy.internal"))
    for name in ("_rbfinterp", "_bspline2")
})  # fmt: skip
