"""Signatures of functions over some axes, "(m,n),(n)->(m)": which axes the function itself sees of each argument and result."""

import re

_group = r"\((?:\w+(?:,\w+)*,?)?\)"
_side = re.compile(f"(?:{_group}(?:,{_group})*,?)?")


def read(signature, needs_arrow=True):
    """ "(m,n),(n)->(m)" as [("m", "n"), ("n",)] and [("m",)], which is empty where there is no arrow."""
    sides = "".join(signature.split()).split("->")
    if len(sides) != 2 and (needs_arrow or len(sides) != 1) or not all(map(_side.fullmatch, sides)):
        raise ValueError(f"Not a valid gufunc signature: {signature!r}\n  fix  write it like (m,n),(n)->(m)")
    found = [[tuple(re.findall(r"\w+", core)) for core in re.findall(_group, side)] for side in sides]
    return found if len(found) == 2 else (*found, [])


def places(named, axes=None, axis=None):
    """Where the named axes of each argument and result are: by `axes`, or by the one `axis` of signatures of one name; of those
    that are not told they are the last ones."""
    if axis is not None:
        if axes is not None:
            raise ValueError("Only one of `axis` or `axes` keyword arguments should be given")
        if not isinstance(axis, int) or any(len(names) > 1 for names in named):
            raise ValueError(f"axis is a number, of signatures of one name, not {axis!r}")
        axes = [(axis,) * len(names) for names in named]
    if not isinstance(axes, (list, type(None))):
        raise ValueError("`axes` has to be of type list")
    found = [(k,) if isinstance(k, int) else tuple(k) for k in axes or ()]
    found += [tuple(range(-len(names), 0)) for names in named[len(found) :]]
    if list(map(len, found)) != list(map(len, named)):
        raise ValueError(f"axes={axes} are not as many for each argument as the signature names")
    return found


def moved(moveaxis, x, at, to_the_end=True):
    """The array with its named axes last, or from there where they belong."""
    last = tuple(range(-len(at), 0))
    return x if at == last else moveaxis(x, at, last) if to_the_end else moveaxis(x, last, at)
