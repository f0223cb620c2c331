"""How a row of torch's tables becomes a function: what its tensors become, and its results; NumPy's names of arguments
are taken too, as torch does."""

import functools

import kasoku as ks
from kasoku import _core

from .._face.table import Table, refused
from . import _promotion, _types
from ._tensor import ShapeError, Tensor, held
from ._types import scalar_name

_renamed = {"axis": "dim", "axes": "dim", "keepdims": "keepdim"}


def _must_cast(made, wanted):
    if made.category > wanted.category:
        raise RuntimeError(
            f"result type {scalar_name(made)} can't be cast to the desired output type {scalar_name(wanted)}"
        )


def into(out, result):
    """What out= names, which has the result's shape from now on."""
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    _must_cast(_types.of_array(result), out.dtype)
    if result.shape != out._a.shape:
        out._a = ks.empty(result.shape, out.dtype.numpy, out._a.device)
    return out._take(result)


def in_place(function):
    def method(self, *args, **kwargs):
        result = _core._unsettled(function, self, *args, **kwargs)
        if result._a.shape != self._a.shape:
            raise RuntimeError(
                f"output with shape {list(self._a.shape)} doesn't match the broadcast shape {list(result._a.shape)}"
            )
        _must_cast(result.dtype, self.dtype)
        return self._take(result._a)

    return method


# ── what becomes of operands and results ──────────────────────────────────────────────────────────


def _through(x, given):
    """given(tensor) for a tensor and those in a list; other things as they are."""
    if isinstance(x, Tensor):
        return given(x)
    return type(x)([_through(v, given) for v in x]) if type(x) in (list, tuple) else x


def _several(value, narrow):
    """The arrays in a result as tensors."""
    if isinstance(value, ks.Array):
        return Tensor(value if narrow is None else narrow(value))
    if isinstance(value, (list, tuple)):
        made = [_several(v, narrow) for v in value]
        held(*(t for t in made if isinstance(t, Tensor)))
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    return value


def _into_each(outs, result):
    if isinstance(result, Tensor):
        return into(outs, result._a)
    return type(result)(*(into(out, one._a) for out, one in zip(outs, result, strict=True)))


def _checked(f, args, kwargs):
    """The keywords under torch's names; that a row of a tensor is called with one."""
    if args and not isinstance(args[0], Tensor) and f.__code__.co_varnames[0] == "input":
        raise TypeError(f"{f.__name__}(): argument 'input' (position 1) must be Tensor, not {type(args[0]).__name__}")
    return {_renamed.get(k, k): v for k, v in kwargs.items()} if kwargs else kwargs


def _refused(f, error):
    """The error of a row, in torch's words: of arguments that it does not take, and of shapes that do not fit."""
    if isinstance(error, TypeError):
        return refused(f, error)
    return error if isinstance(error, RuntimeError) else ShapeError(*error.args)


_refusals = (TypeError, ks.errors.ValueError)


def _of_tensors(f):
    """A row of tensors, as it stands."""

    def call(*args, **kwargs):
        if kwargs or args and type(args[0]) is not Tensor:
            kwargs = _checked(f, args, kwargs)
        try:
            return f(*args, **kwargs)
        except _refusals as error:
            raise _refused(f, error) from None

    return call


def _composed(f):
    """A row of several operations of tensors, with torch's promotion, which are settled as one."""

    def call(*args, out=None, **kwargs):
        kwargs = _checked(f, args, kwargs)
        try:
            result = _core._unsettled(f, *args, **kwargs)
        except _refusals as error:
            raise _refused(f, error) from None
        return Tensor(result._a) if out is None else into(out, result._a)

    return call


def _of(prepare):
    """Rows of the engine's arrays; prepare(args, kwargs) gives these arguments and what makes results no wider than they were."""

    def rule(f):
        def call(*args, out=None, **kwargs):
            if kwargs or args and type(args[0]) is not Tensor:
                kwargs = _checked(f, args, kwargs)
            args, kwargs, narrow = prepare(args, kwargs)
            try:
                result = f(*args, **kwargs)
            except _refusals as error:
                raise _refused(f, error) from None
            result = Tensor(result) if narrow is None and isinstance(result, ks.Array) else _several(result, narrow)
            return result if out is None else _into_each(out, result)

        return call

    return rule


_array = lambda t: t._a


def _as_they_are(args, kwargs):
    if len(args) == 1 and type(args[0]) is Tensor and not kwargs:
        return (args[0]._a,), kwargs, None
    args = [x._a if type(x) is Tensor else _through(x, _array) for x in args]
    return args, {k: _through(v, _array) for k, v in kwargs.items()} if kwargs else kwargs, None


@functools.cache
def _narrow(d, singles):
    """What makes results no wider than d, the widest of the operands' types."""
    if d is None or d.name in ("float64", "complex128"):
        return None
    of_float, of_complex = d.numpy if not d.is_complex else "float32", "complex64"
    wide = ("float32", "float64") if singles else ("float64",)

    def narrow(a):
        if a.dtype == "complex128":
            return a.astype(of_complex)
        return a.astype(of_float) if any(a.dtype == w for w in wide) else a

    return narrow


def _as_floats(singles, args, kwargs):
    """Floats or complex numbers: integers become the default float, and results are no wider than operands. `singles`: halves
    are computed in float32."""
    widest, default = None, _types.default_float

    def given(t):
        nonlocal widest
        a, d = t._a, _types.of_array(t._a)
        if d.category < 2:
            a, d = a.astype(default.numpy), default
        if d is not widest:
            widest = _promotion.wider(widest, d)
        return a.astype("float32") if singles and d.itemsize == 2 else a

    args = [_through(x, given) for x in args]
    kwargs = {k: _through(v, given) for k, v in kwargs.items()}
    return args, kwargs, _narrow(widest, singles)


def _in_one_dtype(args, kwargs):
    """Arguments whose tensors are arrays of one dtype."""
    first = args[0] if args else None
    if type(first) in (list, tuple) and len(args) < 3:  # what is joined, mostly of one dtype
        arrays = [t._a for t in first if type(t) is Tensor]
        if len(arrays) == len(first) and len({a.dtype for a in arrays}) == 1:
            return (arrays, *args[1:]), kwargs, None
    found = []
    for x in args:
        _through(x, found.append)
    given = _array
    if len({t._a.dtype for t in found}) > 1:
        wanted = _promotion.of(False, *found)
        given = lambda t: t._a if _types.of_array(t._a) is wanted else t._a.astype(wanted.numpy)
    return [_through(x, given) for x in args], {k: _through(v, _array) for k, v in kwargs.items()}, None


# Rules: of tensors as they are or as one operation; of arrays as they are, as floats, as floats of at least 32 bits
# (factorisations), or in the dtype that they meet in.
rules = {
    "tensors": _of_tensors, "composed": _composed, "arrays": _of(_as_they_are), "meeting": _of(_in_one_dtype),
    "floats": _of(functools.partial(_as_floats, False)), "singles": _of(functools.partial(_as_floats, True)),
}  # fmt: skip
functions = Table(rules)


def named(f):
    """A function of tensors that is no row: made with NumPy's names of arguments too."""
    return functools.wraps(f)(_of_tensors(f))
