"""What makes tensors: of data, of one value, of ranges, of random numbers."""

import builtins

import numpy as np

import kasoku as ks

from .._face.refusals import autograd
from . import _types, random
from ._table import functions, named
from ._tensor import Tensor, array_of, composed
from ._types import as_dtype, engine_device


__all__ = (
    "tensor as_tensor asarray from_numpy from_dlpack is_tensor is_floating_point numel zeros ones empty full arange linspace "
    "logspace eye rand randn randint randperm normal bernoulli zeros_like ones_like empty_like full_like rand_like randn_like "
    "randint_like multinomial poisson binomial scalar_tensor"
).split()


def _name(d, default=None):
    return as_dtype(d).numpy if d is not None else (default or _types.default_float).numpy


def _shape(args):
    return (
        tuple(args[0])
        if len(args) == 1 and not isinstance(args[0], builtins.int)
        else tuple(builtins.int(n) for n in args)
    )


def _creates(f):
    """The arguments that every function which makes a tensor takes."""

    def function(
        *args,
        dtype=None,
        device=None,
        requires_grad=False,
        layout=None,
        pin_memory=False,
        memory_format=None,
        out=None,
        generator=None,
        **kwargs,
    ):
        if requires_grad:
            raise NotImplementedError(autograd)
        if "size" in kwargs and f.__name__ != "randint":
            args = (kwargs.pop("size"), *args)
        if generator is not None:
            kwargs["generator"] = generator
        t = f(*args, dtype=dtype, device=engine_device(device), **kwargs)
        t = t if isinstance(t, Tensor) else Tensor(t)
        return t if out is None else out._take(t._a)

    function.__name__ = f.__name__
    return function


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new tensor with a copy of the data."""
    if requires_grad:
        raise NotImplementedError(autograd)
    return Tensor(array_of(data, dtype, device))


def as_tensor(data, dtype=None, device=None):
    if isinstance(data, Tensor):
        return data.to(dtype=dtype, device=device)
    if isinstance(data, np.ndarray) and dtype is None and device is None:
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


asarray = as_tensor


def from_numpy(a):
    """A tensor that shows the array's memory."""
    if not isinstance(a, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(a).__name__})")
    return Tensor(ks.asarray(a, device="cpu"))


def from_dlpack(x):
    return Tensor(ks.from_dlpack(x))


def is_tensor(x):
    return isinstance(x, Tensor)


def is_floating_point(x):
    return x.is_floating_point()


def numel(x):
    return x.numel()


@_creates
def zeros(*size, dtype, device):
    return ks.zeros(_shape(size), _name(dtype), device)


@_creates
def ones(*size, dtype, device):
    return ks.ones(_shape(size), _name(dtype), device)


@_creates
def empty(*size, dtype, device, **_):
    return ks.empty(_shape(size), _name(dtype), device)


@_creates
def full(size, fill_value, *, dtype, device):
    natural = (
        _types.names["bool"]
        if isinstance(fill_value, builtins.bool)
        else _types.names["int64"]
        if isinstance(fill_value, builtins.int)
        else None
    )
    name = _name(dtype, natural)
    _types.must_hold(fill_value, _types.names[name])
    return ks.full(tuple(size), _types.as_number(fill_value, _types.names[name]), name, device)


@_creates
def arange(*args, dtype, device, **kwargs):
    if len(args) == 1 and "end" in kwargs:
        args = (args[0], kwargs.pop("end"))
    start, end, step = {1: (0, *args, 1), 2: (*args, 1), 3: args}.get(len(args), (0, None, 1))
    ends = [kwargs.pop("start", start), kwargs.pop("end", end), kwargs.pop("step", step)]
    if kwargs or ends[1] is None:
        raise TypeError(f"arange() takes start, end and step, not {', '.join(kwargs) or 'nothing'}")
    ends = [a.item() if isinstance(a, (Tensor, np.generic)) else a for a in ends]
    natural = None if builtins.any(isinstance(a, builtins.float) for a in ends) else _types.names["int64"]
    return ks.arange(*ends, dtype=_name(dtype, natural), device=device)


