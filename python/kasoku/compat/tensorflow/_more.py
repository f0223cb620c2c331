"""More of TensorFlow's functions, and what it keeps values and methods in."""

import inspect
import time

import numpy as np

import kasoku as ks

from . import dtypes
from ._arrays import host, maths
from ._ops import elementwise
from ._tensor import Tensor, composed, convert, held, must_take, op_name
from ._variable import Variable
from .errors import InvalidArgumentError, UnimplementedError

functions = {}  # in tf


def _in(*tables):
    def add(f):
        for table in tables:
            table[f.__name__.rstrip("_")] = f
        return f

    return add


def _axes(axis):
    return tuple(int(a) for a in axis) if isinstance(axis, (list, tuple)) else axis


# ── arithmetic ────────────────────────────────────────────────────────────────────────────


@_in(functions, maths, elementwise)
def sigmoid(x, name=None):
    return Tensor(1 / (1 + ks.exp(-must_take("Sigmoid", "fc", convert(x))._array)))


@_in(maths)
def log_sigmoid(x, name=None):
    return Tensor(-ks.logaddexp(-must_take("Softplus", "f", convert(x))._array, 0))


@_in(functions)
@composed
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    t = convert(t)
    return elementwise["minimum"](elementwise["maximum"](t, clip_value_min), clip_value_max)


@_in(maths)
def rsqrt(x, name=None):
    return Tensor(1 / ks.sqrt(must_take("Rsqrt", "fc", convert(x))._array))


@_in(maths)
def divide_no_nan(x, y, name=None):
    x, y = convert(x), convert(y)
    return Tensor(ks.where(y._array == 0, 0, x._array / ks.where(y._array == 0, 1, y._array)).astype(x._array.dtype))


@_in(functions, maths)
@composed
def add_n(inputs, name=None):
    total = convert(inputs[0])
    for one in inputs[1:]:
        total = total + one
    return total


maths["accumulate_n"] = add_n


@_in(maths)
@composed
def polyval(coeffs, x, name=None):
    value = convert(coeffs[0])
    for one in coeffs[1:]:
        value = value * x + one
    return value


@_in(functions, maths)
def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    x, axes = convert(input_tensor)._array, _axes(axis)
    top = x.max(axis=axes, keepdims=True)
    top = ks.where(ks.isfinite(top), top, 0)
    sums = ks.log(ks.exp(x - top).sum(axis=axes, keepdims=True)) + top
    return Tensor(sums if keepdims else ks.squeeze(sums, axes))


def _spread(name, method):
    def f(input_tensor, axis=None, keepdims=False, name=None):
        x = convert(input_tensor)
        must_take(op_name(f.__name__), "fc", x)
        return Tensor(getattr(x._array, method)(axis=_axes(axis), keepdims=keepdims))

    f.__name__ = name
    maths[name] = f


_spread("reduce_std", "std")
_spread("reduce_variance", "var")


@_in(functions)
def complex_(real, imag, name=None):
    real, imag = convert(real), convert(imag)
    kind = dtypes.complex128 if real.dtype == dtypes.float64 else dtypes.complex64
    return host(lambda a, b: a + 1j * b, real, imag, dtype=kind)


@_in(functions)
def saturate_cast(value, dtype, name=None):
    info = np.iinfo(dtypes.as_dtype(dtype).as_numpy_dtype)
    return host(lambda a: np.clip(a, info.min, info.max), value, dtype=dtype)


@_in(functions)
def stop_gradient(input, name=None):  # noqa: A002
    return convert(input)


@_in(functions)
def timestamp(name=None):
    return convert(time.time(), dtypes.float64)


@_in(functions)
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name=None):
    """The first function whose condition holds."""
    pairs = pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs
    for condition, function in pairs:
        if bool(convert(condition)):
            return function()
    if default is None:
        raise InvalidArgumentError("tf.case: no condition holds and there is no default")
    return default()


class signal:  # noqa: N801
    """tf.signal: Fourier transforms, the engine's."""


def _transform(name, its, axes, has_length=False):
    function = getattr(ks.fft, its)

    def f(input, fft_length=None, name=None):  # noqa: A002
        if fft_length is None or not has_length:
            return Tensor(function(convert(input)._array))
        length = [int(n) for n in np.ravel(fft_length.numpy() if hasattr(fft_length, "numpy") else fft_length)]
        return Tensor(function(convert(input)._array, length[0] if axes == 1 else length))

    f.__name__ = name
    setattr(signal, name, staticmethod(f))


