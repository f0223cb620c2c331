"""cupyx.scipy.signal: convolutions, filters and waves of arrays, where they lie."""

from .... import tests_of as _tests_of
from ...._face.table import modules as _modules
from . import windows
from ._convolutions import *  # noqa: F403
from ._curves import *  # noqa: F403
from ._designs import *  # noqa: F403
from ._filters import *  # noqa: F403
from ._forms import *  # noqa: F403
from ._fractions import *  # noqa: F403
from ._models import *  # noqa: F403
from ._orders import *  # noqa: F403
from ._peaks import *  # noqa: F403
from ._rates import *  # noqa: F403
from ._recursions import *  # noqa: F403
from ._spectra import *  # noqa: F403
from ._systems import *  # noqa: F403
from ._taps import *  # noqa: F403
from ._wavelets import *  # noqa: F403
from ._whole import *  # noqa: F403
from .windows import get_window

_modules(__name__, {
    name: ("a helper of CuPy's that its tests import (kasoku_testing).", _tests_of(f"{__name__}.{name}", "cupy.internal"))
    for name in ("_iir_utils", "_iir_filter_conversions", "_polyutils", "_savitzky_golay", "_upfirdn")
})  # fmt: skip