@_creates
def linspace(start, end, steps, *, dtype, device):
    return ks.linspace(start, end, steps, dtype=_name(dtype), device=device)


@_creates
def logspace(start, end, steps, base=10.0, *, dtype, device):
    return (base ** ks.linspace(start, end, steps, device=device)).astype(_name(dtype))


@_creates
def eye(n, m=None, *, dtype, device):
    return ks.eye(n, m, dtype=_name(dtype), device=device)


@_creates
def rand(*size, dtype, device, generator=None):
    return random.source(generator).uniform(0.0, 1.0, _shape(size), _name(dtype), device=device)


@_creates
def randn(*size, dtype, device, generator=None):
    return random.source(generator).standard_normal(_shape(size), _name(dtype), device=device)


@_creates
def randint(*args, dtype, device, generator=None, low=0, high=None, size=None):
    """randint(high, size) or randint(low, high, size)."""
    args = list(args)
    if size is None:
        size = args.pop()
    if high is None:
        high = args.pop()
    if args:
        low = args.pop()
    low, high = (v.item() if isinstance(v, Tensor) else v for v in (low, high))
    return random.source(generator).integers(
        low, high, tuple(size), dtype=_name(dtype, _types.names["int64"]), device=device
    )


@_creates
def randperm(n, *, dtype, device, generator=None):
    return random.source(generator).permutation(n, device=device).astype(_name(dtype, _types.names["int64"]))


@composed
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, out=None):
    like = next((v for v in (mean, std) if isinstance(v, Tensor)), None)
    shape = like.shape if like is not None else tuple(size)
    z = randn(*shape, dtype=dtype, device=device or (like.device if like is not None else None), generator=generator)
    return z * std + mean


@named
@composed
def bernoulli(p, *, generator=None):
    return (rand(*p.shape, dtype=p.dtype, device=p.device, generator=generator) < p).to(p.dtype)


@named
def poisson(input, generator=None):
    """A number of Poisson's distribution for each mean."""
    return Tensor(random.source(generator).poisson(input._a, device=input._a.device).astype(input._a.dtype))


@named
def binomial(count, prob, generator=None):
    """How many of so many trials succeed, for each pair."""
    drawn = random.source(generator).binomial(count._a.astype("int64"), prob._a, device=prob._a.device)
    return Tensor(drawn.astype(prob._a.dtype))


def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False):
    return tensor(s, dtype=dtype or _types.default_float, device=device, requires_grad=requires_grad)


def _like(f):
    def function(input, *args, dtype=None, device=None, **kwargs):
        shape = tuple(input.shape)
        head = (shape,) if f.__name__ in ("full",) else shape if f.__name__ != "randint" else ()
        tail = {"size": shape} if f.__name__ == "randint" else {}
        if f.__name__ in ("zeros", "ones", "empty", "rand", "randn"):
            head = (shape,)
        return f(*head, *args, dtype=dtype or input.dtype, device=device or input.device, **kwargs, **tail)

    function.__name__ = f.__name__ + "_like"
    return named(function)


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)
full_like, rand_like, randn_like = _like(full), _like(rand), _like(randn)


@named
def randint_like(input, *args, dtype=None, device=None):
    return randint(*args, tuple(input.shape), dtype=dtype or input.dtype, device=device or input.device)


@named
def multinomial(x, num_samples, replacement=False, *, generator=None):
    """Places drawn with probabilities in proportion to x's elements, by rows if x has two axes."""
    if not replacement and num_samples > x.shape[-1]:
        raise RuntimeError(f"cannot draw {num_samples} of {x.shape[-1]} without replacement")
    if replacement:
        sums = functions.cumsum(x, -1)
        u = rand(*x.shape[:-1], num_samples, dtype=x.dtype, device=x.device, generator=generator)
        return (u.unsqueeze(-1) * sums[..., -1:].unsqueeze(-1) >= sums.unsqueeze(-2)).sum(-1)
    keys = functions.log(rand(*x.shape, dtype=x.dtype, device=x.device, generator=generator)) / x
    return functions.topk(keys, num_samples).indices
