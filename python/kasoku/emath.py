"""numpy.emath: functions whose result is complex where a real argument lies outside of their domain.

The dtype of a result depends on the arguments' values, so pending arguments are computed first. The result stays real if all
values lie inside of the domain.

>>> ks.emath.sqrt([1.0, 4.0])
array([1., 2.])
>>> ks.emath.sqrt([-1.0, 4.0])
array([0.+1.j, 2.+0.j])
"""

from . import _core
from ._namespace.given import Array, floating, floating_as_ufunc, is_complex, together

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]


def _wide(x, is_outside):
    """x, as complex numbers if a real one is outside of the domain."""
    x = floating_as_ufunc(x)
    if is_complex(x.dtype) or not bool(is_outside(x).any()):
        return x
    return x.astype(_core.result_type(x.dtype, "complex64"))


def _is_negative(x):
    return x < 0


def _is_beyond_one(x):
    return _core.absolute(x) > 1


def sqrt(x) -> Array:
    """The square roots, of negative numbers complex ones.

    >>> ks.emath.sqrt([4.0, -1.0])
    array([2.+0.j, 0.+1.j])
    """
    return _core.sqrt(_wide(x, _is_negative))


def log(x) -> Array:
    """The natural logarithms, of negative numbers complex ones.

    >>> ks.emath.log(1.0)
    array(0.)
    """
    return _core.log(_wide(x, _is_negative))


def log2(x) -> Array:
    """The logarithms to base 2, of negative numbers complex ones.

    >>> ks.emath.log2([8.0, 1.0])
    array([3., 0.])
    """
    return _core.log2(_wide(x, _is_negative))


def log10(x) -> Array:
    """The logarithms to base 10, of negative numbers complex ones.

    >>> ks.emath.log10([100.0, 1.0])
    array([2., 0.])
    """
    return _core.log10(_wide(x, _is_negative))


def logn(n, x) -> Array:
    """The logarithms to base `n`, of negative numbers complex ones.

    >>> ks.emath.logn(2, [4.0, 8.0])
    array([2., 3.])
    """
    return log(x) / log(n)


def power(x, p) -> Array:
    """The powers; integers to negative powers are floats, negative numbers to powers that are not whole are complex.

    >>> ks.emath.power([2, 4], -1)
    array([0.5 , 0.25])
    """
    x, p = together(x, p)
    if not is_complex(p.dtype) and bool((p < 0).any()):
        p = floating(p)
    if not is_complex(x.dtype) and bool((x < 0).any()):
        x = _wide(x, _is_negative)
    return _core.power(x, p)


def arccos(x) -> Array:
    """The angles in radians with cosine x, complex ones beyond -1 and 1.

    >>> ks.emath.arccos(1.0)
    array(0.)
    """
    return _core.arccos(_wide(x, _is_beyond_one))


def arcsin(x) -> Array:
    """The angles in radians with sine x, complex ones beyond -1 and 1.

    >>> ks.emath.arcsin(0.0)
    array(0.)
    """
    return _core.arcsin(_wide(x, _is_beyond_one))


def arctanh(x) -> Array:
    """The inverse of tanh, complex beyond -1 and 1.

    >>> ks.emath.arctanh(0.0)
    array(0.)
    """
    return _core.arctanh(_wide(x, _is_beyond_one))
