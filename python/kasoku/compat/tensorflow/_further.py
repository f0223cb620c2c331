"""Still more of TensorFlow's functions: choices, places of extremes, complex parts, special functions,
losses, convolutions and factorisations."""

import math

import numpy as np

import kasoku as ks
from kasoku._core import _linalg

from .. import _windows
from .._special import special
from . import dtypes, linalg, nn
from ._arrays import _ints, engine, host, maths, nns
from ._more import _axes, _in, functions
from ._ops import cast, elementwise
from ._tensor import Tensor, composed, convert, held, must_take, op_name
from .errors import InvalidArgumentError

linalgs = {}


# ── choices and values ────────────────────────────────────────────────────────────────────────


@_in(functions)
def switch_case(branch_index, branch_fns, default=None, name=None):
    """The function of that number, or the last one."""
    numbered = dict(branch_fns if isinstance(branch_fns, dict) else
                    enumerate(branch_fns) if callable(branch_fns[0]) else branch_fns)  # fmt: skip
    return numbered.get(int(branch_index), default or numbered[max(numbered)])()


def _place(name):
    @composed
    def f(input, axis=None, output_type=dtypes.int64, name=None):  # noqa: A002
        at = getattr(ks, f.__name__)(convert(input)._array, axis=0 if axis is None else int(axis))
        return cast(Tensor(at), output_type)

    f.__name__ = name
    functions[name] = maths[name] = f


_place("argmax")
_place("argmin")


@_in(functions)
def identity_n(input, name=None):  # noqa: A002
    return held([Tensor(ks.copy(convert(x)._array)) for x in input])


@_in(functions)
def group(*inputs, **ignored):
    """The operations have run."""


@_in(functions)
def no_op(name=None):
    """Nothing."""


@_in(functions)
def get_static_value(tensor, partial=False):
    return convert(tensor).numpy()


@_in(functions, maths)
def scalar_mul(scalar, x, name=None):
    return convert(x) * scalar


@_in(functions)
def realdiv(x, y, name=None):
    return elementwise["divide"](x, y)


@_in(functions)
def truncatediv(x, y, name=None):
    return host(lambda a, b: np.trunc(a / b), x, y)


@_in(functions)
def truncatemod(x, y, name=None):
    return host(np.fmod, x, y)


@_in(functions)
@composed
def clip_by_norm(t, clip_norm, axes=None, name=None):
    t = convert(t)
    length = ks.sqrt((t._array * t._array).sum(axis=_axes(axes), keepdims=True))
    return Tensor(t._array * (clip_norm / ks.maximum(length, clip_norm)).astype(t._array.dtype))


@_in(linalgs)
def global_norm(t_list, name=None):
    return Tensor(ks.sqrt(sum((convert(t)._array ** 2).sum() for t in t_list)))


@_in(functions)
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    norm = global_norm(t_list) if use_norm is None else convert(use_norm)
    scale = clip_norm / ks.maximum(norm._array, clip_norm)
    return held([Tensor(convert(t)._array * scale) for t in t_list]), norm


@_in(functions)
def unravel_index(indices, dims, name=None):
    return host(lambda at: np.stack(np.unravel_index(at, _ints(dims))), indices)


@_in(functions)
def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    from ._arrays import functions as arrays

    values, at = arrays["unique"](x)
    return values, at, host(lambda a: np.bincount(a), at)


@_in(functions)
def dynamic_partition(data, partitions, num_partitions, name=None):
    of = convert(partitions).numpy()
    return [host(lambda a, k=k: a[of == k], data) for k in range(int(num_partitions))]


@_in(functions)
def strided_slice(input_, begin, end, strides=None, **ignored):
    steps = _ints(strides) if strides is not None else (1,) * len(_ints(begin))
    return convert(input_)[tuple(slice(*k) for k in zip(_ints(begin), _ints(end), steps))]


@_in(functions)
def broadcast_static_shape(shape_x, shape_y):
    from ._tensor import TensorShape

    return TensorShape(np.broadcast_shapes(tuple(shape_x), tuple(shape_y)))


# ── complex parts, special functions ──────────────────────────────────────────────────────────


