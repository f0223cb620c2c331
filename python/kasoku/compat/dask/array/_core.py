"""dask.array's Array: a grid of chunks, each of which a task makes; operations make the tasks of another grid."""

import contextlib
import functools
import itertools
import math
import numbers
import operator
import warnings

import numpy as np

import kasoku as ks
from kasoku._token import result_of

from ... import says_what_is_missing
from .. import _installed, config
from .._task_spec import Dict, List, Task, TaskRef
from ..base import DaskMethodsMixin, is_dask_collection, tokenize
from ..highlevelgraph import HighLevelGraph
from ..threaded import get
from ..utils import SerializableLock, format_bytes, typename
from . import _chunks
from .chunk_types import is_valid_array_chunk, is_valid_chunk_type
from ._chunks import (
    call,
    is_foreign,
    is_unknown,
    like,
    met,
    normalize_chunks,
    numpys,
    on_numpys,
    ours,
    starts,
    unknown_help,
)


def grid(chunks):
    """The place of each chunk."""
    return itertools.product(*(range(len(axis)) for axis in chunks))


def kind_of(inputs):
    """Of what kind an array is that follows from these: of another package's, of ours, or NumPy's (None)."""
    kinds = [x._meta for x in inputs if isinstance(x, Array) and type(x._meta) is not np.ndarray]
    return max(kinds, key=lambda kind: (is_foreign(kind), getattr(kind, "__array_priority__", 0)), default=None)


def made(word, chunks, dtype, task_of, inputs=(), token=None, meta=None, name=None):
    """An array whose chunk at each place is task_of(place) -> (function, *arguments). name: what somebody called it.
    inputs: arrays, and other collections of one key. meta: what the chunks are, if not what those of the inputs are."""
    name = name or f"{word}-{tokenize(word, chunks, str(dtype), list(inputs), token)}"
    layer = {}
    for place in grid(chunks):
        key = (name, *place)
        layer[key] = Task(key, *task_of(place))
    meta = kind_of(inputs) if meta is None else meta
    return planned(Array(HighLevelGraph.from_collections(name, layer, inputs), name, chunks, dtype, meta))


def planned(array):
    """What the functions of the setting array_plugins make of an array that was just made."""
    for plugin in config.get("array_plugins", None) or ():
        made_ = plugin(array)
        array = array if made_ is None else made_
    return array


