"""cupy.testing beyond its assertions: running a test for many dtypes, with cupy and with NumPy, and comparing the results."""

from ._arrays import *  # noqa: F403
from ._both import *  # noqa: F403
from ._cases import *  # noqa: F403
from ._conditions import *  # noqa: F403

# The places that these have in CuPy, which tests import from as well.
from . import _arrays as _array  # noqa: F401
from . import _cases as _loops  # noqa: F401
from . import _cases as _parameterized  # noqa: F401
from . import _conditions as _attr  # noqa: F401
from . import _conditions as _condition  # noqa: F401
from . import _conditions as _helper  # noqa: F401
from . import _conditions as _random  # noqa: F401
from . import _hypothesis  # noqa: F401
