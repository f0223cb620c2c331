"""Erosions and dilations of shapes and of grey values."""

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ...._face.table import bound as _bound, plain as _plain
from ._filters import _footprint, _for_axes, _given, _kind, _of_places, _of_some_axes, _result, _turned, _wide


def generate_binary_structure(rank, connectivity):
    """Which places of a box of 3 are neighbours: those that differ along so many axes at most."""
    if rank < 1:
        return _ks.asarray(True)
    far = sum(abs(_ks.arange(3).reshape([-1 if k == axis else 1 for k in range(rank)]) - 1) for axis in range(rank))
    return far <= max(connectivity, 1)


def _truth(input):
    """Where a real input is not 0."""
    a = _asarray(input)
    if a.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return a != 0


def _binary(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False,
            *, is_dilation):  # fmt: skip
    a = _truth(input)
    places = _footprint(a, None, generate_binary_structure(a.ndim, 1) if structure is None else structure)
    origin = _for_axes(origin, a.ndim, "origin")
    if is_dilation:  # the erosion of what is not there
        places = places[(slice(None, None, -1),) * a.ndim]
        origin = _turned(origin, places.shape)
    counts, done = ~a if is_dilation else a, 0
    changes = None if mask is None else _asarray(mask) != 0
    while iterations < 1 or done < iterations:
        next_ = _of_places(counts, places, "constant", bool(border_value) != is_dilation, origin).all(axis=-1)
        next_ = next_ if changes is None else _ks.where(changes, next_, counts)
        done += 1
        if iterations < 1 and bool((next_ == counts).all()):
            break
        counts = next_
    return _result(~counts if is_dilation else counts, a, output)


_dilated, _erosion = _bound(_binary, is_dilation=True), _bound(_binary, is_dilation=False)


def _binary_after(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                  brute_force=False, *, first, second):  # fmt: skip
    a = first(input, structure, iterations, mask, None, border_value, origin)
    return second(a, structure, iterations, mask, output, border_value, origin)


def binary_fill_holes(input, structure=None, output=None, origin=0):
    """The input with its holes filled: places that are not reached from outside."""
    a = _truth(input)
    return _result(~_dilated(_ks.zeros_like(a), structure, -1, ~a, None, 1, origin), a, output)


def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None):
    """Where all neighbours of one structure are true, and all of another one are not."""
    a = _asarray(input) != 0
    hits = generate_binary_structure(a.ndim, 1) if structure1 is None else _asarray(structure1) != 0
    misses = ~hits if structure2 is None else structure2
    missed = _erosion(~a, misses, border_value=1, origin=origin1 if origin2 is None else origin2)
    return _result(_erosion(a, hits, origin=origin1) & missed, a, output)


def iterate_structure(structure, iterations, origin=None):
    """The structure whose dilation is that of a structure so many times; with origins, their sums too."""
    structure = _asarray(structure) != 0
    more = max(iterations - 1, 0)
    wide = _ks.pad(structure, [(more * (n // 2), more * (n - 1 - n // 2)) for n in structure.shape])
    made = _dilated(wide, structure, more) if more else wide
    return made if origin is None else (made, [iterations * off for off in _for_axes(origin, made.ndim, "origin")])


def _grey(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, name,
          sign):  # fmt: skip
    """The least of elements minus a structure, or the greatest of those plus the turned one."""
    a = _given(input)
    places = _footprint(a, size, footprint, structure)
    origin = _for_axes(origin, a.ndim, "origin")
    turn = (slice(None, None, -1),) * a.ndim
    if sign > 0:
        places = places[turn]
        origin = _turned(origin, places.shape)
    seen = _of_places(a, places, mode, cval, origin)
    if structure is not None:
        heights = _wide(_asarray(structure))[turn if sign > 0 else ...].reshape(-1)
        seen = _wide(seen) + sign * heights[places.ravel().nonzero()[0].tolist()]
    return _result(getattr(seen, name)(axis=-1), input, output)


_grey_erosion, _grey_dilation = _bound(_grey, name="min", sign=-1), _bound(_grey, name="max", sign=1)


def _after(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
           first, second):  # fmt: skip
    rest = size, footprint, structure
    return second(first(input, *rest, None, mode, cval, origin), *rest, output, mode, cval, origin)


def _between(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, of):
    """What is computed of an array and of what made(filter, dtype) gives: its erosion, dilation, opening and closing."""
    a = _given(input)
    made = lambda filter, kind=None: filter(a, size, footprint, structure, kind, mode, cval, origin)
    return _result(of(a, made, _kind(input, output)), input, output)


_opening = _bound(_after, first=_grey_erosion, second=_grey_dilation)
_closing = _bound(_after, first=_grey_dilation, second=_grey_erosion)


_plain(globals(), {
    "binary_closing": (_bound(_binary_after, first=_dilated, second=_erosion), "A dilation and an erosion of it."),
    "binary_opening": (_bound(_binary_after, first=_erosion, second=_dilated), "An erosion and a dilation of it."),
    "binary_propagation": (lambda input, structure=None, mask=None, output=None, border_value=0, origin=0: (
        _dilated(input, structure, -1, mask, output, border_value, origin)), "Dilations within a mask until nothing changes."),
    "binary_dilation": (_dilated, "Whether one of the neighbours is true."),
    "binary_erosion": (_erosion, "Whether all neighbours are true."),
    "black_tophat": (_bound(_between, of=lambda a, made, kind: made(_closing, kind) - a), "A grey closing without the array."),
    "grey_closing": (_closing, "A grey dilation and an erosion of it."),
    "grey_dilation": (_grey_dilation, "The greatest of the elements around each, plus a structure."),
    "grey_erosion": (_grey_erosion, "The least of the elements around each, minus a structure."),
    "grey_opening": (_opening, "A grey erosion and a dilation of it."),
    "morphological_gradient": (_bound(_between, of=lambda a, made, _: made(_grey_dilation) - made(_grey_erosion)), "A grey dilation without the erosion."),
    "morphological_laplace": (_bound(_between, of=lambda a, made, _: made(_grey_dilation) + made(_grey_erosion) - 2 * a), "A grey dilation and the erosion without twice the array."),
    "white_tophat": (_bound(_between, of=lambda a, made, kind: a - made(_opening, kind)), "An array without its grey opening."),
})  # fmt: skip

for _name in (
    "black_tophat grey_closing grey_dilation grey_erosion grey_opening morphological_gradient morphological_laplace white_tophat"
).split():
    globals()[_name] = _of_some_axes(globals()[_name])
for _name in (
    "binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening binary_propagation"
).split():
    globals()[_name] = _of_some_axes(globals()[_name], lambda rank: generate_binary_structure(rank, 1))
