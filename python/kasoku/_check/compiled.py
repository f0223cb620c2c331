"""The checks of kernels and compiled functions, by an instrumented compile."""

import copy

import numpy as np

from .. import _core
from .recorder import is_array

MADE_OF_EXPRESSIONS = (
    _core.ElementwiseKernel, _core.ReductionKernel, _core.InclusiveScanKernel, _core.ExclusiveScanKernel,
)  # fmt: skip


def check_compiled(f, args, kwargs, block=None, grid=None):
    """The findings of f(*args) on copies of its arguments, None if f is neither a kernel nor compiled."""
    launch = getattr(f, "_check", None)  # a kernel of cuda.jit, with or without its shape
    if launch is not None and not isinstance(f, type):
        return launch(args, grid, block, _shared(kwargs))
    kernel = getattr(f, "__kasoku_kernel__", f)
    if isinstance(kernel, _core.RawKernel):
        return _core._check_kernel(kernel, args, block=block, grid=grid, shared=_shared(kwargs))
    if isinstance(f, MADE_OF_EXPRESSIONS):
        named = dict(zip(kwargs, _on_cpu(copied(kwargs.values()))))
        return f._check_call(tuple(_on_cpu(copied(args))), named)
    if isinstance(f, _core.JitFunction):
        return _core._check_jit(f, tuple(copied(args)))
    return None


def _shared(options):
    """The bytes of dynamic shared memory that a launch is given, under either name; all else has no meaning there."""
    given = [options.pop(name) for name in ("shared", "shared_mem") if name in options]
    if options:
        raise TypeError(
            f"check: the launch of a kernel has no argument {next(iter(options))!r}\n  fix  block=, grid= and shared= (bytes)"
        )
    return given[0] if given else 0


def _on_cpu(values):
    return [
        _core.array(value.numpy(), device="cpu")
        if isinstance(value, _core.Array) and value.device.kind != "cpu"
        else value
        for value in values
    ]


def _owner(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def copied(values):
    """Copies that keep what is shared among the arguments shared, overlapping views of an array too."""
    memo = {}
    owners = {}
    for value in values:
        if type(value) in (np.ndarray, np.memmap):
            owners.setdefault(id(_owner(value)), []).append(value)
    for views in owners.values():
        owner = _owner(views[0])
        if len(views) > 1 and owner.size and owner.flags.forc and not owner.dtype.hasobject:
            whole = owner.view(np.ndarray).copy(order="K").ravel(order="K").view(np.uint8)
            for view in views:
                start = view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
                memo[id(view)] = np.ndarray(view.shape, view.dtype, whole, start, view.strides)
                memo[id(view)].flags.writeable = view.flags.writeable

    def one(value):
        if not isinstance(value, np.ndarray) and is_array(value):
            if id(value) not in memo:
                memo[id(value)] = (
                    value.copy() if hasattr(value, "copy") else value.clone() if hasattr(value, "clone") else value
                )
            return memo[id(value)]
        if isinstance(value, (np.ndarray, list, dict, set, bytearray)):
            try:
                return copy.deepcopy(value, memo)
            except Exception:
                return value
        return value

    return [one(value) for value in values]