def _finished(nested, ndim, gives_ours):
    array = _chunks.whole(nested, ndim) if ndim else nested
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

    def ref(self, place):
        return TaskRef((self.name, *place))

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
    real = property(lambda self: elementwise("real", self) if self.dtype.kind == "c" else self)
    imag = property(lambda self: elementwise("imag", self))

    def __repr__(self):
        return (
            f"dask.array<{self.name.rpartition('-')[0]}, shape={self.shape}, dtype={self.dtype}, "
            f"chunksize={self.chunksize}, chunktype={typename(type(self._meta))}>"
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
        """What the array and a chunk of it are, as a table of a page."""
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

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __hash__(self):
        return hash(self.name)

    # ── the protocol of collections ───────────────────────────────────────────────────────

    def __dask_graph__(self):
        return self.dask

    def __dask_keys__(self):
        def below(place):
            if len(place) == self.ndim:
                return (self.name, *place)
            return [below((*place, i)) for i in range(len(self.chunks[len(place)]))]

        return below(()) if self.ndim else [(self.name,)]

    def __dask_layers__(self):
        return (self.name,)

    def __dask_tokenize__(self):
        return self.name

    def __dask_postcompute__(self):
        if not self.ndim:
            return _only, (self._gives_ours,)
        return _finished, (self.ndim, self._gives_ours)

    def __dask_postpersist__(self):
        return self._rebuilt, ()

    __dask_optimize__ = staticmethod(_optimized)
    __dask_scheduler__ = staticmethod(get)

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
        if any(map(_takes_over, (*inputs, *words.get("out", ())))):
            return NotImplemented
        if method == "__call__" and ufunc is np.matmul and not words:
            from ._linear import matmul

            return matmul(*inputs)
        if method == "__call__" and getattr(ufunc, "signature", None):
            from ._gufunc import apply_gufunc

            return apply_gufunc(ufunc, ufunc.signature, *inputs, **words)
        from kasoku.compat.dask import array

        function = getattr(array, ufunc.__name__, None)
        if method not in ("__call__", "outer") or not hasattr(function, method):
            return NotImplemented
        return getattr(function, method)(*inputs, **words)

    def __array_function__(self, function, types, args, words):
        from kasoku.compat.dask import array as module

        from ..base import compute

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

    def _number(self):
        if self.size > 1:
            raise TypeError("Only length-1 arrays can be converted to Python scalars")
        return self.compute().item()

    def __float__(self):
        return float(self._number())

    def __int__(self):
        return int(self._number())

    def __index__(self):
        return operator.index(self._number())

    def __complex__(self):
        return complex(self._number())

    # ── chunks ────────────────────────────────────────────────────────────────────────────

    def rechunk(self, chunks="auto", threshold=None, block_size_limit=None, balance=False, method=None):
        """The same array in other chunks."""
        if self.ndim and not any(self.shape):
            return self
        if isinstance(chunks, dict):
            chunks = {axis_in(axis, self.ndim): c for axis, c in chunks.items()}
            chunks = [self.chunks[axis] if chunks.get(axis) is None else chunks[axis] for axis in range(self.ndim)]
        elif isinstance(chunks, (tuple, list)):
            chunks = (
                [own if c is None else c for c, own in zip(chunks, self.chunks)] if len(chunks) == self.ndim else chunks
            )
        chunks = normalize_chunks(chunks, self.shape, block_size_limit, self.dtype, self.chunks)
        chunks = tuple(map(_chunks.balanced, chunks)) if balance else chunks
        if all(map(_alike, chunks, self.chunks)):
            return self
        if any(map(is_unknown, (*chunks, *self.chunks))):
            if any(is_unknown((*a, *b)) and not _alike(a, b) for a, b in zip(chunks, self.chunks)):
                raise ValueError(
                    f"Arrays' chunk sizes are unknown along an axis that is to be rechunked.{unknown_help}"
                )
            from ._index import beside_unknown

            told = [None if is_unknown(c) else c for c in chunks]
            return beside_unknown(self, lambda x: x.rechunk(told), range(self.ndim))
        steps = [chunks]
        if math.prod(len(a) + len(b) for a, b in zip(chunks, self.chunks) if a != b) > 100_000:
            with contextlib.suppress(AttributeError):  # Dask's plan of chunks in between, where it is installed
                plan = _installed.rest_of("array.rechunk")("plan_rechunk")
                steps = plan(self.chunks, chunks, self.itemsize, threshold, block_size_limit)
        x = self
        for step in steps:
            x = cut(x, [list(zip(starts(axis), starts(axis)[1:])) for axis in step], step, "rechunk-merge")
        return x

    def shuffle(self, indexer, axis, chunks="auto"):
        from ._index import shuffle

        return shuffle(self, indexer, axis, chunks)

    def map_blocks(self, func, *args, **words):
        return map_blocks(func, self, *args, **words)

    def map_overlap(self, func, depth, boundary=None, trim=True, **words):
        from ._overlap import map_overlap

        return map_overlap(func, self, depth=depth, boundary=boundary, trim=trim, **words)

    @property
    def blocks(self):
        return BlockView(self)

    partitions = blocks

    def compute_chunk_sizes(self):
        """Finds lengths that are not known."""
        if any(math.isnan(n) for axis in self.chunks for n in axis):
            first = [made_of_one(self, place) for place in grid(self.chunks)]
            from ..base import compute

            shapes = compute(*first)
            lengths = [[None] * len(axis) for axis in self.chunks]
            for place, shape in zip(grid(self.chunks), shapes):
                for axis, at in enumerate(place):
                    lengths[axis][at] = shape[axis]
            self._chunks = tuple(map(tuple, lengths))
        return self

    # ── as NumPy's ────────────────────────────────────────────────────────────────────────

    def astype(self, dtype, **words):
        if extra := set(words) - {"casting", "copy", "order", "subok"}:
            raise TypeError(f"astype does not take the following keyword arguments: {sorted(extra)}")
        dtype, casting = np.dtype(dtype), words.get("casting", "unsafe")
        if dtype == self.dtype:
            return self
        if not np.can_cast(self.dtype, dtype, casting=casting):
            raise TypeError(f"Cannot cast array from {self.dtype!r} to {dtype!r} according to the rule {casting!r}")
        return made("astype", self.chunks, dtype, lambda p: (_as, self.ref(p), dtype), [self])

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], numbers.Integral) else axes
        axes = (
            tuple(range(self.ndim))[::-1]
            if not axes or axes == (None,) or axes is None
            else tuple(axis_in(a, self.ndim) for a in axes)
        )
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError("axes don't match array")
        if axes == tuple(range(self.ndim)):
            return self
        back = np.argsort(axes)
        chunks = tuple(self.chunks[a] for a in axes)
        return made("transpose", chunks, self.dtype,
                    lambda p: (call, "transpose", self.ref(tuple(p[b] for b in back)), axes), [self], axes)  # fmt: skip

    def reshape(self, *shape, merge_chunks=True, limit=None):
        from ._reshape import reshape

        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], numbers.Integral) else shape
        return reshape(self, shape, merge_chunks, limit)

    def ravel(self):
        return self if self.ndim == 1 else self.reshape(-1)

    flatten = ravel

    def __getitem__(self, index):
        from ._index import getitem

        if isinstance(index, str) or isinstance(index, list) and index and isinstance(index[0], str):
            return self._field(index)
        return getitem(self, index)

    def _field(self, names):
        """A field of records, or records of some of the fields."""
        dtype = self.dtype[names]
        chunks = self.chunks + tuple((n,) for n in dtype.shape)
        places = len(self.chunks)
        return made("getitem", chunks, dtype.base, lambda p: (_part, self.ref(p[:places]), names), [self], names)

    def __setitem__(self, index, value):
        from ._index import assigned

        self._become(assigned(self, index, value))

    def _become(self, new):
        self.dask, self.name, self._chunks, self._meta = new.dask, new.name, new.chunks, new._meta

    def to_backend(self, backend=None, **words):
        """The array itself, whose chunks are NumPy's: there are no others by name."""
        if backend not in (None, "numpy"):
            raise ValueError(f"No backend dispatch registered for {backend}")
        return self

    def copy(self):
        return Array(self.dask, self.name, self.chunks, self.dtype, self._meta)

    def clip(self, min=None, max=None):
        return elementwise("clip", self, min, max)

    def round(self, decimals=0):
        return made(
            "round", self.chunks, self.dtype, lambda p: (call, "round", self.ref(p), decimals), [self], decimals
        )

    def conj(self):
        return elementwise("conj", self)

    def dot(self, other):
        from ._linear import dot

        return dot(self, other)

    def __matmul__(self, other):
        from ._linear import matmul

        return matmul(self, other)

    def __rmatmul__(self, other):
        from ._linear import matmul

        return matmul(other, self)

    def view(self, dtype=None, order="C"):
        """The bytes as elements of another dtype; as many elements along the last axis as it has room for."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        axis = -1 if order == "C" else 0
        sizes = self.itemsize, dtype.itemsize
        if sizes[0] != sizes[1] and (not self.ndim or any(n * sizes[0] % sizes[1] for n in self.chunks[axis])):
            raise ValueError("When changing to a larger dtype, its size must be a divisor of the chunks' bytes along the axis")  # fmt: skip
        chunks = list(self.chunks)
        if self.ndim:
            chunks[axis] = tuple(n * sizes[0] // sizes[1] for n in chunks[axis])
        return made(
            "view", tuple(chunks), dtype, lambda p: (_viewed, self.ref(p), dtype, order), [self], [dtype, order]
        )


class BlockView:
    def __init__(self, array):
        self._array = array

    def __eq__(self, other):
        return isinstance(other, BlockView) and self._array is other._array

    def __getitem__(self, index):
        x = self._array
        index = index if isinstance(index, tuple) else (index,)
        if any(i is None for i in index):
            raise ValueError("Slicing with np.newaxis or None is not supported")
        if sum(isinstance(i, (list, np.ndarray)) for i in index) > 1:
            raise ValueError(f"Can only slice with a single list\n  why  {index}")
        index += (slice(None),) * (x.ndim - len(index))
        kept = [np.atleast_1d(np.arange(len(axis))[i]) for axis, i in zip(x.chunks, index)]
        chunks = tuple(tuple(axis[k] for k in at) for axis, at in zip(x.chunks, kept))
        return made("blocks", chunks, x.dtype,
                    lambda p: (_same, x.ref(tuple(int(at[i]) for at, i in zip(kept, p)))), [x], [k.tolist() for k in kept])  # fmt: skip

    def __iter__(self):
        return (self[i] for i in range(len(self._array.chunks[0])))

    def ravel(self):
        return [self[place] for place in grid(self._array.chunks)]

    shape = property(lambda self: self._array.numblocks)
    size = property(lambda self: self._array.npartitions)


def _only(blocks, gives_ours):
    return _finished(blocks[0], 0, gives_ours)


def _same(x):
    return x


def _shown(block):
    """A chunk as a program sees it."""
    return numpys(block)[()] if block.ndim == 0 else numpys(block)


def _viewed(x, dtype, order):
    if order == "C":
        return ours(np.ascontiguousarray(numpys(x)).view(dtype) if x.ndim else numpys(x).view(dtype))
    return ours(np.ascontiguousarray(numpys(x).T).view(dtype).T)


def _as(x, dtype):
    if isinstance(x, ks.Array):
        with contextlib.suppress(TypeError, NotImplementedError):
            return x.astype(dtype)
    return ours(numpys(x).astype(dtype))


def made_of_one(x, place):
    from kasoku import delayed
    from kasoku._core import Delayed

    return delayed(operator.attrgetter("shape"))(Delayed((x.name, *place), x.dask, None, x.name))


def asanyarray(x, dtype=None, ndmin=0, **words):
    """An array in chunks of whatever NumPy takes for one."""
    x = _as_array(x, words.get("chunks") or "auto")
    x = x if x.ndim >= ndmin else x[(None,) * (ndmin - x.ndim)]
    return x if dtype is None else x.astype(dtype)


def _as_array(x, chunks):
    if isinstance(x, Array):
        return x
    if is_dask_collection(x) and hasattr(x, "to_dask_array"):
        return x.to_dask_array()
    if isinstance(x, (list, tuple)) and any(isinstance(i, Array) for i in x):
        from ._shape import stack

        return stack(x)
    return from_array(x if hasattr(x, "__array_function__") else np.asanyarray(x), chunks=chunks)


def asarray(x, dtype=None, **words):
    """As asanyarray(), of NumPy's arrays: what is masked, or another package's, becomes one."""
    if not isinstance(x, ks.Array) and hasattr(x, "__array_function__") and not isinstance(x, Array):
        x = np.asarray(x)
    return asanyarray(x, dtype, **words)


def array(x, dtype=None, ndmin=0, **words):
    return asarray(x, dtype, ndmin=ndmin, **words)


@contextlib.contextmanager
def held(lock):
    """A program's lock, which has acquire() and release(); or none."""
    if lock:
        lock.acquire()
    try:
        yield
    finally:
        if lock:
            lock.release()


