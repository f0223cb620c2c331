"""torch.fft: the engine's, where the tensors lie; float32 gives complex64."""

import kasoku as ks

from .._face.table import each as _each, Table as _Table
from . import _types
from ._table import rules as _rules
from ._tensor import Tensor
from ._types import as_dtype, engine_device

_functions = _Table(_rules)


def _frequencies(of):
    def frequencies(n, d=1.0, *, dtype=None, device=None, layout=None, requires_grad=False):
        kind = _types.default_float if dtype is None else as_dtype(dtype)
        return Tensor(of(n, d, engine_device(device)).astype(kind.numpy))

    return frequencies


_functions.rows("singles", {
    **_each(ks.fft, "fft ifft rfft irfft hfft ihfft", "input, n=None, dim=-1, norm=None"),
    **_each(ks.fft, "fft2 ifft2 rfft2 irfft2", "input, s=None, dim=(-2, -1), norm=None"),
    **_each(ks.fft, "fftn ifftn rfftn irfftn", "input, s=None, dim=None, norm=None"),
})  # fmt: skip
_functions.rows("arrays", _each(ks.fft, "fftshift ifftshift", "input, dim=None"))
_functions.rows("tensors", _each(ks.fft, "fftfreq rfftfreq", _frequencies))
globals().update(_functions)
