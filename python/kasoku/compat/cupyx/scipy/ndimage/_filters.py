"""Filters, as reductions of windows over an array that is padded.

Windows are views, and sums of them are computed in float64, as SciPy's; results have the dtype of what is filtered."""

import functools as _functools
import inspect as _inspect
import operator as _operator
import re as _re
import warnings as _warnings

import numpy as _np

import kasoku as _ks
from kasoku._namespace.given import axis_of as _axis

from ....cupy._arrays import asarray as _asarray
from ...._face.kernels import kernel as _kernel
from ...._face.table import bound as _bound, plain as _plain


# What stands beyond the ends, by SciPy's names and numpy.pad's.
_ends = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap",
    "constant": "constant", "grid-constant": "constant",
}  # fmt: skip


def _for_axes(value, axes, name, kind=_operator.index):
    """A number for each axis, of one or as many."""
    values = [value] * axes if _ks.isscalar(value) or value is None else list(value)
    if len(values) != axes:
        raise RuntimeError(f"{name} must have as many elements as there are axes: {axes}")
    return [None if v is None else kind(v) for v in values]


# What is given for each axis, as it is for one that a filter leaves out; and what has as many axes as there are.
_left_out = {
    "size": 1,
    "sigma": 0,
    "order": 0,
    "radius": 0,
    "mode": "reflect",
    **dict.fromkeys(("origin", "origin1", "origin2"), 0),
}
_boxes = ("footprint", "structure", "structure1", "structure2", "weights")


def _of_some_axes(function, structure=None):
    """The filter with `axes=` behind its arguments: what is given for axes is for those, and windows have one element along the others.
    `structure`: the default of a rank."""
    shown = _inspect.signature(function)
    names = [name for name, p in shown.parameters.items() if p.kind == p.POSITIONAL_OR_KEYWORD]

    def call(*args, axes=None, **kwargs):
        if len(args) == len(names) + 1:
            *args, axes = args
        if axes is None:
            return function(*args, **kwargs)
        given = shown.bind(*args, **kwargs)
        given.apply_defaults()
        rank = _np.ndim(given.arguments["input"])
        axes = [_axis(axis, rank) for axis in ([axes] if _np.isscalar(axes) else axes)]
        if len(set(axes)) < len(axes):
            raise ValueError("axes must be unique")
        for name, value in given.arguments.items():
            if name in _boxes:
                value = structure(len(axes)) if value is None and structure and name != "structure2" else value
                given.arguments[name] = value if value is None else _within(value, axes, rank, name)
            elif name in _left_out and value is not None:
                all_axes = [_left_out[name]] * rank
                for axis, one in zip(axes, _for_axes(value, len(axes), name, lambda one: one)):
                    all_axes[axis] = one
                given.arguments[name] = all_axes
        return function(*given.args, **given.kwargs)

    parameters = [*shown.parameters.values(), _inspect.Parameter("axes", _inspect.Parameter.KEYWORD_ONLY, default=None)]
    _functools.update_wrapper(call, function)
    call.__signature__ = shown.replace(parameters=parameters)
    return call


def _within(box, axes, rank, name):
    """A box over some axes as one over all, with one place along the others."""
    box = box if isinstance(box, _ks.Array) else _np.asarray(box)
    if box.ndim != len(axes):
        raise RuntimeError(f"{name} has {box.ndim} axes, and axes= names {len(axes)}")
    return (
        _np.expand_dims(box, [k for k in range(rank) if k not in axes])
        if isinstance(box, _np.ndarray)
        else (_ks.expand_dims(box, tuple(k for k in range(rank) if k not in axes)))
    )