def _piece(x, index, is_array, lock=None, getitem=None):
    with held(lock):
        if getitem is not None:
            piece = getitem(x, index)
        else:
            piece = x[index] if index else x[...] if hasattr(x, "shape") and x.shape == () else x
        return ours(np.asarray(piece) if is_array else piece)


def from_array(
    x, chunks="auto", name=None, lock=False, asarray=None, fancy=True, getitem=None, meta=None, inline_array=False
):
    """An array in chunks of one that has shape, dtype and slices: NumPy's, which is copied, ours, a file's, which is read
    when it is needed. lock: True, or one of the program's, if it is to be read by one thread at a time. asarray: whether its
    parts become NumPy's arrays, else those that NumPy's functions take stay what they are."""
    if isinstance(x, Array):
        raise ValueError("Array is already a dask array. Use 'asarray' or 'rechunk' instead.")
    if isinstance(x, (list, tuple, np.generic)) or not hasattr(x, "shape"):
        x = np.asarray(x)
    dtype = np.dtype(x.dtype)
    if asarray is None:
        asarray = not hasattr(x, "__array_function__")
    chunks = normalize_chunks(chunks, x.shape, dtype=dtype, previous_chunks=None)
    if name in (None, True):
        name = "array-" + tokenize(x, chunks, lock)
    elif name is False:
        import uuid

        name = f"array-{uuid.uuid4().hex}"
    ends = [starts(axis) for axis in chunks]
    layer = {}
    is_numpys = type(x) is np.ndarray and not lock
    lock = SerializableLock() if lock is True else lock or None
    for place in grid(chunks):
        index, key = tuple(slice(e[i], e[i + 1]) for e, i in zip(ends, place)), (name, *place)
        if is_numpys:  # what a program writes into it later is not for us
            layer[key] = np.array(x[index])
        else:
            layer[key] = Task(key, _piece, x, index, asarray, lock, getitem)
    graph = HighLevelGraph.from_collections(name, layer)
    return planned(Array(graph, name, chunks, dtype, x if meta is None and not asarray else meta))


