"""Filters whose results go into the next ones, and what they make of frequencies."""

import functools as _functools
import math as _math
import operator as _operator

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy.polynomial.polynomial import polyval as _polyval
from ...._face.kernels import kernel as _kernel


_recursion = _kernel("raw T b, raw T a, raw T x, int64 n, int32 before, int32 behind", "raw T y", """
      const T *const given = &x[i * (n + before) + before];
      T *const made = &y[i * (n + behind) + behind];
      for (long long k = 0; k < n; k++) {
        T sum = b[0] * given[k];
        for (int j = 1; j <= before; j++) sum += b[j] * given[k - j];
        for (int j = 1; j <= behind; j++) sum -= a[j] * made[k - j];
        made[k] = sum;
      }""", "recursive_filter")  # fmt: skip


def _coefficients(b, a, kind=None):
    """Both of one dtype, divided by a[0]."""
    b, a = _ks.atleast_1d(_asarray(b)), _ks.atleast_1d(_asarray(a))
    if b.ndim != 1 or a.ndim != 1:
        raise ValueError("object of too small depth for desired array: b and a are of one axis")
    kind = _ks.result_type(b, a, "float32") if kind is None else kind
    return b.astype(kind) / a[0].astype(kind), a.astype(kind) / a[0].astype(kind)