def _padded(a, size, axes, mode, cval, origin):
    """With what stands beyond the ends, as much as windows around each element have."""
    for axis, length, end, off in zip(axes, size, _for_axes(mode, len(axes), "mode", str), origin):
        if end not in _ends:
            raise RuntimeError("boundary mode not supported")
        if not -(length // 2) <= off <= (length - 1) // 2:
            raise ValueError("invalid origin")
        widths = [(0, 0)] * a.ndim
        widths[axis] = (length // 2 + off, length - 1 - length // 2 - off)
        if a.size:
            fill = {"constant_values": cval} if _ends[end] == "constant" else {}
            a = _ks.pad(a, widths, _ends[end], **fill)
    return a


def _windows(a, size, axes, mode, cval, origin):
    """Windows around each element, as new last axes."""
    padded = _padded(a, size, axes, mode, cval, origin)
    if not a.size:
        return _ks.empty((*a.shape, *size), a.dtype, a.device)
    return _ks.lib.stride_tricks.sliding_window_view(padded, size, axes)


def _given(a):
    a = _asarray(a)
    return a.astype("uint8") if a.dtype == bool else a


def _kind(given, output):
    """The dtype of a result: of what was given, or of an output, which is a dtype or an array."""
    if output is None or isinstance(output, _ks.Array):
        return _asarray(given if output is None else output).dtype
    return _ks.dtype(output)


def _result(result, given, output):
    """The result in the dtype of what was given, or in an output of that dtype, or that is an array."""
    kind = _kind(given, output)
    if result.dtype.kind == "c" != kind.kind:
        if isinstance(output, _ks.Array):
            raise RuntimeError("output must have complex dtype")
        if output is not None:
            _warnings.warn("promoting specified output dtype to complex", stacklevel=3)
        kind = _ks.promote_types(kind, "complex64")
    if kind.kind == "u" and result.dtype.kind == "f":  # negative numbers wrap around
        result = result.astype("int64")
    if isinstance(output, _ks.Array):
        output[...] = result.astype(kind, copy=False)
        return output
    return result.astype(kind, copy=False)


_wide = lambda a: a if a.dtype.kind == "c" else a.astype("float64", copy=False)


def _correlated(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, turned):
    a, weights = _given(input), _wide(_asarray(weights))
    if a.ndim != sum(n > 0 for n in weights.shape):
        raise RuntimeError("filter weights array has incorrect shape.")
    if not weights.size:
        return _result(_ks.zeros_like(a), input, output)
    origin = _for_axes(origin, a.ndim, "origin")
    if turned:
        weights, origin = _ks.flip(weights), _turned(origin, weights.shape)
    else:
        weights = _ks.conjugate(weights)
    seen = _windows(_wide(a), weights.shape, range(a.ndim), mode, cval, origin)
    return _result((seen * weights).sum(axis=tuple(range(-a.ndim, 0))), input, output)


# The origins of a window in the opposite order.
_turned = lambda origin, lengths: [-off - (n % 2 == 0) for off, n in zip(origin, lengths)]


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of elements around each along an axis, times weights."""
    a, weights = _given(input), _ks.conjugate(_wide(_asarray(weights)))
    if weights.ndim != 1 or not weights.size:
        raise RuntimeError("no filter weights given")
    seen = _windows(_wide(a), weights.shape, [_axis(axis, a.ndim)], mode, cval, [origin])
    if weights.size > 64:
        return _result((seen * weights).sum(axis=-1), input, output)
    # Rows of memory times numbers, faster than sums of short windows.
    return _result(
        _functools.reduce(_operator.add, (seen[..., k] * weights[k] for k in range(weights.size))), input, output
    )


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of elements around each along an axis, times weights in the opposite order."""
    weights = _ks.conjugate(_ks.flip(_asarray(weights)))
    return correlate1d(input, weights, axis, output, mode, cval, -origin - (weights.size % 2 == 0))


def _along_axes(input, output, of, first=0, **each):
    """One filter after the other, of an axis each and of its own of what is given for all axes; the values between are of the
    result's dtype."""
    a, kind = _given(input), _kind(input, output)
    each = {name: _for_axes(value, a.ndim, name, {"mode": str, "sigma": float}.get(name, _operator.index)) for name, value in each.items()}  # fmt: skip
    filtered = lambda x, k: of(x, k, kind, **{name: values[k] for name, values in each.items()})
    return _result(_functools.reduce(filtered, sorted(range(a.ndim), key=lambda k: k != first), a), input, output)


def _gaussian_weights(sigma, order, radius):
    """The values of a bell, or of a derivative of it, in the opposite order, as a NumPy array of few numbers."""
    if order < 0:
        raise ValueError("order must be non-negative")
    x = _np.arange(-radius, radius + 1)
    bell = _np.exp(-0.5 / sigma**2 * x**2)
    # f' = (p' - p x / sigma^2) exp(-x^2 / 2 sigma^2), so that polynomials alone are derived.
    p = _np.polynomial.Polynomial([1.0])
    for _ in range(order):
        p = p.deriv() - p * _np.polynomial.Polynomial([0, 1 / sigma**2])
    return (p(x) * bell / bell.sum())[::-1]


def _gaussian1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):
    a = _given(input)
    radius = int(truncate * float(sigma) + 0.5) if radius is None else _operator.index(radius)
    weights = _ks.asarray(_gaussian_weights(float(sigma), order, radius), device=a.device)
    return correlate1d(input, weights, axis, output, mode, cval, 0)


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, radius=None):
    """A convolution with a bell of the width sigma, or with derivatives of it."""
    return _along_axes(input, output, lambda x, k, kind, sigma, order, mode, radius: _gaussian1d(
        x, sigma, k, order, kind, mode, cval, truncate, radius=radius) if sigma > 1e-15 else x,
        sigma=sigma, order=order, mode=mode, radius=radius)  # fmt: skip


