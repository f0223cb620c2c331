"""Operations by TensorFlow's names; the elementwise ones come from a table."""

from __future__ import annotations

import builtins
import functools
import sys

import numpy as np

import kasoku as ks

from .._face.table import bound as _bound, plain as _plain
from . import dtypes
from .errors import InvalidArgumentError
from ._operators import elementwise
from ._table import axes as _axes, functions as _functions, ints as _shape
from ._tensor import Tensor, binary, convert, in_a_graph, in_graph, must_take, operands


def _reduction(input_tensor, axis=None, keepdims=False, name=None, *, target):
    x = must_take(target.title(), "b" if target in ("any", "all") else "iufc", convert(input_tensor))
    result = getattr(ks, target)(x._array, axis=_axes(axis), keepdims=keepdims)
    if target in ("sum", "prod", "mean") and result.dtype != x._array.dtype:  # TensorFlow keeps the type
        result = (result if target != "mean" else ks.floor(result)).astype(x._array.dtype)
    return Tensor(result)


elementwise.update(_plain({"__name__": __package__}, {
    f"reduce_{of}": (_bound(_reduction, target=of), f"tf.reduce_{of}: {of} over `axis` (all by default), in the tensor's type.")
    for of in "sum mean max min prod any all".split()
}))  # fmt: skip


_numpys = lambda dtype: dtypes.as_dtype(dtype).as_numpy_dtype
_arrays = lambda values: [convert(v)._array for v in values]


def _filled(make):
    return lambda input, dtype=None, name=None: (lambda x: make(x.shape, dtype or x.dtype))(convert(input))


_functions.rows("plain", {
    "convert_to_tensor": lambda value, dtype=None, dtype_hint=None, name=None: convert(value, dtype),
    "zeros": lambda shape, dtype=dtypes.float32, name=None: Tensor(ks.zeros(_shape(shape), dtype=_numpys(dtype))),
    "ones": lambda shape, dtype=dtypes.float32, name=None: Tensor(ks.ones(_shape(shape), dtype=_numpys(dtype))),
    "linspace": lambda start, stop, num, name=None, axis=0: Tensor(
        ks.linspace(builtins.float(start), builtins.float(stop), builtins.int(num), dtype=np.float32)),
    "concat": lambda values, axis, name=None: Tensor(ks.concatenate(_arrays(values), axis)),
    "stack": lambda values, axis=0, name=None: Tensor(ks.stack(_arrays(values), axis)),
    "shape": lambda input, out_type=dtypes.int32, name=None: convert(list(convert(input).shape), out_type),
    "size": lambda input, out_type=dtypes.int32, name=None: convert(convert(input).shape.num_elements(), out_type),
    "rank": lambda input, name=None: convert(convert(input).ndim, dtypes.int32),
    "cond": lambda pred, true_fn=None, false_fn=None, name=None: true_fn() if builtins.bool(pred) else false_fn(),
})  # fmt: skip
_functions.rows("plain", {
    "zeros_like": _filled(_functions.zeros), "ones_like": _filled(_functions.ones),
})  # fmt: skip
_functions.rows("plain", {
    "identity": lambda x, name=None: Tensor(ks.copy(convert(x)._array)),
    "transpose": lambda a, perm=None, conjugate=False, name=None: Tensor(
        ks.transpose(convert(a)._array, None if perm is None else _shape(perm))),
    "expand_dims": lambda input, axis, name=None: Tensor(ks.expand_dims(convert(input)._array, axis)),
    "squeeze": lambda input, axis=None, name=None: Tensor(ks.squeeze(convert(input)._array, axis)),
    "broadcast_to": lambda input, shape, name=None: Tensor(ks.broadcast_to(convert(input)._array, _shape(shape))),
})  # fmt: skip
stack, transpose = _functions.stack, _functions.transpose


def cast(x, dtype, name=None):
    """The tensor in another type; floats are cut towards zero."""
    return Tensor(convert(x)._array.astype(_numpys(dtype)))


def constant(value, dtype=None, shape=None, name=None):
    """A tensor of `value`; Python floats become float32, ints int32."""
    result = convert(value, dtype)
    return result if shape is None else (fill(shape, value, dtype) if not result.shape else reshape(result, shape))


def fill(dims, value, dtype=None, name=None):
    value = convert(value, dtype)
    return Tensor(ks.full(_shape(dims), value._array.item(), dtype=value.dtype.as_numpy_dtype))


def range(start, limit=None, delta=1, dtype=None, name=None):  # noqa: A001
    """Numbers from start (0) up to limit, which is left out, in steps of delta."""
    if limit is None:
        start, limit = 0, start
    values = [v.numpy() if isinstance(v, Tensor) else v for v in (start, limit, delta)]
    if dtype is None:
        given = [v.dtype for v in (start, limit, delta) if isinstance(v, Tensor)]
        given += [dtypes.float32 for v in values if isinstance(v, builtins.float)]
        dtype = given[0] if given else dtypes.int32
    return Tensor(ks.arange(*values, dtype=_numpys(dtype)))


def reshape(tensor, shape, name=None):
    x, wanted = convert(tensor), _shape(shape)
    try:
        return Tensor(ks.reshape(x._array, wanted))
    except ValueError as error:
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {x.shape.num_elements()} values, but the requested shape is {list(wanted)} [Op:Reshape]"
        ) from error


