"""numba.vectorize: a function of numbers as an elementwise function of arrays."""

import functools
import inspect
import math

import numpy as np

from ... import _core, _jit, _signature
from ..._hints import check_options
from ._loops import (
    UFunc,
    as_arrays,
    bare,
    beside,
    choose,
    common_shape,
    compiled,
    dtype_of,
    empty,
    lies_flat,
    rows,
    shown,
)


# Rows joined into one element each, and the results so far in place.
_fold = """
def fold(out, x):
    for i in prange(x.shape[0]):
        for k in range(x.shape[1]):
            out[i] = scalar(out[i], x[i, k])
"""
_scan = """
def scan(out):
    for i in prange(out.shape[0]):
        for k in range(1, out.shape[1]):
            out[i, k] = scalar(out[i, k - 1], out[i, k])
"""


def _spread(a, shape):
    """The elements of an array of that shape; compiled along with what takes arrays."""
    if isinstance(a, np.ndarray):
        return np.broadcast_to(a, shape).ravel()
    return np.full(shape, a).ravel()


class DUFunc(UFunc):
    """A universal function: loops for the declared dtypes, or for those that come."""

    nout = 1
    signature = None

    def __init__(self, function, signatures=(), parallel=False, identity=None):
        super().__init__(function, signatures, parallel, identity)
        self.nin = len(inspect.signature(function).parameters)
        self.nargs = self.nin + 1
        self.identity, self._is_open, self._parallel = identity, not signatures, parallel
        self._loops, self._known = [], {}
        self._scalar = _jit.jit(list(signatures) or None, parallel=False, error_model="numpy")(function)
        for given in signatures:
            args, result = _signature.signature(given)
            self._add([np.dtype(t.__kasoku_dtype__) for t in args], result and np.dtype(result.__kasoku_dtype__))
        names = ", ".join(f"a{i}" for i in range(self.nin))
        items = ", ".join(f"a{i}[i]" for i in range(self.nin))
        last = items.replace("[i]", "[failed]")
        # An element that fails stays as it was, the others are computed; the last one's exception is raised.
        self._loop = self._make(
            "loop",
            f"""
            def loop(out, {names}):
                failed = -1
                for i in prange(out.size):
                    try:
                        out[i] = scalar({items})
                    except Exception:
                        failed = max(failed, i)
                if failed >= 0:
                    scalar({last})
            """,
        )
        # A device's loop has no exceptions to catch, and its elements are threads. Compiled code has its own.
        text = f"def loop(out, {names}):\n    for i in prange(out.size):\n        out[i] = scalar({items})\n"
        plain = functools.partial(compiled, text, "loop", scalar=self._scalar)
        self._device_loop = plain(True)

        # What compiled code calls, with numbers or arrays.
        parts = names.split(", ")
        whole = functools.reduce(lambda all, part: f"({all} != {part})", parts)
        flat = ", ".join(f"spread({part}, shape)" for part in parts)
        self.__kasoku_jit__ = self._make(
            "of_any",
            f"""
            def of_any({names}):
                if {" or ".join(f"isinstance({part}, np.ndarray)" for part in parts)}:
                    shape = {whole}.shape
                    return over(shape, {flat}).reshape(shape)
                return scalar({names})
            """,
            spread=_spread,
            over=self._make(
                "over",
                f"""
                def over(shape, {names}):
                    out = np.empty(a0.size, scalar({items.replace("[i]", "[0]")}).dtype)
                    loop(out, {names})
                    return out
                """,
                loop=plain(self._parallel),
            ),
        )

    def _make(self, name, text, **others):
        return compiled(inspect.cleandoc(text) + "\n", name, self._parallel, scalar=self._scalar, **others)

    def _result(self, dtypes):
        found = _core._jit_result(self._scalar, [(d.name, -1, False, False) for d in dtypes])
        if len(found) != 4 or found[1] >= 0:
            raise _jit.TypingError(f"{self.__name__} gives {found[0]}, and a ufunc gives a number")
        return np.dtype(found[0])

    def _choose(self, given):
        dtypes = [*map(np.dtype, given)]
        if self._is_open and not any(loop[0] == dtypes for loop in self._loops):
            self._add(dtypes)
        return choose(self._loops, given, self.__name__, exact_first=self._is_open)

    def _add(self, dtypes, result=None):
        self._loops.append((dtypes, [self._result(dtypes) if result is None else result]))
        self._known.clear()

    def add(self, signature):
        """One more loop."""
        self._add([np.dtype(t.__kasoku_dtype__) for t in _signature.signature(signature)[0]])

    def disable_compile(self):
        self._is_open = False

    def __call__(self, *args, out=None, stream=0, dtype=None, where=True, casting="same_kind", order="K", subok=True):
        if where is not True:
            raise NotImplementedError(f"{self.__name__}: where= is not there yet")
        if len(args) == self.nargs and out is None:
            *args, out = args
        if len(args) != self.nin:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments but {len(args)} were given"
            )
        args, (out,) = shown(args), shown(out if isinstance(out, tuple) else (out,))
        if not (out is None or hasattr(out, "shape")):
            raise TypeError(f"{self.__name__}(): an output is an array, not {type(out).__name__}")
        given = [dtype_of(arg) for arg in args]
        dtypes, (result,) = self._loop_for(given)
        arrays, wrap = as_arrays(args)
        shape = common_shape(*[a.shape for a in arrays])
        if out is None and not shape:
            return result.type(self._scalar(*(d.type(a.item()) for d, a in zip(dtypes, arrays, strict=True))))
        flat = [rows(a, d, shape) for a, d in zip(arrays, dtypes)]
        if out is None:
            target = into = empty(shape, result, arrays[0])
        else:
            target = bare(out)
            if target.shape != shape:
                raise ValueError(
                    f"non-broadcastable output operand with shape {target.shape} doesn't match the broadcast shape {shape}"
                )
            if not np.can_cast(result, np.dtype(target.dtype), casting):
                raise TypeError(
                    f"Cannot cast ufunc '{self.__name__}' output from {result!r} to {target.dtype!r} with casting rule '{casting}'"
                )
            is_there = isinstance(target, np.ndarray) == isinstance(arrays[0], np.ndarray)
            is_fit = is_there and target.dtype == result and lies_flat(target)
            into = target if is_fit else empty(shape, result, arrays[0])
            flat = [x.copy() if _is_shifted(x, into) else x for x in flat]
        loop = self._loop if isinstance(into, np.ndarray) else self._device_loop
        loop(into if len(shape) == 1 else into.reshape(-1), *flat)
        if into is not target:
            values = beside(target, into)
            target[...] = values if dtype is None else values.astype(dtype)
        return wrap(target) if out is None else out

    # ── what NumPy's ufuncs do besides ────────────────────────────────────────────────────

    def _along(self, name, array, axes, text):
        """The elements as rows of those along axes, (lengths of the others, of these), the dtype, how a result is wrapped,
        and the loop."""
        if self.nin != 2:
            raise ValueError("reduce only supported for binary functions")
        (values,), wrap = as_arrays([array])
        dtypes = [np.dtype(values.dtype)] * 2
        own = [
            loop for loop in self._loops if list(loop[0]) == dtypes
        ]  # NumPy looks for it first here, and in calls not
        _, (result,) = own[0] if own else self._loop_for(dtypes)
        back = wrap if isinstance(values, np.ndarray) else lambda x: wrap(_core.asarray(x))
        values = np.asarray(values).astype(result)
        moved = np.moveaxis(values if values.ndim or not axes else values.reshape(1), axes, range(-len(axes), 0))
        outer, inner = moved.shape[: moved.ndim - len(axes)], moved.shape[moved.ndim - len(axes) :]
        flat = np.ascontiguousarray(moved).reshape(math.prod(outer), math.prod(inner))
        return flat, (outer, inner), result, back, self._make(name, text)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, stream=0):
        axes = tuple(range(np.ndim(array))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        flat, (outer, _), result, back, loop = self._along("fold", array, axes, _fold)
        start = initial if initial is not None else self.identity if flat.shape[1] == 0 else None
        if start is None and flat.shape[1] == 0:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        total = np.full(len(flat), start, result) if start is not None else flat[:, 0].copy()
        loop(total, flat if start is not None else np.ascontiguousarray(flat[:, 1:]))
        total = total.reshape(outer)
        total = np.expand_dims(total, axes) if keepdims else total
        total = total if dtype is None else total.astype(dtype)
        if out is not None:
            return _given(total, out)
        return total[()] if total.ndim == 0 else back(total)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        flat, (outer, inner), _, back, loop = self._along("scan", array, (axis,), _scan)
        total = flat.copy()
        loop(total)
        total = np.moveaxis(total.reshape(outer + inner), -1, axis)
        total = total if dtype is None else total.astype(dtype)
        return back(total) if out is None else _given(total, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        values, stops = np.asarray(array), [*indices[1:], np.shape(array)[axis]]
        rows = (np.take(values, range(i, j) if i < j else [i], axis) for i, j in zip(indices, stops, strict=True))
        return _given(np.stack([self.reduce(part, axis, dtype) for part in rows], axis), out)

    def outer(self, a, b, **options):
        a, b = np.asarray(a), np.asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **options)

    def at(self, array, indices, *values):
        """Applies the function in place, element by element: an index that comes twice counts twice."""
        places = np.arange(array.size).reshape(array.shape)[indices]
        value, given = ("", "") if self.nin == 1 else (", values[k]", ", values")
        loop = self._make(
            "at",
            f"""
            def at(out, places{given}):
                for k in range(places.size):
                    out[places[k]] = scalar(out[places[k]]{value})
            """,
        )
        others = [np.broadcast_to(v, np.shape(places)).flatten() for v in values[: self.nin - 1]]
        flat = np.ascontiguousarray(array).reshape(-1)
        loop(flat, places.reshape(-1), *others)
        if not np.shares_memory(flat, array):
            array[...] = flat.reshape(array.shape)


def _given(result, out):
    """The result, in `out` (or its only item) if that is there."""
    out = out[0] if isinstance(out, tuple) else out
    if out is None:
        return result
    bare(out)[...] = result
    return out


def _is_shifted(array, out):
    """Whether an element may be written before another one reads it."""
    if not isinstance(out, np.ndarray):
        return True  # of a device's memory it is not looked for
    if not np.may_share_memory(array, out):
        return False
    return array.ctypes.data != out.ctypes.data or array.dtype != out.dtype


options_of_ufuncs = {
    "nopython", "cache", "identity", "fastmath", "writable_args", "forceobj", "boundscheck", "target_backend",
}  # fmt: skip


def as_list(given):
    is_signature = isinstance(given, tuple) and len(given) and isinstance(given[0], _signature.Type)
    return [given] if is_signature or not isinstance(given, (list, tuple)) else list(given)


def vectorize(signatures_or_function=None, *, target="cpu", identity=None, **options):
    """Makes a universal function of a function of numbers."""
    check_options(options, options_of_ufuncs, "vectorize")
    parallel = target in ("parallel", "cuda")
    if inspect.isfunction(signatures_or_function):
        return DUFunc(signatures_or_function, (), parallel, identity)
    signatures = [] if signatures_or_function is None else as_list(signatures_or_function)
    return lambda function: DUFunc(getattr(function, "py_func", function), signatures, parallel, identity)