def _gradient(input, axis=-1, output=None, mode="reflect", cval=0.0, *, weights_across):
    axis = _axis(axis, _asarray(input).ndim)
    return _along_axes(input, output, lambda x, k, kind, mode: correlate1d(
        x, [-1, 0, 1] if k == axis else weights_across, k, kind, mode, cval), axis, mode=mode)  # fmt: skip


def _along_each(input, of, output, mode, cval, extra_arguments=(), extra_keywords=None, *, joined=sum, axes=None):
    """What joined() makes of what of(input, axis, output, mode, cval, …) gives along each axis, or each of some."""
    a = _given(input)
    axes = range(a.ndim) if axes is None else [_axis(axis, a.ndim) for axis in ([axes] if _np.isscalar(axes) else axes)]
    parts = [
        of(a, k, _kind(input, output), m, cval, *extra_arguments, **(extra_keywords or {}))
        for k, m in zip(axes, _for_axes(mode, len(axes), "mode", str))
    ]
    return _result(joined(parts) if parts else a, input, output)


_length = lambda parts: _ks.sqrt(sum(part * part for part in parts))


def _footprint(a, size, footprint, structure=None):
    """Which places of a window count, as a NumPy array of bools."""
    if structure is not None and footprint is None:
        footprint = _np.ones(_np.shape(structure), bool)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        return _np.ones(_for_axes(size, a.ndim, "size"), bool)
    footprint = _np.asarray(footprint.numpy() if isinstance(footprint, _ks.Array) else footprint, bool)
    if sum(n > 0 for n in footprint.shape) != a.ndim:
        raise RuntimeError("footprint array has incorrect shape.")
    if not footprint.any():
        raise ValueError("All-zero footprint is not supported.")
    return footprint


def _of_places(a, footprint, mode, cval, origin):
    """The elements of windows that count, as a new last axis."""
    if a.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    seen = _windows(a, footprint.shape, range(a.ndim), mode, cval, _for_axes(origin, a.ndim, "origin"))
    seen = seen.reshape(*a.shape, footprint.size)
    return seen if footprint.all() else seen[..., footprint.ravel().nonzero()[0].tolist()]


def _holding(a, mode, cval):
    """The elements in a dtype that holds what stands beyond the ends too: SciPy compares them as floats, and sorts in the dtype."""
    is_beyond = a.dtype.kind in "iu" and not _ks.iinfo(a.dtype).min <= cval <= _ks.iinfo(a.dtype).max
    return _wide(a) if is_beyond and "constant" in mode else a


def _extreme(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, name):
    a = _holding(_given(input), mode, cval)
    footprint = _footprint(a, size, footprint)
    if not footprint.all() or a.dtype.kind == "c":
        return _result(getattr(_of_places(a, footprint, mode, cval, origin), name)(axis=-1), input, output)
    seen = _windows(a, footprint.shape, range(a.ndim), mode, cval, _for_axes(origin, a.ndim, "origin"))
    return _result(getattr(seen, name)(axis=tuple(range(-a.ndim, 0))), input, output)


