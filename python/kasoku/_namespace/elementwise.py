"""Elementwise functions that are compositions of rows of the engine's table: they fuse as those do."""

import builtins

import numpy as np

from .. import _core
from .dtypes import finfo
from .given import Array, axis_of, floating, floating_as_ufunc, given, is_complex, is_inexact, stored, together

_parts = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}


def real(val, /) -> Array:
    """The real parts: a view of a complex array, any other array itself.

    >>> ks.real(ks.array([1 + 2j]))
    array([1.])
    """
    return given(val).real


def imag(val, /) -> Array:
    """The imaginary parts: a view of a complex array, zeros of any other.

    >>> ks.imag(ks.array([1 + 2j]))
    array([2.])
    """
    return given(val).imag


def angle(z, deg=False) -> Array:
    """The angle of complex numbers, in radians or degrees; of real ones 0 or pi.

    >>> ks.angle(ks.array([1j]), deg=True)
    array([90.])
    """
    z = given(z)
    result = _core.arctan2(z.imag, z.real) if is_complex(z.dtype) else _core.arctan2(0, z)
    return _core.degrees(result) if deg else result


def real_if_close(a, tol=100) -> Array:
    """The real parts, if all imaginary parts are below `tol` times the distance of floats at 1; else the array.

    >>> ks.real_if_close(ks.array([1 + 1e-16j]))
    array([1.])
    """
    x = given(a)
    if not is_complex(x.dtype):
        return x
    bound = tol * finfo(x.dtype).eps if tol > 1 else tol
    return x.real if bool((abs(x.imag) < bound).all()) else x


def iscomplex(x) -> Array:
    """Whether an element has an imaginary part that is not 0.

    >>> ks.iscomplex(ks.array([1 + 1j, 1]))
    array([ True, False])
    """
    x = given(x)
    return x.imag != 0 if is_complex(x.dtype) else _core.zeros(x.shape, "bool", x.device)


def isreal(x) -> Array:
    """Whether an element has no imaginary part, or one of 0.

    >>> ks.isreal(ks.array([1 + 1j, 1]))
    array([False,  True])
    """
    x = given(x)
    return x.imag == 0 if is_complex(x.dtype) else _core.ones(x.shape, "bool", x.device)


def iscomplexobj(x) -> bool:
    """Whether the dtype is complex.

    >>> ks.iscomplexobj(ks.ones(2))
    False
    """
    return is_complex(given(x).dtype)


def isrealobj(x) -> bool:
    """Whether the dtype is not complex.

    >>> ks.isrealobj(ks.ones(2))
    True
    """
    return not iscomplexobj(x)


_SCALARS = frozenset(np.ScalarType)


def isscalar(element) -> bool:
    """Whether it is a number, a text or a value of NumPy's types, and no array.

    >>> ks.isscalar(3.1), ks.isscalar(ks.array(3.1))
    (True, False)
    """
    return type(element) in _SCALARS or np.isscalar(element)


def _only_real(x, name):
    x = given(x)
    if is_complex(x.dtype):
        raise TypeError(f"{name}: complex numbers have no order")
    return x


def isneginf(x, /, out=None) -> Array:
    """Whether an element is -inf. Raises TypeError for complex numbers.

    >>> ks.isneginf(ks.array([-ks.inf, ks.inf]))
    array([ True, False])
    """
    x = _only_real(x, "isneginf")
    return _core.logical_and(_core.isinf(x), x < 0, out=out)


def isposinf(x, /, out=None) -> Array:
    """Whether an element is inf. Raises TypeError for complex numbers.

    >>> ks.isposinf(ks.array([-ks.inf, ks.inf]))
    array([False,  True])
    """
    x = _only_real(x, "isposinf")
    return _core.logical_and(_core.isinf(x), x > 0, out=out)


