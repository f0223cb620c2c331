"""How far elements are from the nearest background."""

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ...._face.kernels import kernel as _kernel


# Of each element the least of what its row has, with the square of the way there. The elements of a row are parabolas, of
# which those that are lowest somewhere are found from the left (Felzenszwalb and Huttenlocher), a row by each thread.
_along_axis = _kernel(
    "raw float64 square, raw int64 nearest, int64 length, int64 stride, float64 step",
    "raw int64 lowest, raw float64 least, raw int64 place", """
        const long long first = i / stride * stride * length + i % stride;
        long long count = 0;
        for (long long at = 0; at < length; at++) {
          if (square[first + at * stride] == INFINITY) continue;
          while (count > 1 && lower_from(&square[first], stride, step, lowest[first + (count - 1) * stride], at) <=
                 lower_from(&square[first], stride, step, lowest[first + (count - 2) * stride], lowest[first + (count - 1) * stride])) count--;
          lowest[first + count++ * stride] = at;
        }
        for (long long at = 0, k = 0; at < length; at++) {
          double best = INFINITY;
          for (; k < count; k++) {
            const long long from = lowest[first + k * stride];
            const double way = step * (at - from), there = square[first + from * stride] + way * way;
            if (there >= best) break;
            best = there;
          }
          k = k > 0 ? k - 1 : 0;
          least[first + at * stride] = best;
          place[first + at * stride] = count ? nearest[first + lowest[first + k * stride] * stride] : -1;
        }""",
    "nearest_along_axis", """
        // From where on the parabola of b is lower than that of a, which is left of it.
        __device__ double lower_from(const double *square, long long stride, double step, long long a, long long b) {
          const double of_a = step * a, of_b = step * b;
          return ((square[b * stride] + of_b * of_b) - (square[a * stride] + of_a * of_a)) / (2 * (of_b - of_a));
        }""")  # fmt: skip


def distance_transform_edt(image, sampling=None, return_distances=True, return_indices=False, distances=None, indices=None, *,
                           block_params=None, float64_distances=True):  # fmt: skip
    """Distances to the nearest element that is 0, and where it is: exact ones, an axis after the other."""
    if (distances is not None and not return_distances) or (indices is not None and not return_indices):
        raise RuntimeError("an output is given for what is not returned")
    a = _asarray(image) != 0
    steps = _np.broadcast_to(1.0 if sampling is None else _np.asarray(sampling, float), a.ndim)
    square = _ks.where(a, _ks.inf, 0.0).reshape(-1)
    place = _ks.where(a, -1, _ks.arange(a.size, device=a.device).reshape(a.shape)).reshape(-1)
    stride = a.size
    for length, step in zip(a.shape, steps) if a.size else ():
        stride //= length
        lowest, least, nearest = _ks.empty_like(place), _ks.empty_like(square), _ks.empty_like(place)
        _along_axis(square, place, length, stride, float(step), lowest, least, nearest, size=a.size // length)
        square, place = least, nearest
    results = []
    if return_distances:
        results.append(
            _kept(_ks.sqrt(square).reshape(a.shape).astype("float64" if float64_distances else "float32"), distances)
        )
    if return_indices:
        results.append(_kept(_ks.stack(_ks.unravel_index(place.reshape(a.shape), a.shape)).astype("int32"), indices))
    if not results:
        raise RuntimeError("at least one of return_distances and return_indices must be True")
    found = [result for result in results if result is not None]
    return None if not found else found[0] if len(found) == 1 else tuple(found)


def _kept(result, output):
    """The result, or nothing where an array was given for it."""
    if output is None:
        return result
    is_index = result.dtype.kind == "i" and output.dtype.kind in "iu" and output.itemsize > 1
    if output.shape != result.shape or not (is_index or output.dtype == result.dtype):
        raise RuntimeError(f"an output of the shape {result.shape} and the dtype {result.dtype} is needed")
    output[...] = result
    return None
