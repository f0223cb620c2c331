"""torch's type promotion, and the operations of tensors that the engine runs without Python."""

import functools
import numbers

import numpy as np

from kasoku._core import _Face

from . import _types
from ._tensor import Tensor
from ._types import as_dtype


def _complex_of(d):
    """The complex dtype whose parts are of a floating one."""
    return _types.names["complex128" if d.name == "float64" else "complex64"]


def wider(a, b):
    """torch.promote_types."""
    if a is None or a is b:
        return b
    if a.category > b.category:
        a, b = b, a
    if a.category == 2 and b.category == 3:
        a = _complex_of(a)
    if a.category < b.category:
        return b
    if "bfloat16" in (a.name, b.name):
        other = b if a.name == "bfloat16" else a
        return _types.names["float32"] if other.name == "float16" else other
    return as_dtype(np.promote_types(a.numpy, b.numpy))


def _over(first, second):
    """What a group of operands and the next one, which counts less, meet in."""
    if first is None or second is None:
        return first or second
    if first.category == 2 and second.category == 3:
        return _complex_of(first)
    if first.category < 2 and (first.category == 0 or second.category >= 2):
        return wider(first, second)
    return first


def _of_number(kind):
    """The dtype of a Python or NumPy number of type `kind`."""
    if issubclass(kind, (bool, np.bool_)):
        return _types.names["bool"]
    if issubclass(kind, numbers.Integral):
        return _types.names["int64"]
    default = _types.default_float
    return _complex_of(default) if issubclass(kind, (complex, np.complexfloating)) else default


@functools.lru_cache(maxsize=4096)
def _result_type(kinds, wants_float, default_float):
    """torch.result_type: tensors with axes, then 0-d ones, then numbers. A kind is
    (dtype, is 0-d) or a number's type."""
    groups = [None, None, None]
    for kind in kinds:
        k, d = (int(kind[1]), kind[0]) if isinstance(kind, tuple) else (2, _of_number(kind))
        groups[k] = wider(groups[k], d)
    result = _over(groups[0], _over(groups[1], groups[2]))
    return default_float if wants_float and result.category < 2 else result


def of(wants_float, *operands):
    """The dtype that tensors and numbers meet in."""
    kinds = tuple([(_types.of_array(x._a), x._a.ndim == 0) if isinstance(x, Tensor) else type(x) for x in operands])
    return _result_type(kinds, wants_float, _types.default_float)


face = _Face(Tensor, "_a", lambda *operands: of(*operands).numpy)


def is_bool(x):
    return x.dtype.category == 0 if isinstance(x, Tensor) else isinstance(x, (bool, np.bool_))


# What torch refuses of bools, or of bools alone: the package's own function says so.
not_of_bools = frozenset("subtract negative floor_divide remainder fmod power".split())
_face_without_bools = _Face(
    Tensor, "_a", lambda *operands: None if any(map(is_bool, operands[1:])) else of(*operands).numpy
)


def face_of(engine_name):
    return _face_without_bools if engine_name in not_of_bools else face


def set_default_dtype(d):
    """The type of floats that have none: float32 at first."""
    _types.set_default_dtype(d)
    face.forget()
    _face_without_bools.forget()
