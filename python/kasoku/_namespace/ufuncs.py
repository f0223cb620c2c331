"""Methods of elementwise operations: `ks.add.reduce(x)`, and what NumPy's ufuncs have besides."""

import functools

import numpy as np

from .. import _core
from .given import Array, axes_of, axis_of, given, stored, together

# What joins many elements by rows of the engine's tables.
_reductions = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
    "fmax": "nanmax", "fmin": "nanmin",
}  # fmt: skip
_reducers = {name: getattr(_core, reduction) for name, reduction in _reductions.items()}
_scans = {"add": _core.cumsum, "multiply": _core.cumprod, "maximum": _core.cummax, "minimum": _core.cummin}
# Joins in which brackets may be moved, with what joins without a trace (None: nothing does).
_associative = {
    "add": 0, "multiply": 1, "maximum": None, "minimum": None, "logical_and": True, "logical_or": True, "fmax": None,
    "fmin": None, "logical_xor": False, "bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0, "gcd": 0, "lcm": None,
    "hypot": 0, "logaddexp": float("-inf"), "logaddexp2": float("-inf"),
}  # fmt: skip
_identities = {**_associative, "logical_or": False}
_sums = ("add", "multiply")  # their rows of the table know dtypes


# What leaves the left operand as it is: in the place of an element that a mask leaves out.
_right_identities = {"subtract": 0, "divide": 1, "power": 1, "float_power": 1, "left_shift": 0, "right_shift": 0}


def _must_be_binary(ufunc, method):
    if ufunc.nin != 2:
        raise ValueError(f"{method} only supported for binary functions")


def _joinable(ufunc, x, dtype):
    """The array in the dtype in which its elements are joined. Raises TypeError where the operation takes none such."""
    if dtype is not None:
        if ufunc.__name__.startswith("logical") and np.dtype(dtype) != bool:
            raise TypeError(f"{ufunc.__name__} gives bools, not {np.dtype(dtype)}")
        x = x.astype(dtype, copy=False)
    none = _core.empty(0, dtype=x.dtype, device=x.device)
    return x.astype(ufunc(none, none).dtype, copy=False)


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """All elements along axes joined into one by the operation.

    `array` of any shape; `axis`: one, a tuple or None for all. Raises ValueError where there are no elements and no identity,
    and for several axes of an operation whose order decides (power, floor_divide …), which joins one element after the other.

    >>> ks.maximum.reduce(ks.array([[1, 5], [7, 2]]), axis=1)
    array([5, 7])
    """
    x = given(array)
    name = self.__name__
    if name in _reducers and dtype is None and initial is None and where is True:
        if out is None and keepdims is False and (axis is None or (axis == 0 and x.ndim == 1)):
            return _reducers[name](x)  # of all elements, which takes fewer looks
        return _reducers[name](x, axis, out=out, keepdims=keepdims)
    if name == "subtract" and where is True and initial is None and hasattr(axis, "__index__") and x.ndim and x.size:
        first, rest = _cut(x if dtype is None else x.astype(dtype, copy=False), axis)
        dtype = self(first, first).dtype if dtype is None else dtype
        return _stored_along(self(first, rest.sum(axis=axis, dtype=dtype)), axis, x, out, keepdims)
    _must_be_binary(self, "reduce")
    if name not in _associative:
        return _reduced_in_order(self, x, axis, dtype, out, keepdims, initial, where)
    if dtype is not None and name not in _sums:
        x = _joinable(self, x, dtype)
    if name in _reductions and not (name.startswith("logical") and (initial is not None or where is not True)):
        options = {"dtype": dtype if name in _sums else None, "initial": initial}
        options = {key: value for key, value in options.items() if value is not None}
        if where is not True:
            options["where"] = where
        return _reducers[name](x, axis=axis, out=out, keepdims=keepdims, **options)
    x = _joinable(self, x, None)
    if where is not True:
        missing = f"reduction operation '{name}' does not have an identity, so where= needs initial="
        x = _core.where(given(where, x), x, _identity_like(self, x, (), missing))
    axes = sorted(axes_of(axis, x.ndim)) if x.ndim or axis not in (0, -1, (0,), (-1,)) else []
    whole = x = abs(x) if name in ("hypot", "gcd") else x  # what these make of a single element
    for d in axes:
        x = _joined_by_halves(self, x, d)
    if initial is not None:
        x = self(x, given(initial, x).astype(x.dtype))
    if x is whole:
        x = x.copy()
    if not keepdims and axes:
        x = _core.squeeze(x, tuple(axes))
    return stored(x, out)


