"""torch.fft: the engine's, where the tensors lie; float32 gives complex64."""

import kasoku as ks

from .._face.table import Table as _Table
from . import _types
from ._table import rules as _rules
from ._tensor import Tensor
from ._types import as_dtype, engine_device

_functions = _Table(_rules)


def _of_one(of):
    return lambda input, n=None, dim=-1, norm=None: of(input, n, dim, norm)


def _of_several(of, dims):
    return lambda input, s=None, dim=dims, norm=None: of(input, s, dim, norm)


def _frequencies(of):
    def frequencies(n, d=1.0, *, dtype=None, device=None, layout=None, requires_grad=False):
        kind = _types.default_float if dtype is None else as_dtype(dtype)
        return Tensor(of(n, d, engine_device(device)).astype(kind.numpy))

    return frequencies


_named = {
    name: getattr(ks.fft, name)
    for name in """
    fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftshift ifftshift fftfreq rfftfreq
""".split()
}
_functions.rows("singles", {name: _of_one(of) for name, of in _named.items() if name.endswith("fft")})
_functions.rows("singles", {name: _of_several(of, (-2, -1)) for name, of in _named.items() if name.endswith("fft2")})
_functions.rows("singles", {name: _of_several(of, None) for name, of in _named.items() if name.endswith("fftn")})
_functions.rows("arrays", {
    "fftshift": lambda input, dim=None: ks.fft.fftshift(input, dim),
    "ifftshift": lambda input, dim=None: ks.fft.ifftshift(input, dim),
})  # fmt: skip
_functions.rows("tensors", {name: _frequencies(of) for name, of in _named.items() if name.endswith("freq")})
globals().update(_functions)
