"""Functions that call functions of the user's."""

from typing import Any

import functools
import math

import numpy as np

from .. import _content, _core
from .given import Array, axis_of, given


def apply_along_axis(func1d, axis, arr, *args, **kwargs) -> Any:
    """What func1d(row) gives for each row along an axis, put together: it takes the place of that axis.

    func1d is called once for each row, with an array of ours. Returns an array, or what func1d gives for a single row.

    >>> ks.apply_along_axis(ks.sort, 1, ks.array([[2, 1], [3, 0]]))
    array([[1, 2],
           [0, 3]])
    """
    x = given(arr)
    axis = axis_of(axis, x.ndim)
    rows = _core.moveaxis(x, axis, -1)
    others = rows.shape[:-1]
    rows = _core.reshape(rows, (math.prod(others), x.shape[axis]))
    if not rows.shape[0]:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [func1d(_core._part(rows, i), *args, **kwargs) for i in range(rows.shape[0])]
    if all(isinstance(one, (int, float, np.generic)) for one in results):
        return _core.reshape(_core.asarray(results, device=x.device), others)
    if any(isinstance(one, np.ndarray) and type(one) is not np.ndarray for one in results):
        raise NotImplementedError("apply_along_axis: rows of masked arrays and other subclasses of NumPy's array")
    results = [given(one, x) for one in results]
    first = results[0]
    stacked = _core.reshape(_core.stack(results), others + first.shape)
    for k in range(first.ndim):
        stacked = _core.moveaxis(stacked, len(others) + k, axis + k)
    return stacked


def piecewise(x, condlist, funclist, *args, **kw) -> Array:
    """The elements of x where conditions hold, each by its function or number; the last condition that holds decides.

    One more function than conditions is for what is left; else that is 0. Functions get the elements as a row.

    >>> ks.piecewise(ks.array([-1.0, 2.0]), [ks.array([True, False])], [0.0, lambda v: v * 10])
    array([ 0., 20.])
    """
    x = given(x)
    if (
        isinstance(condlist, (list, tuple))
        and condlist
        and (isinstance(condlist[0], (list, tuple)) or getattr(condlist[0], "ndim", 0) or x.ndim == 0)
    ):
        conditions = list(condlist)
    elif isinstance(condlist, Array) and condlist.ndim > x.ndim:
        conditions = [condlist[i] for i in range(condlist.shape[0])]
    else:
        conditions = [condlist]
    conditions = [given(c, x).astype(bool) for c in conditions]
    if len(funclist) == len(conditions) + 1:
        rest = _core.ones(x.shape, dtype=bool, device=x.device)
        for condition in conditions:
            rest = rest & ~condition
        conditions.append(rest)
    elif len(funclist) != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are expected"
        )
    y = _core.zeros(x.shape, dtype=x.dtype, device=x.device)
    for condition, function in zip(conditions, funclist):
        if not callable(function):
            y = _core.where(condition, given(function, x).astype(x.dtype), y)
        elif x.ndim == 0:
            if bool(condition):
                y = given(function(x, *args, **kw), x).astype(x.dtype)
        else:
            values = x[condition]
            if values.size:
                y[condition] = given(function(values, *args, **kw), x).astype(x.dtype)
    return y