def from_delayed(value, shape, dtype=None, meta=None, name=None):
    """An array of one chunk, which a delayed value is."""
    if not is_dask_collection(value):
        from kasoku import delayed

        value = delayed(value)
    chunks = tuple((n,) for n in shape)
    name = name or "from-value-" + tokenize(value, shape, str(dtype))
    key = (name, *(0 for _ in shape))
    graph = HighLevelGraph.from_collections(name, {key: Task(key, ours, TaskRef(value.key))}, [value])
    return Array(graph, name, chunks, dtype, meta)


# ── cutting and joining ───────────────────────────────────────────────────────────────────


def _part(x, index):
    part = x[index]
    return part if isinstance(part, (ks.Array, np.ndarray)) or is_foreign(part) else ours(np.asarray(part))


def cut(x, pieces, chunks, word, steps=None):
    """An array whose chunks are pieces of x: for each axis the (begin, end) of each. steps: of each axis; 0 is one element,
    whose axis goes."""
    steps, parts = steps or (1,) * x.ndim, []
    for each, axis, step in zip(
        pieces, x.chunks, steps
    ):  # of each piece (chunk, index in it, whether that is all of it)
        ends = starts(axis)
        parts.append([
            [(k, slice(lo, hi, step) if step else lo, step == 1 and not lo and hi == axis[k]) for k, lo, hi in _parts_of(*piece, ends)]
            for piece in each
        ])  # fmt: skip

    def piece_of(found):
        chunk, index, is_whole = zip(*found) if found else ((), (), ())
        return (_same, x.ref(chunk)) if all(is_whole) else (_part, x.ref(chunk), index)

    def task_of(place):
        at = iter(place)
        found = [axis[next(at) if step else 0] for axis, step in zip(parts, steps)]

        def nested(before):
            if len(before) == x.ndim:
                function, *args = piece_of(before)
                return args[0] if function is _same else Task(None, function, *args)
            return List._of([nested((*before, part)) for part in found[len(before)]])

        if all(len(axis) == 1 for axis in found):
            return piece_of([axis[0] for axis in found])
        return _chunks.whole, nested(()), x.ndim

    return made(word, chunks, x.dtype, task_of, [x], [pieces, steps])


