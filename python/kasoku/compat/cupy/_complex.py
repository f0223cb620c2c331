"""What CuPy has of complex numbers in order, the real part first, and ks refuses: comparisons, extremes and their places."""

import numpy as np

import kasoku as ks


def _parts(x):
    return ks.real(x), ks.imag(x)


def _both(x, y):
    """Two arrays where the first one of them lies; a number has the array's dtype."""
    like = x if isinstance(x, ks.Array) else y
    return [v if isinstance(v, ks.Array) else ks.asarray(v, like.dtype if np.isscalar(v) else None, like.device)
            for v in (x, y)]  # fmt: skip


def _compared(by_real, by_imaginary):
    def compare(x, y):
        (a, b), (c, d) = map(_parts, _both(x, y))
        return by_real(a, c) | (a == c) & by_imaginary(b, d)

    return compare


def _better(is_better, is_nan_kept):
    """The better of two; of a NaN and a number the NaN, or the number."""

    def choose(x, y):
        x, y = _both(x, y)
        first, second = (x, y) if is_nan_kept else (y, x)
        chosen = ks.where(is_better(x, y), x, y)
        return ks.where(ks.isnan(x), first, ks.where(ks.isnan(y), second, chosen))

    return choose


def _extreme(name, worst):
    """The best real part, of those the best imaginary one; NaN where there is one. Also which elements have both."""

    def found(a, axis):
        real, imag = _parts(a)
        of = {"axis": axis, "keepdims": True}
        best = getattr(ks, name)(real, **of)
        second = getattr(ks, name)(ks.where(real == best, imag, worst), **of)
        is_nan = ks.isnan(a)
        has_nan = ks.any(is_nan, **of)
        return ks.where(has_nan, is_nan, (real == best) & (imag == second))

    def extreme(a, axis=None, keepdims=False, **more):
        where = found(a, axis)
        if axis is None:
            value = ks.ravel(a)[ks.argmax(ks.ravel(where))]
            return value.reshape((1,) * a.ndim) if keepdims else value
        axes = axis if isinstance(axis, tuple) else (axis,)
        if len(axes) > 1:
            rest = [k for k in range(a.ndim) if k not in {x % a.ndim for x in axes}]
            shape = [1 if k not in rest else a.shape[k] for k in range(a.ndim)]
            flat = ks.transpose(a, (*rest, *(x % a.ndim for x in axes))).reshape(*(a.shape[k] for k in rest), -1)
            value = extreme(flat, -1)
            return value.reshape(shape) if keepdims else value
        value = ks.take_along_axis(a, ks.argmax(where, axis=axes[0], keepdims=True), axes[0])
        return value if keepdims else ks.squeeze(value, axes[0])

    def place(a, axis=None, keepdims=False, **more):
        return ks.argmax(found(a, axis), axis=axis, keepdims=keepdims)

    return {name: extreme, "a" + name: extreme, "arg" + name: place}


less, greater = _compared(ks.less, ks.less), _compared(ks.greater, ks.greater)
less_equal, greater_equal = _compared(ks.less, ks.less_equal), _compared(ks.greater, ks.greater_equal)
elementwise = {
    "less": less, "greater": greater, "less_equal": less_equal, "greater_equal": greater_equal,
    "maximum": _better(greater_equal, True), "minimum": _better(less_equal, True),
    "fmax": _better(greater_equal, False), "fmin": _better(less_equal, False),
    "exp2": lambda x: ks.exp(x * 0.6931471805599453), "rint": lambda x: ks.round(x),
}  # fmt: skip
reductions = {**_extreme("max", -float("inf")), **_extreme("min", float("inf"))}
