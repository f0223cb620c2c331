"""Functions that make tensors: of data, of one value, of ranges, of random numbers."""

import builtins
import inspect
import math

import numpy as np

import kasoku as ks

from .._face.refusals import autograd
from .._face.table import Table
from . import _types, random
from ._table import functions, named, rules
from ._tensor import Tensor, array_of, composed
from ._types import as_dtype, engine_device


__all__ = (
    "tensor as_tensor asarray from_numpy frombuffer from_dlpack is_tensor is_floating_point numel zeros ones empty full arange linspace "
    "logspace eye rand randn randint randperm normal bernoulli zeros_like ones_like empty_like full_like rand_like randn_like "
    "randint_like multinomial poisson binomial scalar_tensor"
).split()


_name = lambda d, default=None: as_dtype(d).numpy if d is not None else (default or _types.default_float).numpy


def _shape(args):
    return tuple(args[0] if len(args) == 1 and not isinstance(args[0], builtins.int) else map(builtins.int, args))


def _creates(f):
    """The arguments that every function which makes a tensor takes."""

    def function(*args, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, memory_format=None,
                 out=None, generator=None, **kwargs):  # fmt: skip
        if requires_grad:
            raise NotImplementedError(autograd)
        if "size" in kwargs and f.__name__ != "randint":
            args = (kwargs.pop("size"), *args)
        if generator is not None:
            kwargs["generator"] = generator
        t = f(*args, dtype=dtype, device=engine_device(device), **kwargs)
        t = t if isinstance(t, Tensor) else Tensor(t)
        return t if out is None else out._take(t._a)

    own, more = (inspect.signature(g).parameters for g in (f, function))
    options = [p for name, p in more.items() if p.kind is p.KEYWORD_ONLY and name not in own]
    function.__signature__ = inspect.Signature([p for p in own.values() if p.kind is not p.VAR_KEYWORD] + options)
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


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A tensor that shows memory which Python's buffers give."""
    return from_numpy(np.frombuffer(buffer, as_dtype(dtype).numpy, count, offset))


def _length(n):
    if n < 0:
        raise RuntimeError(f"randperm: the number of elements has to be >= 0, not {n}")
    return n


_made = Table({"creates": _creates, "arrays": rules["arrays"]})
_made.rows("plain", {
    "from_dlpack": lambda x: Tensor(ks.from_dlpack(x)),
    "is_tensor": lambda x: isinstance(x, Tensor),
    "is_floating_point": lambda x: x.is_floating_point(),
    "numel": lambda x: x.numel(),
    "scalar_tensor": lambda s, *, dtype=None, device=None, requires_grad=False: tensor(
        s, dtype=dtype or _types.default_float, device=device, requires_grad=requires_grad),
})  # fmt: skip
_made.rows("creates", {
    "zeros": lambda *size, dtype=None, device=None: ks.zeros(_shape(size), _name(dtype), device),
    "ones": lambda *size, dtype=None, device=None: ks.ones(_shape(size), _name(dtype), device),
    "empty": lambda *size, dtype=None, device=None, **_: ks.empty(_shape(size), _name(dtype), device),
    "linspace": lambda start, end, steps, *, dtype=None, device=None: ks.linspace(
        start, end, steps, dtype=_name(dtype), device=device),
    "logspace": lambda start, end, steps, base=10.0, *, dtype=None, device=None: (
        base ** ks.linspace(start, end, steps, device=device)).astype(_name(dtype)),
    "eye": lambda n, m=None, *, dtype=None, device=None: ks.eye(n, m, dtype=_name(dtype), device=device),
    "rand": lambda *size, dtype=None, device=None, generator=None: random.source(generator).uniform(
        0.0, 1.0, _shape(size), _name(dtype), device=device),
    "randn": lambda *size, dtype=None, device=None, generator=None: random.source(generator).standard_normal(
        _shape(size), _name(dtype), device=device),
    "randperm": lambda n, *, dtype=None, device=None, generator=None: random.source(generator).permutation(
        _length(n), device=device).astype(_name(dtype, _types.names["int64"])),
})  # fmt: skip
_made.rows("arrays", {
    "bernoulli": (lambda p, *, generator=None: (
        random.source(generator).uniform(0.0, 1.0, p.shape, p.dtype, device=p.device) < p).astype(p.dtype),
        "1 with the probability that each element is, else 0."),
    "poisson": (lambda input, generator=None: random.source(generator).poisson(input, device=input.device).astype(input.dtype),
        "A number of Poisson's distribution for each mean."),
    "binomial": (lambda count, prob, generator=None: random.source(generator).binomial(
        count.astype("int64"), prob, device=prob.device).astype(prob.dtype), "How many of so many trials succeed, for each pair."),
})  # fmt: skip
globals().update(_made)
zeros, ones, empty, rand, randn = (_made[name] for name in ("zeros", "ones", "empty", "rand", "randn"))


@_creates
def full(size, fill_value, *, dtype=None, device=None):
    kinds = {bool: _types.names["bool"], int: _types.names["int64"], complex: _types.default_complex()}
    name = _name(dtype, next((kind for own, kind in kinds.items() if isinstance(fill_value, own)), None))
    _types.must_hold(fill_value, _types.names[name])
    return ks.full(tuple(size), _types.as_number(fill_value, _types.names[name]), name, device)


@_creates
def arange(*args, dtype=None, device=None, **kwargs):
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
def randint(*args, dtype=None, device=None, generator=None, low=0, high=None, size=None):
    """randint(high, size) or randint(low, high, size)."""
    args = list(args)
    size = args.pop() if size is None else size
    high = args.pop() if high is None else high
    low = args.pop() if args else low
    low, high = (v.item() if isinstance(v, Tensor) else v for v in (low, high))
    kind = _name(dtype, _types.names["int64"])
    return random.source(generator).integers(low, high, tuple(size), dtype=kind, device=device)


@composed
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, out=None):
    like = next((v for v in (mean, std) if isinstance(v, Tensor)), None)
    shape = like.shape if like is not None else tuple(size)
    z = randn(*shape, dtype=dtype, device=device or (like.device if like is not None else None), generator=generator)
    return z * random.deviation(std) + mean


def _like(f):
    def function(input, *args, dtype=None, device=None, **kwargs):
        options = {"dtype": dtype or input.dtype, "device": device or input.device, **kwargs}
        return f(*args, tuple(input.shape), **options) if f is randint else f(tuple(input.shape), *args, **options)

    function.__name__ = f.__name__ + "_like"
    return named(function)


zeros_like, ones_like, empty_like, full_like, rand_like, randn_like, randint_like = map(
    _like, (zeros, ones, empty, full, rand, randn, randint)
)


@named
def multinomial(x, num_samples, replacement=False, *, generator=None):
    """Places drawn with probabilities in proportion to x's elements, by rows if x has two axes."""
    if not replacement and num_samples > x.shape[-1]:
        raise RuntimeError(f"cannot draw {num_samples} of {x.shape[-1]} without replacement")
    if x.device.type == "cpu":  # a GPU's values are not read for a test
        if not bool(((x >= 0) & (x < math.inf)).all()):
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if not bool((x.sum(-1) > 0).all()):
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement:
        sums = functions.cumsum(x, -1)
        u = rand(*x.shape[:-1], num_samples, dtype=x.dtype, device=x.device, generator=generator)
        return (u.unsqueeze(-1) * sums[..., -1:].unsqueeze(-1) >= sums.unsqueeze(-2)).sum(-1)
    keys = functions.log(rand(*x.shape, dtype=x.dtype, device=x.device, generator=generator)) / x
    return functions.topk(keys, num_samples).indices
