"""TensorFlow's functions of functions, and what it keeps values and methods in."""

import contextlib
import inspect
import time


from .._face.refusals import autograd
from .._face.table import methods as _methods
from . import dtypes
from ._ops import constant, stack
from ._table import functions, in_tables, plain
from ._tensor import Tensor, convert, held, in_graph
from ._variable import Variable
from .errors import InvalidArgumentError, UnimplementedError

_row = in_tables("tensors", functions)

# ── choices and loops ─────────────────────────────────────────────────────────────────────────────


@_row
def case(pred_fn_pairs, default=None, exclusive=False, strict=False):
    """The first function whose condition holds."""
    pairs = pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs
    for condition, function in pairs:
        if bool(convert(condition)):
            return function()
    if default is None:
        raise InvalidArgumentError("tf.case: no condition holds and there is no default")
    return default()


@_row
def switch_case(branch_index, branch_fns, default=None):
    """The function of that number, or the last one."""
    numbered = dict(branch_fns if isinstance(branch_fns, dict) else
                    enumerate(branch_fns) if callable(branch_fns[0]) else branch_fns)  # fmt: skip
    return numbered.get(int(branch_index), default or numbered[max(numbered)])()


functions.rows("tensors", {
    "control_dependencies": lambda control_inputs: contextlib.nullcontext(),
    "init_scope": lambda: contextlib.nullcontext(),
    "inside_function": lambda: in_graph(),
    "timestamp": lambda: convert(time.time(), dtypes.float64),
    "group": lambda *inputs, **ignored: None,
    "no_op": lambda: None,
    "get_static_value": lambda tensor, partial=False: convert(tensor).numpy(),
})  # fmt: skip


@_row
def map_fn(fn, elems, dtype=None, fn_output_signature=None, **ignored):
    several = isinstance(elems, (list, tuple))
    rows = zip(*(functions.unstack(e) for e in elems)) if several else functions.unstack(elems)
    results = [fn(row) for row in rows]
    if results and isinstance(results[0], (list, tuple)):
        return type(results[0])(stack(part) for part in zip(*results))
    return stack(results)


functions.alias(vectorized_map="map_fn")


def _folded(fn, elems, initializer, keeps, from_right=False):
    rows = functions.unstack(elems)[:: -1 if from_right else 1]
    value = initializer if initializer is not None else rows.pop(0)
    kept = [] if initializer is not None else [value]
    for row in rows:
        value = fn(value, row)
        kept.append(value)
    return stack(kept[:: -1 if from_right else 1]) if keeps else value


functions.rows("tensors", {
    "scan": lambda fn, elems, initializer=None, reverse=False, **ignored: _folded(fn, elems, initializer, True, reverse),
    "foldl": lambda fn, elems, initializer=None, **ignored: _folded(fn, elems, initializer, False),
    "foldr": lambda fn, elems, initializer=None, **ignored: _folded(fn, elems, initializer, False, True),
    "numpy_function": lambda func, inp, Tout, stateful=True: _each_in_type(
        func(*(plain(convert(x)) for x in inp)), Tout, constant),
    "py_function": lambda func, inp, Tout: _each_in_type(func(*(convert(x) for x in inp)), Tout, convert),
})  # fmt: skip


def _each_in_type(result, kinds, make):
    if isinstance(kinds, (list, tuple)):
        return [make(part, kind) for part, kind in zip(result, kinds)]
    return make(result, kinds)


@_row
def ensure_shape(x, shape):
    x = convert(x)
    wanted = tuple(shape)
    if not x.shape.is_compatible_with(wanted):
        raise InvalidArgumentError(f"Shape of tensor {tuple(x.shape)} is not compatible with expected shape {wanted}")
    return x


# ── what keeps values and methods ─────────────────────────────────────────────────────────


class Module:
    """Finds the variables among its attributes, and those of modules and lists in them."""

    def __init__(self, name=None):
        self._name = name or type(self).__name__.lower()

    name = property(lambda self: getattr(self, "_name", type(self).__name__.lower()))

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

    variables = property(lambda self: self._found(Variable))
    trainable_variables = property(lambda self: tuple(v for v in self.variables if v.trainable))
    submodules = property(lambda self: self._found(Module))


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

    def unstack(self, value, name=None):
        self._items = functions.unstack(value)
        return self


_methods(TensorArray, {
    "size": lambda self, name=None: convert(len(self._items), dtypes.int32),
    "stack": lambda self, name=None: stack([self.read(i) for i in range(len(self._items))]),
    "concat": lambda self, name=None: functions.concat([self.read(i) for i in range(len(self._items))], 0),
})  # fmt: skip


class GradientTape:
    """Refused: kasoku computes no gradients yet."""

    def __init__(self, *args, **kwargs):
        raise UnimplementedError(
            f"tf.GradientTape: {autograd}\n"
            "  fix  write the derivative out, or `kasoku run --real tensorflow …` uses the installed tensorflow"
        )


class autograph:  # noqa: N801
    """tf.autograph: functions run as they are written, branches and loops by their values."""

    to_code = staticmethod(
        lambda entity, recursive=True, **ignored: inspect.getsource(getattr(entity, "python_function", entity))
    )
    to_graph = staticmethod(lambda entity, recursive=True, **ignored: entity)

    class experimental:  # noqa: N801
        do_not_convert = staticmethod(lambda func=None, **ignored: func if func is not None else (lambda f: f))
        set_loop_options = staticmethod(lambda **ignored: None)
