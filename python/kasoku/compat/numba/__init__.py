"""The face of Numba: jit, njit, prange, vectorize, types and cuda on kasoku's compiler."""

import contextlib
import inspect
import threading

import numpy as _np

from ... import _core, _jit, errors as _kasoku_errors
from ..._jit import TypingError, prange  # noqa: F401
from ..._signature import Signature, has_compiled_form, of_value
from .._face.table import plain as _plain
from . import typed, types  # noqa: F401
from .types import *  # noqa: F401,F403
from .cfunc import carray, cfunc, farray
from .guvectorize import guvectorize
from .stencil import stencil
from .vectorize import vectorize

__version__ = "0.61.0"


def jit(signature_or_function=None, *, parallel=False, forceobj=False, nopython=True, **options):
    """ks.jit: what Numba compiles and kasoku does not runs in the interpreter, with a warning. NUMBA_DISABLE_JIT=1, or
    config.DISABLE_JIT, leaves functions as they are."""
    given = signature_or_function
    if config.DISABLE_JIT:
        return given if inspect.isfunction(given) else lambda function: function
    if isinstance(given, (list, tuple, str, Signature)) and not _have_compiled_forms(given):
        signature_or_function = None
    made = _jit.jit(signature_or_function, parallel=parallel, forceobj=forceobj, **options)
    if hasattr(made, "py_func") or inspect.isfunction(signature_or_function):
        return _serially(made)
    return lambda function: _serially(made(function))


def _have_compiled_forms(given):
    """Whether compiled code has the types of a signature, or of a list of them."""
    if isinstance(given, list):
        return all(map(_have_compiled_forms, given))
    try:
        return has_compiled_form(given)
    except _kasoku_errors.Error:  # said where it is declared
        return True


def _serially(made):
    """A prange loop with a part that has no compiled form runs in the interpreter, too."""
    if hasattr(made, "py_func"):
        made.py_func.__kasoku_serial__ = True
    return made


njit = jit


def set_num_threads(n):
    """Limits the threads that share the loops of compiled functions called from this thread."""
    most = _core._worker_count()
    if not 1 <= n <= most:
        raise ValueError(f"the number of threads must be between 1 and {most} (KASOKU_NUM_THREADS sets the pool)")
    _core._set_thread_limit(int(n))


_of_thread = threading.local()


def set_parallel_chunksize(n):
    """Remembers how many iterations a worker is to take at once, and gives what was before: the pool itself decides."""
    if not isinstance(n, (int, _np.integer)):
        raise TypeError("The parallel chunksize must be an integer")
    if n < 0:
        raise ValueError("chunksize must be greater than or equal to zero")
    before, _of_thread.chunksize = get_parallel_chunksize(), int(n)  # noqa: F405
    return before


@contextlib.contextmanager
def parallel_chunksize(n):
    """set_parallel_chunksize(n) for what stands in the block."""
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


_plain(globals(), {
    "get_num_threads": (lambda: _core._thread_limit(),
        "Threads that share the loops of compiled functions called from this thread."),
    "threading_layer": lambda: "kasoku",
    "get_thread_id": (lambda: _core._thread_number(),
        "The calling thread's number in its parallel loop, below get_num_threads(); no other thread in it has it at that time."),
    "typeof": (lambda value: of_value(value), "The type that compiled code has for a value."),
    "get_parallel_chunksize": (lambda: getattr(_of_thread, "chunksize", 0),
        "The number of iterations that this thread asked for; how a parallel loop is shared is the pool's."),
    "objmode": (lambda *args, **kwargs: contextlib.nullcontext(),
        "Python code in a compiled function: the function runs in the interpreter, its loops compiled."),
    "literally": (lambda value: value, "The value: compiled code knows what it needs to know."),
    "literal_unroll": (lambda value: value, "The tuple: a loop over it stands there once for each item."),
})  # fmt: skip


def from_dtype(dtype):
    """The type of a NumPy dtype."""
    dtype = _np.dtype(dtype)
    return types.Type(dtype.name) if dtype.fields is None else types.Record(dtype)


from . import _modules  # noqa: E402, F401 - Numba's inner modules

config, errors = _modules.config, core.errors  # noqa: F405
globals().update((name, of) for name, of in vars(errors).items() if isinstance(of, type))