def _parts_of(begin, end, ends):
    """The chunks that [begin, end) lies in: (chunk, from, to)."""
    if begin == end:
        return [(0, 0, 0)]
    first = int(np.searchsorted(ends, begin, side="right")) - 1
    found = []
    for chunk in range(first, len(ends) - 1):
        lo, hi = max(begin, ends[chunk]), min(end, ends[chunk + 1])
        if lo < hi:
            found.append((chunk, lo - ends[chunk], hi - ends[chunk]))
        if ends[chunk + 1] >= end:
            break
    return found


# ── element by element ────────────────────────────────────────────────────────────────────


def unify_chunks(*arrays):
    """The arrays, broadcast against each other by their last axes, in chunks that fit."""
    ndim = max((x.ndim for x in arrays), default=0)
    common = []
    for axis in range(-ndim, 0):
        there = [x.chunks[axis] for x in arrays if x.ndim >= -axis]
        lengths = {sum(c) for c in there} - {1}
        if len(lengths) > 1 and not any(math.isnan(n) for n in lengths):
            raise ValueError(
                f"operands could not be broadcast together with shapes {' '.join(str(x.shape) for x in arrays)}"
            )
        of_full = [c for c in there if sum(c) != 1] or there
        if any(map(is_unknown, of_full)):
            if len(set(map(len, of_full))) > 1:
                raise ValueError(f"Arrays' chunk sizes are unknown and their chunks are not as many: {[x.shape for x in arrays]}{unknown_help}")  # fmt: skip
            common.append(next(filter(is_unknown, of_full)))
            continue
        common.append(met(of_full))
    common = tuple(common)
    before, after = max((x.npartitions for x in arrays), default=1), math.prod(map(len, common))
    if after >= 10 * before:
        from kasoku.compat.dask.array import PerformanceWarning

        warnings.warn(f"Increasing number of chunks by factor of {after // before}", PerformanceWarning, stacklevel=4)
    fitted = []
    for x in arrays:
        chunks = tuple((1,) if n == 1 else c for n, c in zip(x.shape, common[ndim - x.ndim :]))
        is_known = not any(math.isnan(n) for axis in x.chunks for n in axis)
        fitted.append(x.rechunk(chunks) if is_known and chunks != x.chunks else x)
    return common, fitted


