"""dask.array.ma: masked arrays in chunks, which are NumPy's masked arrays."""

import numpy as np

from ..._face.table import Table, bound
from ..tokenize import normalize_token
from ._blockwise import map_blocks
from ._chunks import numpys, on_numpys, ours
from ._elementwise import blockwise_call
from ._math import average_of
from ._reductions import reduction
from ._sources import asanyarray
from ._table import functions as _f, of_an_array

_functions = Table({"array": of_an_array})


@normalize_token.register(np.ma.MaskedArray)
def _token_of(x):
    return normalize_token(x.data), normalize_token(x.mask), normalize_token(x.fill_value)


def _of_values(a, value, *, name):
    """NumPy's function of that name, of an array and the values that it is held against."""
    return blockwise_call(name, a.dtype, on_numpys, getattr(np.ma, name), a, value, meta=np.ma.empty(0))


def _of_chunks(a, *args, name, value=None, **words):
    """NumPy's function of that name, of each chunk. value: what may be no array."""
    if np.shape(value):
        raise ValueError(f"da.ma.{name} doesn't support array `value`s")
    return map_blocks(getattr(np.ma, name), a, *args, **words)


def _refuse_arrays(fill_value):
    if np.shape(fill_value):
        raise ValueError("non-scalar fill_value not supported")


def _masked(data, mask, words):
    return ours(np.ma.masked_array(numpys(data), mask=numpys(mask) if hasattr(mask, "shape") else mask, **words))


def _with_fill_value(x, fill_value):
    if isinstance(x, np.ma.MaskedArray):
        x = x.copy()
        np.ma.set_fill_value(x, fill_value)
    return x


@_functions.row("array")
def masked_array(data, mask=np.ma.nomask, fill_value=None, dtype=None, chunks=None, **words):
    _refuse_arrays(fill_value)
    if mask is not np.ma.nomask:
        mask = asanyarray(mask)
        if mask.size == 1:
            mask = mask.reshape((1,) * data.ndim)
        elif data.shape != mask.shape:
            raise np.ma.MaskError(f"Mask and data not compatible: data shape is {data.shape!r}, and mask shape is {mask.shape!r}.")  # fmt: skip
    dtype = np.dtype(data.dtype if dtype is None else dtype)
    told = {"fill_value": fill_value, "dtype": dtype, **words}
    return blockwise_call("masked_array", dtype, _masked, data, mask, told, meta=np.ma.empty(0))


@_functions.row("array")
def masked_where(condition, a):
    a = asanyarray(a)
    if (shape := np.shape(condition)) not in ((), a.shape):
        raise IndexError(f"Inconsistent shape between the condition and the input (got {shape} and {a.shape})")
    return blockwise_call("masked_where", a.dtype, on_numpys, np.ma.masked_where, condition, a, meta=np.ma.empty(0))


@_functions.row("array")
def set_fill_value(a, fill_value):
    _refuse_arrays(fill_value)
    fill_value = np.ma.masked_array(np.empty(0, a.dtype), fill_value=fill_value).fill_value
    a._become(map_blocks(_with_fill_value, a, fill_value, dtype=a.dtype, meta=a._meta))


_functions.rows("array", {
    **{name: bound(_of_values, name=name) for name in (
        "masked_greater", "masked_greater_equal", "masked_less", "masked_less_equal", "masked_not_equal")},
    "masked_equal": lambda a, value: _of_chunks(a, value, name="masked_equal", value=value),
    "masked_values": lambda x, value, rtol=1e-05, atol=1e-08, shrink=True: _of_chunks(
        x, value, name="masked_values", value=value, rtol=rtol, atol=atol, shrink=shrink),
    **{name: bound(_of_chunks, name=name) for name in (
        "masked_inside", "masked_outside", "fix_invalid", "filled",
        "masked_invalid", "getdata", "getmaskarray", "ones_like", "zeros_like", "empty_like")},
    "average": bound(average_of, is_masked=True),
    "count": lambda a, axis=None, keepdims=False, split_every=None: reduction(
        a, np.ma.count, np.sum, axis=axis, keepdims=keepdims, dtype=np.intp, split_every=split_every, meta=np.empty(0)),
    "nonzero": lambda a: _f.nonzero(_functions.getdata(a) * ~_functions.getmaskarray(a)),
})  # fmt: skip


@_functions.row("plain")
def where(condition, x=None, y=None):
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    return _functions.nonzero(condition) if x is None else _f.where(condition, x, y)


_functions.into(globals())
