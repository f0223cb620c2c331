"""Functions of each element: NumPy's by name, as its ufuncs are called and as operators of arrays."""

import contextlib
import functools
import numbers
import operator

import numpy as np

import kasoku as ks

from ..._face.table import bound
from ..._operands import arithmetic, comparisons
from ..base import is_dask_collection
from ._array import Array, made, method, takes_over
from ._chunks import call, is_foreign, numpys, on_numpys, ours
from ._rechunk import unify_chunks
from ._sources import asanyarray
from .chunk_types import is_valid_array_chunk


def broadcast(args):
    """The chunks that arrays among the arguments have in common, the arguments with the arrays so, and the arrays."""
    arrays = [x for x in args if isinstance(x, Array)]
    common, fitted = unify_chunks(*arrays)
    rest = iter(fitted)
    return common, [next(rest) if isinstance(x, Array) else x for x in args], fitted


def in_chunks(args):
    """The arguments, with those that are arrays or lists as arrays in chunks."""
    may_have = lambda x: isinstance(x, (Array, list, tuple)) or x is not None and is_valid_array_chunk(x) and x.ndim > 0
    return [asanyarray(x) if may_have(x) else x for x in args]


def blockwise_call(word, dtype, function, /, *args, token=None, meta=None, **words):
    """function(*args, **words) of the chunks of arrays that are broadcast."""
    chunks, args, _ = broadcast(in_chunks(args))
    constants = [x for x in args if not isinstance(x, Array)]
    function = functools.partial(function, **words) if words else function
    return made(word, chunks, dtype, (function, *args), token=[token, constants, words], meta=meta)


def _sample(x):
    if not isinstance(x, (Array, ks.Array)):
        return x
    if isinstance(x, Array) and is_foreign(x._meta):
        with contextlib.suppress(Exception):
            return np.ones_like(x._meta, shape=(1,) * x.ndim)
    return np.ones((1,) * x.ndim, x.dtype)


def samples_of(args):
    """The arguments with a small array for each."""
    return list(map(_sample, args))


def of_samples(caller, option, func, args, words=None):
    """What a program's function gives of small arrays; where it does not take such, the error says by which option its dtype
    can be told."""
    try:
        with np.errstate(all="ignore"):
            return func(*args, **(words or {}))
    except Exception as error:
        raise ValueError(
            f"`dtype` inference failed in `{caller}`.\n\nPlease specify the dtype explicitly using the `{option}` kwarg.\n\n"
            f"Original error is below:\n------------------------\n{error!r}"
        ) from error


def dtype_of(name, args, words):
    """The dtype that NumPy's function gives."""
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, name)(*samples_of(args), **words)).dtype


def elementwise(name, *args, dtype=None, where=True, out=None, shown_as=None, **words):
    """NumPy's function of that name, of each element. where: a mask; elsewhere is what `out` had, or anything. out: an
    array, which is the result from then on. shown_as: what its keys begin with, if not with that name."""
    words = {**words, **({"dtype": np.dtype(dtype)} if dtype is not None else {})}
    args = [(asanyarray if any(isinstance(i, Array) for i in x) else np.asarray)(x) if isinstance(x, (list, tuple)) else x for x in args]  # fmt: skip
    result = blockwise_call(shown_as or name, dtype_of(name, args, words), call, name, *args, **words)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if where is not True:
        result = elementwise("where", where, result, out if isinstance(out, Array) else result.dtype.type(0))
    return result if out is None else put_out(result, out)


def put_out(result, out):
    """`out`, which is the result from then on."""
    if not isinstance(out, Array):
        kind = type(out).__name__
        raise NotImplementedError(
            f"The out parameter is not fully supported. Received type {kind}, expected Dask Array"
        )
    if result.shape != out.shape:
        raise ValueError(f"Mismatched shapes between result and out parameter. out={out.shape}, result={result.shape}")
    out._become(result)
    return out


def _operator(self, other, *, word, name, is_turned):
    """Of a text or None, which can only be compared, each element is compared as Python does it."""
    if isinstance(other, (str, bytes, type(None))) and name in comparisons.values():
        return blockwise_call(word, np.bool_, on_numpys, getattr(operator, word), self, other)
    known = Array, ks.Array, np.ndarray, np.generic, numbers.Number, list, tuple
    if takes_over(other) or not isinstance(other, known) and not hasattr(other, "__array__"):
        return NotImplemented
    operands = (other, self) if is_turned else (self, other)
    return elementwise(name, *operands, shown_as=_shown[word])


# The names by which Dask calls what operators make: those of Python's module `operator`.
_unary = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}
_shown = {word: getattr(operator, f"__{word}__").__name__ for word in (*arithmetic, *comparisons, *_unary)}
_binary = {**arithmetic, "truediv": "true_divide"}  # which arrays are named by
for _word, _name in {**_binary, **comparisons}.items():
    setattr(Array, f"__{_word}__", bound(_operator, word=_word, name=_name, is_turned=False))