def _alike(a, b):
    """Whether these are the same chunks, as far as one knows."""
    return len(a) == len(b) and all(n == m or is_unknown((n,)) and is_unknown((m,)) for n, m in zip(a, b))


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


def _fitted(args):
    """The chunks that arrays among the arguments have in common, the arguments with the arrays so, and the arrays."""
    arrays = [x for x in args if isinstance(x, Array)]
    common, fitted = unify_chunks(*arrays)
    rest = iter(fitted)
    return common, [next(rest) if isinstance(x, Array) else x for x in args], fitted


def chunk_at(x, place):
    """Of an array the chunk at the place in one that it is broadcast to; other arguments as they are."""
    if not isinstance(x, Array):
        return x
    return x.ref(tuple(0 if len(axis) == 1 else i for axis, i in zip(x.chunks, place[len(place) - x.ndim :])))


def _is_array(x):
    return isinstance(x, (Array, list)) or x is not None and is_valid_array_chunk(x) and x.ndim > 0


def blockwise_call(function, leading, args, words, dtype, word, token=None, meta=None):
    """function(*leading, *chunks) of arrays that are broadcast."""
    chunks, args, inputs = _fitted([asanyarray(x) if _is_array(x) else x for x in args])
    call_it = functools.partial(function, **words) if words else function
    constants = [x for x in args if not isinstance(x, Array)]
    return made(word, chunks, dtype, lambda p: (call_it, *leading, *(chunk_at(x, p) for x in args)), inputs,
                [token, leading, constants, words], meta)  # fmt: skip


def samples_of(args):
    """The arguments with a small array for each."""
    return [_sample(x) if isinstance(x, (Array, ks.Array)) else x for x in args]


def _sample(x):
    if isinstance(x, Array) and is_foreign(x._meta):
        with contextlib.suppress(Exception):
            return np.ones_like(x._meta, shape=(1,) * x.ndim)
    return np.ones((1,) * x.ndim, x.dtype)


def dtype_of(name, args, words):
    """The dtype that NumPy's function gives."""
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, name)(*samples_of(args), **words)).dtype


def elementwise(name, *args, dtype=None, where=True, out=None, **words):
    """NumPy's function of that name, of each element. where: a mask; elsewhere is what `out` had, or anything. out: an
    array, which is the result from then on."""
    words = {**words, **({"dtype": np.dtype(dtype)} if dtype is not None else {})}
    args = [(asanyarray if any(isinstance(i, Array) for i in x) else np.asarray)(x) if isinstance(x, list) else x for x in args]  # fmt: skip
    result = blockwise_call(call, (name,), args, words, dtype_of(name, args, words), name)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if out is not None:
        _check_out(out)
    if where is not True:
        result = elementwise("where", where, result, result.dtype.type(0) if out is None else out)
    return result if out is None else put_out(result, out)


def _check_out(out):
    if not isinstance(out, Array):
        raise NotImplementedError(
            f"The out parameter is not fully supported. Received type {type(out).__name__}, expected Dask Array"
        )


def put_out(result, out):
    """`out`, which is the result from then on."""
    _check_out(out)
    if result.shape != out.shape:
        raise ValueError(f"Mismatched shapes between result and out parameter. out={out.shape}, result={result.shape}")
    out._become(result)
    return out


def _operator(name):
    def forward(self, other):
        return NotImplemented if _unknown(other) else elementwise(name, self, other)

    def backward(self, other):
        return NotImplemented if _unknown(other) else elementwise(name, other, self)

    return forward, backward


