"""CuPy's functions that ks has under the same names: they run on the current device. Nothing here computes on the host."""

import functools
import types

import kasoku as ks
from kasoku import _core

from .._face.table import plain
from . import cuda

# Of the engine itself, which costs nothing to have; what is CuPy's own under the same name is put over it.
_not_cupys = """
    Array Delayed Device Replay Stream Event Texture JitFunction RawKernel RawModule default_device deterministic
    devices eager eval explain from_arrow has_device record synchronize
""".split()
native = {name: getattr(ks, name) for name in ks._native if name not in _not_cupys}

# Those that a module of ks's defines, but for what CuPy has not: they are looked up when they are asked for.
later = frozenset(ks.__all__).difference(
    ks._native,
    """
    CompileError Error Finding Pool ScalarType Stats array_equal asanyarray check compare compute delayed emath errors errstate
    evaluate fft frompyfunc geterr jit lib linalg little_endian load_ipython_extension long mintypecode ndarray njit prange
    profile random require sctypeDict seterr stats typecodes ulong vectorize visualize
""".split(),
)


def _here(function):
    """The function, whose new arrays are on the current device."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        with _core._device_scope(cuda.current()):
            return function(*args, **kwargs)

    return call


def rows_here(space, rows):
    """Functions of a module (its globals), whose new arrays are on the current device: a row is one, with what is said of it."""
    return plain(space, {name: (_here(of), said) for name, (of, said) in rows.items()})


class _Asked:
    """What is asked for by indices, on the current device."""

    def __init__(self, of, joins):
        self._of, self._joins = of, joins

    @_core._in_face
    def __getitem__(self, key):
        for one in key if self._joins and isinstance(key, tuple) else ():
            if isinstance(one, str) or isinstance(getattr(one, "step", None), complex):
                raise NotImplementedError(f"cupy.r_ and cupy.c_ join arrays and numbers, not {one!r}")
        with _core._device_scope(cuda.current()):
            return self._of[key]

    __len__ = lambda self: len(self._of)


def of_ks(name):
    value = getattr(ks, name)
    if name in ("mgrid", "ogrid", "r_", "c_"):
        return _Asked(value, name in ("r_", "c_"))
    return _here(value) if isinstance(value, types.FunctionType) else value


for _name in "diag_indices identity indices tri tril_indices triu_indices".split():
    native[_name] = _here(native[_name])


def is_public(name, value):
    """Whether a name of a module of this face is one of CuPy's."""
    return not name.startswith("_") and not isinstance(value, types.ModuleType)