for _word, _name in _binary.items():
    setattr(Array, f"__r{_word}__", bound(_operator, word=_word, name=_name, is_turned=True))
for _word, _name in _unary.items():
    setattr(Array, f"__{_word}__", functools.partialmethod(
        lambda self, name, word: elementwise(name, self, shown_as=word), _name, _shown[_word]))  # fmt: skip


# ── as NumPy's ufuncs ─────────────────────────────────────────────────────────────────────


_words = {"out", "where", "dtype", "casting", "order", "subok", "axes", "axis", "keepdims", "signature"}
_facts = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature")


class ufunc:  # noqa: N801 - Dask's name
    """NumPy's function of that name, of each element of arrays in chunks. What it says of itself (nin, types, …) is NumPy's."""

    def __init__(self, name):
        self.__name__ = name
        self.__doc__ = self._of_numpy.__doc__

    _of_numpy = property(lambda self: getattr(np, self.__name__))

    def __call__(self, *args, **words):
        if isinstance(self._of_numpy, np.ufunc) and (unknown := set(words) - _words):
            raise TypeError(f"{self.__name__} does not take the following keyword arguments {sorted(unknown)}")
        if any(isinstance(x, ks.Array) or is_dask_collection(x) for x in (*args, *words.values())):
            return self._of_arrays(*args, **words)
        return self._of_numpy(*args, **words)  # what is there is computed at once

    def _of_arrays(self, *args, **words):
        return elementwise(self.__name__, *args, **words)

    def __getattr__(self, name):
        if name not in _facts:
            raise AttributeError(f"dask.array.{self.__name__} has no {name!r}")
        return getattr(self._of_numpy, name)

    __dir__ = lambda self: [*super().__dir__(), *_facts]
    __repr__ = lambda self: f"<ufunc '{self.__name__}'>"
    __reduce__ = lambda self: (ufunc, (self.__name__,))

    def outer(self, a, b, **words):
        """Of each element of a with each of b: an array of a.ndim + b.ndim axes."""
        if self.nin != 2:
            raise ValueError("outer product only supported for binary functions")
        if not any(isinstance(x, ks.Array) or is_dask_collection(x) for x in (a, b)):
            return self._of_numpy.outer(a, b, **words)
        a, b = asanyarray(a), asanyarray(b)
        return self(a[(..., *(None,) * b.ndim)], b, **words)


# ── of one array ──────────────────────────────────────────────────────────────────────────

Array.real = property(lambda x: elementwise("real", x) if x.dtype.kind == "c" else x)
Array.imag = property(lambda x: elementwise("imag", x))
Array.conj = lambda x: elementwise("conj", x)
Array.clip = lambda x, min=None, max=None: elementwise("clip", x, min, max)


@method
def round(x, decimals=0):  # noqa: A001
    return made("round", x.chunks, x.dtype, (call, "round", x, decimals))


@method
def astype(x, dtype, **words):
    if extra := set(words) - {"casting", "copy", "order", "subok"}:
        raise TypeError(f"astype does not take the following keyword arguments: {sorted(extra)}")
    dtype, casting = np.dtype(dtype), words.get("casting", "unsafe")
    if not np.can_cast(x.dtype, dtype, casting=casting):
        raise TypeError(f"Cannot cast array from {x.dtype!r} to {dtype!r} according to the rule {casting!r}")
    return x if dtype == x.dtype else made("astype", x.chunks, dtype, (_as, x, dtype))


def _as(x, dtype):
    if isinstance(x, ks.Array):
        with contextlib.suppress(TypeError, NotImplementedError):
            return x.astype(dtype)
    return ours(numpys(x).astype(dtype))


@method
def view(x, dtype=None, order="C"):
    """The bytes as elements of another dtype; as many elements along the last axis as it has room for."""
    dtype = x.dtype if dtype is None else np.dtype(dtype)
    axis = -1 if order == "C" else 0
    sizes = x.itemsize, dtype.itemsize
    if sizes[0] != sizes[1] and (not x.ndim or any(n * sizes[0] % sizes[1] for n in x.chunks[axis])):
        raise ValueError("When changing to a larger dtype, its size must be a divisor of the chunks' bytes along the axis")  # fmt: skip
    chunks = list(x.chunks)
    if x.ndim:
        chunks[axis] = tuple(n * sizes[0] // sizes[1] for n in chunks[axis])
    return made("view", tuple(chunks), dtype, (_viewed, x, dtype, order))


def _viewed(x, dtype, order):
    x = numpys(x)
    if order != "C":
        return ours(np.ascontiguousarray(x.T).view(dtype).T)
    return ours((np.ascontiguousarray(x) if x.ndim else x).view(dtype))