def _takes_over(other):
    """Whether operations are the other's affair: an array of a package that wraps Dask's, by NumPy's rules."""
    if isinstance(other, (Array, np.generic)) or is_valid_array_chunk(other):
        return False
    if hasattr(other, "__array_ufunc__"):
        return True
    return getattr(other, "__array_priority__", 0) > Array.__array_priority__


def _unknown(other):
    return (
        _takes_over(other)
        or not isinstance(other, (Array, ks.Array, np.ndarray, np.generic, numbers.Number, list))
        and not hasattr(other, "__array__")
    )


_binary = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
           "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
           "lshift": "left_shift", "rshift": "right_shift"}  # fmt: skip
for _word, _name in _binary.items():
    _forward, _backward = _operator(_name)
    setattr(Array, f"__{_word}__", _forward)
    setattr(Array, f"__r{_word}__", _backward)


def _comparison(word, name):
    """A text, or None, is compared as Python's operator has NumPy's arrays compare it."""
    compare, forward = getattr(operator, word), _operator(name)[0]

    def compared(self, other):
        if isinstance(other, (str, bytes, type(None))):
            return blockwise_call(on_numpys, (compare,), [self, other], {}, np.bool_, word)
        return forward(self, other)

    return compared


for _word, _name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}.items():  # fmt: skip
    setattr(Array, f"__{_word}__", _comparison(_word, _name))
for _word, _name in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
    setattr(Array, f"__{_word}__", functools.partialmethod(lambda self, name: elementwise(name, self), _name))


# ── a program's function, chunk by chunk ──────────────────────────────────────────────────


def _said(func, args, words, info, ndim=None):
    found = on_numpys(func, *args, **words, **info)
    if ndim is not None and np.ndim(found) != ndim:
        raise ValueError(
            f"Dimension mismatch: expected output of {func} to have dims = {ndim}, and it has {np.ndim(found)}"
        )
    return found


def map_blocks(func, *args, name=None, token=None, dtype=None, chunks=None, drop_axis=None, new_axis=None,
               enforce_ndim=False, meta=None, **words):  # fmt: skip
    """func of each chunk; other arrays' chunks at the same place come along. func sees NumPy's arrays, and, if it has
    such parameters, block_id= and block_info=. Without arrays it makes chunks of their places alone. It sees the whole
    of an axis that it drops."""
    dropped, added = ([] if a is None else axes_in(a) for a in (drop_axis, new_axis))
    ndim = max((x.ndim for x in args if isinstance(x, Array)), default=0)
    if chunks is not None and ndim and not added and len(chunks) > ndim - len(dropped):
        added = list(range(len(chunks) - ndim + len(dropped)))
    if any(not -ndim <= axis < ndim for axis in dropped):
        raise ValueError(f"drop_axis out of range (drop_axis={drop_axis}, but array is {ndim}d).")
    dropped = {axis % ndim for axis in dropped}
    args = [_joined_along(x, [axis - ndim for axis in dropped]) for x in args]
    common, args, inputs = _met_by_number(args)
    others = [x for x in (*args, *words.values()) if is_dask_collection(x) and not isinstance(x, Array)]
    given = Dict({word: _reference(x) for word, x in words.items()}) if words else {}
    kept = [axis for axis in range(len(common)) if axis not in dropped]
    shape_of = [common[axis] for axis in kept]
    for axis in sorted(added):
        shape_of.insert(axis, (1,))
    if added and max(added) >= len(shape_of):
        raise ValueError(f"new_axis values do not fill in all dimensions: {sorted(added)}")
    if not inputs:
        shape_of = normalize_chunks(chunks)
    elif chunks is not None:
        if len(chunks) != len(shape_of):
            raise ValueError(f"Provided chunks have {len(chunks)} dims; expected {len(shape_of)} dims")
        for c, n in zip(chunks, shape_of):
            if not isinstance(c, numbers.Integral) and len(c) not in (1, len(n)):
                raise ValueError(f"Dimension {len(c)} chunks are said where there are {len(n)}")
        shape_of = [(c,) * len(n) if isinstance(c, numbers.Integral) else tuple(c) for c, n in zip(chunks, shape_of)]
    wants = _wanted(func)
    if dtype is None or meta is None and inputs:
        found = meta if meta is not None else _guessed(func, args, words, wants, dtype) if inputs else None
        if not isinstance(kind_of(inputs), ks.Array) or is_foreign(found):
            meta = found
        dtype = getattr(found, "dtype", "f8") if dtype is None else dtype

    def task_of(place):
        inner = [i for axis, i in enumerate(place) if axis not in added]
        where = dict(zip(kept, inner))
        full = tuple(where.get(axis, 0) for axis in range(len(common)))
        info = {}
        if "block_id" in wants:
            info["block_id"] = tuple(place)
        if "block_info" in wants:
            info["block_info"] = _info(args, full, common, shape_of, place, dtype)
        ndim = (len(shape_of),) if enforce_ndim else ()
        return _said, func, List._of([_reference(chunk_at(x, full)) for x in args]), given, info, *ndim

    return made(token or _name_of(func), tuple(shape_of), dtype, task_of, [*inputs, *others], [func, words, [x for x in args if not isinstance(x, Array)], dropped, added, enforce_ndim], meta, name)  # fmt: skip


