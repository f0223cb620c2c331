"""cupy._core: the few of CuPy's inner names that programs and tests use."""

import operator
import sys
import warnings

import numpy as np

from .. import tests_of as _tests_of
from .._face.table import plain as _plain, modules as _modules
from .._layout import ArrayFlags as _ArrayFlags
from . import _arrays, _gufuncs
from ._kernels import ElementwiseKernel, ReductionKernel  # noqa: F401

ndarray, array = _arrays.ndarray, _arrays.array


def get_size(size):
    if size is None:
        warnings.warn("the size of None is (): give () itself", DeprecationWarning, stacklevel=2)
        return ()
    sizes = (size,) if np.ndim(size) == 0 else tuple(size)
    if any(isinstance(n, bool) or getattr(n, "dtype", None) == np.bool_ for n in sizes):
        raise TypeError(f"a size is an integer or integers, not {size!r}")
    return tuple(n.item() if isinstance(n, np.ndarray) else n for n in sizes)


class Flags(_ArrayFlags):
    """Flags of given values."""

    def __init__(self, c_contiguous, f_contiguous, owndata):
        self._values = {"c_contiguous": c_contiguous, "f_contiguous": f_contiguous, "owndata": owndata}

    c_contiguous, f_contiguous, owndata = (
        property(lambda self, name=name: self._values[name]) for name in ("c_contiguous", "f_contiguous", "owndata")
    )


# ── what is remembered for programs that set it: the engine reduces, and products have their dtype's precision ──────

_accelerators = {"routine": [], "reduction": []}
_compute_types = {}
_ways = "TBD DEFAULT PEDANTIC FP16 FP32 FP64 BF16 TF32".split()


def set_compute_type(dtype, compute_type):
    if compute_type not in range(len(_ways)):
        raise ValueError(f"there is no way {compute_type} to compute products")
    _compute_types[np.dtype(dtype).char.lower()] = compute_type


_chosen = _plain(globals(), {
    "get_routine_accelerators": lambda: list(_accelerators["routine"]),
    "set_routine_accelerators": lambda accelerators: operator.setitem(_accelerators, "routine", list(accelerators)),
    "get_reduction_accelerators": lambda: list(_accelerators["reduction"]),
    "set_reduction_accelerators": lambda accelerators: operator.setitem(_accelerators, "reduction", list(accelerators)),
    "get_compute_type": lambda dtype: _compute_types.get(np.dtype(dtype).char.lower(), _ways.index("DEFAULT")),
    "_get_warpsize": (lambda: 32, "Threads of a warp, on all devices."),
    "elementwise_copy": lambda src, dst: operator.setitem(dst, ..., src),
})  # fmt: skip


def _types(one):
    """("dtypes of inputs", "of outputs") of "ff->f"."""
    inputs, _, outputs = one.partition("->")
    return [np.dtype(c) for c in inputs], [np.dtype(c) for c in outputs or inputs]


class create_reduction_func:
    """A reduction of several dtypes: `ops` as "b->b", `routine` as (map, reduce, post, type)."""

    def __init__(self, name, ops, routine=None, identity=None, preamble="", sort_reduce_axis=True):
        self.name, self._kernels = name, []
        self._identity, self._preamble = identity, preamble
        for op in ops:
            types, own = (op, routine) if isinstance(op, str) else (op[0], op[1])
            self._kernels.append((*_types(types), own))
        self._made = {}

    _cached_codes = property(lambda self: dict(enumerate(t for k in self._made.values() for t in k.texts())))

    def __call__(self, a, axis=None, dtype=None, out=None, keepdims=False):
        a = _arrays.asarray(a)
        for inputs, outputs, routine in self._kernels:  # noqa: B007
            if np.can_cast(a.dtype, inputs[0], "safe") and dtype in (None, outputs[0]):
                break
        else:
            raise TypeError(f"{self.name} has no form for {a.dtype}")
        if inputs[0] not in self._made:
            map_expr, reduce_expr, post, kind = routine
            self._made[inputs[0]] = ReductionKernel(
                f"{inputs[0]} in0", f"{outputs[0]} out0", map_expr, reduce_expr, post, self._identity,
                self.name, kind, preamble=self._preamble,
            )  # fmt: skip
        return self._made[inputs[0]](a.astype(inputs[0], copy=False), axis=axis, out=out, keepdims=keepdims)


_modules(__name__, {
    "_accelerator": ("which library reduces in CuPy. Here it is always the engine; the choice is remembered.", {
        "ACCELERATOR_CUB": 1, "ACCELERATOR_CUTENSOR": 2,
        **{name: f for name, f in _chosen.items() if name.endswith("accelerators")}}),
    "_cub_reduction": ("reductions are the engine's own; nothing of CUB is here.", {}),
    "_gufuncs": _gufuncs,
    "_routines_linalg": ("how products of matrices are computed in CuPy. The choice is remembered.", {
        "get_compute_type": _chosen.get_compute_type, "set_compute_type": set_compute_type,
        **{f"COMPUTE_TYPE_{way}": number for number, way in enumerate(_ways)}}),
    "_routines_math": ("the running sum under the name that CuPy's tests use (kasoku_testing).",
        _tests_of(f"{__name__}._routines_math", "cupy.internal")),
    "flags": ("how elements lie, by name.", {"Flags": Flags}),
    "internal": ("helpers of shapes and numbers (kasoku_testing).",
        {"get_size": get_size, **_tests_of(f"{__name__}.internal", "cupy.internal")}),
})  # fmt: skip
core = sys.modules[__name__]  # programs import names from either
