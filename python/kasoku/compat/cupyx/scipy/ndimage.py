"""cupyx.scipy.ndimage: filters, morphology and measurements, as reductions of windows over an array that is padded.

Windows are views, and sums of them are computed in float64, as SciPy's; results have the dtype of what is filtered."""

import functools as _functools
import itertools as _itertools
import math as _math
import operator as _operator

import numpy as _np

import kasoku as _ks

from ...cupy._arrays import asarray as _asarray
from ...cupy._util import in_face as _in_face
from ..._face.compositions import paired as _paired
from ..._face.table import plain as _plain

_add = sum  # which is a name of this module

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


def _windows(a, size, axes, mode, cval, origin):
    """Windows around each element, as new last axes."""
    modes = [mode] * len(axes) if isinstance(mode, str) else list(mode)
    for axis, length, end, off in zip(axes, size, modes, origin):
        if end not in _ends:
            raise RuntimeError("boundary mode not supported")
        if not -(length // 2) <= off <= (length - 1) // 2:
            raise ValueError("invalid origin")
        widths = [(0, 0)] * a.ndim
        widths[axis] = (length // 2 + off, length - 1 - length // 2 - off)
        if not a.size:
            return _ks.empty((*a.shape, *size), a.dtype, a.device)
        fill = {"constant_values": cval} if _ends[end] == "constant" else {}
        a = _ks.pad(a, widths, _ends[end], **fill)
    return _ks.lib.stride_tricks.sliding_window_view(a, size, axes)


def _given(a):
    a = _asarray(a)
    return a.astype("uint8") if a.dtype == bool else a


def _result(result, given, output):
    """The result in the dtype of what was given, or in an output of that dtype, or that is an array."""
    kind = _asarray(given).dtype if output is None else getattr(output, "dtype", output)
    if _ks.dtype(kind).kind == "u" and result.dtype.kind == "f":  # negative numbers wrap around
        result = result.astype("int64")
    if isinstance(output, _ks.Array):
        output[...] = result.astype(output.dtype, copy=False)
        return output
    return result.astype(_asarray(given).dtype if output is None else output, copy=False)


def _wide(a):
    return a if a.dtype.kind == "c" else a.astype("float64", copy=False)


def _correlated(input, weights, output, mode, cval, origin, turned):
    a, weights = _given(input), _wide(_asarray(weights))
    if a.ndim != weights.ndim:
        raise RuntimeError("filter weights array has incorrect shape.")
    origin = _for_axes(origin, a.ndim, "origin")
    if turned:
        weights = _ks.flip(weights)
        origin = [-off - (n % 2 == 0) for off, n in zip(origin, weights.shape)]
    seen = _windows(_wide(a), weights.shape, range(a.ndim), mode, cval, origin)
    return _result((seen * weights).sum(axis=tuple(range(-a.ndim, 0))), input, output)


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of elements around each, times weights."""
    return _correlated(input, weights, output, mode, cval, origin, False)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of elements around each, times weights in the opposite order."""
    return _correlated(input, weights, output, mode, cval, origin, True)


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of elements around each along an axis, times weights."""
    a, weights = _given(input), _wide(_asarray(weights))
    if weights.ndim != 1 or not weights.size:
        raise RuntimeError("no filter weights given")
    seen = _windows(_wide(a), weights.shape, [axis % a.ndim], mode, cval, [origin])
    if weights.size <= 64:  # rows of memory times numbers, faster than sums of short windows
        return _result(
            _add((seen[..., k] * weights[k] for k in range(1, weights.size)), seen[..., 0] * weights[0]), input, output
        )
    return _result((seen * weights).sum(axis=-1), input, output)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of elements around each along an axis, times weights in the opposite order."""
    weights = _ks.flip(_asarray(weights))
    return correlate1d(input, weights, axis, output, mode, cval, -origin - (weights.size % 2 == 0))


def _along_axes(input, output, of, axes=None):
    """One filter after the other, of an axis each; the values between are floats, or of the output's dtype as SciPy's are."""
    a = _given(input)
    for axis in range(a.ndim) if axes is None else axes:
        a = of(a, axis)
    return _result(a, input, output)


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of so many elements around each along an axis."""
    a = _given(input)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    seen = _windows(_wide(a), [size], [axis % a.ndim], mode, cval, [origin])
    return _result(seen.sum(axis=-1) / size, input, output)


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of boxes of elements around each."""
    a = _given(input)
    sizes, origins = _for_axes(size, a.ndim, "size"), _for_axes(origin, a.ndim, "origin")
    modes = [mode] * a.ndim if isinstance(mode, str) else mode
    return _along_axes(
        input,
        output,
        lambda x, k: x if sizes[k] <= 1 else uniform_filter1d(x, sizes[k], k, None, modes[k], cval, origins[k]),
    )


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


def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    """A convolution along an axis with a bell of the width sigma, or with a derivative of it."""
    a = _given(input)
    radius = int(truncate * float(sigma) + 0.5) if radius is None else _operator.index(radius)
    weights = _ks.asarray(_gaussian_weights(float(sigma), order, radius), device=a.device)
    return correlate1d(input, weights, axis, output, mode, cval, 0)


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):
    """A convolution with a bell of the width sigma, or with derivatives of it."""
    a = _given(input)
    sigmas, orders = _for_axes(sigma, a.ndim, "sigma", float), _for_axes(order, a.ndim, "order")
    radii = _for_axes(radius, a.ndim, "radius")
    modes = [mode] * a.ndim if isinstance(mode, str) else mode
    return _along_axes(input, output, lambda x, k: gaussian_filter1d(
        x, sigmas[k], k, orders[k], None, modes[k], cval, truncate, radius=radii[k]) if sigmas[k] > 1e-15 else x)  # fmt: skip


def _gradient(weights_across):
    def filtered(input, axis=-1, output=None, mode="reflect", cval=0.0):
        a = _given(input)
        modes = [mode] * a.ndim if isinstance(mode, str) else mode
        axis %= a.ndim
        a = correlate1d(a, [-1, 0, 1], axis, None, modes[axis], cval)
        for k in range(a.ndim):
            a = a if k == axis else correlate1d(a, weights_across, k, None, modes[k], cval)
        return _result(a, input, output)

    return filtered


def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None):
    """The sum of second derivatives along the axes: derivative2(input, axis, output, mode, cval, …)."""
    a = _given(input)
    modes = [mode] * a.ndim if isinstance(mode, str) else mode
    parts = [derivative2(a, k, None, modes[k], cval, *extra_arguments, **(extra_keywords or {})) for k in range(a.ndim)]
    return _result(_add(parts[1:], parts[0]) if parts else a, input, output)


