"""cupyx.scipy.fft: the engine's transforms with SciPy's arguments."""

import kasoku as _ks

from ...cupy._util import in_face as _in_face


def _of_one(name):
    function = getattr(_ks.fft, name)

    def f(x, n=None, axis=-1, norm=None, overwrite_x=False, *, plan=None):
        return function(x, n, axis, norm)

    f.__name__, f.__doc__ = name, function.__doc__
    return f


def _of_several(name, axes):
    function = getattr(_ks.fft, name)

    def f(x, s=None, axes=axes, norm=None, overwrite_x=False, *, plan=None):
        return function(x, s, axes, norm)

    f.__name__, f.__doc__ = name, function.__doc__
    return f


fft, ifft, rfft, irfft, hfft, ihfft = map(_of_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fft2, ifft2, rfft2, irfft2 = (_of_several(name, (-2, -1)) for name in ("fft2", "ifft2", "rfft2", "irfft2"))
fftn, ifftn, rfftn, irfftn = (_of_several(name, None) for name in ("fftn", "ifftn", "rfftn", "irfftn"))
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
