"""What CuPy has under ks's names: the functions of ks, on the current device. Nothing here computes on the host."""

import functools
import types

import kasoku as ks
from kasoku import _core

from . import cuda

# Of the engine itself, which costs nothing to have; what is CuPy's own under the same name is put over it.
_not_cupys = """
    Array Delayed Device Replay Stream Event Texture JitFunction RawKernel RawModule default_device deterministic
    devices eager eval explain from_arrow has_device record synchronize
""".split()
native = {name: getattr(ks, name) for name in ks._native if name not in _not_cupys}

# Those that a module of ks's defines: they are looked up when they are asked for.
later = frozenset("""
    allclose angle apply_along_axis apply_over_axes array2string array_equiv array_repr array_split array_str ascontiguousarray asfortranarray astype atleast_1d
    atleast_2d atleast_3d average bartlett blackman block broadcast_arrays column_stack concat cumulative_prod cumulative_sum
    divmod dsplit dstack einsum_path fix frexp frombuffer fromfile fromfunction fromiter fromstring genfromtxt geomspace
    hamming hanning hsplit i0 isclose iscomplex isdtype isneginf isposinf isreal iterable ix_ kaiser ldexp linspace load loadtxt
    logaddexp2 logspace mask_indices matrix_transpose matvec mgrid modf nan_to_num nanmean nanstd nanvar ndenumerate ogrid
    packbits pad piecewise poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval ptp r_ c_ real_if_close
    rollaxis roots save savetxt savez savez_compressed sinc spacing split trim_zeros unique_all unique_counts unique_inverse
    unique_values unpackbits unstack unwrap vander vecmat vsplit
    hstack ndim row_stack shape size vstack real imag asarray_chkfinite iscomplexobj isfortran isrealobj isscalar may_share_memory min_scalar_type
    common_type shares_memory
    set_printoptions get_printoptions printoptions
    dtype generic number integer signedinteger unsignedinteger inexact floating complexfloating finfo iinfo issubdtype
    byte ubyte short ushort intc uintc int_ uint longlong ulonglong intp uintp half single double csingle cdouble ndindex
    euler_gamma format_float_positional format_float_scientific base_repr binary_repr index_exp s_ typename broadcast_shapes
""".split())  # fmt: skip


def _here(function):
    """The function, whose new arrays are on the current device."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        with _core._device_scope(cuda.current()):
            return function(*args, **kwargs)

    return call


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
