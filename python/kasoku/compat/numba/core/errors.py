"""Numba's exceptions, as far as programs catch them."""

from ...._jit import TypingError

NumbaError = UnsupportedError = LoweringError = UnsupportedBytecodeError = ForbiddenConstruct = TypingError
NumbaTypeError = NumbaValueError = NumbaIndexError = NumbaNotImplementedError = NumbaAssertionError = TypingError
RequireLiteralValue = InternalError = ConstantInferenceError = CompilerError = TypingError


class NumbaWarning(Warning):
    pass


for _name in (
    "Performance Deprecation PendingDeprecation ParallelSafety TypeSafety ExperimentalFeature InvalidConfig DebugInfo IRAssumption"
).split():
    _python = {"Deprecation": (DeprecationWarning,), "PendingDeprecation": (PendingDeprecationWarning,)}.get(_name, ())
    globals()[f"Numba{_name}Warning"] = type(f"Numba{_name}Warning", (NumbaWarning, *_python), {})