def _of_bools(ufunc, x, dtype):
    """The dtype in which elements are joined, as given. What compares gives bools, so it joins nothing else."""
    one = np.dtype(x.dtype if dtype is None else dtype)
    none = _core.empty(0, dtype=one, device=x.device)
    if ufunc(none, none).dtype.kind == "b" != one.kind:
        raise TypeError(f"{ufunc.__name__} gives bools, so it joins bools, not elements of {one}")
    return dtype


def _reduced_in_order(ufunc, x, axis, dtype, out, keepdims, initial, where):
    """One element after the other along one axis: brackets may not be moved."""
    name = ufunc.__name__
    axes = axes_of(axis, x.ndim) if x.ndim or axis not in (0, -1, (0,), (-1,)) else []
    dtype = _of_bools(ufunc, x, dtype)
    if len(axes) > 1:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    if where is not True and initial is None:
        raise ValueError(f"reduction operation '{name}' does not have an identity, so where= needs initial=")
    row = _core.expand_dims(x, 0) if not axes else x
    along = axes[0] if axes else 0
    if where is not True:
        if name not in _right_identities:
            raise NotImplementedError(f"{name}.reduce takes no mask: nothing stands for an element that is left out")
        row = _core.where(given(where, x), row, _core.full((), _right_identities[name], dtype=x.dtype, device=x.device))
    if initial is not None:
        first = (*row.shape[:along], 1, *row.shape[along + 1 :])
        none = _core.empty(0, dtype=dtype or x.dtype, device=x.device)
        kind = ufunc(none, none).dtype
        row = _core.concatenate([_core.full(first, initial, dtype=kind, device=x.device), row.astype(kind)], along)
    if row.shape[along] == 0:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    result = _core._reduceat(name, row, [0], along, False, dtype)
    return stored(result if keepdims and axes else _core.squeeze(result, along), out)


def _identity_like(ufunc, x, shape, missing):
    """An array of what joins without a trace; a ValueError that says `missing` where the operation has none."""
    identity = _identities[ufunc.__name__]
    if identity is None:
        raise ValueError(missing)
    return _core.full(shape, identity, device=x.device).astype(x.dtype)


def _joined_by_halves(ufunc, x, axis):
    """The elements along an axis, which keeps a length of 1. Halves are joined, because the order does not matter."""
    if x.shape[axis] == 0:
        missing = f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        return _identity_like(ufunc, x, (*x.shape[:axis], 1, *x.shape[axis + 1 :]), missing)
    before = (slice(None),) * axis
    while x.shape[axis] > 1:
        half = x.shape[axis] // 2
        rest = x[(*before, slice(2 * half, None))]
        x = ufunc(x[(*before, slice(0, half))], x[(*before, slice(half, 2 * half))])
        x = _core.concatenate([x, rest], axis) if rest.shape[axis] else x
    return x


def _cut(x, axis):
    axis = axis_of(axis, x.ndim)
    before = (slice(None),) * axis
    return _core.squeeze(x[(*before, slice(0, 1))], axis), x[(*before, slice(1, None))]


def _stored_along(result, axis, x, out, keepdims):
    return stored(_core.expand_dims(result, axis_of(axis, x.ndim)) if keepdims else result, out)


