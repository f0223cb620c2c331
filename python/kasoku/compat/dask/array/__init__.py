"""dask.array: arrays in chunks, which are kasoku's arrays; each operation makes tasks, a chunk each."""

from importlib import import_module as _import_module

import numpy as _np

from ..._face.table import plain as _plain
from . import fft, image, linalg, random
from ._array import Array
from ._blockwise import as_pairs as _as_pairs, blockwise, map_blocks
from ..base import compute
from ._chunks import normalize_chunks
from . import _diagonals, _points  # noqa: F401 - they fill the table and the class
from ._create import *  # noqa: F403
from ._elementwise import ufunc as _ufunc
from ._files import *  # noqa: F403
from ._gufunc import apply_gufunc, as_gufunc, gufunc
from ._histogram import *  # noqa: F403
from ._index import shuffle
from ._linear import dot, einsum, matmul, tensordot
from ._math import *  # noqa: F403
from ._overlap import *  # noqa: F403
from ._reductions import reduction
from ._reshape import reshape
from ._shape import *  # noqa: F403
from ._rechunk import met_by_name as _met_by_name, rechunk
from ._sources import array, asanyarray, asarray, from_array, from_delayed
from ._table import functions as _functions
from ._whole import *  # noqa: F403

_functions.into(globals())
for _name, _f in _functions.items():
    _f.__doc__ = _f.__doc__ or f"numpy.{_name} of arrays in chunks."
for _name in (
    "abs absolute add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_not bitwise_or bitwise_xor "
    "cbrt ceil clip conj copysign cos cosh deg2rad degrees divide equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin "
    "fmod greater greater_equal hypot i0 imag invert isclose iscomplex isfinite isinf isnan isneginf isposinf isreal ldexp left_shift "
    "less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod "
    "multiply negative nextafter not_equal positive power rad2deg radians real reciprocal remainder right_shift rint sign signbit sin "
    "sinc sinh spacing sqrt square subtract tan tanh true_divide trunc fix"
).split():
    globals()[_name] = _ufunc(_name)
Array.to_hdf5 = lambda self, filename, datapath, **words: to_hdf5(filename, datapath, self, **words)  # noqa: F405
for _name in "argtopk choose moment nonzero repeat squeeze store swapaxes to_zarr topk trace".split():
    setattr(Array, _name, globals()[_name])
conjugate = globals()["conj"]  # NumPy has both names
Array.conjugate = Array.conj
Array.__divmod__ = lambda self, other: _functions.divmod(self, other)
Array.__rdivmod__ = lambda self, other: _functions.divmod(other, self)
Array.__deepcopy__ = lambda self, memo: self.copy()


class PerformanceWarning(Warning):
    """Chunks that cost more than they need to."""


_plain(globals(), {
    "array_expr_enabled": (lambda: False, "Whether arrays are expressions that are planned as a whole: they are not."),
    "unify_chunks": (lambda *args, **options: _met_by_name(_as_pairs(args)),
        "Pairs of an array and its index, as blockwise takes them, in chunks that fit."),
    "optimize": (lambda dsk, keys, **ignored: dsk,
        "The graph as it is: what Dask's does before a run, the engine does in it."),
    "result_type": lambda *args: _np.result_type(*(a.dtype if isinstance(a, Array) else a for a in args)),
}, _array_expr_enabled="array_expr_enabled")  # fmt: skip
for _name in (
    "bool float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 "
    "pi e inf nan newaxis euler_gamma"
).split():
    globals()[_name] = getattr(_np, _name)
del _name, _f
from . import core, lib, ma  # noqa: E402, F401 - core has the names above, and is one of them
from . import _places  # noqa: E402, F401
from .chunk_types import register_chunk_type  # noqa: E402, F401


def __getattr__(name):
    if name in ("assert_eq", "utils"):  # what mostly tests need is imported when it is asked for
        utils = _import_module(f"{__package__}.utils")
        return utils if name == "utils" else utils.assert_eq
    raise AttributeError(name)
