"""cupyx.scipy.fft: the engine's transforms with SciPy's arguments."""

import math as _math
import warnings as _warnings

import numpy as _np

import kasoku as _ks
from kasoku._namespace.given import axis_of as _axis

from ...cupy._arrays import asarray as _asarray, floats as _floats
from ...cupy.cuda import cufft as _cufft
from ...cupy.fft import config as _config
from ..._face.table import bound as _bound, each as _each, plain as _plain
from ..._face.compositions import paired as _paired


# Between Hermitian signals and real ones: the transform of real numbers in the other direction, of what is conjugated.
_turned = {None: "forward", "backward": "forward", "forward": "backward"}


def _hermitian(x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None, is_inverse):
    _no_plan(plan)
    if is_inverse:
        return _ks.conjugate(_ks.fft.rfftn(x, s, axes, _turned.get(norm, norm)))
    return _ks.fft.irfftn(_ks.conjugate(x), s, axes, _turned.get(norm, norm))


def _no_plan(plan):
    if plan is not None:
        raise NotImplementedError("plan= is not yet supported between Hermitian signals and real ones")


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan for transforms of such an array along one axis (cupy.cuda.cufft.Plan1d) or several (PlanNd); it may be their
    `plan=`, or stand in `with`."""
    if value_type not in ("C2C", "R2C", "C2R"):
        raise ValueError(f"a plan is of the type C2C, R2C or C2R, not {value_type!r}")
    if not a.flags.forc:
        raise ValueError("Input array a must be contiguous")
    plan = _plan_of(a, shape, axes, value_type)
    kept = isinstance(plan, _cufft.Plan1d) and _config.get_plan_cache().get((plan.nx, plan.fft_type, plan.batch, None))
    return kept or plan


def _plan_of(a, shape, axes, value_type):
    shape, axes = ((x,) if isinstance(x, int) else x for x in (shape, axes))
    if shape is not None and axes is not None and len(shape) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    axes = range(-(a.ndim if shape is None else len(shape)), 0) if axes is None else axes
    if len(axes) > 3:
        raise ValueError("Only up to three axes is supported")
    axes = [_axis(k, a.ndim) for k in axes]
    lengths = dict(zip(axes, shape or [a.shape[k] for k in axes]))
    last, order = axes[-1], "F" if a.flags.fnc else "C"
    if value_type == "C2R" and shape is None:
        lengths[last] = 2 * (lengths[last] - 1)
    is_double = _ks.result_type(a, "float32") in ("float64", "complex128")
    name = {"C2C": "Z2Z", "R2C": "D2Z", "C2R": "Z2D"}[value_type] if is_double else value_type
    kind = getattr(_cufft, f"CUFFT_{name}")
    batch = _math.prod(n for k, n in enumerate(a.shape) if k not in lengths)
    if len(axes) == 1:
        return _cufft.Plan1d(lengths[last], kind, batch)
    if sorted(axes) not in (list(range(len(axes))), list(range(a.ndim - len(axes), a.ndim))):
        raise ValueError(f"a plan of several axes is of the first or of the last ones, not of {tuple(axes)}")
    axes = [*sorted(axes[:-1]), last]
    embedded = [lengths[k] if k != last or value_type != "C2R" else lengths[k] // 2 + 1 for k in axes]
    more = (last, lengths[last]) if value_type != "C2C" else (None, None)
    plan = _cufft.PlanNd(embedded, None, 1, 0, None, 1, 0, kind, batch, order, *more)
    plan._axes = tuple(axes)
    return plan


def _must_fit(plan, x, shape, axes, value_type):
    """That a plan, or the current one, is of such a transform."""
    plan = _cufft.get_current_plan() if plan is None else plan
    if plan is None:
        return
    needed = _plan_of(_asarray(x), shape, axes, value_type)
    if type(plan) is not type(needed):
        raise ValueError(f"expected plan to have type cufft.{type(needed).__name__}")
    for name, value in vars(needed).items():
        if getattr(plan, name) != value:
            raise ValueError(f"the plan does not match the transform: its {name} is {getattr(plan, name)}, not {value}")


def _along_one(value_type):
    return lambda of: lambda x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None: (
        _must_fit(plan, x, n, axis, value_type) or of(x, n, axis, norm))  # fmt: skip


def _along_several(value_type, usual):
    return lambda of: lambda x, s=None, axes=usual, norm=None, overwrite_x=False, *, plan=None: (
        _must_fit(plan, x, s, axes, value_type) or of(x, s, axes, norm))  # fmt: skip


_plain(globals(), {
    **{name: row for names, kind in {"fft ifft": "C2C", "rfft": "R2C", "irfft": "C2R"}.items() for name, row in {
        **_each(_ks.fft, names, _along_one(kind)),
        **_each(_ks.fft, names.replace("fft", "fft2"), _along_several(kind, (-2, -1))),
        **_each(_ks.fft, names.replace("fft", "fftn"), _along_several(kind, None))}.items()},
    **_each(_ks.fft, "hfft ihfft", lambda of: lambda x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None:
        _no_plan(plan) or of(x, n, axis, norm)),
    "hfft2": (lambda x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None: hfftn(x, s, axes, norm, plan=plan),  # noqa: F821
        "Real signals of two axes from the halves of Hermitian ones."),
    "ihfft2": (lambda x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None: ihfftn(x, s, axes, norm, plan=plan),  # noqa: F821
        "The inverse of hfft2."),
    "hfftn": (_bound(_hermitian, is_inverse=False), "Real signals from the halves of Hermitian ones."),
    "ihfftn": (_bound(_hermitian, is_inverse=True), "The inverse of hfftn."),
})  # fmt: skip
fftfreq, rfftfreq, fftshift, ifftshift = _ks.fft.fftfreq, _ks.fft.rfftfreq, _ks.fft.fftshift, _ks.fft.ifftshift


# A backend of scipy.fft: `with scipy.fft.set_backend(cupyx.scipy.fft)`.
__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args, kwargs):
    own = globals().get(method.__name__)
    return NotImplemented if own is None else own(*args, **kwargs)


def next_fast_len(target, real=False):
    """The least length of small prime factors that is not below `target`."""
    n = max(int(target), 1)
    while pow(2 * 3 * 5 * 7, 64, n):  # 0 where n has no other prime factor
        n += 1
    return n


def prev_fast_len(target, real=False):
    """The greatest length of small prime factors that is not above `target`."""
    n = int(target)
    if n < 1:
        raise ValueError(f"target cannot be less than 1, not {target}")
    while pow(2 * 3 * 5 * 7, 64, n):
        n -= 1
    return n


# ── Hankel transforms of values at places that grow by a factor ───────────────────────────────


def _log_gamma(z):
    """The logarithm of gamma, but for turns of the imaginary part: Stirling's series, from where it is good on."""
    z, below = _np.asarray(z, complex), 0
    for _ in range(12):
        below, z = below + _np.log(z), z + 1
    series = 1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 / z**2) / z**2) / z**2) / z**2) / z**2
    return (z - 0.5) * _np.log(z) - z + _math.log(2 * _math.pi) / 2 + series / z - below