def fix(x, /, out=None) -> Array:
    """Each element rounded towards 0, as trunc() does it. Raises TypeError for complex numbers.

    >>> ks.fix(ks.array([1.7, -1.7]))
    array([ 1., -1.])
    """
    return _core.trunc(_only_real(x, "fix"), out=out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None) -> Array:
    """A copy with numbers in place of NaN and infinities, which become the greatest and the least float
    unless others are given.

    `copy=False` changes `x` itself, which must be an array of ours.

    >>> ks.nan_to_num(ks.array([ks.nan, 1.0]), nan=-1.0)
    array([-1.,  1.])
    """
    array = given(x)
    if not is_inexact(array.dtype):
        return array.copy() if copy else array

    def without(part):
        limits = finfo(part.dtype)
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        finite = _core.where(part == np.inf, _as(high, part), _core.where(part == -np.inf, _as(low, part), part))
        return _core.where(_core.isnan(part), _as(nan, part), finite)

    if is_complex(array.dtype):
        result = _complex(without(array.real), without(array.imag))
    else:
        result = without(array)
    if result.shape != array.shape:
        raise ValueError(f"nan_to_num: what stands for NaN and infinities has not the array's shape {array.shape}")
    if copy:
        return result
    array[...] = result
    return array


def _as(value, like):
    """A number or array in the dtype of `like`; a float adapts."""
    if type(value) is float:
        return value
    value = _core.asarray(value, device=like.device)
    if is_complex(value.dtype):
        raise TypeError(
            f"nan_to_num: what stands for NaN and infinities is real, as parts of numbers are, not {value.dtype}"
        )
    return value.astype(like.dtype)


def _complex(real, imaginary):
    """A complex array of its parts, each bit of which stays."""
    pair = _core.stack([real, imaginary], -1)
    return _core.reshape(pair.view("complex64" if pair.dtype == np.float32 else "complex128"), pair.shape[:-1])


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False) -> Array:
    """Whether `|a - b| <= atol + rtol * |b|`, element by element; infinities are close to themselves alone.

    `a`, `b`: arrays or numbers whose shapes broadcast. A bool array.

    >>> ks.isclose(ks.array([1.0, ks.nan]), ks.array([1.0 + 1e-9, ks.nan]))
    array([ True, False])
    """
    numbers = (int, float, complex)  # which take the other's dtype
    a, b = (float(x) if type(x) is int else x for x in (a, b))  # no integer's range is in the way
    if type(a) in numbers and type(b) in numbers:
        a, b = together(a, b)
    else:
        first = next((x for x in (a, b) if isinstance(x, Array)), None)
        a, b = (x if type(x) in numbers else given(x, first) for x in (a, b))
    if type(b) not in numbers and not is_inexact(b.dtype):
        b = b.astype("float64")
    near = abs(a - b) <= atol + rtol * abs(b)
    result = (near & _core.isfinite(b)) | (a == b)
    return result | (_core.isnan(a) & _core.isnan(b)) if equal_nan else result


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Whether isclose() holds for all elements, as a bool.

    >>> ks.allclose(ks.ones(3), 1.0)
    True
    """
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1, a2, equal_nan=False) -> bool:
    """Whether two arrays have one shape and the same elements, as a bool.

    >>> ks.array_equal([1, 2], ks.array([1, 2]))
    True
    """
    try:
        a, b = together(a1, a2)
    except Exception:
        return False
    if a.shape != b.shape:
        return False
    same = a == b
    if equal_nan:
        same = same | ((a != a) & (b != b))
    return bool(same.all())


def array_equiv(a1, a2) -> bool:
    """Whether two arrays have the same elements once they are stretched to one shape, as a bool.

    >>> ks.array_equiv([1, 1], ks.array([[1, 1], [1, 1]]))
    True
    """
    try:
        a, b = together(a1, a2)
        return bool((a == b).all())
    except Exception:
        return False


def _in_outputs(results, positional, named, casting="same_kind", where=True):
    """The results, each in its output where one is given, by position or as `out=`."""
    if positional[0] is positional[1] is named[0] is named[1] is None and where is True:
        return results
    outputs = named if all(one is None for one in positional) else positional
    return tuple(stored(result, into, casting, where) for result, into in zip(results, outputs))


def _in_loop(name, inputs, dtype, casting):
    """The inputs in the dtypes that NumPy's ufunc computes in where a dtype, or a rule of casting, is asked for."""
    if dtype is None and casting == "same_kind":
        return inputs
    ufunc = getattr(np, name)
    of = [type(x) if type(x) in (int, float, complex) else given(x).dtype for x in inputs]
    asked = {} if dtype is None else {"signature": (*[None] * ufunc.nin, *[np.dtype(dtype)] * ufunc.nout)}
    resolved = ufunc.resolve_dtypes((*of, *[None] * ufunc.nout), casting=casting, **asked)
    return [x.astype(wanted) for x, wanted in zip(together(*inputs), resolved)]


