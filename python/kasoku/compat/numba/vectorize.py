"""numba.vectorize: a function of numbers as an elementwise function of arrays."""

import functools
import inspect
import linecache

import numpy as np

from ... import _jit


class DUFunc:
    """Compiled for the dtypes that come; arrays broadcast as NumPy's do."""

    def __init__(self, function, parallel):
        self.py_func = function
        self.nin = len(inspect.signature(function).parameters)
        self._scalar = _jit.jit(function, parallel=False)
        names = ", ".join(f"a{i}" for i in range(self.nin))
        items = ", ".join(f"a{i}[i]" for i in range(self.nin))
        text = f"def loop(out, {names}):\n    for i in prange(out.size):\n        out[i] = scalar({items})\n"
        file = f"<vectorize {function.__qualname__} {id(self)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        space = {"prange": _jit.prange, "scalar": self._scalar}
        exec(compile(text, file, "exec"), space)
        self._loop = _jit.jit(space["loop"], parallel=parallel)
        functools.update_wrapper(self, function)

    def __call__(self, *args, out=None):
        if all(np.ndim(arg) == 0 for arg in args) and out is None:
            return self._scalar(*args)
        arrays = [np.asarray(arg) for arg in args]
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        flat = [np.ascontiguousarray(np.broadcast_to(a, shape)).reshape(-1) for a in arrays]
        if out is None:
            out = np.empty(shape, self._dtype(arrays))
        result = np.ascontiguousarray(out).reshape(-1)
        self._loop(result, *flat)
        if not np.shares_memory(result, out):
            out[...] = result.reshape(shape)
        return out

    def _dtype(self, arrays):
        probe = self._scalar(*(a.dtype.type(1) for a in arrays))
        widest = np.result_type(*arrays)
        if isinstance(probe, bool):
            return np.dtype(bool)
        if isinstance(probe, complex):
            return np.result_type(widest, np.complex64)
        if isinstance(probe, float):
            return widest if widest.kind == "f" else np.dtype(np.float64)
        return np.dtype(np.int64)


def vectorize(signatures_or_function=None, *, target="cpu", **options):
    parallel = target == "parallel"
    if inspect.isfunction(signatures_or_function):
        return DUFunc(signatures_or_function, parallel)
    return lambda function: DUFunc(function, parallel)


def guvectorize(*args, **options):
    from .. import missing

    raise NotImplementedError(missing("numba.guvectorize"))
