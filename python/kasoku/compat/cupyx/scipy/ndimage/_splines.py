"""Values between elements, by splines."""

import itertools as _itertools
import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ...._face.compositions import paired as _paired
from ...._face.kernels import kernel as _kernel
from ._filters import _ends, _for_axes, _given, _result, _wide


_poles = {
    2: [8**0.5 - 3], 3: [3**0.5 - 2],
    4: [(664 - 438976**0.5) ** 0.5 + 304**0.5 - 19, (664 + 438976**0.5) ** 0.5 - 304**0.5 - 19],
    5: [(67.5 - 4436.25**0.5) ** 0.5 + 26.25**0.5 - 6.5, (67.5 + 4436.25**0.5) ** 0.5 - 26.25**0.5 - 6.5],
}  # fmt: skip
_spline_ends = {
    **dict.fromkeys(("reflect", "nearest", "grid-mirror"), "symmetric"),
    "grid-wrap": "wrap",
}  # else as "mirror"
_enough = 64  # so many elements from an end, what is assumed there has no weight


_spline_recursion = _kernel("raw float64 poles, int32 count, float64 gain, int64 n", "raw T c", """
      T *const line = &c[i * n];
      for (long long k = 0; k < n; k++) line[k] *= gain;
      for (int p = 0; p < count; p++) {
        const double z = poles[p];
        for (long long k = 1; k < n; k++) line[k] += z * line[k - 1];
        line[n - 1] = z / (z * z - 1) * (line[n - 1] + z * line[n - 2]);
        for (long long k = n - 2; k >= 0; k--) line[k] = z * (line[k + 1] - line[k]);
      }""", "spline_coefficients")  # fmt: skip


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
        _spline_recursion(numbers, len(poles), gain, lines.shape[-1], lines, size=wide.size // n)
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
    if mode == "wrap" and n > 1:
        return _ks.where(x < 0, n - 1 - _ks.remainder(-x, n - 1), _ks.where(x > n - 1, _ks.remainder(x, n - 1), x))
    if mode == "wrap":
        return x * 0
    return _ks.remainder(x, n) if mode == "grid-wrap" else x


def _folded_index(k, n, mode):
    """A node's place for one beyond the ends, and whether there is one."""
    is_there = (k >= 0) & (k < n) if mode == "grid-constant" else None
    k = _folded(k, n, "mirror" if mode in ("constant", "wrap") else mode)
    return _ks.clip(k, 0, n - 1).astype("int64"), is_there


def affine_transform(input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode="constant", cval=0.0,
                     prefilter=True, *, texture_memory=False):  # fmt: skip
    """The values at matrix @ place + offset, for each place of the output."""
    a, matrix = _asarray(input), _asarray(matrix).astype("float64")
    n = a.ndim
    if matrix.ndim == 2 and matrix.shape[1] == n + 1:
        matrix, offset = matrix[:n, :n], matrix[:n, n]
    elif matrix.ndim == 1:
        matrix = _ks.diag(matrix)
    offset = _ks.broadcast_to(_ks.asarray(offset, dtype="float64", device=a.device), (n,))
    shape = output.shape if isinstance(output, _ks.Array) else a.shape if output_shape is None else tuple(output_shape)
    places = _ks.meshgrid(*(_ks.arange(k, dtype="float64", device=a.device) for k in shape), indexing="ij", sparse=True)
    # A place on the last element is inside or not by its last bit: the sums are rounded as SciPy's are, one term after the other.
    rows = []
    for shares, row in zip(matrix, offset):
        for share, place in zip(shares, places):
            row = row + share * place
        rows.append(row)
    at = _ks.stack([_ks.broadcast_to(row, tuple(shape)) for row in rows])
    return map_coordinates(input, at, output, order, mode, cval, prefilter)


def geometric_transform(input, mapping, output_shape=None, output=None, order=3, mode="constant", cval=0.0,
                        prefilter=True, extra_arguments=(), extra_keywords=None):  # fmt: skip
    """The values at the place that a function gives for each place of the output. It is called once with the numbers of all places,
    an array for each axis; one that takes no arrays is called with the numbers of each place."""
    a = _asarray(input)
    shape = output.shape if isinstance(output, _ks.Array) else a.shape if output_shape is None else tuple(output_shape)
    more = extra_keywords or {}
    try:
        places = tuple(_ks.meshgrid(*(_ks.arange(k, device=a.device) for k in shape), indexing="ij"))
        at = mapping(places, *extra_arguments, **more)
        at = [_ks.broadcast_to(_asarray(x).astype("float64"), shape) for x in at]
    except (TypeError, ValueError):
        given = [tuple(mapping(place, *extra_arguments, **more)) for place in _np.ndindex(*shape)]
        at = _ks.asarray(_np.array(given, float).T.reshape(-1, *shape), device=a.device)
    if len(at) != a.ndim:
        raise RuntimeError(f"the function gives {len(at)} numbers, an array of {a.ndim} axes takes as many")
    return map_coordinates(input, _ks.stack(list(at)), output, order, mode, cval, prefilter)


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The array moved by so many places along each axis."""
    a = _asarray(input)
    moved = [-x for x in _for_axes(shift, a.ndim, "shift", float)]
    return affine_transform(a, _ks.ones(a.ndim, device=a.device), moved, None, output, order, mode, cval)


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
