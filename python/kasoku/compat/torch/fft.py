"""torch.fft: the engine's, where the tensors lie; float32 gives complex64."""

import kasoku as ks

from .._face.table import each as _each, Table as _Table
from . import _types
from ._table import rules as _rules
from ._tensor import Tensor
from ._types import as_dtype, engine_device

_functions = _Table(_rules)


def _of_one(of):
    return lambda input, n=None, dim=-1, norm=None: of(input, n, dim, norm)


def _of_several(dims):
    return lambda of: lambda input, s=None, dim=dims, norm=None: of(input, s, dim, norm)


def _frequencies(of):
    def frequencies(n, d=1.0, *, dtype=None, device=None, layout=None, requires_grad=False):
        kind = _types.default_float if dtype is None else as_dtype(dtype)
        return Tensor(of(n, d, engine_device(device)).astype(kind.numpy))

    return frequencies


_functions.rows("singles", {
    **_each(ks.fft, "fft ifft rfft irfft hfft ihfft", _of_one),
    **_each(ks.fft, "fft2 ifft2 rfft2 irfft2", _of_several((-2, -1))),
    **_each(ks.fft, "fftn ifftn rfftn irfftn", _of_several(None)),
})  # fmt: skip
_functions.rows("arrays", _each(ks.fft, "fftshift ifftshift", lambda of: lambda input, dim=None: of(input, dim)))
_functions.rows("tensors", _each(ks.fft, "fftfreq rfftfreq", _frequencies))
globals().update(_functions)
