"""Numba's exceptions, as far as programs catch them."""

from ...._jit import TypingError

NumbaError = UnsupportedError = LoweringError = TypingError


class NumbaWarning(Warning):
    pass


class NumbaPerformanceWarning(NumbaWarning):
    pass


class NumbaDeprecationWarning(NumbaWarning):
    pass


class NumbaPendingDeprecationWarning(NumbaWarning):
    pass
