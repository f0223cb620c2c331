"""How a row of TensorFlow's tables becomes a function: arguments of some names are tensors, whatever comes as one; results
keep the first one's type where the rule says so. Every function takes `name`, which means nothing here."""

import functools

import numpy as np

import kasoku as ks
from kasoku import _core

from .._face.table import Table, refused
from . import dtypes
from ._tensor import Tensor, convert, held, must_take, op_name

# What TensorFlow calls arguments that are tensors.
_tensors = frozenset(
    """
    a arr b coeffs data diagonal elements features filter filters grid ids indices input input_ input_tensor labels lengths
    logits mask matrix mean offset other params predictions q real imag rhs scale segment_ids sorted_sequence t targets
    tensor updates value values variance weights x y
""".split()
)


def plain(x):
    """A number, list or array as NumPy's: of what says how a function computes, not of what."""
    return x.numpy() if hasattr(x, "numpy") else x


def ints(x):
    return tuple([int(n) for n in (x if isinstance(x, (list, tuple)) else np.atleast_1d(np.asarray(plain(x))))])


def axes(axis):
    return tuple(int(a) for a in axis) if isinstance(axis, (list, tuple)) else None if axis is None else int(axis)


def in_type(a, dtype):
    """The array in one of TensorFlow's types."""
    wanted = dtypes.as_dtype(dtype).as_numpy_dtype
    return a if a.dtype == wanted else a.astype(wanted)


def _made(result, wanted=None):
    if isinstance(result, ks.Array):
        return Tensor(result if wanted is None or result.dtype == wanted else result.astype(wanted))
    if isinstance(result, (tuple, list)):
        made = held([_made(r, wanted) for r in result])
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    return result


def _of_arrays(f, *, kinds=None, keeps=True):
    """Of the engine's arrays: of NumPy's letters of kinds alone, with results in the first one's type."""
    code = f.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    places = tuple(k for k, name in enumerate(names) if name in _tensors)
    first = names[places[0]]
    op = op_name(f.__name__)

    def call(*args, name=None, **kwargs):
        args = list(args)
        for k in places:
            if k < len(args):
                if args[k] is not None:
                    args[k] = convert(args[k])
            elif kwargs.get(names[k]) is not None:
                kwargs[names[k]] = convert(kwargs[names[k]])
        x = args[places[0]] if places[0] < len(args) else kwargs.get(first)
        if kinds is not None and x is not None:
            must_take(op, kinds, x)
        args = [v._array if type(v) is Tensor else v for v in args]
        if kwargs:
            kwargs = {k: v._array if type(v) is Tensor and k in names else v for k, v in kwargs.items()}
        try:
            result = f(*args, **kwargs)
        except TypeError as error:
            raise refused(f, error) from None
        if isinstance(result, ks.Array):
            return Tensor(result if not keeps or result.dtype == x._array.dtype else result.astype(x._array.dtype))
        return _made(result, x._array.dtype if keeps else None)

    return call


def _of_tensors(f):
    """As it stands."""

    def call(*args, name=None, **kwargs):
        try:
            return f(*args, **kwargs)
        except TypeError as error:
            raise refused(f, error) from None

    return call


def _composed(f):
    """Of several operations of tensors, which are settled as one."""

    def call(*args, name=None, **kwargs):
        return Tensor(_core._unsettled(f, *args, **kwargs)._array)

    return call


# Rules: of arrays whose results keep the type, or have their own; of floats, or floats and complex numbers, alone.
rules = {
    "keeps": _of_arrays, "own": functools.partial(_of_arrays, keeps=False),
    "floats": functools.partial(_of_arrays, kinds="f"), "numbers": functools.partial(_of_arrays, kinds="fc"),
    "tensors": _of_tensors, "composed": _composed,
}  # fmt: skip
functions, maths, nns, linalgs = (Table(rules) for _ in range(4))


def in_tables(rule, *tables):
    """A decorator: a row of several lines, in these tables."""

    def add(f):
        for table in tables:
            table.row(rule)(f)
        return f

    return add


def share(of, into, names):
    into.update({name: of[name] for name in names.split()})
