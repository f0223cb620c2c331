"""Peaks of a signal: where they are, how far they rise and how wide they are."""

import math as _math

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ...._face.kernels import kernel as _kernel


_rise = _kernel("raw float64 x, raw int64 peaks, int64 n, int64 reach", "float64 rise, int64 left, int64 right", """
      const long long at = peaks[i];
      long long first = 0, last = n - 1;
      if (reach >= 2) { first = max(at - reach / 2, first); last = min(at + reach / 2, last); }
      double low = x[at], high = x[at];
      left = right = at;
      for (long long k = at; k >= first && x[k] <= x[at]; k--) if (x[k] < low) { low = x[k]; left = k; }
      for (long long k = at; k <= last && x[k] <= x[at]; k++) if (x[k] < high) { high = x[k]; right = k; }
      rise = x[at] - max(low, high);""", "peak_prominences")  # fmt: skip
_width = _kernel(
    "raw float64 x, int64 peak, float64 rise, int64 left, int64 right, float64 share",
    "float64 width, float64 height, float64 from, float64 to", """
      height = x[peak] - rise * share;
      long long k = peak;
      while (left < k && height < x[k]) k--;
      from = k;
      if (x[k] < height) from += (height - x[k]) / (x[k + 1] - x[k]);
      k = peak;
      while (k < right && height < x[k]) k++;
      to = k;
      if (x[k] < height) to -= (height - x[k]) / (x[k - 1] - x[k]);
      width = to - from;""", "peak_widths")  # fmt: skip
# The highest first: each sends away those that are nearer than the distance. One thread does it, in order.
_thin = _kernel("raw int64 peaks, raw int64 order, int64 n, int64 distance", "raw bool keep", """
      for (long long r = n - 1; r >= 0; r--) {
        const long long k = order[r];
        if (!keep[k]) continue;
        for (long long j = k - 1; j >= 0 && peaks[k] - peaks[j] < distance; j--) keep[j] = false;
        for (long long j = k + 1; j < n && peaks[j] - peaks[k] < distance; j++) keep[j] = false;
      }""", "distant_peaks")  # fmt: skip


def _line(x):
    x = _asarray(x)
    if x.ndim != 1:
        raise ValueError("`x` must be a 1-D array")
    return _ks.ascontiguousarray(x.astype("float64"))


def _places(x, peaks):
    peaks = _asarray(peaks)
    if peaks.size and peaks.dtype.kind not in "iu":
        raise TypeError("cannot safely cast `peaks` to dtype('int64')")
    if peaks.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    peaks = _ks.ascontiguousarray(peaks.astype("int64"))
    if peaks.size and (peaks.min() < 0 or peaks.max() >= x.size):
        raise ValueError("an index of `peaks` is not a valid index for `x`")
    return peaks


def peak_prominences(x, peaks, wlen=None):
    """How far peaks rise above the higher of the lowest elements on both sides, up to where x is higher; and where those are."""
    x = _line(x)
    peaks = _places(x, peaks)
    if wlen is not None and wlen <= 1:
        raise ValueError(f"`wlen` must be larger than 1, was {wlen}")
    return _rise(x, peaks, x.size, -1 if wlen is None else _math.ceil(wlen), size=peaks.size)


def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None):
    """Widths of peaks below their top by a share of their prominence; the heights there, and both ends."""
    x = _line(x)
    peaks = _places(x, peaks)
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    data = peak_prominences(x, peaks, wlen) if prominence_data is None else prominence_data
    if any(part is None for part in data):
        raise TypeError("None is no part of prominence_data")
    rise, left, right = map(_asarray, data)
    if not rise.shape == left.shape == right.shape == peaks.shape:
        raise ValueError("arrays in `prominence_data` must have the same shape as `peaks`")
    if prominence_data is not None and bool(((left < 0) | (left > peaks) | (right < peaks) | (right >= x.size)).any()):
        raise ValueError("prominence data is invalid: bases are in `x`, on both sides of their peaks")
    return _width(x, peaks, rise, left, right, rel_height)


def _bounds(interval, x, peaks):
    """The least and the greatest of a condition, a number or an array that has one for each element."""
    try:
        low, high = interval
    except (TypeError, ValueError):
        low, high = interval, None
    bounds = []
    for bound in (low, high):
        if bound is not None and not _ks.isscalar(bound) and (bound := _asarray(bound)).ndim:
            if bound.size != x.size:
                raise ValueError("array size of lower interval border must match x")
            bound = bound[peaks]
        bounds.append(bound)
    return bounds


def find_peaks(
    x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5, plateau_size=None
):  # fmt: skip
    """Where x is higher than on both sides, by conditions; and what was computed for them."""
    x = _line(x)
    if distance is not None and distance < 1:
        raise ValueError("`distance` must be greater or equal to 1")
    begins = _ks.flatnonzero(_ks.concatenate([_ks.ones(min(x.size, 1), bool, device=x.device), x[1:] != x[:-1]]))
    ends = _ks.concatenate([begins[1:] - 1, _ks.full(min(x.size, 1), x.size - 1, device=x.device)])
    level = x[begins]
    tops = 1 + _ks.flatnonzero((level[1:-1] > level[:-2]) & (level[1:-1] > level[2:]))
    left, right = begins[tops], ends[tops]
    peaks, found = (left + right) // 2, {}

    def choose(low, high, least, most=None):
        """Keeps those of which `least` is no less than `low`, and `most` no more than `high`."""
        nonlocal peaks, found
        keep = _ks.ones(peaks.size, bool, device=x.device)
        if low is not None:
            keep = keep & (least >= low)
        if high is not None:
            keep = keep & ((least if most is None else most) <= high)
        peaks, found = peaks[keep], {name: values[keep] for name, values in found.items()}

    if plateau_size is not None:
        found = {"plateau_sizes": right - left + 1, "left_edges": left, "right_edges": right}
        choose(*_bounds(plateau_size, x, peaks), found["plateau_sizes"])
    if height is not None:
        found["peak_heights"] = x[peaks]
        choose(*_bounds(height, x, peaks), found["peak_heights"])
    if threshold is not None:
        found["left_thresholds"], found["right_thresholds"] = sides = x[peaks] - x[peaks - 1], x[peaks] - x[peaks + 1]
        choose(*_bounds(threshold, x, peaks), _ks.minimum(*sides), _ks.maximum(*sides))
    if distance is not None:
        keep = _ks.ones(peaks.size, bool, device=x.device)
        if peaks.size:
            _thin(peaks, _ks.argsort(x[peaks]), peaks.size, _math.ceil(distance), keep, size=1)
        peaks, found = peaks[keep], {name: values[keep] for name, values in found.items()}
    if prominence is not None or width is not None:
        found.update(zip(("prominences", "left_bases", "right_bases"), peak_prominences(x, peaks, wlen)))
    if prominence is not None:
        choose(*_bounds(prominence, x, peaks), found["prominences"])
    if width is not None:
        rises = [found[name] for name in ("prominences", "left_bases", "right_bases")]
        names = "widths", "width_heights", "left_ips", "right_ips"
        found.update(zip(names, peak_widths(x, peaks, rel_height, rises)))
        choose(*_bounds(width, x, peaks), found["widths"])
    return peaks, found