def lfilter(b, a, x, axis=-1, zi=None):
    """What a recursive filter gives: a[0] y[n] = b[0] x[n] + b[1] x[n-1] + … - a[1] y[n-1] - …; a thread filters a row.

    A state is what was before: len(b) - 1 elements of what was given, and len(a) - 1 of what the filter gave."""
    x, state = _asarray(x), None if zi is None else _asarray(zi)
    kind = _ks.result_type(_asarray(b), _asarray(a), x, "float32", *(() if state is None else (state,)))
    b, a = _coefficients(b, a, kind)
    x = _ks.moveaxis(x.astype(kind), axis, -1)
    rows, n, before, behind = x.shape[:-1], x.shape[-1], b.size - 1, a.size - 1
    if state is None:
        state = _ks.zeros((*rows, before + behind), kind, device=x.device)
    elif state.ndim != x.ndim or state.shape[axis] != before + behind:
        raise ValueError(f"Unexpected shape for zi: {before + behind} elements along the axis of the filter are needed")
    else:
        state = _ks.broadcast_to(_ks.moveaxis(state.astype(kind), axis, -1), (*rows, before + behind))
    x = _ks.concatenate((state[..., :before], x), -1)
    y = _ks.empty((*rows, behind + n), kind, device=x.device)
    y[..., :behind] = state[..., before:]
    if n and y.size:
        _recursion(b, a, _ks.ascontiguousarray(x), n, before, behind, y, size=y.size // (n + behind))
    made = _ks.ascontiguousarray(_ks.moveaxis(y[..., behind:], -1, axis))
    if zi is None:
        return made
    return made, _ks.moveaxis(_ks.concatenate((x[..., n:], y[..., n:]), -1), -1, axis)


def lfiltic(b, a, y, x=None):
    """The state of a recursive filter that gave y, the last one first, of x."""
    ends = []
    for values, count in ((x, _ks.atleast_1d(_asarray(b)).size - 1), (y, _ks.atleast_1d(_asarray(a)).size - 1)):
        values = _ks.zeros(count, device=_asarray(y).device) if values is None else _asarray(values).reshape(-1)[:count]
        ends.append(_ks.flip(_ks.pad(values, (0, count - values.size))))
    return _ks.concatenate(ends)


def lfilter_zi(b, a):
    """The state of a recursive filter that a constant 1 leaves as it is."""
    b, a = _coefficients(b, a)
    return _ks.concatenate((_ks.ones_like(b[1:]), _ks.ones_like(a[1:]) * (b.sum() / a.sum())))


def deconvolve(signal, divisor):
    """What was convolved with the divisor, and what is left."""
    signal, divisor = _ks.atleast_1d(_asarray(signal)), _ks.atleast_1d(_asarray(divisor))
    n = signal.size - divisor.size + 1
    if n < 1:
        return _ks.empty(0, device=signal.device), signal
    quotient = lfilter(_ks.ones(1, divisor.dtype, device=signal.device), divisor, signal[:n])
    return quotient, signal - _ks.convolve(divisor, quotient)


def _extended(x, edge, how):
    """The array with so many elements more at both ends of the last axis."""
    if not edge or how is None:
        return x
    if how == "zeros":
        return _ks.pad(x, [(0, 0)] * (x.ndim - 1) + [(edge, edge)])
    before, after = _ks.flip(x[..., 1 : edge + 1], -1), _ks.flip(x[..., x.shape[-1] - edge - 1 : -1], -1)
    if how == "odd":
        before, after = 2 * x[..., :1] - before, 2 * x[..., -1:] - after
    elif how == "constant":
        before, after = (_ks.broadcast_to(end, before.shape) for end in (x[..., :1], x[..., -1:]))
    return _ks.concatenate((before, x, after), -1)


def _edge(x, padtype, padlen, least):
    """How many elements more a filter that goes there and back has at both ends."""
    if padtype not in ("odd", "even", "constant", None):
        raise ValueError(
            f"Unknown value {padtype!r} given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    edge = 0 if padtype is None else least if padlen is None else padlen
    if x.shape[-1] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    return edge


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """A recursive filter there and back, so that nothing is moved in time."""
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    b, a, x = _ks.atleast_1d(_asarray(b)), _ks.atleast_1d(_asarray(a)), _ks.moveaxis(_asarray(x), axis, -1)
    if method == "gust":
        return _ks.ascontiguousarray(_ks.moveaxis(_by_best_states(b, a, x, irlen), -1, axis))
    edge = _edge(x, padtype, padlen, 3 * max(a.size, b.size))
    y = _extended(x, edge, padtype)
    state = lfilter_zi(b, a)
    for _ in range(2):
        y = _ks.flip(lfilter(b, a, y, zi=state * y[..., :1])[0], -1)
    return _ks.ascontiguousarray(_ks.moveaxis(y[..., edge : edge + x.shape[-1]], -1, axis))


def _by_best_states(b, a, x, irlen):
    """The filter there and back from the states at both ends with which back and there gives the same, as near as can be
    (Gustafsson, 1996); `irlen`: after how many elements a state is forgotten."""
    order = max(b.size, a.size) - 1
    if order == 0:
        return (b[0] / a[0]) ** 2 * x
    n = x.shape[-1]
    m = n if irlen is None or n <= 2 * irlen else irlen
    back = lambda y, axis=-1: _ks.flip(y, axis)
    first = _ks.zeros_like(x, dtype=_ks.result_type(a, "float64"), shape=(m,))
    first[0] = 1
    first = lfilter(_ks.ones_like(a[:1]), a / a[0], first)
    # What each state gives; SciPy keeps its real part.
    gives = _ks.stack([_ks.pad(first.real[: m - k], (k, 0)) for k in range(order)], 1)
    again = lfilter(b, a, back(gives, 0), axis=0)
    forward = back(lfilter(b, a, back(lfilter(b, a, x))))
    apart = lfilter(b, a, back(lfilter(b, a, back(x)))) - forward
    parts = (back(again, 0) - gives, back(gives, 0) - again), (back(again, 0), back(gives, 0))
    if m == n:
        matrix, weights = (_ks.concatenate(part, 1) for part in parts)
    else:  # both ends by themselves
        apart = _ks.concatenate((apart[..., :m], apart[..., n - m :]), -1)
        matrix, weights = (
            _ks.concatenate((_ks.pad(above, ((0, 0), (0, order))), _ks.pad(below, ((0, 0), (order, 0)))))
            for above, below in parts
        )
    kind = _ks.result_type(matrix, apart)
    states = _ks.linalg.lstsq(matrix.astype(kind), apart.reshape(-1, apart.shape[-1]).T.astype(kind), rcond=None)[0]
    more = (weights.astype(kind) @ states).T.reshape(apart.shape)
    if m < n:
        between = _ks.zeros_like(more, shape=(*more.shape[:-1], n - 2 * m))
        more = _ks.concatenate((more[..., :m], between, more[..., m:]), -1)
    return forward + more


def _of_second_order(sos):
    sos = _ks.atleast_2d(_asarray(sos))
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    return sos


def sosfilt(sos, x, axis=-1, zi=None):
    """Recursive filters of second order, one after the other."""
    sos, x, states = _of_second_order(sos), _asarray(x), []
    for k in range(sos.shape[0]):
        done = lfilter(sos[k, :3], sos[k, 3:], x, axis, None if zi is None else _asarray(zi)[k])
        x, state = (done, None) if zi is None else done
        states.append(state)
    return x if zi is None else (x, _ks.stack(states))


def sosfilt_zi(sos):
    """The states of filters of second order that a constant 1 leaves as they are."""
    states, level = [], 1
    for section in _asarray(sos):
        states.append(level * lfilter_zi(section[:3], section[3:]))
        level = states[-1][-1]
    return _ks.stack(states)


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """Filters of second order there and back, so that nothing is moved in time."""
    sos, x = _asarray(sos), _ks.moveaxis(_asarray(x), axis, -1)
    taps = 2 * sos.shape[0] + 1 - min(int((sos[:, 2] == 0).sum()), int((sos[:, 5] == 0).sum()))
    edge = _edge(x, padtype, padlen, 3 * taps)
    y = _extended(x, edge, padtype)
    states = sosfilt_zi(sos).reshape(sos.shape[0], *[1] * (x.ndim - 1), 4)
    for _ in range(2):
        y = _ks.flip(sosfilt(sos, y, zi=states * y[..., :1])[0], -1)
    return _ks.ascontiguousarray(_ks.moveaxis(y[..., edge : edge + x.shape[-1]], -1, axis))


def freqz_sos(sos, worN=512, whole=False, fs=2 * _math.pi):
    """The frequencies, and what filters of second order make of them."""
    found = [freqz(section[:3], section[3:], worN, whole, None, fs) for section in _of_second_order(sos)]
    return found[0][0], _functools.reduce(lambda x, y: x * y, (made for _, made in found))


sosfreqz = freqz_sos


def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * _math.pi, include_nyquist=False):
    """The frequencies, and what a recursive filter makes of them; plot(frequencies, values) is called with both."""
    b, a = (_ks.atleast_1d(_asarray(c)) for c in (b, a))
    last, count = 2 * _math.pi if whole else _math.pi, _count(worN)
    if count is None:
        w = _ks.atleast_1d(_asarray(worN)) * (2 * _math.pi / fs)
    else:
        w = _ks.linspace(0, last, count, endpoint=include_nyquist and not whole, device=b.device)
    z = _ks.exp(-1j * w)
    found = w * (fs / (2 * _math.pi)), _polyval(z, b, tensor=False) / _polyval(z, a, tensor=False)
    if plot is not None:
        plot(*found)
    return found


def _count(worN):
    """How many frequencies are asked for; None where these are given."""
    try:
        count = 512 if worN is None else None if getattr(worN, "ndim", 0) else _operator.index(worN)
    except TypeError:
        return None
    if count is not None and count < 0:
        raise ValueError(f"worN must be nonnegative, got {count}")
    return count