def divmod(
    x1, x2, out1=None, out2=None, /, *, out=(None, None), dtype=None, casting="same_kind", where=True
) -> tuple[Array, ...]:
    """A pair of arrays: the quotient rounded down, as floor_divide() gives it, and the remainder with the sign of x2; or the
    outputs with these elements. Raises TypeError for complex numbers, ValueError for shapes that do not broadcast.

    >>> ks.divmod(ks.array([7, -7]), 3)
    (array([ 2, -3]), array([1, 2]))
    """
    x1, x2 = _in_loop("divmod", (x1, x2), dtype, casting)
    return _in_outputs((_core.floor_divide(x1, x2), _core.remainder(x1, x2)), (out1, out2), out, casting, where)


def modf(
    x, out1=None, out2=None, /, *, out=(None, None), dtype=None, casting="same_kind", where=True
) -> tuple[Array, ...]:
    """The parts behind and before the point, both with the sign of the element; integers become floats. Or the outputs with
    these elements.

    >>> ks.modf(ks.array([1.5, -1.5]))
    (array([ 0.5, -0.5]), array([ 1., -1.]))
    """
    (x,) = _in_loop("modf", (x,), dtype, casting)
    x = floating_as_ufunc(_only_real(x, "modf"))
    return _in_outputs((_core._fraction(x), _core.trunc(x)), (out1, out2), out, casting, where)


def frexp(
    x, out1=None, out2=None, /, *, out=(None, None), dtype=None, casting="same_kind", where=True
) -> tuple[Array, ...]:
    """A pair of arrays: mantissas whose magnitude is in [0.5, 1), and exponents (int32); x is `mantissa * 2**exponent`. Or the
    outputs with these elements.

    0, infinities and NaN are their own mantissas. Raises TypeError for complex numbers.

    >>> ks.frexp(ks.array([8.0]))
    (array([0.5]), array([4], dtype=int32))
    """
    (x,) = _in_loop("frexp", (x,), dtype, casting)
    x = floating_as_ufunc(_only_real(x, "frexp"))
    return _in_outputs((_core._mantissa(x), _core._exponent(x)), (out1, out2), out, casting, where)


def ldexp(x1, x2, /, out=None, *, dtype=None, casting="same_kind", where=True) -> Array:
    """The product `x1 * 2**x2`, rounded once, or `out` with it. `x2` are integers, else it raises TypeError.

    >>> ks.ldexp(ks.array([0.5]), 4)
    array([8.])
    """
    x1, x2 = _in_loop("ldexp", (x1, x2), dtype, casting)
    x, n = together(x1, x2)
    if is_inexact(n.dtype):
        raise TypeError(f"ldexp: exponents are integers, not {n.dtype}")
    x = floating_as_ufunc(x)
    if x.itemsize == 2:
        return stored(ldexp(x.astype("float32"), n).astype(x.dtype), out, casting, where)
    # Up to the range of normal numbers nothing is rounded, and the last factor rounds once.
    mantissa, exponent = frexp(x)
    limits = np.finfo(x.dtype)
    total = _core.clip(n, -10000, 10000).astype("int32") + exponent
    low, high = int(limits.minexp) + 1, int(limits.maxexp)
    first = _core.clip(total, low, high)
    rest = _core.clip(total - first, -200, 200)

    def power(k):
        return _core.exp2(k.astype(x.dtype))

    half = first // 2
    scaled = mantissa * power(half) * power(first - half) * power(rest)
    return stored(_core.where(_core.isfinite(x) & (x != 0), scaled, x), out, casting, where)


