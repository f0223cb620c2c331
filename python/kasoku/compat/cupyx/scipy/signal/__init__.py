"""cupyx.scipy.signal: convolutions, filters and waves of arrays, where they lie."""

from . import windows
from ._convolutions import *  # noqa: F403
from ._designs import *  # noqa: F403
from ._filters import *  # noqa: F403
from ._forms import *  # noqa: F403
from ._peaks import *  # noqa: F403
from ._rates import *  # noqa: F403
from ._recursions import *  # noqa: F403
from ._spectra import *  # noqa: F403
from ._whole import *  # noqa: F403
from .windows import get_window
