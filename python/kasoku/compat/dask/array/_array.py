"""dask.array's Array: a grid of chunks, each of which a task makes. Operations make the tasks of another grid; what is a method
is given to the class where it is defined."""

import contextlib
import functools
import itertools
import math
import numbers
import operator
import warnings

import numpy as np

import kasoku as ks
from kasoku import _core, _task_spec

from ... import says_what_is_missing
from ..._face.table import methods
from .. import config
from .._task_spec import Task, TaskRef, needs_of
from ..base import DaskMethodsMixin, compute, tokenize
from ..highlevelgraph import HighLevelGraph
from ..threaded import get
from ..utils import format_bytes, typename
from . import _chunks
from ._chunks import is_foreign, is_unknown, like, normalize_chunks, numpys, ours
from .chunk_types import is_valid_array_chunk, is_valid_chunk_type


def grid(chunks):
    """The place of each chunk."""
    return itertools.product(*(range(len(axis)) for axis in chunks))


def kind_of(inputs):
    """Of what kind an array is that follows from these: of another package's, of ours, or NumPy's (None)."""
    kinds = [x._meta for x in inputs if isinstance(x, Array) and type(x._meta) is not np.ndarray]
    return max(kinds, key=lambda kind: (is_foreign(kind), getattr(kind, "__array_priority__", 0)), default=None)


class At:
    """Among a task's arguments chunks of an array. axes: along which axis of the place each of its own goes; -1: one chunk serves
    all places. chosen: for each place along an axis the chunk, or a list of chunks, which come as a list; None: that of the
    same number. is_flat: lists along several axes come as one."""

    def __init__(self, array, axes, chosen=None, is_flat=False):
        self.array, self.axes, self.is_flat = array, list(axes), is_flat
        self.chosen = [None] * array.ndim if chosen is None else list(chosen)

    def told(self):
        return self.array.name, self.axes, self.chosen, self.is_flat


class Each:
    """Among a task's arguments one of these values, by the place along an axis; without an axis, those of all axes."""

    def __init__(self, values, axis=-1):
        self.values, self.axis = values, axis

    def told(self):
        return self.axis, list(self.values) if self.axis >= 0 else list(map(list, self.values))


def made(word, chunks, dtype, task, inputs=None, token=None, meta=None, name=None):
    """An array whose chunk at each place is the value of a task: (function, *arguments), where an array stands for its chunk
    at the same place, as it is broadcast; or task(place) gives such a tuple, or what is none, the chunk itself. inputs: arrays,
    and other collections of one key, if not those among the arguments; token: what else tells it from others, if not the
    other arguments. meta: what the chunks are, if not what those of the inputs are. name: what somebody called it."""
    is_everywhere = type(task) is tuple
    args = task[1:] if is_everywhere else ()
    if inputs is None:
        inputs = [x.array if isinstance(x, At) else x for x in args if isinstance(x, (Array, At))]
    if token is None:
        token = [x for x in args if not isinstance(x, (Array, At, Each))]
    name = name or f"{word}-{tokenize(word, chunks, str(dtype), list(inputs), token)}"
    if is_everywhere:
        layer = _tasks_everywhere(name, chunks, *task)
    else:
        layer = {(name, *place): task(place) for place in grid(chunks)}
        layer = {key: Task(key, *one) if type(one) is tuple else one for key, one in layer.items()}
    meta = kind_of(inputs) if meta is None else meta
    return planned(Array(HighLevelGraph.from_collections(name, layer, inputs), name, chunks, dtype, meta))


def broadcast_axes(chunks, first):
    """Along which axes of a place these go, whose first is that of a number: a single chunk serves all places."""
    return [-1 if len(c) == 1 else axis for axis, c in enumerate(chunks, first)]


def _tasks_everywhere(name, chunks, function, *args):
    ndim, counts = len(chunks), [len(axis) for axis in chunks]
    args = [At(x, broadcast_axes(x.chunks, ndim - x.ndim)) if isinstance(x, Array) else x for x in args]
    parts, values = ([(k, *x.told()) for k, x in enumerate(args) if isinstance(x, kind)] for kind in (At, Each))
    needs = [key for x in args for key in needs_of(x)]
    return _core._grid_tasks(_task_spec, name, counts, function, tuple(args), needs, parts, values)


def planned(array):
    """An array that was just made, after the functions of the setting array_plugins."""
    for plugin in config.get("array_plugins", None) or ():
        made_ = plugin(array)
        array = array if made_ is None else made_
    return array


def one_chunk(shape):
    return tuple((n,) for n in shape)


def several(word, chunks, kinds, task, inputs=None, token=None):
    """Arrays of the parts of what a task at each place gives. kinds: of each part the chunks of further axes, and the dtype."""
    whole = made(word, chunks, object, task, inputs, token)
    at, kind = At(whole, list(range(len(chunks)))), kind_of([whole])
    return [made(word, (*chunks, *more), dtype, (_part_of, at, k), meta=kind) for k, (more, dtype) in enumerate(kinds)]


