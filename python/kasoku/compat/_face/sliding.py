"""Sums and maxima over sliding windows: what the faces' convolutions and poolings are, where the arrays lie.
Arrays are (samples, channels, places …), weights (outputs, channels of a group, places …)."""

import itertools
import math

import kasoku as ks


def same_widths(lengths, size, strides, dilations):
    """Padding that leaves ceil(length / stride) places, the odd one at the end."""
    widths = []
    for n, k, s, d in zip(lengths, size, strides, dilations):
        total = max(0, (-(-n // s) - 1) * s + d * (k - 1) + 1 - n)
        widths.append((total // 2, total - total // 2))
    return widths


def _windows(x, size, strides, dilations):
    """A view with the windows of the last axes as new last axes."""
    lengths, reach = x.shape[-len(size) :], [d * (k - 1) + 1 for k, d in zip(size, dilations)]
    if any(n < r for n, r in zip(lengths, reach)):
        raise ks.errors.ValueError(f"windows of {tuple(size)} places do not fit in {tuple(lengths)}")
    seen = ks.lib.stride_tricks.sliding_window_view(x, reach, tuple(range(-len(size), 0)))
    return seen[(..., *(slice(None, None, step) for step in (*strides, *dilations)))]


def _padded(x, widths, fill=0):
    front = [(0, 0)] * (x.ndim - len(widths))
    return ks.pad(x, front + list(widths), constant_values=fill) if any(map(any, widths)) else x


def convolve(x, weight, strides, widths, dilations, groups=1):
    """A convolution as a product of matrices: a row for each window, a column for each output."""
    size = weight.shape[2:]
    x = _windows(_padded(x, widths), size, strides, dilations)
    n, places = x.shape[0], x.shape[2 : 2 + len(size)]
    inputs, outputs = x.shape[1] // groups, weight.shape[0] // groups
    parts = []
    for k in range(groups):
        part = ks.moveaxis(x[:, k * inputs : (k + 1) * inputs], 1, 1 + len(size))
        rows = part.reshape(n * math.prod(places), inputs * math.prod(size))
        columns = weight[k * outputs : (k + 1) * outputs].reshape(outputs, -1).T
        parts.append((rows @ columns).reshape(n, *places, outputs))
    return ks.moveaxis(parts[0] if groups == 1 else ks.concatenate(parts, -1), -1, 1)


def windows(x, size, strides, widths, dilations):
    """Elements of windows as rows of each channel: (samples, channels, *size, *places)."""
    seen, k = _windows(_padded(x, widths), size, strides, dilations), len(size)
    return ks.moveaxis(seen, range(-k, 0), range(2, 2 + k))


def places_of(lengths, size, strides, widths, dilations):
    """How many windows fit along each axis."""
    return [(n + sum(w) - d * (k - 1) - 1) // s + 1 for n, k, s, w, d in zip(lengths, size, strides, widths, dilations)]


def add_windows(x, lengths, strides, widths, dilations):
    """The opposite of windows(): elements of windows, (samples, channels, *size, *places), added up at their places."""
    k = len(lengths)
    size, places = x.shape[2 : 2 + k], x.shape[2 + k :]
    total = ks.zeros((*x.shape[:2], *(n + sum(w) for n, w in zip(lengths, widths))), x.dtype, x.device)
    for at in itertools.product(*map(range, size)):
        to = (slice(i * d, i * d + s * (m - 1) + 1, s) for i, d, s, m in zip(at, dilations, strides, places))
        total[(..., *to)] += x[(slice(None), slice(None), *at)]
    return total[(..., *(slice(w[0], w[0] + n) for n, w in zip(lengths, widths)))]


def pool(x, size, strides, widths, reduce, fill=0):
    axes = len(size)
    return reduce(_windows(_padded(x, widths, fill), size, strides, (1,) * axes), axis=tuple(range(-axes, 0)))