def _part(name, of_real, numpys):
    def f(input, name=None):  # noqa: A002
        x = convert(input)
        if not x.dtype.is_complex:
            return of_real(x)
        kind = dtypes.float64 if x.dtype == dtypes.complex128 else dtypes.float32
        return host(numpys, x, dtype=kind)

    f.__name__ = name
    maths[name] = f


_part("real", lambda x: x, np.real)
_part("imag", lambda x: Tensor(ks.zeros_like(x._array)), np.imag)
_part("angle", lambda x: Tensor(ks.where(x._array < 0, math.pi, 0.0).astype(x._array.dtype)), np.angle)


@_in(maths)
def conj(x, name=None):
    return Tensor(ks.conj(convert(x)._array))


def _special(name, of_ours):
    def f(x, name=None):
        return Tensor(special(of_ours, must_take(op_name(f.__name__), "f", convert(x))._array))

    f.__name__ = name
    maths[name] = f


for _name, _of_ours in {"erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "erfcinv": "erfcinv", "lgamma": "lgamma",
                        "ndtri": "ndtri", "bessel_i0": "i0", "bessel_i1": "i1"}.items():  # fmt: skip
    _special(_name, _of_ours)


@_in(maths)
def xlogy(x, y, name=None):
    x, y = convert(x)._array, convert(y)._array
    return Tensor(ks.where(x == 0, 0, x * ks.log(ks.where(x == 0, 1, y))).astype(x.dtype))


@_in(maths)
def xdivy(x, y, name=None):
    x, y = convert(x)._array, convert(y)._array
    return Tensor(ks.where(x == 0, 0, x / ks.where(x == 0, 1, y)).astype(x.dtype))


@_in(maths)
def multiply_no_nan(x, y, name=None):
    x, y = convert(x)._array, convert(y)._array
    return Tensor(ks.where(y == 0, 0, x * y).astype(x.dtype))


@_in(maths)
def reciprocal_no_nan(x, name=None):
    x = convert(x)._array
    return Tensor(ks.where(x == 0, 0, 1 / ks.where(x == 0, 1, x)).astype(x.dtype))


@_in(maths)
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    x = convert(input_tensor)._array
    return Tensor(ks.sqrt((x * x).sum(axis=_axes(axis), keepdims=keepdims)))


@_in(maths)
def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=dtypes.int32, name=None):
    def count(true, said, *weight):
        n = int(num_classes) if num_classes is not None else int(max(true.max(initial=-1), said.max(initial=-1))) + 1
        counts = np.zeros((n, n))
        np.add.at(counts, (true, said), weight[0] if weight else 1)
        return counts

    return host(count, labels, predictions, *([weights] if weights is not None else []), dtype=dtype)


@_in(maths, nns)
def zero_fraction(value, name=None):
    x = convert(value)._array
    return Tensor((x == 0).mean().astype("float32"))


@_in(maths, nns)
def in_top_k(targets, predictions, k, name=None):
    def among(rows, at):
        return (rows > np.take_along_axis(rows, at[:, None].astype(int), 1)).sum(1) < int(k)

    return host(among, predictions, targets, dtype=dtypes.bool)


@_in(maths)
def invert_permutation(x, name=None):
    return host(np.argsort, x)


@_in(maths)
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    def mean(a, at):
        sums = np.zeros((int(num_segments), *a.shape[at.ndim :]), a.dtype)
        counts = np.zeros(int(num_segments))
        np.add.at(sums, at, a)
        np.add.at(counts, at, 1)
        return sums / np.maximum(counts, 1).reshape(-1, *(1,) * (sums.ndim - 1))

    return host(mean, data, segment_ids)


@_in(maths)
def segment_mean(data, segment_ids, name=None):
    return unsorted_segment_mean(data, segment_ids, convert(segment_ids).numpy().max(initial=-1) + 1)


for _name in ("softmax", "log_softmax", "softplus", "l2_normalize"):
    maths[_name] = getattr(nn, _name)


# ── what layers compute ───────────────────────────────────────────────────────────────────────


