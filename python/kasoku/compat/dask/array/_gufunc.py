"""Functions with a signature, "(i,j),(j)->(i)": loops over the other axes go chunk by chunk."""

import functools

import numpy as np

from ..._face import cores
from ._elementwise import of_samples
from ._array import At, broadcast_axes, one_chunk, several
from ._chunks import numpys
from ._rechunk import met_by_name
from ._sources import asanyarray
from ._table import functions as _f


def _results(func, args):
    found = func(*args)
    return found if isinstance(found, (tuple, list)) else (found,)


def _computed(func, *blocks):
    return [np.asarray(r) for r in _results(func, map(numpys, blocks))]


def _differ(axis, lengths):
    return f"Dimension `{axis!r}` with different lengths in arrays: {lengths}"


def apply_gufunc(func, signature, *args, axes=None, axis=None, keepdims=False, output_dtypes=None, output_sizes=None,
                 vectorize=None, allow_rechunk=False, meta=None, **words):  # fmt: skip
    """func over the axes that the signature names, which lie in one chunk each, for every place along the others.

    axes: where the named axes of each argument, and of each result, are; axis: of the one name of a signature with one.
    keepdims: they stay, of length 1. output_dtypes: else found with small arrays. output_sizes: of names in results, which
    the arguments need not have. vectorize: func takes one place at a time. allow_rechunk: named axes in several chunks are put together. What else
    is given by name is func's.
    """
    needs, gives = cores.read(signature)
    one = len(gives) == 1 and not signature.replace(" ", "").endswith(",")
    arrays = [asanyarray(x) for x in args]
    if len(arrays) != len(needs):
        raise ValueError(f"According to `signature`, `func` requires {len(needs)} arguments, but {len(arrays)} given")
    at = cores.places(needs + gives, axes, axis)
    for k, names in enumerate(needs):
        if arrays[k].ndim < len(names):
            raise ValueError(f"apply_gufunc: argument {k} has {arrays[k].ndim} axes, the signature names {len(names)}")
        arrays[k] = cores.moved(_f.moveaxis, arrays[k], at[k])
    sizes = {}
    for x, names in zip(arrays, needs):
        for name, n, chunks in zip(names, x.shape[x.ndim - len(names) :], x.chunks[x.ndim - len(names) :]):
            if sizes.setdefault(name, n) != n:
                raise ValueError(_differ(name, [sizes[name], n]))
            if len(chunks) > 1 and not allow_rechunk:
                raise ValueError(f"Core dimension `'{name}'` consists of multiple chunks: rechunk it, or set `allow_rechunk=True`")  # fmt: skip
    sizes |= output_sizes or {}
    if absent := {name for names in gives for name in names} - set(sizes):
        raise ValueError(f"apply_gufunc: nobody says how long {min(absent)!r} is\n  fix  output_sizes=")
    arrays = [x.rechunk({k: -1 for k in range(x.ndim - len(names), x.ndim)}) for x, names in zip(arrays, needs)]
    pairs = [(x, (*range(len(names) - x.ndim, 0), *names)) for x, names in zip(arrays, needs)]
    common, arrays = met_by_name(pairs, _differ)
    loop = tuple(common[axis] for axis in sorted(axis for axis in common if isinstance(axis, int)))
    word = getattr(func, "__name__", "gufunc")
    if words:
        func = functools.partial(func, **words)
    if vectorize:
        func = np.vectorize(func, signature=signature)
    if output_dtypes is None and meta is not None:
        output_dtypes = [m.dtype for m in (meta if isinstance(meta, (tuple, list)) else [meta])]
    if output_dtypes is None:
        small = [np.ones((1,) * (x.ndim - len(names)) + x.shape[x.ndim - len(names) :], x.dtype) for x, names in zip(arrays, needs)]  # fmt: skip
        found = of_samples("apply_gufunc", "output_dtypes", _results, (func, small))
        output_dtypes = [np.asarray(r).dtype for r in found]
    elif not isinstance(output_dtypes, (tuple, list)):
        output_dtypes = [output_dtypes] * len(gives)
    kinds = [(one_chunk(sizes[name] for name in names), dtype) for names, dtype in zip(gives, output_dtypes)]
    fronts = [(x, x.ndim - len(names)) for x, names in zip(arrays, needs)]  # the named axes lie in one chunk
    blocks = [At(x, [*broadcast_axes(x.chunks[:n], len(loop) - n), *[-1] * (x.ndim - n)]) for x, n in fronts]
    results = several(word, loop, kinds, (_computed, func, *blocks), token=[func, signature, vectorize])
    for k, r in enumerate(results):
        if keepdims:
            r = r[(Ellipsis, *(None,) * len(needs[0]))]
        where = at[len(needs) + k] or (at[0] if keepdims else ())
        results[k] = cores.moved(_f.moveaxis, r, where, to_the_end=False)
    return results[0] if one else tuple(results)


class gufunc:  # noqa: N801 - Dask's name
    """A function with its signature, to be called with arrays in chunks."""

    def __init__(self, pyfunc, *, signature=None, **options):
        self.pyfunc, self.signature, self._options = pyfunc, signature, options
        self.__name__, self.__doc__ = getattr(pyfunc, "__name__", "gufunc"), pyfunc.__doc__

    def __call__(self, *args, **options):
        return apply_gufunc(self.pyfunc, self.signature, *args, **{**self._options, **options})


def as_gufunc(signature=None, **options):
    """A decorator that makes a gufunc."""
    return lambda pyfunc: gufunc(pyfunc, signature=signature, **options)
