"""cupy._core: the few of CuPy's inner names that programs and tests use."""

import sys

import numpy as np

from .. import _arrays
from .._kernels import ElementwiseKernel, ReductionKernel  # noqa: F401
from . import _accelerator, _cub_reduction, _routines_linalg, _routines_math, flags, internal  # noqa: F401
from ._routines_linalg import get_compute_type, set_compute_type  # noqa: F401
from .internal import get_size  # noqa: F401
from ._accelerator import (  # noqa: F401
    get_reduction_accelerators,
    get_routine_accelerators,
    set_reduction_accelerators,
    set_routine_accelerators,
)

ndarray, array = _arrays.ndarray, _arrays.array


def elementwise_copy(src, dst):
    dst[...] = src


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


core = sys.modules[__name__]  # programs import names from either