for _name in ("fft", "ifft", "fft2", "ifft2"):
    _transform(_name, _name, 1 if _name[-1] == "t" else 2)
for _name in ("rfft", "irfft"):
    _transform(_name, _name, 1, True)
    _transform(_name + "2d", _name + "2", 2, True)
for _name in ("fftshift", "ifftshift"):
    setattr(
        signal,
        _name,
        staticmethod(
            lambda x, axes=None, name=None, _its=getattr(ks.fft, _name): Tensor(_its(convert(x)._array, axes))
        ),
    )
signal.fft2d, signal.ifft2d = signal.fft2, signal.ifft2


class bitwise:  # noqa: N801
    """tf.bitwise: integers by their bits."""


def _bits(name, operation):
    def f(x, y, name=None):
        from ._tensor import binary

        return binary(f.__name__.title().replace("_", ""), operation, x, y)

    f.__name__ = name
    setattr(bitwise, name, staticmethod(f))


for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
    _bits(_name, getattr(ks, _name))
bitwise.invert = staticmethod(lambda x, name=None: Tensor(ks.invert(convert(x)._array)))


# ── what keeps values and methods ─────────────────────────────────────────────────────────


class Module:
    """Finds the variables among its attributes, and those of modules and lists in them."""

    def __init__(self, name=None):
        self._name = name or type(self).__name__.lower()

    @property
    def name(self):
        return getattr(self, "_name", type(self).__name__.lower())

    def _found(self, kind):
        found, rest = [], [value for _, value in sorted(vars(self).items())]
        while rest:
            one = rest.pop(0)
            if isinstance(one, kind) and not any(one is f for f in found):
                found.append(one)
            if isinstance(one, Module):
                rest[:0] = [value for _, value in sorted(vars(one).items())]
            elif isinstance(one, dict):
                rest[:0] = list(one.values())
            elif isinstance(one, (list, tuple)):
                rest[:0] = list(one)
        return tuple(found)

    @property
    def variables(self):
        return self._found(Variable)

    @property
    def trainable_variables(self):
        return tuple(v for v in self.variables if v.trainable)

    @property
    def submodules(self):
        return self._found(Module)


class TensorArray:
    """A list of tensors, written place by place."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, **ignored):
        self.dtype, self._dynamic = dtypes.as_dtype(dtype), bool(dynamic_size)
        self._items = [None] * int(0 if size is None else size)

    def write(self, index, value, name=None):
        index = int(index)
        if index >= len(self._items):
            if not self._dynamic:
                raise InvalidArgumentError(
                    f"Tried to write to index {index} but array is not resizeable and size is: {len(self._items)}"
                )
            self._items += [None] * (index + 1 - len(self._items))
        (self._items[index],) = held([convert(value, None if isinstance(value, Tensor) else self.dtype)])
        return self

    def read(self, index, name=None):
        value = self._items[int(index)] if int(index) < len(self._items) else None
        if value is None:
            raise InvalidArgumentError(f"Could not read index {int(index)}: nothing was written there")
        return value

    def size(self, name=None):
        return convert(len(self._items), dtypes.int32)

    def stack(self, name=None):
        from ._ops import stack

        return stack([self.read(i) for i in range(len(self._items))])

    def concat(self, name=None):
        from ._ops import concat

        return concat([self.read(i) for i in range(len(self._items))], 0)

    def unstack(self, value, name=None):
        from ._arrays import functions as arrays

        self._items = arrays["unstack"](value)
        return self


class GradientTape:
    """Refused: kasoku computes no gradients yet."""

    def __init__(self, *args, **kwargs):
        raise UnimplementedError(
            "tf.GradientTape: kasoku computes no gradients yet\n"
            "  fix  write the derivative out, or `kasoku run --real tensorflow …` uses the installed tensorflow"
        )


class autograph:  # noqa: N801
    """tf.autograph: functions run as they are written, branches and loops by their values."""

    @staticmethod
    def to_code(entity, recursive=True, **ignored):
        return inspect.getsource(getattr(entity, "python_function", entity))

    @staticmethod
    def to_graph(entity, recursive=True, **ignored):
        return entity

    class experimental:  # noqa: N801
        @staticmethod
        def do_not_convert(func=None, **ignored):
            return func if func is not None else (lambda f: f)

        @staticmethod
        def set_loop_options(**ignored):
            pass