def generic_gradient_magnitude(
    input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None
):
    """The length of the gradient, whose parts are derivative(input, axis, output, mode, cval, …)."""
    a = _given(input)
    modes = [mode] * a.ndim if isinstance(mode, str) else mode
    parts = [derivative(a, k, None, modes[k], cval, *extra_arguments, **(extra_keywords or {})) for k in range(a.ndim)]
    return _result(_ks.sqrt(_add((part * part for part in parts[1:]), parts[0] * parts[0])), input, output)


def laplace(input, output=None, mode="reflect", cval=0.0):
    """The sum of second differences along the axes."""
    return generic_laplace(input, lambda a, k, out, m, c: correlate1d(a, [1, -2, 1], k, out, m, c), output, mode, cval)


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, **kwargs):
    """The sum of second derivatives of a bell along the axes."""
    return generic_laplace(input, lambda a, axis, out, m, c: gaussian_filter(
        a, sigma, [2 * (k == axis) for k in range(a.ndim)], out, m, c, **kwargs), output, mode, cval)  # fmt: skip


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, **kwargs):
    """The length of the gradient by derivatives of a bell."""
    return generic_gradient_magnitude(input, lambda a, axis, out, m, c: gaussian_filter(
        a, sigma, [k == axis for k in range(a.ndim)], out, m, c, **kwargs), output, mode, cval)  # fmt: skip


def _footprint(a, size, footprint, structure=None):
    """Which places of a window count, as a NumPy array of bools."""
    if structure is not None and footprint is None:
        footprint = _np.ones(_np.shape(structure), bool)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        return _np.ones(_for_axes(size, a.ndim, "size"), bool)
    footprint = _np.asarray(footprint.numpy() if isinstance(footprint, _ks.Array) else footprint, bool)
    if footprint.ndim != a.ndim:
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


