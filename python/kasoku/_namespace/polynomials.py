"""Polynomials as rows of coefficients, of which the first belongs to the highest power."""

from typing import Any

import numpy as np

from .. import _core
from .given import Array, floating, given, is_complex, is_inexact, together
from .grids import vander
from .joining import atleast_1d, trim_zeros


def polyval(p, x) -> Array:
    """The values of a polynomial at the elements of `x`, by Horner's rule; fused. Coefficients of several axes are rows of them,
    each of which stretches with `x`.

    >>> ks.polyval([1, 0, -1], ks.array([1, 2, 3]))
    array([0, 3, 8])
    """
    p = given(p, x)
    if p.ndim == 0:
        raise TypeError("the coefficients of a polynomial are a row, not a number")
    if isinstance(x, poly1d):
        return type(x)(p)(x)
    x = given(x, p)
    value = _core.zeros(x.shape, dtype=_core.result_type(x, p), device=x.device)
    for i in range(p.shape[0]):
        value = value * x + p[i]
    return value


def polyadd(a1, a2) -> Array:
    """The sum of two polynomials.

    >>> ks.polyadd([1, 2], [9, 5, 4])
    array([9, 6, 6])
    """
    return _summed(a1, a2, _core.add)


def polysub(a1, a2) -> Array:
    """The difference of two polynomials.

    >>> ks.polysub([2, 10, -2], [3, 10, -4])
    array([-1,  0,  2])
    """
    return _summed(a1, a2, _core.subtract)


def _summed(a1, a2, join):
    a, b = _rows(a1, a2)
    n = max(a.size, b.size)
    return _as_given(join(_core.pad(a, (n - a.size, 0)), _core.pad(b, (n - b.size, 0))), a1, a2)


def _rows(a1, a2):
    """The coefficients of two polynomials, as rows."""
    a, b = (atleast_1d(x) for x in together(*(x.coeffs if isinstance(x, poly1d) else x for x in (a1, a2))))
    if max(a.ndim, b.ndim) > 1:
        raise ValueError("the coefficients of a polynomial are a row")
    return a, b


def _as_given(result, *polynomials):
    """A poly1d if one of those that it was computed of is one."""
    kinds = [type(p) if isinstance(p, poly1d) else poly1d for p in polynomials if isinstance(p, (poly1d, np.poly1d))]
    return kinds[0](result) if kinds else result


def polymul(a1, a2) -> Array:
    """The product of two polynomials.

    >>> ks.polymul([1, 2], [1, 3])
    array([1, 5, 6])
    """
    a, b = (trim_zeros(x, "f") if x.size > 1 else x for x in _rows(a1, a2))
    a, b = (x if x.size else _core.zeros(1, dtype=x.dtype, device=x.device) for x in (a, b))
    return _as_given(_core.convolve(a, b), a1, a2)


def polydiv(u, v) -> tuple[Array, ...]:
    """A pair of rows: quotient and remainder of two polynomials, as floats. Coefficients start with the highest power.

    >>> ks.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])
    (array([1.5 , 1.75]), array([0.25]))
    """
    u, v = (atleast_1d(x) for x in together(u, v))
    dtype = _core.result_type(u, v, *([] if is_inexact(u.dtype) or is_inexact(v.dtype) else ["float64"]))
    u, v = u.astype(dtype), v.astype(dtype)
    m, n = u.size - 1, v.size - 1
    quotient = []
    for k in range(m - n + 1):
        d = u[k : k + 1] / v[0]
        quotient.append(d)
        u = _core.concatenate([u[:k], u[k : k + n + 1] - d * v, u[k + n + 1 :]])
    q = _core.concatenate(quotient) if quotient else _core.zeros(1, dtype=dtype, device=u.device)
    while u.size > 1 and allclose_to_0(u[0]):
        u = u[1:]
    return q, u


def allclose_to_0(x):
    """Whether NumPy takes a leading coefficient for 0."""
    return abs(complex(x.item())) <= 1e-14


def polyder(p, m=1) -> Array:
    """The m-th derivative of a polynomial.

    >>> ks.polyder([1, 1, 1, 1])
    array([3, 2, 1])
    """
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = given(p)
    for _ in range(m):
        p = p[:-1] * _core.arange(p.size - 1, 0, -1, device=p.device)
    return p


