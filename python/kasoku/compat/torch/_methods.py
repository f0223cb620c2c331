"""Tensor's methods beyond arithmetic: tensors like this one, tests, and changes of shape in place."""

import math

import numpy as np

import kasoku as ks

from .._face.table import bound, Table
from . import _ops, _types, random
from ._tensor import Tensor, array_of, shaped


_methods = Table()


def _made(self, *size, dtype=None, device=None, requires_grad=False, name, **kwargs):
    from . import _creation

    options = {"dtype": dtype or self.dtype, "device": device or self.device, "requires_grad": requires_grad}
    return getattr(_creation, name)(*size, **options, **kwargs)


_methods.rows("plain", {
    **{f"new_{name}": bound(_made, name=name) for name in ("zeros", "ones", "empty", "full")},
    "new_tensor": lambda self, data, *, dtype=None, device=None, requires_grad=False: Tensor(
        array_of(data, dtype or self.dtype, device or self.device)),
    "size": lambda self, dim=None: self.shape if dim is None else self._a.shape[dim],
    "stride": lambda self, dim=None: (lambda s: s if dim is None else s[dim])(
        tuple(s // self._a.itemsize for s in self._a.strides)),
    "dim": lambda self: self._a.ndim,
    "numel": lambda self: self._a.size,
    "element_size": lambda self: self._a.itemsize,
    "data_ptr": lambda self: self._a.ptr,
    "is_floating_point": lambda self: self.dtype.is_floating_point,
    "tolist": lambda self: self._a.tolist(),
    "__float__": lambda self: float(self.item()),
    "__int__": lambda self: int(self.item()),
    "cpu": lambda self: self.to("cpu"),
    "clone": lambda self, *, memory_format=None: Tensor(self._a.copy()),
    "detach": lambda self: Tensor(self._a),
    "reshape": lambda self, *shape: Tensor(shaped(self._a.reshape, *shape)),
    "view_as": lambda self, other: self.view(other.shape),
    "ravel": lambda self: self.reshape(-1),
    "transpose": lambda self, dim0, dim1: Tensor(self._a.swapaxes(dim0, dim1)),
    "permute": lambda self, *dims: Tensor(shaped(self._a.transpose, *dims)),
    "unsqueeze": lambda self, dim: Tensor(ks.expand_dims(self._a, dim)),
    "expand_as": lambda self, other: self.expand(*other.shape),
    "zero_": lambda self: self.fill_(0),
    "copy_": lambda self, other, non_blocking=False: self._write(other._a),
    "type_as": lambda self, other: self.to(other),
    "reshape_as": lambda self, other: self.reshape(other.shape),
    "is_complex": lambda self: self.dtype.is_complex,
    "is_signed": lambda self: self.dtype.category >= 2 or self.dtype.name.startswith("int"),
    "get_device": lambda self: -1 if self.device.type == "cpu" else self.device.index or 0,
    "pin_memory": lambda self, device=None: self,
    "share_memory_": lambda self: self,
    "detach_": lambda self: self,
    "is_pinned": lambda self, device=None: False,
    "is_shared": lambda self: False,
    "sum_to_size": (lambda self, *size: _summed_to(self, _sizes(size)), "Summed where axes become 1, or are fewer."),
    "to_dense": lambda self, dtype=None: self if dtype is None else self.to(dtype),
    "multinomial": lambda self, num_samples, replacement=False, *, generator=None: _creation_of().multinomial(
        self, num_samples, replacement, generator=generator),
    "bernoulli": lambda self, p=None, *, generator=None: self.clone().bernoulli_(
        self if p is None else p, generator=generator),
    "adjoint": lambda self: self.mT.conj(),
    "unflatten": lambda self, dim, sizes: self.reshape(
        *self.shape[: dim % self.ndim], *sizes, *self.shape[dim % self.ndim + 1 :]),
})  # fmt: skip
_methods.alias(ndimension="dim", nelement="numel", swapaxes="transpose", swapdims="transpose", __index__="__int__")


_sizes = lambda size: tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size


def _summed_to(t, size):
    more = t.ndim - len(size)
    wrong = more < 0 or any(n not in (1, m) for n, m in zip(size, t.shape[more:]))
    if wrong:
        raise RuntimeError(f"size {list(size)} is not expandable to size {list(t.shape)}.")
    axes = [*range(more), *(k + more for k, n in enumerate(size) if n == 1)]
    return t.sum(axes).reshape(size) if axes else t.clone()


def _creation_of():
    from . import _creation  # which imports tensors and their methods

    return _creation


def _drawn(self, *args, generator=None, draw, **kwargs):
    return self._take(draw(self, *args, generator=generator, **kwargs)._a.astype(self.dtype.numpy))


def _whole(t, low=0, high=None, *, generator):
    if high is None:
        low, high = 0, low or (2**24 if t.dtype.is_floating_point else min(np.iinfo(t.dtype.numpy).max, 2**62))
    return _creation_of().randint(low, high, t.shape, device=t.device, generator=generator)


def _numbers(t, generator, draw, *parameters):
    """Of the engine's distribution, in the shape of a tensor and in its floating dtype."""
    dtype = t.dtype if t.dtype.is_floating_point else _types.default_float
    return getattr(random.source(generator), draw)(*parameters, t._a.shape, dtype.numpy, device=t._a.device)


def _uniform(t, low=0.0, high=1.0, *, generator):
    if not (low <= high and high - low < math.inf):
        raise RuntimeError(f"uniform_: there are no numbers from {low} to {high} to draw from")
    return Tensor(_numbers(t, generator, "uniform", low, high))


def _exponential(t, lambd=1.0, *, generator):
    if not lambd > 0:
        raise RuntimeError(f"exponential_: the rate has to be > 0, not {lambd}")
    return Tensor(-ks.log1p(-_numbers(t, generator, "uniform", 0.0, 1.0)) / lambd)


def _each_of(self, *others, function):
    """Elements that Python's function gives, one by one on the host."""
    values = [x.cpu().numpy() for x in (self, *others)]
    made = (
        np.array([function(*(v.item() for v in at)) for at in np.nditer(values, ["refs_ok", "zerosize_ok"])])
        if others
        else (np.array([function(v.item()) for v in values[0].ravel()]))
    )
    return self._take(ks.asarray(made.reshape(self.shape).astype(self.dtype.numpy), device=self._a.device))


def _reshaped(self, *args, change):
    self._a = change(self, *args)._a
    return self


_methods.rows("plain", {
    "fill_diagonal_": lambda self, value, wrap=False: self._write(
        value, (ks.arange(min(self.shape), device=self._a.device),) * self.ndim),
    "cauchy_": bound(_drawn, draw=lambda t, median=0.0, sigma=1.0, *, generator: Tensor(
        median + sigma * ks.tan(math.pi * (_numbers(t, generator, "uniform", 0.0, 1.0) - 0.5)))),
    "log_normal_": bound(_drawn, draw=lambda t, mean=1.0, std=2.0, *, generator: Tensor(
        ks.exp(_numbers(t, generator, "normal", mean, random.deviation(std))))),
    "geometric_": bound(_drawn, draw=lambda t, p, *, generator: Tensor(
        ks.floor(ks.log1p(-_numbers(t, generator, "uniform", 0.0, 1.0)) / math.log1p(-p)) + 1)),
    "apply_": (lambda self, callable: _each_of(self, function=callable), "Python's function of each element, on the host."),
    "map_": lambda self, tensor, callable: _each_of(self, tensor.expand(*self.shape), function=callable),
    "random_": bound(_drawn, draw=_whole),
    "exponential_": bound(_drawn, draw=_exponential),
    "uniform_": bound(_drawn, draw=_uniform),
    "normal_": bound(_drawn, draw=lambda t, mean=0.0, std=1.0, *, generator: Tensor(
        _numbers(t, generator, "normal", mean, random.deviation(std)))),
    "bernoulli_": bound(_drawn, draw=lambda t, p=0.5, *, generator: Tensor(
        _numbers(t, generator, "uniform", 0.0, 1.0) < (p._a if isinstance(p, Tensor) else p))),
    **{name + "_": bound(_reshaped, change=_methods.get(name) or getattr(Tensor, name))
       for name in ("squeeze", "unsqueeze", "t", "transpose", "swapaxes")},
})  # fmt: skip
for _name, _f in _methods.items():
    setattr(Tensor, _name, _f)
Tensor.H = Tensor.mH = property(_methods.adjoint)
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
