"""cupy.typing: names for annotations; NumPy's own but for the arrays."""

import types
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NBitBase  # noqa: F401

from ._arrays import ndarray

NDArray = types.GenericAlias(ndarray, (Any, np.dtype[TypeVar("Element", bound=np.generic, covariant=True)]))
