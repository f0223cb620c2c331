"""tf.signal: Fourier transforms, the engine's, and windows."""

import numpy as _np

import kasoku as ks

from .._face import compositions as _compositions
from .._face.table import bound as _bound, each as _each, Table as _Table
from . import dtypes as _dtypes
from ._table import in_type as _in_type, plain as _plain, rules as _rules
from ._tensor import Tensor as _Tensor

_functions = _Table(_rules)


def _of_length(input, fft_length=None, *, of, axes):
    if fft_length is None:
        return of(input) if axes != 3 else of(input, None, (-3, -2, -1))
    length = [int(n) for n in _np.ravel(_plain(fft_length))]
    return of(input, length[0]) if axes == 1 else of(input, length, tuple(range(-axes, 0)))


_functions.rows("own", {
    **_each(ks.fft, "fft ifft fft2 ifft2", "input"),
    **{name + end: _bound(_of_length, of=getattr(ks.fft, name + of), axes=axes) for name in ("rfft", "irfft")
       for end, of, axes in (("", "", 1), ("2d", "2", 2), ("3d", "n", 3))},
    **_each(ks.fft, "fft3d=fftn ifft3d=ifftn", lambda of: lambda input: of(input, None, (-3, -2, -1))),
    **_each(ks.fft, "fftshift ifftshift", "x, axes=None"),
})  # fmt: skip
_functions.alias(fft2d="fft2", ifft2d="ifft2")


def _window(window_length, periodic=True, dtype=_dtypes.float32, *, of):
    return _Tensor(_in_type(_compositions.window(of, int(window_length), periodic), dtype))


_functions.rows(
    "tensors", {"hann_window": _bound(_window, of=ks.hanning), "hamming_window": _bound(_window, of=ks.hamming)}
)
globals().update(_functions)