def where(condition, x=None, y=None, name=None):
    condition = convert(condition)
    if x is None:
        return Tensor(ks.argwhere(condition._array))
    must_take("SelectV2", "b", condition)
    x, y = operands("SelectV2", x, y)
    return Tensor(ks.where(condition._array, x._array, y._array))


def _facing(a, transposed, adjoint):
    """The matrices of the last two axes, or their transposes, or the conjugates of these."""
    return ks.conjugate(a.mT) if adjoint else a.mT if transposed else a


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    a, b = convert(a), convert(b)
    for x, which in ((a, "In[0]"), (b, "In[1]")):
        if x.ndim < 2:
            raise InvalidArgumentError(f"{which} has {x.ndim} dimensions, at least 2 are needed [Op:MatMul]")
    turned = (Tensor(_facing(x._array, *how)) for x, *how in ((a, transpose_a, adjoint_a), (b, transpose_b, adjoint_b)))
    return binary("MatMul", ks.matmul, *turned)


def while_loop(cond, body, loop_vars, maximum_iterations=None, **ignored):
    """Runs body while cond holds of the loop variables, which keep their structure; numbers are tensors in the end."""
    count, is_one = 0, False
    while builtins.bool(cond(*loop_vars)) and (maximum_iterations is None or count < maximum_iterations):
        loop_vars, count = body(*loop_vars), count + 1
        if is_one := not isinstance(loop_vars, (list, tuple)):
            loop_vars = [loop_vars]
    found = _of_tensors(loop_vars)
    return found[0] if is_one else found


def _of_tensors(x):
    """Numbers in lists, tuples and dictionaries as tensors."""
    if isinstance(x, dict):
        return type(x)((key, _of_tensors(value)) for key, value in x.items())
    if isinstance(x, (list, tuple)):
        made = map(_of_tensors, x)
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    return convert(x) if isinstance(x, (builtins.int, builtins.float, builtins.complex, np.generic, np.ndarray)) else x


def _element(x):
    """A number with the fewest of two counts of digits that tell it; truths are 1 and 0."""
    if x.dtype.kind != "f":
        return str(int(x)) if x.dtype.kind in "biu" else str(x)
    if x.dtype.itemsize == 2:
        x = np.float32(x)
    few, all_of_them = (15, 17) if x.dtype.itemsize == 8 else (6, 9)
    text = f"{float(x):.{few}g}"
    return text if not np.isfinite(x) or x.dtype.type(text) == x else f"{float(x):.{all_of_them}g}"


def _printed(a, summarize, indent=1):
    """The first and last elements along each axis, without commas."""
    if not a.ndim:
        return _element(a[()])
    parts = lambda of: [_printed(x, summarize, indent + 1) for x in of]
    is_cut = summarize >= 0 and len(a) > 2 * summarize
    shown = [*parts(a[:summarize]), "...", *parts(a[len(a) - summarize :])] if is_cut else parts(a)
    joint = " " if a.ndim == 1 else "\n" * (a.ndim - 1) + " " * indent
    return "[" + joint.join(shown) + "]"


def _text_of(x, summarize):
    if hasattr(x, "_as_tensor"):  # a variable
        x = x._as_tensor()
    if isinstance(x, Tensor):
        return _printed(np.asarray(x.numpy()), 3 if summarize is None else summarize)
    if type(x) in (list, tuple):
        inner = ", ".join(_text_of(v, summarize) if not isinstance(v, str) else repr(v) for v in x)
        return f"[{inner}]" if type(x) is list else f"({inner}{',' * (len(x) == 1)})"
    if type(x) is dict:
        return "{" + ", ".join(f"{k!r}: {_text_of(v, summarize)}" for k, v in x.items()) + "}"
    return str(x)


def tf_print(*inputs, output_stream=None, sep=" ", end="\n", summarize=None, **ignored):
    """tf.print: values at once, to standard error as TensorFlow does."""
    stream = output_stream if hasattr(output_stream, "write") else sys.stderr
    print(*(_text_of(x, summarize) for x in inputs), sep=sep, end=end, file=stream)


def _settled(value):
    """A graph's results, computed together."""
    if isinstance(value, Tensor):
        ks.eval(value._array)
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _settled(item)
    return value


class Function:
    """A function whose operations are fused and run together; loops and branches go by their values."""

    def __init__(self, python_function, input_signature=None):
        functools.update_wrapper(self, python_function)
        self.python_function, self.input_signature = python_function, input_signature

    def _check(self, args):
        """Raises unless the arguments fit the input signature."""
        for at, (spec, value) in enumerate(zip(self.input_signature, args)):
            if getattr(spec, "dtype", None) is None or isinstance(value, (list, tuple, dict)):
                continue
            value = convert(value)
            fits = spec.shape is None or value.shape.is_compatible_with(spec.shape)
            if not fits or spec.dtype != value.dtype:
                raise TypeError(
                    f"{self.python_function.__name__}: argument {at} is a tensor of shape {value.shape} and "
                    f"{value.dtype.name}, the input signature wants shape {spec.shape} and {spec.dtype.name}"
                )

    def __call__(self, *args, **kwargs):
        if self.input_signature is not None:
            self._check(args)
        result = in_a_graph(self.python_function, *args, **kwargs)
        return result if in_graph() else _settled(result)

    __get__ = lambda self, instance, owner=None: self if instance is None else functools.partial(self, instance)

    def get_concrete_function(self, *args, **kwargs):
        return self


def function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False, **ignored):
    """tf.function, as a decorator or a call."""
    if func is None:
        return lambda f: Function(f, input_signature)
    return Function(func, input_signature)