def accumulate(self, array, axis=0, dtype=None, out=None):
    """Element i along an axis is what the operation joins up to there.

    >>> ks.multiply.accumulate(ks.array([1, 2, 3]))
    array([1, 2, 6])
    """
    x = given(array)
    name = self.__name__
    _must_be_binary(self, "accumulate")
    if x.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    if name == "subtract":  # what is taken away is added with the other sign, which rounds alike
        none = x[:0] if dtype is None else x[:0].astype(dtype)
        x = x.astype(self(none, none).dtype)
        rest = (*(slice(None),) * axis_of(axis, x.ndim), slice(1, None))
        x[rest] = -x[rest]
        return _core.cumsum(x, axis, x.dtype, out)
    if name not in _associative:
        return stored(_core._accumulate(name, x, axis_of(axis, x.ndim), _of_bools(self, x, dtype)), out)
    if name in _sums:
        return _scans[name](x, axis, dtype, out)
    x = _joinable(self, x, dtype)
    if name in _scans:
        return _scans[name](x, axis, None, out)
    d = axis_of(axis, x.ndim)
    x = x.copy()
    before, step = (slice(None),) * d, 1
    while step < x.shape[d]:  # each joins what stands 1, 2, 4 … before it
        joined = self(x[(*before, slice(0, -step))], x[(*before, slice(step, None))])
        x = _core.concatenate([x[(*before, slice(0, step))], joined], d)
        step *= 2
    return stored(x, out)


def outer(self, A, B, /, **options):
    """The operation of each element of A and each of B: the shape of A, then that of B.

    >>> ks.multiply.outer(ks.array([1, 2]), ks.array([3, 4]))
    array([[3, 4],
           [6, 8]])
    """
    if _arity[self.__name__] != 2:
        raise ValueError("outer product only supported for binary functions")
    a, b = together(A, B)
    return self(_core.reshape(a, a.shape + (1,) * b.ndim), b, **options)


@functools.cache
def _joined(operation):
    """The engine's function that joins values to an array's elements by it; None if it has none."""
    return getattr(_core, f"{operation.__name__}_at", None)


def at(self, a, indices, b=None, /):
    """Stores the operation of each indexed element (and of a value) there; where indices repeat, one after the other.

    `a` is an array of ours, which changes.

    >>> x = ks.zeros(3); ks.add.at(x, [0, 0, 2], 1); x
    array([2., 0., 1.])
    """
    joined = _joined(self)
    if joined is not None and b is not None and isinstance(a, Array):
        return joined(a, indices, b)
    if not isinstance(a, Array):
        raise TypeError(f"{self.__name__}.at changes an array of kasoku, not a {type(a).__name__}")
    if self.nin == 1:
        if b is not None:
            raise ValueError("second operand provided when ufunc is not binary")
        a[indices] = self(a[indices])
        return
    if b is None:
        raise ValueError("second operand needed for ufunc")
    raise NotImplementedError(f"{self.__name__}.at is not there; add, subtract, multiply, maximum and minimum have one")


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """For each index the elements from there up to the next index joined; the element itself where the next one is not greater.

    >>> ks.add.reduceat(ks.arange(8), [0, 4, 1, 5])
    array([ 6,  4, 10, 18])
    """
    if _arity[self.__name__] != 2:
        raise ValueError("reduceat only supported for binary functions")
    if isinstance(axis, tuple) and len(axis) != 1:
        raise ValueError("reduceat does not allow multiple axes")
    axis = axis[0] if isinstance(axis, tuple) else axis
    return stored(
        _core._reduceat(self.__name__, given(array), indices, axis, self.__name__ in _associative, dtype), out
    )


_arity = {row[0]: row[1] for row in _core._ops()}

for _method in (reduce, accumulate, outer, at, reduceat):
    _method.__qualname__ = f"ufunc.{_method.__name__}"
    setattr(_core.ufunc, _method.__name__, _method)
_core.ufunc.nin = property(lambda self: _arity[self.__name__], doc="How many arrays it takes.")
_core.ufunc.nout = property(lambda self: 1, doc="How many arrays it gives.")
_core.ufunc.nargs = property(lambda self: self.nin + 1, doc="How many arrays it takes and gives.")
_core.ufunc.identity = property(lambda self: _identities.get(self.__name__), doc="What joins without a trace, or None.")
_core.ufunc.signature = property(lambda self: None, doc="None: an elementwise operation has no core dimensions.")
