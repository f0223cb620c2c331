"""The face of TensorFlow: eager tensors, tf.function, and the operations that numerical programs use."""

import contextlib

import kasoku as ks
from kasoku import _core

from . import _control, bitwise, config, debugging, dtypes, errors, linalg, math, nn, random, signal
from ._ops import *  # noqa: F403
from ._ops import elementwise as _elementwise
from ._ops import function, tf_print  # noqa: F401
from ._table import functions as _functions
from ._tensor import Tensor, TensorShape, in_graph
from ._variable import Variable
from .dtypes import (  # noqa: F401
    DType, as_dtype, bool, complex64, complex128, double, float16, float32, float64, half, int8, int16, int32, int64,
    uint8, uint16, uint32, uint64,
)  # fmt: skip

__version__ = "2.20.0"
globals().update(_elementwise)
globals().update(debugging.functions)
GradientTape, Module, TensorArray = _control.GradientTape, _control.Module, _control.TensorArray
autograph = _control.autograph
Assert = debugging.Assert
globals()["print"] = tf_print
newaxis = None
dtypes.cast, dtypes.saturate_cast, dtypes.complex = cast, _functions["saturate_cast"], _functions["complex"]  # noqa: F405


_functions.rows("plain", {
    "executing_eagerly": (lambda: not in_graph(), "Whether operations run at their place: not inside tf.function."),
    "is_tensor": lambda x: isinstance(x, (Tensor, Variable)),
    "name_scope": lambda name: contextlib.nullcontext(),
})  # fmt: skip
_functions.into(globals())


@contextlib.contextmanager
def device(name):
    """Operations inside run on "/CPU:0", "/GPU:1" and the like."""
    kind, _, index = (name or "").lower().rpartition("/")[2].removeprefix("device:").partition(":")
    chosen = {"gpu": f"cuda:{index or 0}", "cpu": "cpu"}.get(kind)
    with _core._device_scope(ks.Device(chosen)) if chosen else contextlib.nullcontext():
        yield


class TensorSpec:
    """A description of an argument; kept, not enforced."""

    def __init__(self, shape=None, dtype=float32, name=None):
        self.shape, self.dtype, self.name = shape, as_dtype(dtype), name


class test:  # noqa: N801 - TensorFlow's module name
    is_gpu_available = staticmethod(lambda *args, **kwargs: len(config.list_physical_devices("GPU")) > 0)

    gpu_device_name = staticmethod(lambda: "/device:GPU:0" if test.is_gpu_available() else "")


__all__ = ["Tensor", "TensorShape", "Variable", "config", "dtypes", "errors", "function", "linalg", "math", "random"]
_later = ("experimental",)
