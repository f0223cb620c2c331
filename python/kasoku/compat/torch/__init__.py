"""The face of PyTorch: tensors on CPU and CUDA, run at their place; float32 by default."""

import builtins
import contextlib
from types import SimpleNamespace as _Namespace

import numpy as np

import kasoku as ks

from .._face.table import bound as _bound, Table as _Table, modules as _modules
from . import (
    _methods,
    _more,
    _ops,
    _printing,
    _promotion,
    _rearrange,
    _rows,
    _spectra,
    _types,
    _views,
    accelerator,
    cuda,
    fft,
)
from . import linalg, nn, random, special, testing
from ._creation import *  # noqa: F403
from ._table import functions as _functions, in_place as _in_place
from ._tensor import Tensor
from ._types import (  # noqa: F401
    Size, as_dtype, device, dtype, engine_device, get_default_dtype,
)  # fmt: skip
from ._promotion import set_default_dtype  # noqa: F401
from .random import Generator, initial_seed, manual_seed, seed  # noqa: F401

__version__ = "2.8.0"
globals().update(_types.names)
globals().update({name: f for name, f in _functions.items() if not name.startswith("_")})
globals().update(_more.legacy)
jit = _more.jit
for _name in """
    adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d batch_norm celu conv1d conv2d conv3d conv_transpose1d
    conv_transpose2d conv_transpose3d cosine_similarity dropout embedding group_norm hardshrink hinge_embedding_loss
    instance_norm kl_div layer_norm margin_ranking_loss max_pool1d max_pool2d max_pool3d pairwise_distance
    pixel_shuffle poisson_nll_loss prelu rms_norm selu threshold triplet_margin_loss
""".split():
    globals()[_name] = getattr(nn.functional, _name)
from math import e, inf, nan, pi  # noqa: E402, F401

for _name in "bmm dot matmul mm mv cdist isin tensordot".split():
    setattr(Tensor, _name, _functions[_name])
Tensor.where = lambda self, condition, other: _functions.where(condition, self, other)
# Rows whose first argument is the tensor are its methods, and those in place where torch has them so.
for _name, _f in _functions.items():
    if not hasattr(Tensor, _name) and not _name.startswith("_") and _more.is_method(_f):
        setattr(Tensor, _name, _f)
for _name in """
    addbmm addcdiv addcmul addmm addmv addr baddbmm clamp clamp_max clamp_min clip conj_physical cumprod cumsum digamma erf
    erfc erfinv frac i0 ldexp lerp lgamma logaddexp2 logit nan_to_num relu renorm round rsqrt sgn sigmoid sign sinc square
    tril triu xlogy conj
""".split():
    setattr(Tensor, _name + "_", _in_place(_functions[_name]))
for _name, _method in _rearrange.in_place.items():
    setattr(Tensor, _name + "_", _method)

strided, newaxis = "torch.strided", None
_modules(__name__, {
    "utils": ("exchange with other libraries.", {}),
    "utils.dlpack": ("tensors as capsules, and tensors of capsules or of what has __dlpack__.", {
        "from_dlpack": from_dlpack, "to_dlpack": lambda tensor: tensor.__dlpack__()}),  # noqa: F405
})  # fmt: skip
from . import _benchmark  # noqa: E402, F401  a module of utils

version = _Namespace(cuda="13.0" if _types.cuda_is_available() else None)
_plain = _Table()
_plain.rows("plain", {
    **{name: _bound(lambda input, *args, method, **kwargs: getattr(input, method)(*args, **kwargs), method=name) for name in (
        "reshape flatten ravel squeeze unsqueeze transpose swapaxes permute t clone detach adjoint").split()},
    "broadcast_to": lambda x, size: x.expand(*size),
    "broadcast_shapes": lambda *shapes: Size(
        np.broadcast_shapes(*(s if isinstance(s, builtins.int) else tuple(s) for s in shapes))),
    "promote_types": lambda type1, type2: _promotion.wider(type1, type2),
    "result_type": lambda *operands: _promotion.of(False, *operands),
    "compile": (lambda model=None, **_: model if model is not None else (lambda f: f),
        "The function itself: its statements are compiled as they run."),
    "set_printoptions": lambda precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None:
        _printing.set_options(profile, precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth,
                              sci_mode=sci_mode),
    "use_deterministic_algorithms": (lambda mode, warn_only=False: None, "They are."),
    "set_default_device": lambda d: _types.set_block_device(device(d) if d is not None else None) and None,
    "is_grad_enabled": lambda: False,
    "set_grad_enabled": lambda _: no_grad(),
    "get_num_threads": lambda: ks._core._thread_limit(),
    "manual_seed_all": lambda n: manual_seed(n),
    "are_deterministic_algorithms_enabled": lambda: True,
    "is_inference_mode_enabled": lambda: False,
    "get_float32_matmul_precision": lambda: "highest",
})  # fmt: skip
_plain.alias(swapdims="swapaxes")
globals().update(_plain)
Tensor.broadcast_to = _plain.broadcast_to


for _name in [*_functions]:
    if hasattr(Tensor, _name + "_"):
        globals()[_name + "_"] = getattr(Tensor, _name + "_")


class no_grad(contextlib.ContextDecorator, contextlib.nullcontext):
    """Nothing computes gradients here."""


inference_mode = no_grad
enable_grad = type("enable_grad", (no_grad,), {"__module__": __name__})


def set_num_threads(n):
    """Limits the threads that share the work of this thread's calls; KASOKU_NUM_THREADS sets the most."""
    if n < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    ks._core._set_thread_limit(builtins.int(n))


class finfo:
    def __init__(self, d=None):
        i = np.finfo(as_dtype(d or _types.default_float).numpy)
        self.eps, self.max, self.min, self.tiny = map(builtins.float, (i.eps, i.max, i.min, i.tiny))
        self.bits = i.bits


class iinfo:
    def __init__(self, d):
        i = np.iinfo(as_dtype(d).numpy)
        self.max, self.min, self.bits = builtins.int(i.max), builtins.int(i.min), i.bits


def set_float32_matmul_precision(precision):
    """Accepted: products of float32 are computed in float32."""
    if precision not in ("highest", "high", "medium"):
        raise ValueError(f"the precision is highest, high or medium, not {precision!r}")


def save(obj, f):
    """Writes tensors, and containers of them, in Python's own format; load() reads it."""
    import pickle

    with contextlib.nullcontext(f) if hasattr(f, "write") else open(f, "wb") as file:
        pickle.dump(obj, file)


def load(f, map_location=None, *, weights_only=True, **_):
    """The object that save() wrote, on the device where it was or on `map_location`."""
    import pickle

    with contextlib.nullcontext(f) if hasattr(f, "read") else open(f, "rb") as file:
        if file is not f and file.peek(2)[:2] == b"PK":
            raise RuntimeError(f"{f} is a file of the installed torch: kasoku's load() reads what its save() wrote")
        found = pickle.load(file)
    return found.to(map_location) if map_location is not None and isinstance(found, Tensor) else found


class _Switches(_Namespace):
    """A part of torch.backends: switches that are accepted."""

    is_available = is_built = staticmethod(lambda: False)


backends = _Namespace(
    cudnn=_Switches(enabled=False, benchmark=False, deterministic=False, allow_tf32=False), mps=_Switches(), mkl=_Switches(),
    cuda=_Namespace(matmul=_Switches(allow_tf32=False, fp32_precision="ieee")),
)  # fmt: skip
