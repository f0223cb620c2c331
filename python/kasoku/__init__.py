"""kasoku: kernels, arrays and compiled Python on x86-64 CPUs and on NVIDIA GPUs.

Everything public is an attribute of this module. What is written in Python is
imported when it is first asked for, so `import kasoku` costs little.
"""

import copyreg as _copyreg
from importlib import import_module as _import_module

try:
    from . import _core
except ImportError as error:
    if "subinterpreter" in str(error):  # nanobind's backend is asked first
        raise ImportError(
            "kasoku works in a process's main interpreter only; import it there, or in a process of its own"
        ) from None
    raise
from . import _guests, errors
from ._core import __version__
from .errors import CompileError, Error

# Functions and methods of the extension are pickled by name, as Python's own are.
for _kind in {type(_core.arange), type(_core.Array.max)}:
    _copyreg.pickle(_kind, lambda function: function.__qualname__)
del _kind

# Public names of the extension: a binding needs no line here.
for _name in dir(_core):
    if not _name.startswith("_"):
        globals().setdefault(_name, getattr(_core, _name))
del _name

# Public names that a Python module of ours defines: module -> names.
_lazy = {
    "_jit": "jit njit prange",
    "_task": "delayed compute visualize Pool",
    "_check": "check Finding",
    "_profile": "profile",
    "_compare": "compare",
    "_stats": "stats Stats",
}
_lazy = {name: module for module, names in _lazy.items() for name in names.split()}


def __getattr__(name):
    if name in _lazy:
        value = getattr(_import_module(f"kasoku.{_lazy[name]}"), name)
        globals()[name] = value
        return value
    if name in errors.__all__:  # where pickles look for them; those with Python's names are no part of a star import
        return getattr(errors, name)
    if not name.startswith("_"):
        try:
            return _import_module(f"kasoku.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"kasoku.{name}":
                raise
    raise AttributeError(f"module 'kasoku' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell):
    """`%load_ext kasoku`: programs' imports of torch, pycuda and so on come from kasoku."""
    from .notebook import load

    load(shell)


__all__ = sorted(name for name in {*globals(), *_lazy, "random"} if not name.startswith("_"))