def _extreme(name):
    def filtered(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
        a = _given(input)
        footprint = _footprint(a, size, footprint)
        if not footprint.all() or a.dtype.kind == "c":
            return _result(getattr(_of_places(a, footprint, mode, cval, origin), name)(axis=-1), input, output)
        seen = _windows(a, footprint.shape, range(a.ndim), mode, cval, _for_axes(origin, a.ndim, "origin"))
        return _result(getattr(seen, name)(axis=tuple(range(-a.ndim, 0))), input, output)

    return filtered


def _extreme1d(name):
    def filtered(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
        a = _given(input)
        if size < 1:
            raise RuntimeError("incorrect filter size")
        return _result(
            getattr(_windows(a, [size], [axis % a.ndim], mode, cval, [origin]), name)(axis=-1), input, output
        )

    return filtered


def _ranked(input, rank_of, size, footprint, output, mode, cval, origin):
    a = _given(input)
    footprint = _footprint(a, size, footprint)
    count = int(footprint.sum())
    rank = rank_of(count)
    rank += count if rank < 0 else 0
    if not 0 <= rank < count:
        raise RuntimeError("rank not within filter footprint size")
    return _result(_ks.sort(_of_places(a, footprint, mode, cval, origin), -1)[..., rank], input, output)


def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    """The element at a place of the sorted ones around each; from the end where it is negative."""
    return _ranked(input, lambda n: _operator.index(rank), size, footprint, output, mode, cval, origin)


def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    """The element in the middle of the sorted ones around each."""
    return _ranked(input, lambda n: n // 2, size, footprint, output, mode, cval, origin)


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    """The element below which so many per cent of those around each are."""
    share = percentile + 100 if percentile < 0 else percentile
    if not 0 <= share <= 100:
        raise RuntimeError("invalid percentile")
    return _ranked(
        input, lambda n: n - 1 if share == 100 else int(n * share / 100), size, footprint, output, mode, cval, origin
    )


# ── morphology ────────────────────────────────────────────────────────────────────────────────


def generate_binary_structure(rank, connectivity):
    """Which places of a box of 3 are neighbours: those that differ along so many axes at most."""
    if rank < 1:
        return _ks.asarray(True)
    far = _add(abs(_ks.arange(3).reshape([-1 if k == axis else 1 for k in range(rank)]) - 1) for axis in range(rank))
    return far <= max(connectivity, 1)


def _eroded(a, places, outside, origin):
    return _of_places(a, places, "constant", outside, origin).all(axis=-1)


def _binary(is_dilation):
    def morphed(
        input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False
    ):
        a = _asarray(input) != 0
        places = _footprint(a, None, generate_binary_structure(a.ndim, 1) if structure is None else structure)
        origin = _for_axes(origin, a.ndim, "origin")
        if is_dilation:  # the erosion of what is not there
            places = places[(slice(None, None, -1),) * a.ndim]
            origin = [-off - (n % 2 == 0) for off, n in zip(origin, places.shape)]
        counts, done = ~a if is_dilation else a, 0
        changes = None if mask is None else _asarray(mask) != 0
        while iterations < 1 or done < iterations:
            next_ = _eroded(counts, places, bool(border_value) != is_dilation, origin)
            next_ = next_ if changes is None else _ks.where(changes, next_, counts)
            done += 1
            if iterations < 1 and bool((next_ == counts).all()):
                break
            counts = next_
        return _result(~counts if is_dilation else counts, a, output)

    return morphed


_dilated, _erosion = _binary(True), _binary(False)


def binary_opening(
    input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False
):
    """An erosion and a dilation of it."""
    a = _erosion(input, structure, iterations, mask, None, border_value, origin)
    return _dilated(a, structure, iterations, mask, output, border_value, origin)


def binary_closing(
    input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False
):
    """A dilation and an erosion of it."""
    a = _dilated(input, structure, iterations, mask, None, border_value, origin)
    return _erosion(a, structure, iterations, mask, output, border_value, origin)


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0):
    """Dilations within a mask until nothing changes."""
    return _dilated(input, structure, -1, mask, output, border_value, origin)


def binary_fill_holes(input, structure=None, output=None, origin=0):
    """What is not reached from outside."""
    a = _asarray(input) != 0
    return _result(~_dilated(_ks.zeros_like(a), structure, -1, ~a, None, 1, origin), a, output)


def _grey(name, sign):
    """The least of elements minus a structure, or the greatest of those plus the turned one."""

    def morphed(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
        a = _given(input)
        places = _footprint(a, size, footprint, structure)
        origin = _for_axes(origin, a.ndim, "origin")
        turn = (slice(None, None, -1),) * a.ndim
        if sign > 0:
            places = places[turn]
            origin = [-off - (n % 2 == 0) for off, n in zip(origin, places.shape)]
        seen = _of_places(a, places, mode, cval, origin)
        if structure is not None:
            heights = _wide(_asarray(structure))[turn if sign > 0 else ...].reshape(-1)
            seen = _wide(seen) + sign * heights[places.ravel().nonzero()[0].tolist()]
        return _result(getattr(seen, name)(axis=-1), input, output)

    return morphed


_grey_erosion, _grey_dilation = _grey("min", -1), _grey("max", 1)


def _after(first, second):
    def morphed(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
        rest = size, footprint, structure
        return second(first(input, *rest, None, mode, cval, origin), *rest, output, mode, cval, origin)

    return morphed


def _between(of):
    """What is computed of an array, its erosion, dilation, opening and closing."""

    def morphed(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
        rest = size, footprint, structure, None, mode, cval, origin
        return _result(of(_given(input), rest), input, output)

    return morphed


_opening, _closing = _after(_grey_erosion, _grey_dilation), _after(_grey_dilation, _grey_erosion)


# ── measurements ──────────────────────────────────────────────────────────────────────────────


def _by_label(of):
    """What is computed of the elements of each label that is asked for; all elements are one group where there are none."""

    def measured(input, labels=None, index=None):
        a = _asarray(input)
        if labels is None:
            return of(a, _ks.ones_like(a, dtype=bool))
        labels = _asarray(labels)
        a, labels = _ks.broadcast_arrays(a, labels)
        if index is None:
            return of(a, labels > 0)
        index = _asarray(index)
        parts = [of(a, labels == k) for k in _ks.ravel(index)]
        return _ks.stack(parts).reshape(index.shape) if parts else _ks.empty(index.shape, device=a.device)

    return measured


def _mean_of(a, of):
    return (_wide(a) * of).sum() / of.sum()


def _variance_of(a, of):
    if a.dtype.kind == "c":
        raise TypeError("the variance of complex numbers is not there")
    return ((_wide(a) - _mean_of(a, of)) ** 2 * of).sum() / of.sum()


def _sum_labels(input, labels=None, index=None):
    total = _by_label(lambda a, of: _ks.where(of, a, 0).sum())(input, labels, index)
    return total if labels is None or index is None or _ks.isscalar(index) else _wide(total)


def _most(name):
    def of(a, counts):
        least = _ks.iinfo(a.dtype).min if a.dtype.kind in "iu" else -_ks.inf
        greatest = _ks.iinfo(a.dtype).max if a.dtype.kind in "iu" else _ks.inf
        result = getattr(_ks.where(counts, a, least if name == "max" else greatest), name)()
        return _ks.where(counts.any(), result, 0).astype(a.dtype)

    return of


def _median_of(a, of):
    if not a.size:
        return _ks.asarray(_ks.nan, device=a.device)
    values, n = _ks.sort(_ks.where(of, a if a.dtype.kind == "f" else _wide(a), _ks.inf).reshape(-1)), of.sum()
    return (values[_ks.maximum(n - 1, 0) // 2] + values[_ks.minimum(n // 2, a.size - 1)]) / 2


def _position(name):
    def found(input, labels=None, index=None):
        a = _asarray(input)
        counts = _ks.ones_like(a, dtype=bool) if labels is None else None
        labels = None if labels is None else _ks.broadcast_to(_asarray(labels), a.shape)

        def of(counts):
            least = -_ks.inf if name == "argmax" else _ks.inf
            at = int(getattr(_ks.where(counts, _wide(a), least).reshape(-1), name)())
            return tuple(int(k) for k in _ks.unravel_index(at, a.shape))

        if labels is None or index is None:
            return of(counts if labels is None else labels > 0)
        return of(labels == index) if _ks.isscalar(index) else [of(labels == k) for k in _ks.ravel(_asarray(index))]

    return found


def center_of_mass(input, labels=None, index=None):
    """The mean of the places of elements, times the elements."""
    a = _wide(_asarray(input))

    def of(counts):
        weights = a * counts
        total = weights.sum()
        places = [
            _ks.arange(n, device=a.device).reshape([-1 if k == axis else 1 for k in range(a.ndim)])
            for axis, n in enumerate(a.shape)
        ]
        return tuple((weights * place).sum() / total for place in places)

    if labels is None:
        return of(_ks.ones_like(a))
    labels = _ks.broadcast_to(_asarray(labels), a.shape)
    if index is None:
        return of(labels > 0)
    return of(labels == index) if _ks.isscalar(index) else [of(labels == k) for k in _ks.ravel(_asarray(index))]


def extrema(input, labels=None, index=None):
    """The least and the greatest element, and where they are."""
    return tuple(of(input, labels, index) for of in (minimum, maximum, minimum_position, maximum_position))  # noqa: F821


def histogram(input, min, max, bins, labels=None, index=None):
    """How many elements are in each of so many intervals, of all or of each label."""
    a = _asarray(input)
    if labels is None:
        return _ks.histogram(a, bins, (min, max))[0]
    labels = _ks.broadcast_to(_asarray(labels), a.shape)
    if index is None:
        return _ks.histogram(a[labels > 0], bins, (min, max))[0]
    if _ks.isscalar(index):
        return _ks.histogram(a[labels == index], bins, (min, max))[0]
    return [_ks.histogram(a[labels == k], bins, (min, max))[0] for k in _ks.ravel(_asarray(index))]


@_functools.cache
def _joining(device):
    """Kernels that join trees of elements: each element with its neighbours before it, and then with its root."""
    preamble = """
      __device__ int root_of(volatile int *roots, int at) {
        while (roots[at] != at) at = roots[at];
        return at;
      }"""
    join = """
      if (roots[i] >= 0)
        for (int k = 0; k < neighbours; k++) {
          int rest = i, step = 1, at = i;
          for (int axis = axes - 1; axis >= 0; axis--) {
            const int place = rest % shape[axis] + before[k * axes + axis];
            if (place < 0 || place >= shape[axis]) at = -1;
            if (at >= 0) at += before[k * axes + axis] * step;
            rest /= shape[axis];
            step *= shape[axis];
            if (at < 0) break;
          }
          if (at < 0 || roots[at] < 0) continue;
          int high = i;
          while (true) {  // the greater root becomes a child of the lesser one, unless another thread was faster
            high = root_of(&roots[0], high);
            at = root_of(&roots[0], at);
            if (high == at) break;
            if (high < at) {
              const int kept = high;
              high = at;
              at = kept;
            }
            if (atomicCAS(&roots[high], high, at) == high) break;
          }
        }"""
    parameters = "raw int32 shape, int32 axes, raw int32 before, int32 neighbours", "raw int32 roots"
    make = _functools.partial(_ks.ElementwiseKernel, *parameters, preamble=preamble, device=device)
    return make(join, "join_neighbours"), make("if (roots[i] >= 0) roots[i] = root_of(&roots[0], i);", "find_roots")


def label(input, structure=None, output=None):
    """Numbers for what hangs together, from 1 in the order of the first elements, and how many there are."""
    a = _asarray(input) != 0
    places = _footprint(a, None, generate_binary_structure(a.ndim, 1) if structure is None else structure)
    if (places != places[(slice(None, None, -1),) * a.ndim]).any() or places.shape != (3,) * a.ndim:
        raise ValueError("structuring element is not symmetric")
    shape = _ks.asarray(a.shape, dtype="int32", device=a.device)
    before = _ks.asarray(
        (_np.argwhere(places)[: int(places.sum()) // 2] - 1).reshape(-1), dtype="int32", device=a.device
    )
    own = _ks.arange(a.size, dtype="int32", device=a.device).reshape(a.shape)
    roots = _ks.where(a, own, -1).reshape(-1)
    if a.size:
        for kernel in _joining(a.device):
            kernel(shape, a.ndim, before, before.size // a.ndim, roots, size=a.size)
    roots = roots.reshape(a.shape)
    first = (roots == own) & a
    numbers = _ks.concatenate((_ks.cumsum(first.reshape(-1)), _ks.asarray([0], device=a.device)))
    count = int(first.sum())
    labels = _ks.where(a, numbers[roots.reshape(-1)].reshape(a.shape), 0)
    if isinstance(output, _ks.Array):
        output[...] = labels
        return count
    return labels.astype("int32" if output is None else output), count


# ── interpolation by splines ──────────────────────────────────────────────────────────────────

_poles = {
    2: [8**0.5 - 3], 3: [3**0.5 - 2],
    4: [(664 - 438976**0.5) ** 0.5 + 304**0.5 - 19, (664 + 438976**0.5) ** 0.5 - 304**0.5 - 19],
    5: [(67.5 - 4436.25**0.5) ** 0.5 + 26.25**0.5 - 6.5, (67.5 + 4436.25**0.5) ** 0.5 - 26.25**0.5 - 6.5],
}  # fmt: skip
_spline_ends = {
    "reflect": "symmetric",
    "nearest": "symmetric",
    "grid-mirror": "symmetric",
    "grid-wrap": "wrap",
}  # else as "mirror"
_enough = 64  # so many elements from an end, what is assumed there has no weight


@_functools.cache
def _spline_recursion(kind, device):
    text = """
      T *const line = &c[i * n];
      for (long long k = 0; k < n; k++) line[k] *= gain;
      for (int p = 0; p < count; p++) {
        const double z = poles[p];
        for (long long k = 1; k < n; k++) line[k] += z * line[k - 1];
        line[n - 1] = z / (z * z - 1) * (line[n - 1] + z * line[n - 2]);
        for (long long k = n - 2; k >= 0; k--) line[k] = z * (line[k + 1] - line[k]);
      }"""
    return _ks.ElementwiseKernel(
        "raw float64 poles, int32 count, float64 gain, int64 n", "raw T c", text, "spline_coefficients", device=device
    )


def spline_filter1d(input, order=3, axis=-1, output=float, mode="mirror"):
    """The coefficients of the spline of an order from 0 to 5 that goes through the elements along an axis."""
    a = _asarray(input)
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    if a.dtype.kind == "c":
        parts = (spline_filter1d(part, order, axis, float, mode) for part in (a.real, a.imag))
        return _result(_paired(*parts), a, a.dtype if output is float else output)
    wide = a.astype("float64")
    if order > 1 and wide.size and a.shape[axis] > 1:
        poles, n = _poles[order], a.shape[axis]
        wide = _ks.moveaxis(wide, axis, -1)
        ends = [(0, 0)] * (a.ndim - 1) + [(_enough, _enough)]
        lines = _ks.ascontiguousarray(_ks.pad(wide, ends, _spline_ends.get(mode, "reflect")))
        gain = _math.prod((1 - z) * (1 - 1 / z) for z in poles)
        numbers = _ks.asarray(poles, dtype="float64", device=a.device)
        _spline_recursion(lines.dtype, a.device)(numbers, len(poles), gain, lines.shape[-1], lines, size=wide.size // n)
        wide = _ks.moveaxis(lines[..., _enough : _enough + n], -1, axis)
    return _result(wide, a, output)


def spline_filter(input, order=3, output=float, mode="mirror"):
    """The coefficients of the spline of an order that goes through the elements."""
    a = _asarray(input)
    if order < 2 or order > 5:
        raise RuntimeError("spline order not supported")
    c = a
    for axis in range(a.ndim):
        c = spline_filter1d(c, order, axis, a.dtype if a.dtype.kind == "c" else float, mode)
    return _result(c, a, a.dtype if output is float and a.dtype.kind == "c" else output)


def _basis(f, order):
    """The weights of the nodes around a place, by de Boor's recursion."""
    weights = [_ks.ones_like(f)]
    for degree in range(1, order + 1):
        above, saved = [], 0.0
        for k, weight in enumerate(weights):
            part = weight / degree
            above.append(saved + (k + 1 - f) * part)
            saved = (f + degree - 1 - k) * part
        weights = [*above, saved]
    return weights


def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """Values between elements by splines of an order from 0 to 5, at coordinates that are a row for each axis."""
    a, at = _given(input), _asarray(coordinates).astype("float64")
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    if mode not in ("constant", "nearest", "reflect", "mirror", "grid-constant", "wrap", "grid-wrap", "grid-mirror"):
        raise RuntimeError("boundary mode not supported")
    inside = _ks.ones(at.shape[1:], bool, device=a.device)
    c = _wide(a)
    if order > 1 and prefilter:
        if mode in ("nearest", "grid-constant"):  # the spline goes on beyond the ends
            more = {"constant_values": cval} if mode == "grid-constant" else {}
            c, at = _ks.pad(c, 12, _ends[mode], **more), at + 12
        c = spline_filter(c, order, mode=mode)
    places, shares = [], []
    for x, n in zip(at, c.shape):
        if mode == "constant":
            inside = inside & (x >= 0) & (x <= n - 1)
        x = _folded(x, n, mode)
        middle = _ks.floor(x) if order % 2 else _ks.floor(x + 0.5)
        places.append([_folded_index(middle - order // 2 + k, n, mode) for k in range(order + 1)])
        shares.append(_basis(x - middle if order % 2 else x + 0.5 - middle, order))
    total = 0.0
    for corner in _itertools.product(range(order + 1), repeat=c.ndim):
        value = c[tuple(p[k][0] for p, k in zip(places, corner))]
        for p, k in zip(places, corner):
            value = value if p[k][1] is None else _ks.where(p[k][1], value, cval)
        for share, k in zip(shares, corner):
            value = value * share[k]
        total = total + value
    result = total if mode != "constant" else _ks.where(inside, total, cval)
    kind = _asarray(input).dtype if output is None or isinstance(output, _ks.Array) else _ks.dtype(output)
    return _result(_ks.rint(result) if kind.kind in "iu" else result, input, output)


def _folded(x, n, mode):
    """Coordinates beyond the ends, as the mode has them."""
    if mode in ("nearest", "constant"):
        return _ks.clip(x, 0, n - 1)
    if mode in ("reflect", "grid-mirror"):
        x = _ks.remainder(x + 0.5, 2 * n)
        return _ks.where(x > n, 2 * n - x, x) - 0.5
    if mode == "mirror":
        x = _ks.remainder(x, max(2 * n - 2, 1))
        return _ks.where(x > n - 1, 2 * n - 2 - x, x)
    if mode == "wrap":
        return (
            _ks.where(x < 0, n - 1 - _ks.remainder(-x, n - 1), _ks.where(x > n - 1, _ks.remainder(x, n - 1), x))
            if n > 1
            else x * 0
        )
    return _ks.remainder(x, n) if mode == "grid-wrap" else x


def _folded_index(k, n, mode):
    """A node's place for one beyond the ends, and whether there is one."""
    is_there = (k >= 0) & (k < n) if mode == "grid-constant" else None
    k = _folded(k, n, "mirror" if mode in ("constant", "wrap") else mode)
    return _ks.clip(k, 0, n - 1).astype("int64"), is_there


def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    *,
    texture_memory=False,
):
    """The values at matrix @ place + offset, for each place of the output."""
    a, matrix = _asarray(input), _asarray(matrix).astype("float64")
    n = a.ndim
    if matrix.ndim == 2 and matrix.shape[1] == n + 1:
        matrix, offset = matrix[:n, :n], matrix[:n, n]
    elif matrix.ndim == 1:
        matrix = _ks.diag(matrix)
    offset = _ks.broadcast_to(_ks.asarray(offset, dtype="float64", device=a.device), (n,))
    shape = output.shape if isinstance(output, _ks.Array) else a.shape if output_shape is None else tuple(output_shape)
    places = _ks.stack(_ks.meshgrid(*(_ks.arange(k, dtype="float64", device=a.device) for k in shape), indexing="ij"))
    at = (matrix @ places.reshape(n, -1) + offset[:, None]).reshape(n, *shape)
    return map_coordinates(input, at, output, order, mode, cval, prefilter)


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The array moved by so many places along each axis."""
    a = _asarray(input)
    return affine_transform(
        a,
        _ks.ones(a.ndim, device=a.device),
        [-x for x in _for_axes(shift, a.ndim, "shift", float)],
        None,
        output,
        order,
        mode,
        cval,
    )


def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    """The array with so many times as many elements along each axis."""
    a = _asarray(input)
    shape = [round(n * z) for n, z in zip(a.shape, _for_axes(zoom, a.ndim, "zoom", float))]
    if grid_mode:
        steps = [n / m if m else 1.0 for n, m in zip(a.shape, shape)]
        offset = [0.5 * step - 0.5 for step in steps]
    else:
        steps, offset = [(n - 1) / (m - 1) if m > 1 else 1.0 for n, m in zip(a.shape, shape)], 0.0
    return affine_transform(a, _ks.asarray(steps, device=a.device), offset, shape, output, order, mode, cval, prefilter)


def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The array turned by an angle in degrees in the plane of two axes."""
    a = _asarray(input)
    i, j = sorted(axis % a.ndim for axis in axes)
    if i == j:
        raise ValueError("axes must be different")
    turn = float(angle) % 360
    quarter = turn % 90 == 0
    c, s = (round(f(_math.radians(turn))) if quarter else f(_math.radians(turn)) for f in (_math.cos, _math.sin))
    matrix, shape = _np.eye(a.ndim), list(a.shape)
    turned = _np.array([[c, s], [-s, c]])
    plane = _np.array([a.shape[i], a.shape[j]])
    if reshape:
        corners = turned @ [[0, 0, plane[0], plane[0]], [0, plane[1], 0, plane[1]]]
        shape[i], shape[j] = (int(k) for k in (_np.ptp(corners, axis=1) + 0.5).astype(int))
    matrix[i, i], matrix[i, j], matrix[j, i], matrix[j, j] = c, s, -s, c
    offset = _np.zeros(a.ndim)
    offset[[i, j]] = (plane - 1) / 2 - turned @ ((_np.array([shape[i], shape[j]]) - 1) / 2)
    return affine_transform(a, matrix, offset.tolist(), shape, output, order, mode, cval, prefilter)


_plain(globals(), {
    "binary_dilation": (_dilated, "Whether one of the neighbours is true."),
    "binary_erosion": (_erosion, "Whether all neighbours are true."),
    "black_tophat": (_between(lambda a, rest: _closing(a, *rest) - a), "A grey closing without the array."),
    "grey_closing": (_closing, "A grey dilation and an erosion of it."),
    "grey_dilation": (_grey_dilation, "The greatest of the elements around each, plus a structure."),
    "grey_erosion": (_grey_erosion, "The least of the elements around each, minus a structure."),
    "grey_opening": (_opening, "A grey erosion and a dilation of it."),
    "maximum": (_by_label(_most("max")), "The greatest element, of all or of each label."),
    "maximum_filter": (_extreme("max"), "The greatest of the elements around each."),
    "maximum_filter1d": (_extreme1d("max"), "The greatest of the elements around each along an axis."),
    "maximum_position": (_position("argmax"), "Where the greatest element is."),
    "mean": (_by_label(_mean_of), "The mean, of all elements or of each label's."),
    "median": (_by_label(_median_of), "The median, of all elements or of each label's."),
    "minimum": (_by_label(_most("min")), "The least element, of all or of each label."),
    "minimum_filter": (_extreme("min"), "The least of the elements around each."),
    "minimum_filter1d": (_extreme1d("min"), "The least of the elements around each along an axis."),
    "minimum_position": (_position("argmin"), "Where the least element is."),
    "morphological_gradient": (_between(lambda a, rest: _grey_dilation(a, *rest) - _grey_erosion(a, *rest)), "A grey dilation without the erosion."),
    "morphological_laplace": (_between(lambda a, rest: _grey_dilation(a, *rest) + _grey_erosion(a, *rest) - 2 * a), "A grey dilation and the erosion without twice the array."),
    "prewitt": (_gradient([1, 1, 1]), "Differences of neighbours along an axis, added up across."),
    "sobel": (_gradient([1, 2, 1]), "Differences of neighbours along an axis, added up across with the weights 1, 2, 1."),
    "standard_deviation": (_by_label(lambda a, of: _ks.sqrt(_variance_of(a, of))), "The standard deviation, of all elements or of each label's."),
    "sum_labels": (_sum_labels, "The sum, of all elements or of each label's, in float64 where there are several."),
    "variance": (_by_label(_variance_of), "The variance, of all elements or of each label's."),
    "white_tophat": (_between(lambda a, rest: a - _opening(a, *rest)), "An array without its grey opening."),
})  # fmt: skip
sum = sum_labels = globals()["sum_labels"]
_in_face(globals())