def _met_by_number(args):
    """As _fitted(), of arrays whose chunks belong together by their numbers, whatever their lengths; a single one belongs
    to all of them."""
    arrays = [x for x in args if isinstance(x, Array)]
    ndim, common = max((x.ndim for x in arrays), default=0), []
    for axis in range(-ndim, 0):
        there = [x.chunks[axis] for x in arrays if x.ndim >= -axis]
        several = [c for c in there if len(c) > 1] or there
        if len(set(map(len, several))) > 1:
            return _fitted(args)
        common.append(max(several, key=sum))
    return tuple(common), args, arrays


def _reference(value):
    """The value of a collection of one key, or of a future, for an argument; others as they are."""
    if hasattr(type(value), "__kasoku_value__"):
        return Task(None, result_of, value)
    if not is_dask_collection(value):
        return value
    keys = value.__dask_keys__()
    if len(keys) != 1 or isinstance(keys[0], list):
        raise ValueError("an array among other arguments needs the names of its axes: dask.array.blockwise")
    return TaskRef(keys[0])


def _joined_along(x, axes):
    """The array in chunks that cover the axes, which count from the last; other arguments as they are."""
    axes = [axis for axis in axes if isinstance(x, Array) and axis >= -x.ndim and len(x.chunks[axis]) > 1]
    return x.rechunk({axis % x.ndim: -1 for axis in axes}) if axes else x


def _name_of(func):
    from ..utils import funcname

    return funcname(func)


def _wanted(func):
    import inspect

    try:
        return set(inspect.signature(func).parameters) & {"block_id", "block_info"}
    except (TypeError, ValueError):
        return set()


def _info(args, full, common, out_chunks, place, dtype):
    told = {}
    for number, x in enumerate(args):
        if isinstance(x, Array):
            mine = tuple(0 if len(c) == 1 else i for c, i in zip(x.chunks, full[len(common) - x.ndim :]))
            told[number] = {"shape": x.shape, "num-chunks": x.numblocks, "chunk-location": mine, "dtype": x.dtype,
                            "array-location": [(starts(c)[i], starts(c)[i + 1]) for c, i in zip(x.chunks, mine)]}  # fmt: skip
    told[None] = {"shape": tuple(map(sum, out_chunks)), "num-chunks": tuple(map(len, out_chunks)), "dtype": np.dtype(dtype),
                  "chunk-location": tuple(place), "chunk-shape": tuple(c[i] for c, i in zip(out_chunks, place)),
                  "array-location": [(starts(c)[i], starts(c)[i + 1]) for c, i in zip(out_chunks, place)]}  # fmt: skip
    return told


def _guessed(func, args, words, wants, dtype):
    """What func gives of small arrays; None if it takes none, and somebody else has said the dtype."""
    told = {"block_id": (0,) * max(x.ndim for x in args if isinstance(x, Array))} if "block_id" in wants else {}
    try:
        with np.errstate(all="ignore"):
            found = func(*samples_of(args), **words, **told)
            return found if is_foreign(found) else np.asarray(found)
    except Exception as error:  # noqa: BLE001 - a program's function may not take such small ones
        if dtype is not None:
            return None
        raise ValueError(
            "`dtype` inference failed in `map_blocks`.\n\nPlease specify the dtype explicitly using the `dtype` kwarg.\n\n"
            f"Original error is below:\n------------------------\n{error!r}"
        ) from error
