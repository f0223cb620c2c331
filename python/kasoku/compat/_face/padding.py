"""Padding by numbers that are computed of what lies at an edge; the engine pads by what lies there."""

import numpy as np

import kasoku as ks


def pairs(given, ndim, what):
    """(before, after) for each axis, of a number, a pair, or a pair for each axis."""
    try:
        return [tuple(pair) for pair in np.broadcast_to(np.asarray(given), (ndim, 2)).tolist()]
    except ValueError:
        raise ValueError(f"pad: {what} is a number, (before, after), or that for each axis, not {given!r}") from None


def _part(a, axis, start, stop):
    return a[(slice(None),) * axis + (slice(start, stop),)]


def _stretched(a, axis, width):
    shape = list(a.shape)
    shape[axis] = width
    return ks.broadcast_to(a, tuple(shape))


def _statistic(name):
    reduce = getattr(ks, name)

    def of(part, axis):
        result = reduce(part, axis=axis, keepdims=True)
        if part.dtype.kind in "iu" and result.dtype.kind == "f":
            result = ks.rint(result)
        return result.astype(part.dtype)

    return of


_statistics = {
    "maximum": _statistic("max"), "minimum": _statistic("min"), "mean": _statistic("mean"), "median": _statistic("median"),
}  # fmt: skip


def by_statistic(a, widths, name, lengths):
    """Both sides of each axis get the statistic of the elements there, of `length` or all of them."""
    of = _statistics[name]
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, lengths)):
        n = a.shape[axis]
        if not n and (before or after):
            raise ValueError(f"pad: there is nothing along axis {axis} of which the {name} could be taken")
        for length in (first, last):
            if length is not None and length < 1:
                raise ValueError(f"pad: the {name} is of one element at least, not of {length}")
        left = of(_part(a, axis, 0, min(n, first or n)), axis)
        right = of(_part(a, axis, n - min(n, last or n), n), axis)
        a = ks.concatenate([_stretched(left, axis, before), a, _stretched(right, axis, after)], axis)
    return a


def by_ramp(a, widths, ends):
    """From the edge to an end value, in equal steps."""
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, ends)):
        n = a.shape[axis]
        steps = [1] * a.ndim
        parts = []
        for width, end, edge, outwards in ((before, first, 0, True), (after, last, n - 1, False)):
            steps[axis] = width
            at = ks.arange(width, device=a.device).reshape(steps)
            at = at if outwards else width - 1 - at
            near = _part(a, axis, edge, edge + 1)
            ramp = end + (near - end) * (at / max(width, 1))
            parts.append((ks.floor(ramp) if a.dtype.kind in "iu" else ramp).astype(a.dtype))
        a = ks.concatenate([parts[0], a, parts[1]], axis)
    return a


def by_odd_reflection(a, widths, repeats_edge):
    """Reflected, and turned around the edge's value: 2 edge - x."""
    skip = 0 if repeats_edge else 1
    for axis, (before, after) in enumerate(widths):
        while (before or after) and a.shape[axis] > skip:
            n = a.shape[axis]
            left, right = min(before, n - skip), min(after, n - skip)
            low, high = _part(a, axis, 0, 1), _part(a, axis, n - 1, n)
            a = ks.concatenate([
                2 * low - ks.flip(_part(a, axis, skip, skip + left), axis), a,
                2 * high - ks.flip(_part(a, axis, n - skip - right, n - skip), axis),
            ], axis)  # fmt: skip
            before, after = before - left, after - right
    return a


def by_function(a, widths, function, options):
    """function(vector, (before, after), axis, options) fills both sides of each line, one axis after the other."""
    out = ks.pad(a, widths)
    for axis in range(a.ndim):
        lines = ks.moveaxis(out, axis, -1)
        for at in np.ndindex(*lines.shape[:-1]):
            line = lines[at]
            given = function(line, tuple(widths[axis]), axis, options)
            if given is not None:
                line[...] = given
    return out
