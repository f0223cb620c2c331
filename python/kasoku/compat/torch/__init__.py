"""The face of PyTorch: tensors on CPU and CUDA, run at their place; float32 by default."""

import builtins
import contextlib

import numpy as np

import kasoku as ks

from .. import Face
from . import _maths, _ops, _rearrange, _types, accelerator, cuda, fft, linalg, random  # noqa: F401
from ._tensor import Tensor, array_of, composed
from ._types import (  # noqa: F401
    Size,
    as_dtype,
    device,
    dtype,
    engine_device,
    get_default_dtype,
    set_default_dtype,
)
from .random import Generator, initial_seed, manual_seed, seed  # noqa: F401

__version__ = "2.8.0"
globals().update(_types.names)
for _functions in (_ops.functions, _rearrange.functions, _maths.functions):
    globals().update(_functions)
from math import e, inf, nan, pi  # noqa: E402, F401

for _name, _method in {**_rearrange.functions, **_maths.functions}.items():
    if not hasattr(Tensor, _name) and _name not in ("einsum", "complex", "polar", "searchsorted"):
        setattr(Tensor, _name, _method)
for _name, _method in _rearrange.in_place.items():
    setattr(Tensor, _name + "_", _method)
Tensor.real, Tensor.imag = property(_maths.functions["real"]), property(_maths.functions["imag"])

strided = "torch.strided"


class version:
    cuda = "13.0" if _types.cuda_is_available() else None


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
        out=None,
        generator=None,
        **kwargs,
    ):
        if requires_grad:
            raise NotImplementedError("kasoku's torch computes no gradients yet")
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
        raise NotImplementedError("kasoku's torch computes no gradients yet")
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
    return ks.full(tuple(size), fill_value, _name(dtype, natural), device)


@_creates
def arange(*args, dtype, device, **kwargs):
    args = [a.item() if isinstance(a, Tensor) else a for a in args] + list(kwargs.values())
    natural = None if builtins.any(isinstance(a, builtins.float) for a in args) else _types.names["int64"]
    return ks.arange(*args, dtype=_name(dtype, natural), device=device)


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
    return random.source(generator).uniform(0.0, 1.0, _shape(size), _name(dtype), device)


@_creates
def randn(*size, dtype, device, generator=None):
    return random.source(generator).standard_normal(_shape(size), _name(dtype), device)


@_creates
def randint(*args, dtype, device, generator=None, **kwargs):
    low, high, size = args if len(args) == 3 else (0, *args) if len(args) == 2 else (0, args[0], kwargs.pop("size"))
    return random.source(generator).integers(
        low, high, tuple(size), dtype=_name(dtype, _types.names["int64"]), device=device
    )


@_creates
def randperm(n, *, dtype, device, generator=None):
    return random.source(generator).permutation(n, device).astype(_name(dtype, _types.names["int64"]))


@composed
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, out=None):
    like = next((v for v in (mean, std) if isinstance(v, Tensor)), None)
    shape = like.shape if like is not None else tuple(size)
    z = randn(*shape, dtype=dtype, device=device or (like.device if like is not None else None), generator=generator)
    return z * std + mean


@composed
def bernoulli(p, *, generator=None):
    return (rand(*p.shape, dtype=p.dtype, device=p.device, generator=generator) < p).to(p.dtype)


def _like(f):
    def function(x, *args, dtype=None, device=None, **kwargs):
        shape = tuple(x.shape)
        head = (shape,) if f.__name__ in ("full",) else shape if f.__name__ != "randint" else ()
        tail = {"size": shape} if f.__name__ == "randint" else {}
        if f.__name__ in ("zeros", "ones", "empty", "rand", "randn"):
            head = (shape,)
        return f(*head, *args, dtype=dtype or x.dtype, device=device or x.device, **kwargs, **tail)

    function.__name__ = f.__name__ + "_like"
    return function


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)
full_like, rand_like, randn_like = _like(full), _like(rand), _like(randn)


def randint_like(x, *args, dtype=None, device=None):
    return randint(*args, tuple(x.shape), dtype=dtype or x.dtype, device=device or x.device)


def _same_dtype(tensors):
    wanted = None
    for t in tensors:
        wanted = _ops._wider(wanted, t.dtype)
    return [t._a if t.dtype is wanted else t._a.astype(wanted.numpy) for t in tensors]


def cat(tensors, dim=0, *, out=None):
    parts = _same_dtype(tensors)
    result = ks.concatenate(parts, axis=dim)
    return Tensor(result) if out is None else out._take(result)


concat = concatenate = cat


def stack(tensors, dim=0):
    return Tensor(ks.stack(_same_dtype(tensors), dim))


def vstack(tensors):
    return cat([t.reshape(1, -1) if t.ndim < 2 else t for t in tensors])


def hstack(tensors):
    return cat(tensors, 0 if tensors[0].ndim < 2 else 1)


def _view(name):
    def function(x, *args, **kwargs):
        return getattr(x, name)(*args, **kwargs)

    function.__name__ = name
    return function