def polyint(p, m=1, k=None) -> Array:
    """The m-th integral of a polynomial, with the constants `k` (0 unless they are given).

    >>> ks.polyint([3.0, 2.0])
    array([1.5, 2. , 0. ])
    """
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = [0.0] if k is None else list(k) if np.ndim(k) else [k]
    if len(constants) == 1:
        constants *= m
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = given(p)
    for constant in constants[:m]:
        last = floating(given(constant, p))
        p = _core.concatenate([p / _core.arange(p.size, 0, -1, device=p.device), _core.reshape(last, (1,))])
    return p


def poly(seq_of_zeros) -> Array:
    """The polynomial with these roots, or the characteristic one of a square matrix; its first coefficient is 1.

    >>> ks.poly([1.0, 2.0])
    array([ 1., -3.,  2.])
    """
    zeros = atleast_1d(given(seq_of_zeros))
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0]:
        from ..linalg import eigvals

        zeros = eigvals(zeros)
    elif zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if zeros.size == 0:
        return _core.ones((), device=zeros.device)
    zeros = zeros if is_inexact(zeros.dtype) else zeros.astype("float64")
    p = _core.ones(1, dtype=zeros.dtype, device=zeros.device)
    for i in range(zeros.size):
        p = _core.concatenate([p, p[:1] * 0]) - _core.concatenate([p[:1] * 0, p * zeros[i]])
    if is_complex(p.dtype):
        positive, negative = zeros[zeros.imag > 0], zeros[zeros.imag < 0]
        if positive.size == negative.size:
            same = _core.sort(positive) == _core.sort(_core.conj(negative))
            if bool(same.all()):
                return p.real.copy()
    return p


def roots(p) -> Array:
    """The roots of a polynomial: eigenvalues of its companion matrix, real numbers where all are.

    Raises ValueError unless `p` is a row.

    >>> ks.roots([1.0, -3.0, 2.0])
    array([2., 1.])
    """
    p = atleast_1d(given(p))
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = _core.flatnonzero(p)
    if not places.size:
        return _core.empty(0, device=p.device)
    trailing = p.size - int(places[-1]) - 1
    p = p[int(places[0]) : int(places[-1]) + 1]
    p = p if is_inexact(p.dtype) else p.astype("float64")
    n = p.size
    found = _core.empty(0, device=p.device)
    if n > 1:
        from ..linalg import eigvals

        below = _core.diag(_core.ones(n - 2, dtype=p.dtype, device=p.device), -1)
        first = _core.reshape(-p[1:] / p[0], (1, n - 1))
        found = eigvals(_core.concatenate([first, below[1:]], 0))
        if not is_complex(p.dtype) and not bool(found.imag.any()):
            found = found.real.copy()
    return _core.concatenate([found, _core.zeros(trailing, dtype=found.dtype, device=p.device)])


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False) -> Any:
    """The polynomial of degree `deg` that is nearest to points, by least squares; `y` may have several columns.

    `w`: a weight of each point. With `full` also residuals, rank, singular values and rcond; with `cov` also the
    covariances of the coefficients.

    >>> ks.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).round(6)
    array([2., 1.])
    """
    from ..linalg import inv, lstsq

    x, y = (atleast_1d(v) for v in together(x, y))
    x, y = x + 0.0, y + 0.0
    deg = int(deg)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = x.size * float(np.finfo(x.dtype).eps)
    lhs, rhs = vander(x, deg + 1), y
    if w is not None:
        w = given(w, x) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        if w.dtype.kind == "c" and not lhs.dtype.kind == rhs.dtype.kind == "c":
            raise TypeError("complex weights need complex points")
        lhs = lhs * w[:, None]
        rhs = rhs * (w[:, None] if rhs.ndim == 2 else w)
    scale = _core.sqrt((lhs * lhs).sum(axis=0))
    lhs = lhs / scale
    c, residuals, rank, s = lstsq(lhs, rhs, rcond)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, s, rcond
    if int(rank) != deg + 1:
        import warnings

        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=2)
    if not cov:
        return c
    base = inv(_core.matmul(lhs.T, lhs)) / _core.outer(scale, scale)
    if isinstance(cov, str) and cov == "unscaled":
        factor = 1
    else:
        if x.size <= deg + 1:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (x.size - deg - 1)
    return c, (base * factor if y.ndim == 1 else base[:, :, None] * factor)


