"""Tensor's methods beyond arithmetic: tensors like this one, tests, and changes of shape in place."""

import math

import numpy as np

import kasoku as ks

from . import _ops, _types, random
from ._tensor import Tensor, array_of


def _method(f):
    setattr(Tensor, f.__name__, f)
    return f


def _made(name):
    def method(self, *size, dtype=None, device=None, requires_grad=False, **kwargs):
        from . import _creation

        make = getattr(_creation, name)
        return make(
            *size, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad, **kwargs
        )

    method.__name__ = f"new_{name}"
    setattr(Tensor, method.__name__, method)


for _name in ("zeros", "ones", "empty", "full"):
    _made(_name)


@_method
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    return Tensor(array_of(data, dtype or self.dtype, device or self.device))


@_method
def type_as(self, other):
    return self.to(other)


@_method
def is_complex(self):
    return self.dtype.is_complex


@_method
def is_signed(self):
    return self.dtype.category >= 2 or self.dtype.name.startswith("int")


@_method
def get_device(self):
    return -1 if self.device.type == "cpu" else self.device.index or 0


@_method
def pin_memory(self, device=None):
    return self


@_method
def share_memory_(self):
    return self


@_method
def reshape_as(self, other):
    return self.reshape(other.shape)


@_method
def is_pinned(self, device=None):
    return False


@_method
def is_shared(self):
    return False


@_method
def detach_(self):
    return self


@_method
def bernoulli(self, p=None, *, generator=None):
    return self.clone().bernoulli_(self if p is None else p, generator=generator)


@_method
def adjoint(self):
    return self.mT.conj()


@_method
def unflatten(self, dim, sizes):
    shape = list(self.shape)
    dim %= len(shape)
    return self.reshape(*shape[:dim], *sizes, *shape[dim + 1 :])


@_method
def fill_diagonal_(self, value, wrap=False):
    at = ks.arange(min(self.shape), device=self._a.device)
    return self._write(value, (at,) * self.ndim)


def _drawn(name, draw):
    def method(self, *args, generator=None, **kwargs):
        return self._take(draw(self, *args, generator=generator, **kwargs)._a.astype(self.dtype.numpy))

    method.__name__ = name
    setattr(Tensor, name, method)


def _exponential(t, lambd=1.0, *, generator):
    from . import _creation

    u = _creation.rand(*t.shape, dtype=_floating(t), device=t.device, generator=generator)
    return Tensor(-ks.log1p(-u._a) / lambd)


def _whole(t, low=0, high=None, *, generator):
    from . import _creation

    if high is None:
        low, high = 0, low or (2**24 if t.dtype.is_floating_point else min(np.iinfo(t.dtype.numpy).max, 2**62))
    return _creation.randint(low, high, t.shape, device=t.device, generator=generator)


def _uniform(t, low=0.0, high=1.0, *, generator):
    return Tensor(random.source(generator).uniform(low, high, t._a.shape, _floating(t).numpy, device=t._a.device))


def _normal(t, mean=0.0, std=1.0, *, generator):
    return Tensor(random.source(generator).normal(mean, std, t._a.shape, _floating(t).numpy, device=t._a.device))


def _yes(t, p=0.5, *, generator):
    from . import _creation

    u = _creation.rand(*t.shape, device=t.device, generator=generator)
    return Tensor(u._a < (p._a if isinstance(p, Tensor) else p))


def _floating(t):
    return t.dtype if t.dtype.is_floating_point else _types.default_float


_drawn("exponential_", _exponential)
_drawn("random_", _whole)
_drawn("uniform_", _uniform)
_drawn("normal_", _normal)
_drawn("bernoulli_", _yes)


def _reshaped(name):
    change = getattr(Tensor, name)

    def method(self, *args):
        self._a = change(self, *args)._a
        return self

    method.__name__ = name + "_"
    setattr(Tensor, method.__name__, method)


for _name in ("squeeze", "unsqueeze", "t", "transpose", "swapaxes"):
    _reshaped(_name)


Tensor.H = property(adjoint)
Tensor.mH = property(adjoint)
Tensor.is_leaf = True
Tensor.is_sparse = Tensor.is_quantized = Tensor.is_meta = False
Tensor.layout = "torch.strided"
Tensor.__complex__ = lambda self: complex(self.item())
Tensor.__contains__ = lambda self, x: bool((self == x).any())
Tensor.__rmatmul__ = lambda self, other: _ops.functions["matmul"](
    Tensor(ks.asarray(other, device=self._a.device)), self
)
Tensor.__round__ = lambda self, digits=0: _ops.functions["round"](self, decimals=digits)
Tensor.__trunc__ = lambda self: math.trunc(self.item())