for _f in (
    "reshape",
    "flatten",
    "ravel",
    "squeeze",
    "unsqueeze",
    "transpose",
    "swapaxes",
    "permute",
    "t",
    "clone",
    "detach",
):
    globals()[_f] = _view(_f)


def flip(x, dims):
    return Tensor(ks.flip(x._a, dims).copy())


def broadcast_to(x, size):
    return x.expand(*size)


def meshgrid(*tensors, indexing="ij"):
    tensors = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    grids = np.meshgrid(*[t.cpu().numpy() for t in tensors], indexing=indexing)
    return tuple(tensor(g, device=tensors[0].device) for g in grids)


@composed
def outer(x, y):
    return x.unsqueeze(1) * y.unsqueeze(0)


def promote_types(a, b):
    return _ops._wider(a, b)


def result_type(*operands):
    return _ops._promoted(operands, False)


class no_grad(contextlib.ContextDecorator):
    """Nothing computes gradients here."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


inference_mode = no_grad


class enable_grad(no_grad):
    pass


def is_grad_enabled():
    return False


def set_grad_enabled(_):
    return no_grad()


def compile(model=None, **_):
    """The function itself: its statements are compiled as they run."""
    return model if model is not None else (lambda f: f)


def set_num_threads(n):
    """Limits the threads that share the work of this thread's calls; KASOKU_NUM_THREADS sets the most."""
    if n < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    ks._core._set_thread_limit(builtins.int(n))


def get_num_threads():
    return ks._core._thread_limit()


def set_default_device(d):
    _types.set_block_device(device(d) if d is not None else None)


def set_printoptions(**_):
    """Accepted."""


def manual_seed_all(n):
    return manual_seed(n)


def use_deterministic_algorithms(mode, warn_only=False):
    """They are."""


FloatTensor = Tensor


def DoubleTensor(*args):
    return Tensor(*args).to(_types.names["float64"])


def LongTensor(*args):
    return (
        Tensor(array_of(args[0], "int64"))
        if args and not isinstance(args[0], builtins.int)
        else empty(*args, dtype=_types.names["int64"])
    )


class finfo:
    def __init__(self, d=None):
        i = np.finfo(as_dtype(d or _types.default_float).numpy)
        self.eps, self.max, self.min, self.tiny, self.bits = (
            builtins.float(i.eps),
            builtins.float(i.max),
            builtins.float(i.min),
            builtins.float(i.tiny),
            i.bits,
        )


class iinfo:
    def __init__(self, d):
        i = np.iinfo(as_dtype(d).numpy)
        self.max, self.min, self.bits = builtins.int(i.max), builtins.int(i.min), i.bits


def set_float32_matmul_precision(precision):
    """Accepted: products of float32 are computed in float32."""
    if precision not in ("highest", "high", "medium"):
        raise ValueError(f"the precision is highest, high or medium, not {precision!r}")


def get_float32_matmul_precision():
    return "highest"


def multinomial(x, num_samples, replacement=False, *, generator=None):
    """Places drawn with probabilities in proportion to x's elements, by rows if x has two axes."""
    if not replacement and num_samples > x.shape[-1]:
        raise RuntimeError(f"cannot draw {num_samples} of {x.shape[-1]} without replacement")
    if replacement:
        sums = _rearrange.functions["cumsum"](x, -1)
        u = rand(*x.shape[:-1], num_samples, dtype=x.dtype, device=x.device, generator=generator)
        return (u.unsqueeze(-1) * sums[..., -1:].unsqueeze(-1) >= sums.unsqueeze(-2)).sum(-1)
    keys = _ops.functions["log"](rand(*x.shape, dtype=x.dtype, device=x.device, generator=generator)) / x
    return _rearrange.topk(keys, num_samples).indices


def save(obj, f):
    """Writes tensors, and containers of them, in Python's own format; load() reads it."""
    import pickle

    if hasattr(f, "write"):
        pickle.dump(obj, f)
    else:
        with open(f, "wb") as file:
            pickle.dump(obj, file)


def load(f, map_location=None, *, weights_only=True, **_):
    """What save() wrote, on the device where it was or on `map_location`."""
    import pickle

    if hasattr(f, "read"):
        found = pickle.load(f)
    else:
        with open(f, "rb") as file:
            if file.read(2) == b"PK":
                raise RuntimeError(f"{f} is a file of the installed torch: kasoku's load() reads what its save() wrote")
            file.seek(0)
            found = pickle.load(file)
    return found.to(map_location) if map_location is not None and isinstance(found, Tensor) else found


class _Backend:
    """torch.backends.*: switches that are accepted."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def is_available(self):
        return False


class backends:
    class cudnn(_Backend):
        enabled = benchmark = deterministic = False

    class cuda:
        matmul = _Backend(allow_tf32=False, fp32_precision="ieee")

    mps = _Backend()
    mkl = _Backend()


import sys as _sys  # noqa: E402

_sys.modules[__name__].__class__ = Face
