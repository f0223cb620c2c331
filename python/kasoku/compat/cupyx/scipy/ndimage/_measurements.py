"""What is measured of labelled elements, and labels."""

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ...._face import trees as _trees
from ...._face.compositions import along as _along
from ...._face.kernels import kernel as _kernel
from ...._face.table import bound as _bound, plain as _plain
from ._filters import _footprint, _wide
from ._morphology import _truth, generate_binary_structure


def _each_label(of, a, labels, index):
    """What of(places) gives of all elements, of those of labels, or of each of several labels; a list of these."""
    if labels is None:
        return of(_ks.ones(a.shape, bool, device=a.device))
    labels = _ks.broadcast_to(_asarray(labels), a.shape)
    if index is None:
        return of(labels > 0)
    return of(labels == index) if _ks.isscalar(index) else [of(labels == k) for k in _ks.ravel(_asarray(index))]


def _by_label(input, labels=None, index=None, *, of):
    """A number of the elements of each label that is asked for, in an array; all elements are one group where there are none."""
    a = _asarray(input)
    a = a if labels is None else _ks.broadcast_to(a, _ks.broadcast_shapes(a.shape, _asarray(labels).shape))
    found = _each_label(lambda places: of(a, places), a, labels, index)
    if not isinstance(found, list):
        return found
    return (_ks.stack(found) if found else _ks.empty(0, device=a.device)).reshape(_asarray(index).shape)


_mean_of = lambda a, of: (_wide(a) * of).sum() / of.sum()


def _variance_of(a, of):
    if a.dtype.kind == "c":
        raise TypeError("the variance of complex numbers is not there")
    return ((_wide(a) - _mean_of(a, of)) ** 2 * of).sum() / of.sum()


def _sum_labels(input, labels=None, index=None):
    several = labels is not None and index is not None and not _ks.isscalar(index)
    a = _wide(_asarray(input)) if several else input
    return _bound(_by_label, of=lambda a, of: _ks.where(of, a, 0).sum())(a, labels, index)


def _most(a, counts, *, name):
    least = _ks.iinfo(a.dtype).min if a.dtype.kind in "iu" else -_ks.inf
    greatest = _ks.iinfo(a.dtype).max if a.dtype.kind in "iu" else _ks.inf
    result = getattr(_ks.where(counts, a, least if name == "max" else greatest), name)()
    return _ks.where(counts.any(), result, 0).astype(a.dtype)