def _along_one(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0, *, of):
    """What is made of the windows of so many elements along an axis."""
    a = _holding(_given(input), mode, cval)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    return _result(of(_windows(a, [size], [_axis(axis, a.ndim)], mode, cval, [origin])), input, output)


def _ranked(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, rank_of):
    a = _given(input)
    footprint = _footprint(a, size, footprint)
    count = int(footprint.sum())
    rank = rank_of(count)
    rank += count if rank < 0 else 0
    if not 0 <= rank < count:
        raise RuntimeError("rank not within filter footprint size")
    chosen = _ks.sort(_of_places(a, footprint, mode, cval, origin), -1)[..., rank]
    return _result(chosen.copy(), input, output)  # a view would hold all windows


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    """The element below which so many per cent of those around each are."""
    share = percentile + 100 if percentile < 0 else percentile
    if not 0 <= share <= 100:
        raise RuntimeError("invalid percentile")
    rank_of = lambda n: n - 1 if share == 100 else int(n * share / 100)
    return _ranked(input, size, footprint, output, mode, cval, origin, rank_of=rank_of)


@_functools.cache
def _calling(function, parameters, call):
    """The kernel that calls a raw kernel's function for each of its own elements."""
    text = _re.sub(r'extern\s*"C"|__launch_bounds__\s*\([^)]*\)', "", function.code).replace("__global__", "__device__")
    return _kernel(parameters, "raw float64 made", f"{function.name}({call});", "calling", text)


@_functools.cache
def _reducing(function):
    """The kernel that reduces a row with each of its own elements, by a reduction's texts."""
    (given,), (result,) = function.in_params, function.out_params
    x, y = given.name, result.name
    named = "".join(f"typedef double {one};" for one in sorted({given.ctype, result.ctype}) if len(one) == 1)
    text = f"""
      {named}
      const double *const _raw_{x} = &elements[i * count];
      struct {{ long long n; __device__ long long size() const {{ return n; }} }} _in_ind{{count}};
      {function.reduce_type or "double"} a = {function.identity};
      for (long long k = 0; k < count; k++) {{
        const double {x} = _raw_{x}[k];
        const {function.reduce_type or "double"} b = {function.map_expr};
        a = {function.reduce_expr};
      }}
      double &{y} = made[i];
      {function.post_map_expr};"""
    return _kernel("raw float64 elements, int64 count", "raw float64 made", text, "reducing", function.preamble)


