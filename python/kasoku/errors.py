"""The exceptions and warnings of kasoku. Every exception class is an `Error` and the Python exception of its meaning,
so `except ValueError` and `except ks.Error` both work.

>>> try:
...     ks.zeros((2, 3)) + ks.zeros(4)
... except ks.Error as error:
...     isinstance(error, ValueError)
True
"""

import builtins
import sys
import warnings

import numpy as _np

__all__ = [
    "Error", "CompileError", "ValueError", "TypeError", "IndexError", "OverflowError", "AxisError", "LinAlgError",
    "MemoryError",
    "UnsupportedError", "OSError", "DeviceError", "LaunchError", "InternalError", "Interrupted",
    "Warning", "CacheWarning", "CompileWarning", "SwappedArgumentsWarning",
]  # fmt: skip


class Error(Exception):
    """The base of all that kasoku raises: what happened, where, why, and what to type.

    Each is an exception of Python's too: a ValueError, TypeError, IndexError ….

    >>> try:
    ...     ks.add([1, 2], [1, 2, 3])
    ... except ks.Error as error:
    ...     isinstance(error, ValueError)
    True
    """


class CompileError(Error, builtins.RuntimeError):
    """A kernel's text does not compile; the message has the user's line and a caret.

    >>> try:
    ...     ks.ElementwiseKernel("T x", "T y", "y = x +")(ks.ones(2))
    ... except ks.CompileError as error:
    ...     "expected expression" in str(error)
    True
    """

    def get_message(self):
        """The message, under the name that CuPy's CompileException has for it."""
        return str(self)


class ValueError(Error, builtins.ValueError):
    """A value that the call cannot take: a shape, a name, a range."""


class TypeError(Error, builtins.TypeError):
    """A wrong dtype or a wrong kind of object."""


class IndexError(Error, builtins.IndexError):
    """An index outside its array."""


class OverflowError(ValueError, builtins.OverflowError):
    """A number that a dtype does not hold."""


class AxisError(Error, getattr(_np, "exceptions", _np).AxisError):
    """An axis that the array does not have."""


class LinAlgError(ValueError, _np.linalg.LinAlgError):
    """A matrix that is singular, not square, not positive definite, or whose iteration does not converge."""


class MemoryError(Error, builtins.MemoryError):
    """A device or the host has too little memory; the message names size and device."""


class UnsupportedError(Error, builtins.NotImplementedError):
    """Something that kasoku, or this device, does not have."""


class OSError(Error, builtins.OSError):
    """A file or folder that cannot be read or written."""


class DeviceError(Error, builtins.RuntimeError):
    """A device failed, or is not there."""


class LaunchError(ValueError, DeviceError):
    """A launch of a shape that the device does not take: an empty grid, a block of too many threads, too much shared memory."""


class InternalError(Error, builtins.RuntimeError):
    """A mistake of kasoku's own; please report it with the message."""


class Warning(builtins.UserWarning):
    """The base of what kasoku warns of."""


class CacheWarning(Warning):
    """The cache of compiled kernels cannot be used as asked; all goes on in memory."""


class CompileWarning(Warning):
    """A compiler's warning about a kernel that it accepts."""


class SwappedArgumentsWarning(Warning):
    """An array is read back that was created zeroed and only ever passed as an input."""


# Ctrl-C must pass `except Exception`, so this one is no Error.
Interrupted = builtins.KeyboardInterrupt

for _class in list(globals().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "kasoku"
del _class


def _warn(category, text):
    """Warns at the line of the user's that led here; when the interpreter ends there is none."""
    frame, level = sys._getframe().f_back, 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "kasoku":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
