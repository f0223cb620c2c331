"""Numba's exceptions, as far as programs catch them."""

from ...._jit import TypingError

NumbaError = UnsupportedError = LoweringError = UnsupportedBytecodeError = ForbiddenConstruct = TypingError
NumbaTypeError = NumbaValueError = NumbaIndexError = NumbaNotImplementedError = NumbaAssertionError = TypingError
RequireLiteralValue = InternalError = ConstantInferenceError = CompilerError = TypingError


class NumbaWarning(Warning):
    pass


class NumbaPerformanceWarning(NumbaWarning):
    pass


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    pass


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    pass


class NumbaParallelSafetyWarning(NumbaWarning):
    pass


class NumbaTypeSafetyWarning(NumbaWarning):
    pass


class NumbaExperimentalFeatureWarning(NumbaWarning):
    pass


class NumbaInvalidConfigWarning(NumbaWarning):
    pass


class NumbaDebugInfoWarning(NumbaWarning):
    pass


class NumbaIRAssumptionWarning(NumbaWarning):
    pass