class vectorize:
    """A function of numbers as a function of arrays, which broadcast.

    The function is compiled by `ks.jit` into a loop over the elements; `otypes` are the results' dtypes. What cannot be
    compiled is an error that names its line. Arguments that `excluded` names are handed on as they are.

    >>> f = ks.vectorize(lambda a, b: a - b if a > b else a + b)
    >>> f(ks.array([1, 2, 3, 4]), 2)
    array([3, 4, 1, 2])
    """

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if signature is not None:
            raise NotImplementedError(
                "vectorize: signature= is not taken; ks.apply_along_axis calls a function of rows"
            )
        if excluded:
            raise NotImplementedError("vectorize: excluded= is not taken; functools.partial fixes an argument")
        self.pyfunc, self.otypes = pyfunc, otypes
        self.__doc__ = doc if doc is not None else pyfunc.__doc__
        functools.update_wrapper(self, pyfunc, assigned=["__name__", "__qualname__", "__module__"], updated=[])

    __reduce__ = _content.reduce

    def __kasoku_parts__(self):
        return vectorize, (self.pyfunc, self.otypes, self.__doc__)

    def __call__(self, *args):
        from .joining import broadcast_arrays

        if not args:
            raise ValueError("vectorize: a function of no arguments has no elements")
        arrays = broadcast_arrays(*args)
        shape, first = arrays[0].shape, arrays[0]
        n = first.size
        if n == 0 and self.otypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        rows = [_core.reshape(x, (n,)).copy() for x in arrays]
        outputs = self._outputs(rows) if n else [_core.empty(0, dtype=t) for t in self.otypes]
        results = [_core.reshape(x, shape) for x in outputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _outputs(self, rows):
        one = self._compiled(*(x[0].item() for x in rows))
        several = isinstance(one, tuple)
        values = one if several else (one,)
        types = self.otypes if self.otypes is not None else [_core.array(v).dtype for v in values]
        outputs = [_core.empty(rows[0].shape, dtype=t, device=rows[0].device) for t in types]
        self._loop(len(rows), len(values), several)(*rows, *outputs)
        return outputs

    @functools.cached_property
    def _compiled(self):
        from .._jit import jit

        return self.pyfunc if hasattr(self.pyfunc, "py_func") else jit(self.pyfunc)

    def _loop(self, n, m, several):
        """The loop over elements, in text, because it has as many arguments as the function."""
        import linecache

        from .._jit import jit

        ins, outs = [f"x{i}" for i in range(n)], [f"y{i}" for i in range(m)]
        targets = ", ".join(f"{y}[i]" for y in outs)
        call = f"f({', '.join(f'{x}[i]' for x in ins)})"
        text = f"def loop({', '.join(ins + outs)}):\n  for i in range(x0.size):\n    {targets} = {call}\n"
        name = f"<vectorize of {getattr(self.pyfunc, '__name__', 'a function')}, {n}, {m}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space = {"f": self._compiled}
        exec(compile(text, name, "exec"), space)
        return jit(space["loop"])


def evaluate(expression, local_dict=None, global_dict=None, out=None) -> Array:
    """The value of an expression in a text, over the caller's variables and the names of `ks`: one fused kernel.

    Raises SyntaxError for what is no expression, NameError for a name that is not there.

    >>> a, b = ks.arange(3), ks.ones(3)
    >>> ks.evaluate("2 * a + sin(b) ** 2 + cos(b) ** 2")
    array([1., 3., 5.])
    """
    import ast
    import sys

    import kasoku

    frame = sys._getframe(1)
    local = frame.f_locals if local_dict is None else local_dict
    outer = frame.f_globals if global_dict is None else global_dict
    tree = ast.parse(expression.strip(), "<ks.evaluate>", mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    values = {}
    for name in sorted(names):
        if name in local:
            values[name] = local[name]
        elif name in outer:
            values[name] = outer[name]
        elif name in kasoku.__all__:
            values[name] = getattr(kasoku, name)
        else:
            raise NameError(f"evaluate: {name!r} is neither a variable nor a name of kasoku")
        if isinstance(values[name], np.ndarray):
            values[name] = _core.asarray(values[name])
    for node in ast.walk(tree):
        if isinstance(
            node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await, ast.NamedExpr)
        ):
            raise SyntaxError(f"evaluate: {ast.unparse(node)} is no expression of arrays")
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise SyntaxError(f"evaluate: {ast.unparse(node)} is a private name")
    result = eval(compile(tree, "<ks.evaluate>", "eval"), {"__builtins__": {}}, values)
    if out is None:
        return result if isinstance(result, Array) else _core.asarray(result)
    _core.copyto(out, result)
    return out


def frompyfunc(func, /, nin, nout, *, identity=None) -> Any:
    """Refused: its results are Python's objects, which no array of ours holds."""
    raise NotImplementedError(
        "frompyfunc makes arrays of Python's objects, which there are none of here; ks.vectorize compiles the function"
    )


def iterable(y) -> bool:
    """Whether iter() takes it.

    >>> ks.iterable([1]), ks.iterable(1)
    (True, False)
    """
    try:
        iter(y)
    except TypeError:
        return False
    return True


def ndenumerate(arr) -> Array:
    """Pairs of indices and values of all elements, in C order.

    >>> next(ks.ndenumerate(ks.array([[5]])))
    ((0, 0), 5)
    """
    x = given(arr)
    return zip(np.ndindex(x.shape), x.ravel().tolist())
