"""What CuPy's own tests ask cupyx.scipy for."""

from importlib.util import find_spec

_scipy_available = find_spec("scipy") is not None