def _median_of(a, of):
    if not a.size:
        return _ks.asarray(_ks.nan, device=a.device)
    values, n = _ks.sort(_ks.where(of, a if a.dtype.kind == "f" else _wide(a), _ks.inf).reshape(-1)), of.sum()
    return (values[_ks.maximum(n - 1, 0) // 2] + values[_ks.minimum(n // 2, a.size - 1)]) / 2


def _position(input, labels=None, index=None, *, name):
    a = _wide(_asarray(input))

    def of(counts):
        at = int(getattr(_ks.where(counts, a, -_ks.inf if name == "argmax" else _ks.inf).reshape(-1), name)())
        return tuple(int(k) for k in _ks.unravel_index(at, a.shape))

    return _each_label(of, a, labels, index)


def center_of_mass(input, labels=None, index=None):
    """The mean of the places of elements, times the elements."""
    a = _wide(_asarray(input))

    def of(counts):
        weights = a * counts
        places = (_along(axis, a.shape, a.device) for axis in range(a.ndim))
        return tuple((weights * place).sum() / weights.sum() for place in places)

    return _each_label(of, a, labels, index)


def histogram(input, min, max, bins, labels=None, index=None):
    """How many elements are in each of so many intervals, of all or of each label."""
    a = _asarray(input)
    return _each_label(lambda counts: _ks.histogram(a[counts], bins, (min, max))[0], a, labels, index)


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """What a function gives of the elements of each label, and of their places in the order of memory."""
    if labels is None and index is not None:
        raise ValueError("index without defined labels")
    a = _asarray(input)
    is_one = labels is None or index is None

    def of(counts):
        places = _ks.nonzero(_ks.ravel(counts))[0]
        given = _ks.ravel(a)[places], *([places] if pass_positions else [])
        return func(*given) if is_one or places.size else default

    found = _each_label(of, a, labels, index)
    if not isinstance(found, list):
        return found
    return _ks.stack([_ks.asarray(x, dtype=out_dtype, device=a.device) for x in found]).reshape(_asarray(index).shape)


def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False):
    """A dict with each number of an array and where it is."""
    a = _asarray(arr)
    if a.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    values, counts = _ks.unique(a, return_counts=True)
    places = _ks.unravel_index(_ks.argsort(_ks.ravel(a), stable=True), a.shape)
    if adaptive_index_dtype:
        places = [x.astype(_np.min_scalar_type(max(a.shape))) for x in places]
    ends = _np.cumsum(counts.tolist()).tolist()
    return {value: tuple(x[first:last] for x in places) for value, first, last in zip(values.tolist(), [0, *ends], ends)
            if value != ignore_value}  # fmt: skip


# Joins the trees of each element and of its neighbours before it.
_join_neighbours = _kernel(
    "raw int32 shape, int32 axes, raw int32 before, int32 neighbours", "raw int32 roots", """
      if (roots[i] >= 0)
        for (int k = 0; k < neighbours; k++) {
          int rest = i, step = 1, at = i;
          for (int axis = axes - 1; axis >= 0; axis--) {
            const int place = rest % shape[axis] + before[k * axes + axis];
            if (place < 0 || place >= shape[axis]) at = -1;
            if (at >= 0) at += before[k * axes + axis] * step;
            rest /= shape[axis];
            step *= shape[axis];
            if (at < 0) break;
          }
          if (at >= 0 && roots[at] >= 0) join_trees(&roots[0], i, at);
        }""", "join_neighbours", _trees.preamble)  # fmt: skip


def label(input, structure=None, output=None):
    """Numbers for what hangs together, from 1 in the order of the first elements, and how many there are."""
    a = _truth(input)
    places = _footprint(a, None, generate_binary_structure(a.ndim, 1) if structure is None else structure)
    if (places != places[(slice(None, None, -1),) * a.ndim]).any() or places.shape != (3,) * a.ndim:
        raise ValueError("structuring element is not symmetric")
    shape = _ks.asarray(a.shape, dtype="int32", device=a.device)
    half = _np.argwhere(places)[: int(places.sum()) // 2] - 1
    before = _ks.asarray(half.reshape(-1), dtype="int32", device=a.device)
    own = _ks.arange(a.size, dtype="int32", device=a.device).reshape(a.shape)
    roots = _ks.where(a, own, -1).reshape(-1)
    if a.size:
        _join_neighbours(shape, a.ndim, before, before.size // max(a.ndim, 1), roots, size=a.size)
        _trees.find_roots(roots, roots, size=a.size)
    roots = roots.reshape(a.shape)
    first = (roots == own) & a
    numbers = _ks.concatenate((_ks.cumsum(first.reshape(-1)), _ks.asarray([0], device=a.device)))
    count = int(first.sum())
    labels = _ks.where(a, numbers[roots.reshape(-1)].reshape(a.shape), 0)
    if isinstance(output, _ks.Array):
        output[...] = labels
        return count
    return labels.astype("int32" if output is None else output), count


def find_objects(input, max_label=0):
    """For each label from 1 on the slices of the least box that holds it, or None where there is none such."""
    a = _asarray(input)
    if a.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    labels = _ks.ravel(a).astype("int64")
    count = max_label if max_label >= 1 else int(labels.max())
    if count < 1:
        return []
    labels = _ks.where((labels >= 1) & (labels <= count), labels, 0)
    ends = []
    for d, n in enumerate(a.shape):
        places = _ks.ravel(
            _ks.broadcast_to(_ks.arange(n, device=a.device).reshape((n,) + (1,) * (a.ndim - d - 1)), a.shape)
        )
        first, last = _ks.full(count + 1, n, device=a.device), _ks.full(count + 1, -1, device=a.device)
        _ks.minimum.at(first, labels, places)
        _ks.maximum.at(last, labels, places)
        ends.append((first[1:].tolist(), (last[1:] + 1).tolist()))
    return [
        tuple(slice(first[k], last[k]) for first, last in ends) if ends and ends[0][1][k] else None
        for k in range(count)
    ]


_functions = _plain(globals(), {
    "extrema": (lambda input, labels=None, index=None: tuple(
        _functions[of](input, labels, index) for of in ("minimum", "maximum", "minimum_position", "maximum_position")),
        "The least and the greatest element, and where they are."),
    "maximum": (_bound(_by_label, of=_bound(_most, name="max")), "The greatest element, of all or of each label."),
    "maximum_position": (_bound(_position, name="argmax"), "Where the greatest element is."),
    "mean": (_bound(_by_label, of=_mean_of), "The mean, of all elements or of each label's."),
    "median": (_bound(_by_label, of=_median_of), "The median, of all elements or of each label's."),
    "minimum": (_bound(_by_label, of=_bound(_most, name="min")), "The least element, of all or of each label."),
    "minimum_position": (_bound(_position, name="argmin"), "Where the least element is."),
    "standard_deviation": (_bound(_by_label, of=lambda a, of: _ks.sqrt(_variance_of(a, of))), "The standard deviation, of all elements or of each label's."),
    "sum_labels": (_sum_labels, "The sum, of all elements or of each label's, in float64 where there are several."),
    "variance": (_bound(_by_label, of=_variance_of), "The variance, of all elements or of each label's."),
})  # fmt: skip
sum = _functions.sum_labels