def generic_filter(input, function, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    """What a function makes of the elements around each: a ReductionKernel with an identity, or a RawKernel of
    `(double *elements, int count, double *result)`."""
    a = _given(input)
    seen = _ks.ascontiguousarray(_wide(_of_places(a, _footprint(a, size, footprint), mode, cval, origin)))
    made, count = _ks.empty(a.shape, "float64", device=a.device), seen.shape[-1]
    if isinstance(function, _ks.RawKernel):
        kernel = _calling(function, "raw float64 elements, int64 count", "&elements[i * count], count, &made[i]")
    elif isinstance(function, _ks.ReductionKernel) and function.identity is not None:
        kernel = _reducing(function)
    else:
        raise TypeError("function is a RawKernel, or a ReductionKernel with an identity")
    if a.size:
        kernel(seen, count, made, size=a.size)
    return _result(made, input, output)


def generic_filter1d(input, function, filter_size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """What a function makes of lines with what stands beyond their ends: a RawKernel of
    `(double *line, ptrdiff_t length, double *result, ptrdiff_t length)`."""
    a = _given(input)
    if a.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    if not isinstance(function, _ks.RawKernel):
        raise TypeError("function is a RawKernel")
    lines = _padded(_wide(a), [_operator.index(filter_size)], [_axis(axis, a.ndim)], mode, cval, [origin])
    lines = _ks.ascontiguousarray(_ks.moveaxis(lines, axis, -1))
    made = _ks.empty((*lines.shape[:-1], a.shape[axis]), "float64", device=a.device)
    if a.size:
        kernel = _calling(function, "raw float64 elements, int64 n, int64 m", "&elements[i * n], n, &made[i * m], m")
        kernel(lines, lines.shape[-1], made.shape[-1], made, size=a.size // made.shape[-1])
    return _result(_ks.ascontiguousarray(_ks.moveaxis(made, -1, axis)), input, output)


_functions = _plain(globals(), {
    "correlate": (_bound(_correlated, turned=False), "Sums of elements around each, times weights."),
    "convolve": (_bound(_correlated, turned=True), "Sums of elements around each, times weights in the opposite order."),
    "maximum_filter": (_bound(_extreme, name="max"), "The greatest of the elements around each."),
    "maximum_filter1d": (_bound(_along_one, of=lambda seen: seen.max(axis=-1)), "The greatest of the elements around each along an axis."),
    "minimum_filter": (_bound(_extreme, name="min"), "The least of the elements around each."),
    "minimum_filter1d": (_bound(_along_one, of=lambda seen: seen.min(axis=-1)), "The least of the elements around each along an axis."),
    "uniform_filter1d": (_bound(_along_one, of=lambda seen: _wide(seen).sum(axis=-1) / seen.shape[-1]),
        "Means of so many elements around each along an axis."),
    "uniform_filter": (lambda input, size=3, output=None, mode="reflect", cval=0.0, origin=0: _along_axes(
        input, output, lambda x, k, kind, size, mode, origin: (
            x if size <= 1 else _functions.uniform_filter1d(x, size, k, kind, mode, cval, origin)),
        size=size, mode=mode, origin=origin), "Means of boxes of elements around each."),
    "gaussian_filter1d": (_gaussian1d, "A convolution along an axis with a bell of the width sigma, or with a derivative of it."),
    "rank_filter": (lambda input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0: _ranked(
        input, size, footprint, output, mode, cval, origin, rank_of=lambda n: _operator.index(rank)),
        "The element at a place of the sorted ones around each; from the end where it is negative."),
    "median_filter": (_bound(_ranked, rank_of=lambda n: n // 2), "The element in the middle of the sorted ones around each."),
    "generic_laplace": (lambda input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None: (
        _along_each(input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes=axes)),
        "The sum of second derivatives along the axes: derivative2(input, axis, output, mode, cval, …)."),
    "generic_gradient_magnitude": (
        lambda input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None: (
            _along_each(input, derivative, output, mode, cval, extra_arguments, extra_keywords, joined=_length, axes=axes)),
        "The length of the gradient, whose parts are derivative(input, axis, output, mode, cval, …)."),
    "laplace": (lambda input, output=None, mode="reflect", cval=0.0, *, axes=None: _along_each(
        input, lambda a, k, out, m, c: correlate1d(a, [1, -2, 1], k, out, m, c), output, mode, cval, axes=axes),
        "The sum of second differences along the axes."),
    "gaussian_laplace": (lambda input, sigma, output=None, mode="reflect", cval=0.0, **kwargs: _along_each(
        input, lambda a, axis, out, m, c: gaussian_filter(a, sigma, [2 * (k == axis) for k in range(a.ndim)], out, m, c, **kwargs),
        output, mode, cval), "The sum of second derivatives of a bell along the axes."),
    "gaussian_gradient_magnitude": (lambda input, sigma, output=None, mode="reflect", cval=0.0, **kwargs: _along_each(
        input, lambda a, axis, out, m, c: gaussian_filter(a, sigma, [k == axis for k in range(a.ndim)], out, m, c, **kwargs),
        output, mode, cval, joined=_length), "The length of the gradient by derivatives of a bell."),
    "prewitt": (_bound(_gradient, weights_across=[1, 1, 1]), "Differences of neighbours along an axis, added up across."),
    "sobel": (_bound(_gradient, weights_across=[1, 2, 1]), "Differences of neighbours along an axis, added up across with the weights 1, 2, 1."),
})  # fmt: skip

for _name in (
    "correlate convolve gaussian_filter generic_filter maximum_filter median_filter minimum_filter percentile_filter rank_filter uniform_filter"
).split():
    globals()[_name] = _of_some_axes(globals()[_name])