def sinc(x) -> Array:
    """The normalised sine `sin(pi x) / (pi x)`, and 1 at 0. Integers become float64.

    >>> ks.sinc(ks.array([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    y = _core.multiply(floating(x), np.pi)
    y = _core.where(y == 0, _as(1e-20 if y.dtype != np.float16 else 6e-8, y), y)
    return _core.sin(y) / y


# Chebyshev coefficients of the modified Bessel function, after Cephes: of exp(-x) I0(x) in [0, 8], and of
# exp(-x) sqrt(x) I0(x) beyond.
_i0_near = [
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14, -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7, 1.11738753912010371815e-6,
    -4.41673835845875056359e-6, 1.64484480707288970893e-5, -5.75419501008210370398e-5, 1.88502885095841655729e-4,
    -5.76375574538582365885e-4, 1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2, 1.71620901522208775349e-1,
    -3.04682672343198398683e-1, 6.76795274409476084995e-1,
]  # fmt: skip
_i0_far = [
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17, 3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16, 1.77256013305652638360e-15, 3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11, 4.94060238822496958910e-10, 3.39623202570838634515e-9, 2.26666899049817806459e-8,
    2.04891858946906374183e-7, 2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
]  # fmt: skip


def _chebyshev(x, coefficients):
    b0, b1, b2 = coefficients[0], 0.0, 0.0
    for coefficient in coefficients[1:]:
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + coefficient
    return (b0 - b2) * 0.5


def i0(x) -> Array:
    """The modified Bessel function of the first kind and order 0, computed in float64. Raises TypeError for complex numbers.

    >>> ks.i0(ks.array([0.0, 1.0]))
    array([1.        , 1.26606588])
    """
    x = _only_real(x, "i0")
    dtype = x.dtype if is_inexact(x.dtype) else "float64"
    x = abs(x.astype("float64"))
    far = _core.maximum(x, 8.0)
    near = _core.minimum(x, 8.0)
    value = _core.where(
        x <= 8.0, _chebyshev(near / 2 - 2, _i0_near), _chebyshev(32.0 / far - 2, _i0_far) / _core.sqrt(far)
    )
    return (_core.exp(x) * value).astype(dtype)


def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi) -> Array:
    """An array without jumps of more than half a period along an axis: whole periods are added. Angles are in radians
    unless `period` says else.

    >>> ks.unwrap(ks.array([0.0, 6.0]))
    array([ 0.        , -0.28318531])
    """
    x = given(p)
    steps = _core.diff(x, axis=axis)
    if isinstance(period, int) and not is_inexact(steps.dtype):
        half, odd = builtins.divmod(period, 2)
    else:
        steps, half, odd = floating(steps), period / 2, 0
    folded = _core.remainder(steps + half, period) - half
    if not odd:
        folded = _core.where((folded == -half) & (steps > 0), _as(half, folded), folded)
    bound = period / 2 if discont is None else discont
    correction = _core.where(abs(steps) < bound, _as(0, folded), folded - steps)
    total = _core.cumsum(correction, axis=axis)
    axis = axis_of(axis, x.ndim)
    before = (slice(None),) * axis
    first, later = x[(*before, slice(0, 1))], x[(*before, slice(1, None))]
    return _core.concatenate([first.astype(total.dtype), later + total], axis)
