"""Sums and maxima over sliding windows, by NumPy: what the faces' convolutions and poolings are.
Arrays are (samples, channels, places …), weights (outputs, channels of a group, places …)."""

import numpy as np


def same_widths(lengths, size, strides, dilations):
    """Padding that leaves ceil(length / stride) places, the odd one at the end."""
    widths = []
    for n, k, s, d in zip(lengths, size, strides, dilations):
        total = max(0, (-(-n // s) - 1) * s + d * (k - 1) + 1 - n)
        widths.append((total // 2, total - total // 2))
    return widths


def _windows(x, size, strides, dilations):
    """Those of the last axes, as new last axes."""
    reach = tuple(d * (k - 1) + 1 for d, k in zip(dilations, size))
    found = np.lib.stride_tricks.sliding_window_view(x, reach, tuple(range(-len(size), 0)))
    steps = tuple(slice(None, None, s) for s in strides)
    return found[(..., *steps, *(slice(None, None, d) for d in dilations))]


def convolve(x, weight, strides, widths, dilations, groups=1):
    axes = weight.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *widths])
    places, inside = "xyz"[:axes], "uvw"[:axes]
    equation = f"nc{places}{inside},oc{inside}->no{places}"
    parts = [
        np.einsum(equation, _windows(part, kernel.shape[2:], strides, dilations), kernel, optimize=True)
        for part, kernel in zip(np.split(x, groups, 1), np.split(weight, groups, 0))
    ]
    return np.concatenate(parts, 1)


def pool(x, size, strides, widths, reduce, fill=0):
    axes = len(size)
    x = np.pad(x, [(0, 0)] * (x.ndim - axes) + list(widths), constant_values=fill)
    return reduce(_windows(x, size, strides, (1,) * axes), tuple(range(-axes, 0)))
