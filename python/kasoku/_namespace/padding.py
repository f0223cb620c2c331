"""Padding: the engine's by what lies at an edge, and by numbers that are computed of it."""

import numpy as np

from .. import _core
from .given import Array, given

_of_edges = {"maximum": "stat_length", "minimum": "stat_length", "mean": "stat_length", "median": "stat_length",
             "linear_ramp": "end_values"}  # fmt: skip


def pad(array, pad_width, mode="constant", **kwargs) -> Array:
    """The array with more elements at the ends of its axes.

    `pad_width`: a number, (before, after), or such a pair for each axis. `mode`: "constant" (`constant_values`), "edge",
    "reflect" and "symmetric" (`reflect_type`), "wrap", "empty"; "maximum", "minimum", "mean" and "median" of `stat_length`
    elements, "linear_ramp" to `end_values`; or a function that writes both ends of each line, as numpy.pad calls it. The
    dtype stays. Raises ValueError for negative widths and modes that there are not, TypeError for widths that are no integers.

    >>> ks.pad([1, 2, 3], (2, 1), mode="edge")
    array([1, 1, 1, 2, 3, 3])
    >>> ks.pad([1, 2, 6], 1, mode="mean")
    array([3, 1, 2, 6, 3])
    """
    array = given(array)
    if not isinstance(pad_width, dict) and np.asarray(pad_width).dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    is_odd = kwargs.get("reflect_type", "even") == "odd" and mode in ("reflect", "symmetric")
    if not (callable(mode) or is_odd or isinstance(mode, str) and mode in _of_edges):
        return _core.pad(array, pad_width, mode, **kwargs)
    widths = _pairs(pad_width, array.ndim, "pad_width")
    if min((n for pair in widths for n in pair), default=0) < 0:
        raise ValueError("index can't contain negative values")
    if callable(mode):
        return _by_function(array, widths, mode, kwargs)
    if is_odd:
        return _by_odd_reflection(array, widths, mode == "symmetric")
    argument = _of_edges[mode]
    if set(kwargs) - {argument}:
        raise ValueError(f"pad: the mode {mode!r} has no argument {next(iter(set(kwargs) - {argument}))!r}")
    if mode == "linear_ramp":
        return _by_ramp(array, widths, _pairs(kwargs.get(argument, 0), array.ndim, argument))
    lengths = kwargs.get(argument)
    lengths = [(None, None)] * array.ndim if lengths is None else _pairs(lengths, array.ndim, argument)
    return _by_statistic(array, widths, mode, lengths)


pad.__kasoku_numpys__ = np.pad  # what it is in compiled code


def _pairs(given, ndim, what):
    """(before, after) for each axis, of a number, a pair, or a pair for each axis."""
    if isinstance(given, dict):
        given = [np.broadcast_to(given.get(axis, given.get(axis - ndim, 0)), 2) for axis in range(ndim)]
    try:
        return [tuple(pair) for pair in np.broadcast_to(np.asarray(given), (ndim, 2)).tolist()]
    except ValueError:
        raise ValueError(f"pad: {what} is a number, (before, after), or that for each axis, not {given!r}") from None


def _part(a, axis, start, stop):
    return a[(slice(None),) * axis + (slice(start, stop),)]


def _stretched(a, axis, width):
    shape = list(a.shape)
    shape[axis] = width
    return _core.broadcast_to(a, tuple(shape))


def _statistic(name, part, axis):
    result = getattr(_core, {"maximum": "max", "minimum": "min"}.get(name, name))(part, axis=axis, keepdims=True)
    if part.dtype.kind in "iu" and result.dtype.kind == "f":
        result = _core.rint(result)
    return result.astype(part.dtype)


def _by_statistic(a, widths, name, lengths):
    """Both sides of each axis get the statistic of the elements there, of `length` or all of them."""
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, lengths)):
        n = a.shape[axis]
        if not n and (before or after):
            raise ValueError(f"pad: there is nothing along axis {axis} of which the {name} could be taken")
        for length in (first, last):
            if length is not None and length < 1:
                raise ValueError(f"pad: the {name} is of one element at least, not of {length}")
        left = _statistic(name, _part(a, axis, 0, min(n, first or n)), axis)
        right = _statistic(name, _part(a, axis, n - min(n, last or n), n), axis)
        a = _core.concatenate([_stretched(left, axis, before), a, _stretched(right, axis, after)], axis)
    return a


def _by_ramp(a, widths, ends):
    """Padding from the edge to an end value, in equal steps."""
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, ends)):
        n = a.shape[axis]
        steps = [1] * a.ndim
        parts = []
        for width, end, edge, outwards in ((before, first, 0, True), (after, last, n - 1, False)):
            steps[axis] = width
            at = _core.arange(width, device=a.device).reshape(steps)
            at = at if outwards else width - 1 - at
            if n == 0 and width:
                raise ValueError(f"pad: there is nothing along axis {axis} from which a ramp could go")
            near = _part(a, axis, edge, edge + 1)
            if a.dtype.kind in "bui":  # differences leave unsigned integers
                near = near.astype("float64")
            ramp = end + (near - end) * (at / max(width, 1))
            parts.append((_core.floor(ramp) if a.dtype.kind in "iu" else ramp).astype(a.dtype))
        a = _core.concatenate([parts[0], a, parts[1]], axis)
    return a


def _by_odd_reflection(a, widths, repeats_edge):
    """Reflected, and turned around the edge's value: 2 edge - x."""
    skip = 0 if repeats_edge else 1
    for axis, (before, after) in enumerate(widths):
        if not a.shape[axis] and (before or after):
            raise ValueError(f"pad: there is nothing along axis {axis} that could be reflected")
        if a.shape[axis] == 1 and skip:  # one element is its own reflection
            a, before, after = (
                _core.pad(a, [(before, after) if d == axis else (0, 0) for d in range(a.ndim)], "edge"),
                0,
                0,
            )
        while before or after:
            n = a.shape[axis]
            left, right = min(before, n - skip), min(after, n - skip)
            low, high = _part(a, axis, 0, 1), _part(a, axis, n - 1, n)
            a = _core.concatenate([
                2 * low - _core.flip(_part(a, axis, skip, skip + left), axis), a,
                2 * high - _core.flip(_part(a, axis, n - skip - right, n - skip), axis),
            ], axis)  # fmt: skip
            before, after = before - left, after - right
    return a


def _by_function(a, widths, function, options):
    """function(vector, (before, after), axis, options) fills both sides of each line, one axis after the other."""
    out = _core.pad(a, widths)
    for axis in range(a.ndim):
        lines = _core.moveaxis(out, axis, -1)
        for at in np.ndindex(*lines.shape[:-1]):
            line = lines[at]
            given = function(line, tuple(widths[axis]), axis, options)
            if given is not None:
                line[...] = given
    return out
