"""cupyx.scipy.ndimage: filters, morphology, measurements and splines of arrays, where they lie."""

from ._filters import *  # noqa: F403
from ._morphology import *  # noqa: F403
from ._measurements import *  # noqa: F403
from ._splines import *  # noqa: F403
from ._distances import *  # noqa: F403
from ._fourier import *  # noqa: F403