@_in(nns, maths)
def softsign(features, name=None):
    x = nn._floating(features, "softsign")
    return Tensor(x / (1 + ks.absolute(x)))


@_in(nns)
def selu(features, name=None):
    x = nn._floating(features, "selu")
    return Tensor(1.0507009873554805 * ks.where(x > 0, x, 1.6732632423543772 * ks.expm1(ks.minimum(x, 0))))


@_in(nns)
def gelu(features, approximate=False, name=None):
    x = nn._floating(features, "gelu")
    if approximate:
        return Tensor(0.5 * x * (1 + ks.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    return Tensor(0.5 * x * (1 + special("erf", x / math.sqrt(2))))


@_in(nns)
def l2_loss(t, name=None):
    x = convert(t)._array
    return Tensor((x * x).sum() / 2)


@_in(nns)
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    x = convert(x)._array
    return Tensor(ks.where(ks.random.random(x.shape, dtype=np.float32) >= rate, x / (1 - rate), 0).astype(x.dtype))


@_in(nns)
def embedding_lookup(params, ids, max_norm=None, name=None):
    return Tensor(ks.take(convert(params)._array, convert(ids)._array, 0))


@_in(nns)
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    y = (convert(x) - mean) / elementwise["sqrt"](convert(variance) + variance_epsilon)
    y = y if scale is None else y * scale
    return y if offset is None else y + offset


@_in(nns)
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    z, x = convert(labels)._array, convert(logits)._array
    return Tensor(ks.maximum(x, 0) - x * z + ks.log1p(ks.exp(-ks.absolute(x))))


@_in(nns)
def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    return Tensor(-(convert(labels)._array * nn.log_softmax(logits, axis)._array).sum(axis=axis))


@_in(nns)
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    def of(x, at):
        return -np.take_along_axis(x, at[..., None].astype(int), -1)[..., 0]

    return host(of, nn.log_softmax(logits), labels)


def _steps(value, axes, is_first):
    """Strides and sizes: a number, one for each place, or one for each axis of the tensor."""
    steps = _ints(value)
    if len(steps) == axes + 2:
        steps = steps[2:] if is_first else steps[1:-1]
    return steps * axes if len(steps) == 1 else steps


def _channels_first(x, is_first):
    return x if is_first else np.moveaxis(x, -1, 1)


def _padded(padding, lengths, size, strides, dilations):
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding is 'SAME', 'VALID' or a list of pairs, not {padding!r}")
        return (
            _windows.same_widths(lengths, size, strides, dilations)
            if padding.upper() == "SAME"
            else [(0, 0)] * len(size)
        )
    return [tuple(p) for p in padding[1:-1]]


def _convolution(axes):
    def convolve(input, filters, strides=1, padding="VALID", data_format=None, dilations=None, name=None):  # noqa: A002
        is_first = data_format is not None and data_format.startswith("NC")

        def on_host(x, w):
            steps, gaps = _steps(strides, axes, is_first), _steps(dilations or 1, axes, is_first)
            x, w = _channels_first(x, is_first), np.moveaxis(w, (-1, -2), (0, 1))
            if x.shape[1] % w.shape[1]:
                raise InvalidArgumentError(
                    f"input depth {x.shape[1]} is no multiple of the filters' {w.shape[1]} [Op:Conv{axes}D]"
                )
            widths = _padded(padding, x.shape[2:], w.shape[2:], steps, gaps)
            y = _windows.convolve(x, w, steps, widths, gaps, x.shape[1] // w.shape[1])
            return y if is_first else np.moveaxis(y, 1, -1)

        return host(on_host, input, filters)

    convolve.__name__ = f"conv{axes}d"
    nns[convolve.__name__] = convolve


for _axes_of_it in (1, 2, 3):
    _convolution(_axes_of_it)
nns["convolution"] = lambda input, filters, *args, **kwargs: nns[f"conv{convert(input).ndim - 2}d"](  # noqa: A006
    input, filters, *args, **kwargs
)


@_in(nns)
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):  # noqa: A002
    """Filters of one channel each: (height, width, channels, multiplier)."""
    w = convert(filter)
    h, v, channels, times = w.shape
    flat = Tensor(ks.reshape(w._array, (h, v, 1, channels * times)))
    return nns["conv2d"](input, flat, strides, padding, data_format, dilations)


def _pooling(axes, name, reduce):
    def pool(input, ksize, strides=None, padding="VALID", data_format=None, name=None):  # noqa: A002
        is_first = data_format is not None and data_format.startswith("NC")

        def on_host(x):
            size = _steps(ksize, axes, is_first)
            steps = size if strides is None else _steps(strides, axes, is_first)
            x = _channels_first(x, is_first)
            widths = _padded(padding, x.shape[2:], size, steps, (1,) * axes)
            y = _windows.pool(x, size, steps, widths, reduce, np.nan)  # places outside count for nothing
            return y if is_first else np.moveaxis(y, 1, -1)

        return host(on_host, input)

    pool.__name__ = name
    nns[name] = pool


for _axes_of_it in (1, 2, 3):
    _pooling(_axes_of_it, f"max_pool{_axes_of_it}d", np.nanmax)
    _pooling(_axes_of_it, f"avg_pool{_axes_of_it}d", np.nanmean)
for _kind in ("max", "avg"):
    nns[_kind + "_pool"] = lambda input, *args, _kind=_kind, **kwargs: nns[f"{_kind}_pool{convert(input).ndim - 2}d"](  # noqa: A006
        input, *args, **kwargs
    )


# ── factorisations ────────────────────────────────────────────────────────────────────────────


def _of_numpy(name, function):
    linalgs[name] = lambda *args, name=None, **kwargs: host(lambda *a: function(*a, **kwargs), *args)


def _of_engine(name, function):
    linalgs[name] = lambda *args, name=None, **kwargs: engine(lambda *a: function(*a, **kwargs), *args)


_of_engine("logdet", lambda x: ks.linalg.slogdet(x).logabsdet)
_of_engine("cross", ks.cross)
_of_engine("adjoint", lambda x: ks.conjugate(x.mT))
_of_engine("cholesky_solve", lambda factor, b: ks.linalg.solve(factor @ ks.conjugate(factor.mT), b))
_of_numpy("tensor_diag", np.diag)
_of_numpy("tensor_diag_part", np.diag)


@_in(linalgs)
def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    def solve(a, b):
        a = _linalg._triangle(a, lower)
        return ks.linalg.solve(ks.conjugate(a.mT) if adjoint else a, b)

    return engine(solve, matrix, rhs)


@_in(linalgs)
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    def solve(a, b):
        if not l2_regularizer:
            return ks.linalg.pinv(a) @ b
        at = ks.conjugate(a.mT)
        return ks.linalg.solve(at @ a + l2_regularizer * ks.eye(a.shape[-1], dtype=a.dtype, device=a.device), at @ b)

    return engine(solve, matrix, rhs)


@_in(linalgs)
def slogdet(x, name=None):
    return engine(lambda a: tuple(ks.linalg.slogdet(a)), x)


@_in(linalgs)
def matrix_rank(a, tol=None, name=None):
    return engine(lambda x: ks.linalg.matrix_rank(x, tol), a, dtype=dtypes.int32)


@_in(linalgs)
def set_diag(input, diagonal, name=None, **ignored):  # noqa: A002
    def put(a, d):
        a = np.array(a)
        at = np.arange(min(a.shape[-2:]))
        a[..., at, at] = d
        return a

    return host(put, input, diagonal)


@_in(linalgs)
def normalize(tensor, ord="euclidean", axis=None, name=None):  # noqa: A002
    length = linalg.norm(tensor, ord, axis, keepdims=axis is not None)
    return convert(tensor) / length, length


@_in(linalgs, functions)
def eig(tensor, name=None):
    x = convert(tensor)
    kind = dtypes.complex128 if x.dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64
    return engine(lambda a: tuple(ks.linalg.eig(a)), x, dtype=kind)


@_in(linalgs, functions)
def eigvals(tensor, name=None):
    return eig(tensor)[0]


for _name, _function in linalgs.items():
    setattr(linalg, _name, _function)
for _name, _function in nns.items():
    setattr(nn, _name, _function)
