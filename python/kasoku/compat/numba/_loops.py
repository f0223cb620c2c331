"""Loops over elements as text that ks.jit compiles: what vectorize, guvectorize and stencil make."""

import functools
import itertools
import linecache
import math

import numpy as np

from ... import _content, _core, _jit
from ...cuda._arrays import as_cuda_array, bare, is_contiguous

_count = itertools.count()
common_shape = functools.lru_cache(np.broadcast_shapes)


def compiled(text, name, parallel, /, **names):
    """The function `name` of the text, compiled; the text is there for messages."""
    file = f"<kasoku {name} {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"prange": _jit.prange, "np": np, **names}
    exec(compile(text, file, "exec"), space)
    space[name].__kasoku_serial__ = True  # where what it calls has no compiled form
    return _jit.jit(space[name], parallel=parallel)


def names_outside(function):
    """The meaning of each outside name in a function's text."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}


class Made:
    """What a decorator makes of a function: pickled by the function's text and what the decorator was told."""

    def __init__(self, function, *told):
        functools.update_wrapper(self, function)
        self.py_func, self._told = function, told

    __reduce__ = _content.reduce

    __kasoku_parts__ = lambda self: (type(self), (self.py_func, *self._told))


class UFunc(Made):
    """A universal function: `_loops` are (dtypes of inputs, dtypes of results, …), `_known` which is for what came."""

    ntypes = property(lambda self: len(self._loops))

    @property
    def types(self):
        join = lambda dtypes: "".join(d.char for d in dtypes)  # noqa: E731
        return [f"{join(ins)}->{join(outs)}" for ins, outs, *_ in self._loops]

    def build_ufunc(self):
        """Calls have the declared types from now on; without any, those that come."""
        self._is_open = not self._loops
        return self

    def _loop_for(self, given):
        found = self._known.get(tuple(given))
        if found is None:
            found = self._known[tuple(given)] = self._choose(given)
        return found

    def _choose(self, given):
        return choose(self._loops, given, self.__name__)

    __repr__ = lambda self: f"<numba._{type(self).__name__} '{self.__name__}'>"


def is_device_array(x):
    return isinstance(x, _core.Array) or hasattr(x, "__kasoku_array__")


def _same(result):
    return result


def as_arrays(args):
    """(the arguments as arrays of one place, how a result is wrapped for the caller)."""
    if {*map(type, args)} == {np.ndarray}:
        return args, _same
    on_device = [x for x in args if is_device_array(x)]
    if not on_device:
        return [np.asarray(x) for x in args], _same
    wrap = _same if isinstance(on_device[0], _core.Array) else type(on_device[0])
    device = bare(on_device[0]).device
    return [bare(x) if is_device_array(x) else _core.asarray(np.asarray(x), device=device) for x in args], wrap


def shown(args):
    """The arguments, and in the place of an array that shows a device's memory and is none of ours one of numba.cuda."""
    return [as_cuda_array(x) if _is_shown(x) else x for x in args]


def _is_shown(x):
    if type(x) in _kinds or isinstance(x, (np.ndarray, np.generic)) or is_device_array(x):
        return False
    return hasattr(x, "__cuda_array_interface__")


def dtype_of(x):
    """The dtype of an argument; a Python number has its type instead."""
    if type(x) is np.ndarray:
        return x.dtype
    if type(x) in _kinds:
        return type(x)
    return np.dtype(bare(x).dtype) if is_device_array(x) else np.asarray(x).dtype


_kinds = {bool: "b", int: "iu", float: "f", complex: "c"}


def fits(given, wanted):
    """Whether a value of dtype `given` (or a Python number) converts safely."""
    if isinstance(given, type):  # a Python number takes the array's dtype within its kind and above
        return "biufc".index(_kinds[given][0]) <= "biufc".index(wanted.kind)
    return np.can_cast(given, wanted, "safe")


def choose(loops, given, name, exact_first=True):
    """The first loop (input dtypes, …) that the arguments convert to safely; an exact one before, if that is looked for.

    A Python number takes the arrays' dtype if one of these is of its kind or above."""
    strong = [*map(np.dtype, given)]
    for loop in loops if exact_first else ():
        if list(loop[0]) == strong:
            return loop
    ranks = [(isinstance(g, type), "biufc".find(dtype.kind)) for g, dtype in zip(given, strong, strict=True)]
    highest = max((rank for is_number, rank in ranks if not is_number), default=-1)
    weak = given if all(rank <= highest for is_number, rank in ranks if is_number) else strong
    for loop in loops:
        if all(fits(g, w) for g, w in zip(weak, loop[0], strict=True)):
            return loop
    raise TypeError(
        f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any "
        f"supported types according to the casting rule ''safe''\n"
        f"  why  the arguments are {', '.join(map(str, strong))}"
    )


def beside(array, other):
    """The other array, on the host if this one is there."""
    return np.asarray(other) if isinstance(array, np.ndarray) else other


def empty(shape, dtype, like):
    """A new array where `like` lies."""
    if isinstance(like, np.ndarray):
        return np.empty(shape, dtype)
    return _core.empty(shape, dtype=dtype, device=like.device)


def lies_flat(array):
    """Whether the elements lie in C order without gaps."""
    return array.flags.c_contiguous if isinstance(array, np.ndarray) else is_contiguous(array)


def rows(array, dtype, shape, core=()):
    """The array broadcast to shape + core, as one axis of rows before the core axes, in C order.

    It is the array's own memory if that lies so, else a copy.
    """
    full = (*shape, *core) if core else shape
    lines = (math.prod(shape), *core)
    if array.dtype == dtype and array.shape == full and lies_flat(array):
        return array if full == lines else array.reshape(lines)
    if not isinstance(array, np.ndarray):
        return _core.copy(_core.broadcast_to(array.astype(dtype), full)).reshape(lines)
    return np.array(np.broadcast_to(array, full), dtype, order="C").reshape(lines)
