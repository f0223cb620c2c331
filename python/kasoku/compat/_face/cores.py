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