def _hankel_factors(n, dln, mu, offset, bias, is_inverse):
    """What each frequency of the logarithm is multiplied by; they depend on n alone, so the host computes them once."""
    up, down = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = _np.linspace(0, _math.pi * (n // 2) / (n * dln), n // 2 + 1)
    with _np.errstate(all="ignore"):
        above, below = _log_gamma(up + 1j * y), _log_gamma(down + 1j * y)
        u = _np.exp(
            above.real
            - below.real
            + _math.log(2) * bias
            + 1j * (above.imag + below.imag + 2 * y * (_math.log(2) - offset))
        )
    if n % 2 == 0:
        u.imag[-1] = 0
    if not _np.isfinite(u[0]):
        u[0] = 0 if down <= 0 and down == int(down) else _np.inf  # a pole of gamma below the line, or above it
    if _np.isinf(u[0]) and not is_inverse:
        _warnings.warn("singular transform; consider changing the bias", RuntimeWarning, 3)
        u[0] = 0
    elif u[0] == 0 and is_inverse:
        _warnings.warn("singular inverse transform; consider changing the bias", RuntimeWarning, 3)
        u[0] = _np.inf
    return u


def _hankel(a, dln, mu, offset=0.0, bias=0.0, *, is_inverse):
    a, dln, offset = _floats(a), float(dln), float(offset)
    n, kind = a.shape[-1], a.dtype
    u = _hankel_factors(n, dln, float(mu), offset, float(bias), is_inverse)
    u = _ks.asarray(1 / u.conj() if is_inverse else u, device=a.device)
    away = (_ks.arange(n, device=a.device) - (n - 1) / 2) * dln
    if bias:
        a = a * _ks.exp(bias * (away + offset) if is_inverse else -bias * away)
    y = _ks.flip(_ks.fft.irfft(_ks.fft.rfft(a) * u, n), -1)
    y = y * _ks.exp(bias * away if is_inverse else -bias * (away + offset)) if bias else y
    return y.astype(kind)


def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    """The offset near the initial one with which a Hankel transform is of no jump."""
    y = _math.pi / (2 * float(dln))
    turn = sum(_log_gamma((mu + 1 + q) / 2 + 1j * y).imag for q in (bias, -bias)) / _math.pi
    share = (_math.log(2) - initial) / dln + turn
    return initial + (share - _np.around(share)) * dln


_plain(globals(), {
    "fht": (_bound(_hankel, is_inverse=False), "The Hankel transform of values at places that grow by the factor exp(dln)."),
    "ifht": (_bound(_hankel, is_inverse=True), "What the Hankel transform is of."),
})  # fmt: skip


def _of_cosines(x, kind):
    """The cosine transforms of the last axis, without factors, by Fourier transforms."""
    n = x.shape[-1]
    k = _ks.arange(n, device=x.device)
    turn = lambda angle: (_ks.cos(angle) + 1j * _ks.sin(angle)).astype(
        "complex64" if x.dtype == "float32" else "complex128"
    )
    if kind == 1:
        return _ks.fft.rfft(_ks.concatenate((x, _ks.flip(x[..., 1:-1], -1)), -1)).real
    if kind == 2:
        return (_ks.fft.rfft(_ks.concatenate((x, _ks.flip(x, -1)), -1))[..., :n] * turn(-_math.pi * k / (2 * n))).real
    if kind == 3:
        return _ks.fft.irfft(x * turn(_math.pi * k / (2 * n)), 2 * n, norm="forward")[..., :n]
    turned = _ks.fft.fft(x * turn(-_math.pi * k / (2 * n)), 2 * n)[..., :n]
    return 2 * (turned * turn(-_math.pi * (2 * k + 1) / (4 * n))).real


def _of_sines(x, kind):
    """The sine transforms: cosine transforms of elements in the opposite order or of changing sign."""
    signs = (1 - 2 * (_ks.arange(x.shape[-1], device=x.device) % 2)).astype(x.dtype)
    if kind == 1:
        zero = _ks.zeros_like(x[..., :1])
        return -_ks.fft.rfft(_ks.concatenate((zero, x, zero, -_ks.flip(x, -1)), -1)).imag[..., 1 : x.shape[-1] + 1]
    return _ks.flip(_of_cosines(x * signs, 2), -1) if kind == 2 else _of_cosines(_ks.flip(x, -1), kind) * signs


def _at_ends(x, first, last, factor):
    """The first element, the last one, or both, times a factor."""
    factors = _ks.ones(x.shape[-1], x.dtype, device=x.device)
    for is_there, at in ((first, 0), (last, -1)):
        if is_there:
            factors[at] = factor
    return x * factors


def _transformed(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, of, is_inverse):
    kind = type
    if kind not in (1, 2, 3, 4):
        raise ValueError("invalid type; must be one of (1, 2, 3, 4)")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"Invalid norm value {norm!r}; should be 'backward', 'ortho' or 'forward'")
    x = _asarray(x)
    if x.dtype.kind == "c":
        parts = (_transformed(part, kind, n, axis, norm, of=of, is_inverse=is_inverse) for part in (x.real, x.imag))
        return _paired(*parts)
    x = _ks.moveaxis(x.astype(_ks.result_type(x, "float32")), axis, -1)
    n = x.shape[-1] if n is None else n
    if n < (2 if kind == 1 and of is _of_cosines else 1):
        raise ValueError(f"invalid number of data points ({n}) specified")
    x = _ks.pad(x[..., :n], [(0, 0)] * (x.ndim - 1) + [(0, max(n - x.shape[-1], 0))])
    kind = {2: 3, 3: 2}.get(kind, kind) if is_inverse else kind
    is_even = of is _of_cosines
    total = 2 * (n + (0 if kind > 1 else -1 if is_even else 1))
    ends = (is_even and kind < 4, is_even and kind == 1 or not is_even and kind in (2, 3))  # which have another weight
    if norm == "ortho" and kind in (1, 3):
        x = _at_ends(x, *ends, 2**0.5) if is_even or kind == 3 else x
    y = of(x, kind)
    if norm == "ortho" and kind in (1, 2):
        y = _at_ends(y, *ends, 0.5**0.5) if is_even or kind == 2 else y
    scaled = norm == "ortho" or (norm == "forward") != is_inverse
    y = y * (1 / (_math.sqrt(total) if norm == "ortho" else total)) if scaled else y
    return _ks.moveaxis(y, -1, axis)


def _along(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, of, is_inverse):
    x = _asarray(x)
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = [axes] if _ks.isscalar(axes) else list(axes)
    lengths = [None] * len(axes) if s is None else [s] if _ks.isscalar(s) else list(s)
    if len(lengths) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    for axis, n in zip(axes, lengths):
        x = _transformed(x, type, n, axis, norm, of=of, is_inverse=is_inverse)
    return x


for _of, _name, _word in ((_of_cosines, "dct", "cosine"), (_of_sines, "dst", "sine")):
    _there, _back = {"of": _of, "is_inverse": False}, {"of": _of, "is_inverse": True}
    _plain(globals(), {
        _name: (_bound(_transformed, **_there), f"The {_word} transform of a type from 1 to 4 along an axis."),
        f"i{_name}": (_bound(_transformed, **_back), f"What the {_word} transform of a type is of."),
        f"{_name}n": (_bound(_along, **_there), f"The {_word} transform along several axes."),
        f"i{_name}n": (_bound(_along, **_back), f"What the {_word} transform along several axes is of."),
    })  # fmt: skip
