"""numba.guvectorize: a function of small arrays, applied along the other axes."""

import ast
import functools
import inspect
import math

import numpy as np

from ... import Array, _jit, _signature, _source
from ..._hints import check_options
from .._face import cores
from ._loops import UFunc, as_arrays, bare, beside, common_shape, compiled, dtype_of, empty, rows, shown
from .vectorize import options_of_ufuncs


def _written(function):
    """Names whose items the function assigns, or that it passes on."""
    found = set()
    for node in ast.walk(_source.of(function)[0]):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            parts = [node.value]
        else:
            parts = node.args if isinstance(node, ast.Call) else []
        found.update(part.id for part in parts if isinstance(part, ast.Name))
    return found


class GUFunc(UFunc):
    """A generalized universal function: `layout` says which axes the function itself sees."""

    def __init__(self, function, signatures, layout, parallel=False, writable_args=(), casts=False):
        super().__init__(function, signatures, layout, parallel, writable_args, casts)
        self._casts = casts
        self.signature = layout
        self._ins, self._outs = cores.read(layout, needs_arrow=False)
        self.nin, self.nout = len(self._ins), len(self._outs)
        self.nargs = self.nin + self.nout
        known = {axis for core in self._ins for axis in core}
        if unknown := [axis for core in self._outs for axis in core if axis not in known and not axis.isdigit()]:
            raise NameError(f"undefined output symbols: {', '.join(unknown)}")
        if len(inspect.signature(function).parameters) != self.nargs:
            raise ValueError(f"the layout {layout} is of {self.nargs} arguments, and {function.__name__} takes others")
        self._core, self._parallel = _jit.jit(function, parallel=False, error_model="numpy"), parallel
        self._names, self._writable = list(inspect.signature(function).parameters), writable_args
        self._written = [k for k, name in enumerate(self._names[: self.nin]) if name in _written(function)]
        self._is_open, self._loops, self._known, self._made = not signatures, [], {}, {}
        self._shapes = functools.lru_cache(self._shapes_of)
        for signature in signatures:
            self.add(signature)

    def add(self, signature):
        """One more list of types."""
        if isinstance(signature, str) and "(" not in signature.split("[")[0]:
            signature = f"({signature},)"
        args, result = _signature.signature(signature)
        if len(args) != self.nargs:
            raise TypeError(f"the signature {signature} is not of {self.nargs} arguments, as {self.signature} is")
        if result is not None and repr(result) != "none":
            raise TypeError("guvectorized functions cannot return values: signature has return type " + repr(result))
        for k, (type, core) in enumerate(zip(args, self._ins + self._outs, strict=True)):
            if getattr(type, "ndim", 0) != len(core) and (core or k < self.nin and getattr(type, "ndim", 0) > 1):
                raise TypeError(
                    f"argument {k + 1} of {self.__name__} is {type!r}, and ({','.join(core)}) in {self.signature}"
                )
        dtypes = [np.dtype(t.__kasoku_dtype__) for t in args]
        self._loops.append((dtypes[: self.nin], dtypes[self.nin :], [hasattr(t, "ndim") for t in args]))
        self._known.clear()

    def _choose(self, given):
        try:
            return super()._choose(given)
        except TypeError:
            for loop in self._loops if self._casts else ():
                if all(np.can_cast(one, to, "same_kind") for one, to in zip(given, loop[0], strict=True)):
                    return loop
            raise

    def _loop(self, is_array):
        """The loop over rows; a scalar of the layout that is declared an array is one of one element."""
        key = tuple(is_array)
        if key not in self._made:
            names, cores = [f"a{i}" for i in range(self.nargs)], self._ins + self._outs
            kinds = zip(names, cores, is_array)
            items = [f"{n}[i]" if core or not array else f"{n}[i:i + 1]" for n, core, array in kinds]
            text = f"def rows(n, {', '.join(names)}):\n    for i in prange(n):\n        core({', '.join(items)})\n"
            self._made[key] = compiled(text, "rows", self._parallel, core=self._core)
        return self._made[key]

    def _shapes_of(self, ins, outs):
        """Of arrays of these shapes the axes over which the function is called, and those that it sees of each."""
        lengths, outer = {}, []
        named = [("Input", k, *pair) for k, pair in enumerate(zip(ins, self._ins, strict=True))]
        named += [("Output", k, *pair) for k, pair in enumerate(zip(outs, self._outs, strict=False))]
        for kind, i, shape, core in named:
            split = len(shape) - len(core)
            if split < 0:
                raise ValueError(
                    f"{self.__name__}: {kind} operand {i} does not have enough dimensions "
                    f"(has {len(shape)}, gufunc core with signature {self.signature} requires {len(core)})"
                )
            outer.append(shape[:split])
            for k, (name, found) in enumerate(zip(core, shape[split:], strict=True)):
                length = int(name) if name.isdigit() else lengths.setdefault(name, found)
                if found != length:
                    raise ValueError(
                        f"{self.__name__}: {kind} operand {i} has a mismatch in its core dimension {k}, with gufunc "
                        f"signature {self.signature} (size {found} is different from {length})"
                    )
        shape = common_shape(*outer)
        for i, given in enumerate(outer[len(ins) :]):
            if given != shape:
                raise ValueError(
                    f"{self.__name__}: Output operand {i} is for rows of shape {given}, and there are {shape}"
                )
        cores = [tuple(int(n) if n.isdigit() else lengths[n] for n in core) for core in self._ins + self._outs]
        return shape, cores

    # As Numba has it: what the function writes into an input is the caller's if nothing was converted, and with
    # writable_args in any case.

    def _input(self, k, lines):
        is_callers = isinstance(lines, np.ndarray) and lines.flags.writeable  # a device's is not written back
        return lines.copy() if k in self._written and not is_callers else lines

    def _write_back(self, k, lines, array, shape):
        is_converted = lines.dtype != array.dtype and not {k, self._names[k]} & set(self._writable)
        is_callers = isinstance(array, np.ndarray) and array.flags.writeable
        if is_converted or not is_callers or np.shares_memory(lines, array):
            return
        strides = np.broadcast_to(array, shape).strides
        np.lib.stride_tricks.as_strided(array, shape, strides)[...] = lines.reshape(shape)

    def __call__(self, *args, out=None, axis=None, stream=0, **options):
        outs = shown(out if isinstance(out, tuple) else () if out is None else (out,))
        args = shown(args)
        if len(args) == self.nargs and outs:
            raise ValueError(f"{self.__name__}: an output is given by place and as out=")
        if len(args) == self.nargs:
            args, outs = args[: self.nin], list(args[self.nin :])
        if len(args) != self.nin:
            raise TypeError(
                f"{self.__name__}: gufunc accepts {self.nin} positional arguments (or {self.nargs} positional arguments "
                f"if including the output), not {len(args)}"
            )
        for arg in args:  # an array of another library, Dask's for one, has its own way
            own = not isinstance(arg, (np.ndarray, np.generic, Array)) and getattr(type(arg), "__array_ufunc__", None)
            if own:
                return arg.__array_ufunc__(self, "__call__", *args, **({"out": tuple(outs)} if outs else {}), **options)
        given = [dtype_of(arg) for arg in args]
        if self._is_open:
            if self.nout and not outs:
                raise TypeError(
                    f"{self.__name__} has no signature that names its results' types\n  fix  pass the arrays for them"
                )
            arrays = [len(core) > 0 for core in self._ins] + [True] * self.nout
            loop = [*map(np.dtype, given)], [dtype_of(o) for o in outs], arrays
        else:
            loop = self._loop_for(given)
        ins, results, is_array = loop
        arrays, wrap = as_arrays(args)
        targets = [bare(o) for o in outs]
        if axis is not None:
            arrays = [np.moveaxis(a, axis, -1) if core else a for a, core in zip(arrays, self._ins, strict=True)]
            targets = [np.moveaxis(t, axis, -1) if core else t for t, core in zip(targets, self._outs, strict=False)]
        shape, cores = self._shapes(tuple(a.shape for a in arrays), tuple(t.shape for t in targets))
        count = math.prod(shape)
        flat = [self._input(k, rows(a, d, shape, c)) for k, (a, d, c) in enumerate(zip(arrays, ins, cores))]
        values = [empty((count, *core), d, arrays[0]) for d, core in zip(results, cores[self.nin :], strict=True)]
        for value, target in zip(values, targets, strict=False):  # what the function does not write stays
            value[...] = beside(value, target).reshape(value.shape)
        self._loop(is_array)(count, *flat, *values)
        for k in self._written:
            self._write_back(k, flat[k], arrays[k], (*shape, *cores[k]))
        values = [v.reshape((*shape, *core)) for v, core in zip(values, cores[self.nin :], strict=True)]
        for value, target in zip(values, targets, strict=False):
            target[...] = beside(target, value)
        if axis is not None:
            values = [np.moveaxis(v, -1, axis) if core else v for v, core in zip(values, self._outs, strict=True)]
        results = [*outs, *((wrap(v) if v.ndim else v[()]) for v in values[len(outs) :])]
        return results[0] if self.nout == 1 else tuple(results)


def guvectorize(signatures, layout=None, *, target="cpu", **options):
    """Makes a generalized universal function of a function that writes its results into arrays."""
    check_options(options, options_of_ufuncs, "guvectorize")
    if layout is None:
        signatures, layout = [], signatures
    if isinstance(signatures, str):
        signatures = [signatures]
    if target == "cuda" and options.get("nopython") is False:
        raise TypeError("kernels have no nopython=False: nothing of them runs in the interpreter")
    told = signatures, layout, target in ("parallel", "cuda"), options.get("writable_args", ()), target == "cuda"
    return lambda function: GUFunc(getattr(function, "py_func", function), *told)