def _part_of(parts, k):
    return ours(parts[k])


def axis_in(axis, ndim):
    """The axis that a number names, from 0 on."""
    if not isinstance(axis, numbers.Integral):
        raise TypeError(f"Axis value must be an integer, got {axis}")
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return int(axis) % ndim


def axes_in(axis):
    """The axes that an argument names: a number, or several."""
    return list(axis) if hasattr(axis, "__iter__") else [axis]


def _finished(nested, ndim, gives_ours):
    array = _chunks.assembled(nested, ndim) if ndim else nested[0]
    if gives_ours or not isinstance(array, (ks.Array, np.ndarray)):
        return ours(array) if gives_ours else array
    array = array.copy() if type(array) is np.ndarray else numpys(array)  # what the graph has stays its own
    return array if ndim else array[()]


def _optimized(graph, keys, **options):
    """What Dask's function does before a run the engine does in it; the setting array_optimize is a program's own."""
    own = config.get("array_optimize", None)
    return own(graph, keys, **options) if own else graph


_optimized.does_nothing = lambda: not config.get("array_optimize", None)


@says_what_is_missing("dask.array.Array")
class Array(DaskMethodsMixin):
    """An array in chunks, computed later."""

    __slots__ = ("dask", "name", "_chunks", "_meta")
    __array_priority__ = 11

    def __init__(self, dask, name, chunks, dtype=None, meta=None, shape=None):
        meta = meta._meta if isinstance(meta, Array) else meta
        if dtype is None and meta is None:
            raise ValueError("You must specify the meta or dtype of the array")
        if dtype is None:
            dtype = getattr(meta, "dtype", "f8")
        self.dask, self.name, self._chunks = dask, name, normalize_chunks(chunks, shape, dtype=dtype)
        self._meta = like(meta, len(self.chunks), dtype)

    # ── what it is ────────────────────────────────────────────────────────────────────────

    _name = property(lambda self: self.name)
    A = property(lambda self: self)
    chunks = property(lambda self: self._chunks)

    @chunks.setter
    def chunks(self, chunks):
        raise TypeError(f"Can not set chunks directly\n\nPlease use the rechunk method instead:\n  x.rechunk({chunks})")

    shape = property(lambda self: tuple(map(sum, self.chunks)))
    ndim = property(lambda self: len(self.chunks))
    dtype = property(lambda self: np.dtype(self._meta.dtype))
    _gives_ours = property(lambda self: isinstance(self._meta, ks.Array))
    size = property(lambda self: math.prod(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    numblocks = property(lambda self: tuple(map(len, self.chunks)))
    npartitions = property(lambda self: math.prod(self.numblocks))
    chunksize = property(lambda self: tuple(max(axis, default=0) for axis in self.chunks))
    T = property(lambda self: self.transpose())

    def __repr__(self):
        kind = type(self._meta)
        return (
            f"dask.array<{self.name.rpartition('-')[0] or self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"chunksize={self.chunksize}, chunktype={kind.__module__.partition('.')[0]}.{kind.__qualname__}>"
        )

    def to_svg(self, size=500):
        """A picture of the chunks, drawn by the installed Dask."""
        from .svg import svg

        return svg(self.chunks, size=size)

    def _repr_html_(self):
        with contextlib.suppress(ImportError, NotImplementedError):
            picture = self.to_svg(120)
            return f"<table><tr><td>{self._table()}</td><td>{picture}</td></tr></table>"
        return self._table()

    def _table(self):
        """The shape and size of the array and of a chunk, as an HTML table."""
        chunk = math.prod(self.chunksize) * self.itemsize
        sizes = [format_bytes(n) if not math.isnan(n) else "unknown" for n in (self.nbytes, chunk)]
        rows = [("Bytes", *sizes), ("Shape", self.shape, self.chunksize), ("Count", self.npartitions, ""), ("Type", self.dtype, typename(type(self._meta)))]  # fmt: skip
        lines = "".join(f"<tr><th>{name}</th><td>{array}</td><td>{part}</td></tr>" for name, array, part in rows)
        return f"<table><thead><tr><td></td><th>Array</th><th>Chunk</th></tr></thead><tbody>{lines}</tbody></table>"

    def __len__(self):
        if not self.chunks:
            raise TypeError("len() of unsized object")
        if math.isnan(self.shape[0]):
            raise ValueError("Cannot call len() on object with unknown chunk size: compute_chunk_sizes() finds it")
        return int(self.shape[0])

    __hash__ = lambda self: hash(self.name)

    # ── the protocol of collections ───────────────────────────────────────────────────────

    def __dask_keys__(self):
        def below(place):
            if len(place) == self.ndim:
                return (self.name, *place)
            return [below((*place, i)) for i in range(len(self.chunks[len(place)]))]

        return below(()) if self.ndim else [(self.name,)]

    __dask_optimize__ = staticmethod(_optimized)
    __dask_scheduler__ = staticmethod(get)
    __dask_layers__, __dask_tokenize__ = (lambda self: (self.name,)), (lambda self: self.name)
    __dask_postpersist__ = lambda self: (self._rebuilt, ())  # noqa: E731

    def _rebuilt(self, graph, rename=None):
        name = (rename or {}).get(self.name, self.name)
        return Array(graph, name, self.chunks, self.dtype, self._meta)

    def to_delayed(self, optimize_graph=True):
        """NumPy's array of delayed chunks."""
        from kasoku._core import Delayed

        x = self
        if not self._gives_ours:
            x = made("to-delayed", self.chunks, self.dtype, lambda p: (_shown, self.ref(p)), [self])
        found = np.empty(self.numblocks, object)
        for place in grid(self.chunks):
            found[place] = Delayed((x.name, *place), x.dask, None, x.name)
        return found

    def __array__(self, dtype=None, copy=None, **words):
        if words:
            warnings.warn(f"Extra keyword arguments {sorted(words)} are ignored and won't be accepted in the future", FutureWarning, stacklevel=2)  # fmt: skip
        if copy is False:
            warnings.warn("Can't acquire a memory view of a Dask array. This will raise in the future.", FutureWarning, stacklevel=2)  # fmt: skip
        return np.asarray(self.compute(), dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **words):
        if any(map(takes_over, (*inputs, *words.get("out", ())))):
            return NotImplemented
        from kasoku.compat.dask import array

        function = getattr(array, ufunc.__name__, None)
        if method == "__call__" and ufunc.signature and (ufunc is not np.matmul or words):
            return array.apply_gufunc(ufunc, ufunc.signature, *inputs, **words)
        if method not in ("__call__", "outer") or not hasattr(function, method):
            return NotImplemented
        return getattr(function, method)(*inputs, **words)

    def __array_function__(self, function, types, args, words):
        from kasoku.compat.dask import array as module

        if not all(issubclass(Array, kind) or is_valid_chunk_type(kind) for kind in types):
            return NotImplemented
        name = f"{function.__module__}.{function.__name__}"
        for word in name.split(".")[1:]:
            module = getattr(module, word, None)
        if callable(module):
            return module(*args, **words)
        warnings.warn(
            f"The `{name}` function is not implemented by Dask array. You may want to use the da.map_blocks function or "
            "something similar to silence this warning. Your code may stop working in a future release.",
            FutureWarning, stacklevel=2,
        )  # fmt: skip
        args, words = compute(args, words)
        return function(*args, **words)

    def __bool__(self):
        if self.size > 1:
            raise ValueError(f"The truth value of a {type(self).__name__} is ambiguous. Use a.any() or a.all().")
        return bool(self.compute())

    def _as_number(self, kind):
        if self.size > 1:
            raise TypeError("Only length-1 arrays can be converted to Python scalars")
        return kind(self.compute().item())

    __float__, __int__ = functools.partialmethod(_as_number, float), functools.partialmethod(_as_number, int)
    __complex__ = functools.partialmethod(_as_number, complex)
    __index__ = functools.partialmethod(_as_number, operator.index)

    def compute_chunk_sizes(self):
        """Finds lengths that are not known."""
        if any(map(is_unknown, self.chunks)):
            from kasoku import delayed

            shapes = compute(*map(delayed(operator.attrgetter("shape")), self.to_delayed().ravel()))
            lengths = [[None] * len(axis) for axis in self.chunks]
            for place, shape in zip(grid(self.chunks), shapes):
                for axis, at in enumerate(place):
                    lengths[axis][at] = shape[axis]
            self._chunks = tuple(map(tuple, lengths))
        return self

    def _become(self, new):
        self.dask, self.name, self._chunks, self._meta = new.dask, new.name, new.chunks, new._meta

    def to_backend(self, backend=None, **words):
        """The array itself, whose chunks are NumPy's: there are no others by name."""
        if backend not in (None, "numpy"):
            raise ValueError(f"No backend dispatch registered for {backend}")
        return self


methods(Array, {
    "ref": lambda self, place: TaskRef((self.name, *place)),
    "__iter__": lambda self: (self[i] for i in range(len(self))),
    "__dask_graph__": lambda self: self.dask,
    "__dask_postcompute__": lambda self: (_finished, (self.ndim, self._gives_ours)),
    "copy": lambda self: Array(self.dask, self.name, self.chunks, self.dtype, self._meta),
})  # fmt: skip


def method(function):
    """A decorator: of arrays as well."""
    setattr(Array, function.__name__, function)
    return function


def _shown(block):
    """A chunk as a program sees it."""
    return numpys(block)[()] if block.ndim == 0 else numpys(block)


def takes_over(other):
    """Whether operations are the other's affair: an array of a package that wraps Dask's, by NumPy's rules."""
    if isinstance(other, (Array, np.generic)) or is_valid_array_chunk(other):
        return False
    if hasattr(other, "__array_ufunc__"):
        return True
    return getattr(other, "__array_priority__", 0) > Array.__array_priority__