class poly1d:
    """A polynomial of one variable: NumPy's, with coefficients that lie where arrays lie.

    Parameters: `c_or_r`, coefficients of falling powers, or with `r=True` the roots; `variable`, its name in print.
    Attributes: `coeffs` (and `c`, `coef`, `coefficients`), `order` (and `o`), `roots` (and `r`), `variable`. It is called
    with points, or with a polynomial; `p[k]` is the coefficient of the power k. `+ - * / **` and `==` are those of
    polynomials, `/` gives quotient and remainder.

    >>> p = ks.poly1d([1, 0, -1])
    >>> p(3), p.order, (p * p).coeffs
    (array(8), 2, array([ 1,  0, -2,  0,  1]))
    """

    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None) -> None:
        if isinstance(c_or_r, (poly1d, np.poly1d)):
            variable = variable or c_or_r.variable
            c_or_r = c_or_r.coeffs
        c = atleast_1d(poly(c_or_r) if r else given(c_or_r))
        if c.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        c = trim_zeros(c, "f")
        self.coeffs = c if c.size else _core.zeros(1, dtype=c.dtype, device=c.device)
        self.variable = variable or "x"

    @property
    def order(self):
        """The highest power."""
        return self.coeffs.size - 1

    @property
    def roots(self):
        """Where the polynomial is 0."""
        return roots(self.coeffs)

    c = coef = coefficients = property(lambda self: self.coeffs, doc="The coefficients of falling powers.")
    o = order
    r = roots

    def __call__(self, val):
        if not isinstance(val, poly1d):
            return polyval(self.coeffs, val)
        result = type(self)(self.coeffs[:1])
        for k in range(1, self.order + 1):
            result = result * val + self.coeffs[k : k + 1]
        return result

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self.coeffs)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.coeffs.numpy(), dtype)

    def __getitem__(self, power):
        return self.coeffs[self.order - power] if 0 <= power <= self.order else 0

    def __setitem__(self, power, value):
        if power < 0:
            raise ValueError("Does not support negative powers.")
        if power > self.order:
            self.coeffs = _core.pad(self.coeffs, (power - self.order, 0))
        self.coeffs[self.order - power] = value

    def deriv(self, m=1):
        """The m-th derivative."""
        return type(self)(polyder(self.coeffs, m), variable=self.variable)

    def integ(self, m=1, k=0):
        """The m-th integral, with constants k."""
        return type(self)(polyint(self.coeffs, m, k), variable=self.variable)

    def __neg__(self):
        return type(self)(-self.coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return type(self)(polyadd(self.coeffs, _coefficients(other, self)))

    def __sub__(self, other):
        return type(self)(polysub(self.coeffs, _coefficients(other, self)))

    def __rsub__(self, other):
        return type(self)(polysub(_coefficients(other, self), self.coeffs))

    def __mul__(self, other):
        return type(self)(polymul(self.coeffs, _coefficients(other, self)))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other):
        quotient, rest = polydiv(self.coeffs, _coefficients(other, self))
        return type(self)(quotient), type(self)(rest)

    def __rtruediv__(self, other):
        return type(self)(other) / self

    def __pow__(self, n):
        if not np.isscalar(n) or n < 0 or int(n) != n:
            raise ValueError("Power to non-negative integers only.")
        result = type(self)([1])
        for _ in range(n):  # of a float NumPy says that it is no integer
            result = result * self
        return result

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self.coeffs.shape == other.coeffs.shape and bool((self.coeffs == other.coeffs).all())

    def __str__(self):
        return str(np.poly1d(self.coeffs.numpy(), variable=self.variable))

    def __repr__(self):
        return f"poly1d({repr(self.coeffs.numpy())[6:-1]})"  # what stands in "array(…)"


def _coefficients(x, like):
    """The coefficients of what meets the polynomial `like`; a number comes to where its own lie."""
    return x.coeffs if isinstance(x, poly1d) else atleast_1d(given(x, like.coeffs))
