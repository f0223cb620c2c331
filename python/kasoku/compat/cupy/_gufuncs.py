"""Functions with a signature, "(i,j),(j)->(i)": arrays' other axes are looped over, or left to the function."""

import numpy as np

from kasoku import _core

from .._face import cores
from . import _util
from ._arrays import asarray, empty, stored_as_it_fits

_moveaxis = _core.moveaxis


def _parse_gufunc_signature(signature):
    needs, gives = cores.read(signature)
    return needs or [()], gives


@_util.in_face
class _GUFunc:
    """func over the axes that the signature names, for every place along the others.

    supports_batched: func takes arrays with the other axes before the named ones. supports_out: it takes an argument out.
    signatures: pairs of types, "ff->f", and the function for arguments that can be cast to these."""

    def __init__(
        self, func, signature, *, name=None, doc=None, supports_batched=False, supports_out=False, signatures=()
    ):
        self.__name__, self.__doc__ = name or func.__name__, doc or func.__doc__
        self._func, self._batched, self._takes_out = func, supports_batched, supports_out
        self._needs, self._gives = _parse_gufunc_signature(signature)
        self._forms = [(*self._types(types), one) for types, one in signatures]

    def _types(self, types):
        """The dtypes of arguments and of results in "ff->f"."""
        sides = [[np.dtype(c) for c in side] for side in types.split("->")]
        if [len(side) for side in sides] != [len(self._needs), len(self._gives)]:
            counts = f"{len(self._needs)} types of arguments and {len(self._gives)} of results"
            raise ValueError(f"{self.__name__}: {types!r} is no list of {counts}")
        return sides

    def _form(self, arrays, casting, asked):
        """The arguments' dtypes and the function of the first form that they can be cast to, or of the one that is asked for."""
        for takes, gives, func in self._forms:
            if asked is not None:
                wanted = "".join(asked) if isinstance(asked, tuple) else asked.replace("->", "")
                own = "".join(t.char for t in takes + gives), "".join(t.char for t in gives)
                if wanted not in own:
                    continue
            if all(np.can_cast(x.dtype, t, casting) for x, t in zip(arrays, takes)):
                return takes, func
        if asked is not None:
            raise TypeError(f"{self.__name__} has no form {asked!r} that takes these arguments")
        return [x.dtype for x in arrays], self._func

    def _last(self, arrays, places):
        """The arrays with the named axes last, and the shape of the others, to which they are stretched."""
        moved, sizes = [], {}
        for x, names, at in zip(arrays, self._needs, places):
            if x.ndim < len(names):
                raise ValueError(f"{self.__name__}: an argument has {x.ndim} axes, the signature names {len(names)}")
            moved.append(cores.moved(_moveaxis, x, at))
            for name, n in zip(names, moved[-1].shape[x.ndim - len(names) :]):
                if sizes.setdefault(name, n) != n:
                    raise ValueError(f"{self.__name__}: the axis {name} is of {sizes[name]} and of {n} elements")
        split = [x.ndim - len(names) for x, names in zip(moved, self._needs)]
        loop = np.broadcast_shapes(*(x.shape[:n] for x, n in zip(moved, split)))
        return [_core.broadcast_to(x, loop + x.shape[n:]) for x, n in zip(moved, split)], loop

    def _computed(self, func, arrays, loop, outs):
        """The results, one for each list of names; into `outs` where the function itself stores there."""
        takes_out = self._takes_out and outs is not None
        at_place = lambda at: outs[0][at] if len(outs) == 1 else tuple(out[at] for out in outs)
        words = lambda at: {"out": at_place(at)} if takes_out else {}
        of = lambda found: found if isinstance(found, tuple) else (found,)
        if self._batched or not loop:
            found = of(func(*arrays, **words(...)))
            return outs if takes_out else [asarray(r) for r in found]
        results = outs if takes_out else None
        for place in np.ndindex(*loop):
            found = of(func(*(x[place] for x in arrays), **words(place)))
            if takes_out:
                continue
            found = [asarray(r) for r in found]
            results = results or [empty(loop + r.shape, r.dtype) for r in found]
            for result, r in zip(results, found):
                result[place] = r
        return results

    def __call__(self, *args, axes=None, axis=None, keepdims=False, casting="same_kind", dtype=None, out=None, order="K", signature=None):  # fmt: skip
        if len(args) != len(self._needs):
            raise TypeError(f"{self.__name__}() takes {len(self._needs)} arguments, not {len(args)}")
        arrays, places = [asarray(x) for x in args], cores.places(self._needs + self._gives, axes, axis)
        takes, func = self._form(arrays, casting, signature)
        moved, loop = self._last([x.astype(t, copy=False) for x, t in zip(arrays, takes)], places)
        given = None if out is None else out if isinstance(out, tuple) else (out,)
        shown = given and [cores.moved(_moveaxis, o, at) for o, at in zip(given, places[len(args) :])]
        results = self._computed(func, moved, loop, shown)
        if given:
            for result, to in zip(results, shown):
                if result is not to:
                    stored_as_it_fits(result, to, self.__name__, casting)
            return out
        for k, (r, at) in enumerate(zip(results, places[len(args) :])):
            if keepdims:
                r, at = r[(..., *(None,) * len(self._needs[0]))], at or places[0]
            r = cores.moved(_moveaxis, r, at, to_the_end=False)
            r = r if dtype is None else r.astype(dtype, copy=False)
            is_f = order == "F" or order in ("A", "K") and all(x.flags.fnc for x in arrays)
            results[k] = asarray(r, order="F" if is_f else "C")
        return results[0] if len(results) == 1 else tuple(results)
