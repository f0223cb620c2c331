"""Filters whose results go into the next ones, and what they make of frequencies."""

import functools as _functools
import math as _math

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray


@_functools.cache
def _recursion(kind, device):
    text = """
      for (long long k = 0; k < n; k++) {
        const T given = x[i * n + k], out = b[0] * given + (order ? z[i * order] : T(0));
        for (int j = 1; j < order; j++) z[i * order + j - 1] = z[i * order + j] + b[j] * given - a[j] * out;
        if (order) z[i * order + order - 1] = b[order] * given - a[order] * out;
        y[i * n + k] = out;
      }"""
    return _ks.ElementwiseKernel(
        "raw T b, raw T a, raw T x, int64 n, int32 order", "raw T z, raw T y", text, "recursive_filter", device=device
    )


def lfilter(b, a, x, axis=-1, zi=None):
    """What a recursive filter gives: a[0] y[n] = b[0] x[n] + b[1] x[n-1] + … - a[1] y[n-1] - …; a thread filters a row."""
    b, a, x = _ks.atleast_1d(_asarray(b)), _ks.atleast_1d(_asarray(a)), _asarray(x)
    kind = _ks.result_type(b, a, x, "float32", *(() if zi is None else (_asarray(zi),)))
    order = max(a.size, b.size) - 1
    b, a = (_ks.pad(c.astype(kind) / a[0].astype(kind), (0, order + 1 - c.size)) for c in (b, a))
    x = _ks.moveaxis(x.astype(kind), axis, -1)
    rows, n = x.shape[:-1], x.shape[-1]
    z = _ks.zeros((*rows, order), kind, device=x.device)
    if zi is not None:
        z[...] = _ks.moveaxis(_asarray(zi).astype(kind), axis, -1)
    y = _ks.empty(x.shape, kind, device=x.device)
    if y.size:
        z = z if z.size else _ks.zeros(1, kind, device=x.device)
        _recursion(kind, x.device)(b, a, _ks.ascontiguousarray(x), n, order, z, y, size=y.size // n)
    y = _ks.moveaxis(y, -1, axis)
    return y if zi is None else (y, _ks.moveaxis(z, -1, axis))


def lfilter_zi(b, a):
    """The state of a recursive filter that a constant 1 leaves as it is."""
    b, a = (_ks.atleast_1d(_asarray(c)).astype("float64") for c in (b, a))
    n = max(a.size, b.size)
    b, a = (_ks.pad(c / a[0], (0, n - c.size)) for c in (b, a))
    moved = _ks.eye(n - 1, device=b.device) - _ks.eye(n - 1, k=1, device=b.device)
    moved[:, 0] += a[1:]
    return _ks.linalg.solve(moved, b[1:] - a[1:] * b[0])


def _extended(x, edge, how):
    """With so many elements more at both ends of the last axis."""
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
    if method != "pad":
        raise NotImplementedError(f"cupyx.scipy.signal.filtfilt is here by the method 'pad', not {method!r}")
    b, a, x = _ks.atleast_1d(_asarray(b)), _ks.atleast_1d(_asarray(a)), _ks.moveaxis(_asarray(x), axis, -1)
    edge = _edge(x, padtype, padlen, 3 * max(a.size, b.size))
    y = _extended(x, edge, padtype)
    state = lfilter_zi(b, a)
    for _ in range(2):
        y = _ks.flip(lfilter(b, a, y, zi=state * y[..., :1])[0], -1)
    return _ks.moveaxis(y[..., edge : edge + x.shape[-1]], -1, axis)


def sosfilt(sos, x, axis=-1, zi=None):
    """Recursive filters of second order, one after the other."""
    sos, x = _asarray(sos), _asarray(x)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    states = []
    for k in range(sos.shape[0]):
        done = lfilter(sos[k, :3], sos[k, 3:], x, axis, None if zi is None else _asarray(zi)[k])
        x, state = (done, None) if zi is None else done
        states.append(state)
    return x if zi is None else (x, _ks.stack(states))


def sosfilt_zi(sos):
    """The states of filters of second order that a constant 1 leaves as they are."""
    sos = _asarray(sos).astype("float64")
    gains = _ks.cumprod(sos[:, :3].sum(1) / sos[:, 3:].sum(1))
    states = [lfilter_zi(section[:3], section[3:]) for section in sos]
    return _ks.stack([states[0], *(state * gain for state, gain in zip(states[1:], gains))])


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """Filters of second order there and back, so that nothing is moved in time."""
    sos, x = _asarray(sos), _ks.moveaxis(_asarray(x), axis, -1)
    taps = 2 * sos.shape[0] + 1 - min(int((sos[:, 2] == 0).sum()), int((sos[:, 5] == 0).sum()))
    edge = _edge(x, padtype, padlen, 3 * taps)
    y = _extended(x, edge, padtype)
    states = sosfilt_zi(sos).reshape(sos.shape[0], *[1] * (x.ndim - 1), 2)
    for _ in range(2):
        y = _ks.flip(sosfilt(sos, y, zi=states * y[..., :1])[0], -1)
    return _ks.moveaxis(y[..., edge : edge + x.shape[-1]], -1, axis)


def sosfreqz(sos, worN=512, whole=False, fs=2 * _math.pi):
    """The frequencies, and what filters of second order make of them."""
    found = [freqz(section[:3], section[3:], worN, whole, fs) for section in _asarray(sos)]
    return found[0][0], _functools.reduce(lambda x, y: x * y, (made for _, made in found))


def freqz(b, a=1, worN=512, whole=False, fs=2 * _math.pi, include_nyquist=False):
    """The frequencies, and what a recursive filter makes of them."""
    b, a = (_ks.atleast_1d(_asarray(c)) for c in (b, a))
    last = 2 * _math.pi if whole else _math.pi
    if _ks.isscalar(worN) or worN is None:
        w = _ks.linspace(
            0, last, 512 if worN is None else int(worN), endpoint=include_nyquist and not whole, device=b.device
        )
    else:
        w = _asarray(worN) * (2 * _math.pi / fs)
    z = _ks.cos(w) - 1j * _ks.sin(w)
    return w * (fs / (2 * _math.pi)), _ks.polyval(_ks.flip(b), z) / _ks.polyval(_ks.flip(a), z)
