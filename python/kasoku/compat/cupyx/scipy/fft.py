"""cupyx.scipy.fft: the engine's transforms with SciPy's arguments."""

import kasoku as _ks

from ..._face.table import each as _each, plain as _plain
from ...cupy._util import in_face as _in_face


def _no_plan(plan):
    if plan is not None:
        raise NotImplementedError("plan= is not yet supported between Hermitian signals and real ones")


# Between Hermitian signals and real ones: the transform of real numbers in the other direction, of what is conjugated.
_turned = {None: "forward", "backward": "forward", "forward": "backward"}


def _to_real(x, s, axes, norm):
    return _ks.fft.irfftn(_ks.conjugate(x), s, axes, _turned.get(norm, norm))


def _from_real(x, s, axes, norm):
    return _ks.conjugate(_ks.fft.rfftn(x, s, axes, _turned.get(norm, norm)))


_ignored = " | overwrite_x=False, *, plan=None"
_plain(globals(), {
    **_each(_ks.fft, "fft ifft rfft irfft", "x, n=None, axis=-1, norm=None" + _ignored),
    "hfft": lambda x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None:
        _no_plan(plan) or _ks.fft.hfft(x, n, axis, norm),
    "ihfft": lambda x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None:
        _no_plan(plan) or _ks.fft.ihfft(x, n, axis, norm),
    "hfft2": (lambda x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None:
        _no_plan(plan) or _to_real(x, s, axes, norm), "Real signals of two axes from the halves of Hermitian ones."),
    "ihfft2": (lambda x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, *, plan=None:
        _no_plan(plan) or _from_real(x, s, axes, norm), "The inverse of hfft2."),
    "hfftn": (lambda x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None:
        _no_plan(plan) or _to_real(x, s, axes, norm), "Real signals from the halves of Hermitian ones."),
    "ihfftn": (lambda x, s=None, axes=None, norm=None, overwrite_x=False, *, plan=None:
        _no_plan(plan) or _from_real(x, s, axes, norm), "The inverse of hfftn."),
    **_each(_ks.fft, "fft2 ifft2 rfft2 irfft2", "x, s=None, axes=(-2, -1), norm=None" + _ignored),
    **_each(_ks.fft, "fftn ifftn rfftn irfftn", "x, s=None, axes=None, norm=None" + _ignored),
})  # fmt: skip
fftfreq, rfftfreq, fftshift, ifftshift = _ks.fft.fftfreq, _ks.fft.rfftfreq, _ks.fft.fftshift, _ks.fft.ifftshift


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan for transforms of such an array; it may be their `plan=`, or stand in `with`."""
    from ...cupy.cuda.cufft import Plan

    if value_type not in ("C2C", "R2C", "C2R"):
        raise ValueError(f"a plan is of the type C2C, R2C or C2R, not {value_type!r}")
    return Plan(a.shape if shape is None else shape, axes, value_type)


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


_in_face(globals())
