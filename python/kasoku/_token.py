"""Names by content for delayed values, and the small functions that graphs as dictionaries hold."""

import dataclasses
import functools
import hashlib
import pickle
import re
import types
import uuid

import numpy as np

_by_type = {}  # what normalize_token.register() was told
_hexadecimal = re.compile("[a-f]+")
dispatches = []  # Dask's own, where it is: of a type the function that was registered for it


class methodcaller:
    """Calls the method of that name; equal and hashable, as operator's is not."""

    __slots__ = ("method",)

    def __init__(self, method):
        self.method = method

    def __call__(self, obj, *args, **kwargs):
        return getattr(obj, self.method)(*args, **kwargs)

    def __reduce__(self):
        return methodcaller, (self.method,)

    def __eq__(self, other):
        return isinstance(other, methodcaller) and self.method == other.method

    def __hash__(self):
        return hash(self.method)

    def __repr__(self):
        return f"methodcaller({self.method!r})"

    __name__ = property(lambda self: self.method)


class literal:
    """A value that looks like a task and is none: (literal(value),) in a graph."""

    __slots__ = ("data",)

    def __init__(self, data):
        self.data = data

    def __call__(self):
        return self.data

    def __reduce__(self):
        return literal, (self.data,)

    def __repr__(self):
        return f"literal<type={type(self.data).__name__}>"


def apply(function, args, kwargs=None):
    """function(*args, **kwargs), as a graph writes it."""
    return function(*args, **(kwargs or {}))


def funcname(func):
    """A short name of a function."""
    while hasattr(func, "func"):
        func = func.func
    if isinstance(func, methodcaller):
        return func.method[:50]
    return getattr(func, "__name__", type(func).__name__)[:50]


def key_split(s):
    """The name in a key, without what tells keys of that name apart."""
    if isinstance(s, bytes):
        return key_split(s.decode())
    if isinstance(s, tuple) and s:
        return key_split(s[0])
    if not isinstance(s, str) or not s:
        return "Other"
    first, *rest = s.split("-")
    if not first:
        return "Other"
    name = first if first[0].isalpha() else first.split(",")[0].strip("_'()\"")
    for word in rest:
        if not word.isalpha() or len(word) == 8 and _hexadecimal.fullmatch(word):
            break
        name += f"-{word}"
    if re.fullmatch("[0-9a-f]{32}", name):
        return "data"
    return name.strip("<>").split()[0].rpartition(".")[2] if name.startswith("<") else name or "Other"


def result_of(future):
    """The result that a future of a graph stands for, when this process needs it."""
    return getattr(future, "__kasoku_value__", future.result)()


def checked_layer(graph, layer):
    """The graph of Delayed(key, graph, layer=layer)."""
    if hasattr(graph, "layers") and layer not in graph.layers:
        raise ValueError(f"Layer {layer} not in the HighLevelGraph's layers: {list(graph.layers)}")
    return graph


def _of_function(function):
    code = getattr(function, "__code__", None)
    if code is None:
        return (type(function).__name__, getattr(function, "__module__", None),
                getattr(function, "__qualname__", repr(function)))  # fmt: skip
    cells = [normalize(c.cell_contents) for c in function.__closure__ or ()]
    return (function.__module__, function.__qualname__, code.co_code, [normalize(c) for c in code.co_consts],
            code.co_names, cells, normalize(function.__defaults__), normalize(function.__kwdefaults__))  # fmt: skip


def _of_array(array):
    if array.dtype.hasobject:
        return "array", str(array.dtype), array.shape, normalize(array.tolist())
    data = np.ascontiguousarray(array).view(np.uint8).data if array.size else b""
    return "array", str(array.dtype), array.shape, hashlib.md5(data, usedforsecurity=False).hexdigest()


def normalize(value):
    """Plain data that is equal for equal values."""
    kind = type(value)
    if kind in (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), slice, range):
        return kind.__name__, repr(value)
    if kind in (list, tuple):
        return kind.__name__, [normalize(item) for item in value]
    if kind is dict:
        return "dict", sorted(([normalize(k), normalize(v)] for k, v in value.items()), key=repr)
    if kind in (set, frozenset):
        return kind.__name__, sorted(map(normalize, value), key=repr)
    if kind in _by_type:
        return kind.__name__, normalize(_by_type[kind](value))
    own = getattr(value, "__dask_tokenize__", None)
    if own is not None and not isinstance(value, type):
        return kind.__qualname__, normalize(own())
    if isinstance(value, functools.partial):
        return "partial", normalize([value.func, value.args, value.keywords])
    if isinstance(value, types.MethodType):
        return "method", value.__name__, normalize(value.__self__)
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc, types.MethodDescriptorType)):
        return _of_function(value)
    if isinstance(value, type):
        return "class", value.__module__, value.__qualname__
    if isinstance(value, np.ndarray):
        return _of_array(value)
    if isinstance(value, (np.generic, np.dtype)):
        return kind.__name__, repr(value)
    if isinstance(value, methodcaller):
        return "methodcaller", value.method
    if dataclasses.is_dataclass(value):
        return kind.__qualname__, [(f.name, normalize(getattr(value, f.name, None))) for f in dataclasses.fields(value)]
    for dispatch in dispatches:
        return kind.__qualname__, normalize(dispatch(kind)(value))
    try:
        return kind.__qualname__, pickle.dumps(value, protocol=4)
    except Exception:  # noqa: BLE001 - whatever a class does when it is pickled
        return kind.__qualname__, uuid.uuid4().hex  # unlike any other


def tokenize(*args, **kwargs):
    """32 hexadecimal digits, the same for the same arguments."""
    parts = normalize([*args, kwargs] if kwargs else list(args))
    return hashlib.md5(repr(parts).encode(), usedforsecurity=False).hexdigest()


def register(kind, function=None):
    """How values of a type are named: register(kind, function), or a decorator."""
    if function is None:
        return functools.partial(register, kind)
    for one in kind if isinstance(kind, tuple) else (kind,):
        _by_type[one] = function
    return function
