"""torch's names beyond tables of elements: factorisations by their old names, windows, types by their old names, and
switches."""

import math

import kasoku as ks
from kasoku import _core

from .._face.table import bound
from .._face import compositions
from . import _creation, _promotion, _types, linalg
from ._table import functions
from ._tensor import Tensor, array_of
from ._types import as_dtype, engine_device
from .return_types import return_type

# ── factorisations ────────────────────────────────────────────────────────────────────────────────

functions.update({
    old: getattr(linalg, new) for old, new in {
        "det": "det", "slogdet": "slogdet", "inverse": "inv", "pinverse": "pinv", "qr": "qr", "cholesky": "cholesky",
        "matrix_power": "matrix_power", "matrix_exp": "matrix_exp",
    }.items()
})  # fmt: skip


_product = lambda factor, upper: ks.conjugate(factor.mT) @ factor if upper else factor @ ks.conjugate(factor.mT)


functions.rows("singles", {
    "logdet": lambda input: (lambda sign, log: ks.where(sign < 0, math.nan, log) if input.dtype.kind == "f" else log)(
        *ks.linalg.slogdet(input)),
    "cholesky_solve": lambda input, L, upper=False: ks.linalg.solve(_product(L, upper), input),
    "cholesky_inverse": lambda input, upper=False: ks.linalg.inv(_product(input, upper)),
    "triangular_solve": lambda b, A, upper=True, transpose=False, unitriangular=False: return_type("triangular_solve")(
        linalg._solved(A, b, upper, True, unitriangular, transpose), A.copy()),
})  # fmt: skip
functions.rows("arrays", {
    "lu_solve": lambda b, LU_data, LU_pivots: linalg._lu_solve(LU_data, LU_pivots, b),
    "lu_unpack": lambda LU_data, LU_pivots, unpack_data=True, unpack_pivots=True: tuple(linalg._lu_unpack(LU_data, LU_pivots)),
})  # fmt: skip
functions.rows("tensors", {
    "lu": lambda A, pivot=True, get_infos=False: tuple(linalg.lu_factor(A, pivot=pivot)) + (
        (_creation.zeros(A.shape[:-2], dtype=_types.names["int32"], device=A.device),) if get_infos else ()),
    "chain_matmul": lambda *matrices: linalg.multi_dot(matrices),
    "svd": (lambda input, some=True, compute_uv=True: (lambda u, s, vh: return_type("svd")(u, s, vh.mH))(
        *linalg.svd(input, full_matrices=not some)), "U, S, V with input = U diag(S) V^H: linalg.svd gives V^H."),
})  # fmt: skip


# ── indices and windows ───────────────────────────────────────────────────────────────────────────


def _triangle(row, col, offset=0, *, dtype=None, device=None, layout=None, name):
    places = ks.stack(getattr(ks, name)(row, offset, col, device=engine_device(device)))
    return Tensor(places if dtype is None else places.astype(as_dtype(dtype).numpy))


def _window(window_length, periodic=True, *args, dtype=None, device=None, of, **options):
    with _core._device_scope(engine_device(device)):
        made = compositions.window(of, window_length, periodic, *args, **options)
    return Tensor(made.astype((as_dtype(dtype) if dtype else _types.default_float).numpy))


functions.rows("tensors", {
    "tril_indices": bound(_triangle, name="tril_indices"), "triu_indices": bound(_triangle, name="triu_indices"),
    "hann_window": bound(_window, of=ks.hanning), "hamming_window": bound(_window, of=ks.hamming),
    "blackman_window": bound(_window, of=ks.blackman),
    "bartlett_window": bound(_window, of=ks.bartlett),
    "kaiser_window": bound(_window, of=lambda M, beta=12.0: ks.kaiser(M, beta)),
})  # fmt: skip

# ── what tensors are ──────────────────────────────────────────────────────────────────────────────


class _Legacy:
    """torch.FloatTensor and the like: they make tensors, and name their dtype and device."""

    def __init__(self, dtype, where="cpu"):
        self.legacy_dtype, self._where = dtype, where
        self.__name__ = _types.legacy[dtype.name] + "Tensor"

    def __call__(self, *args):
        sizes = not args or all(isinstance(a, int) for a in args) or isinstance(args[0], _types.Size)
        if sizes:
            return _creation.zeros(*args, dtype=self.legacy_dtype, device=self._where)
        return Tensor(array_of(args[0], self.legacy_dtype, self._where))

    __instancecheck__ = lambda self, x: isinstance(x, Tensor) and x.dtype is self.legacy_dtype
    __repr__ = lambda self: f"<class 'torch.{self.__name__}'>"


legacy = {name + "Tensor": _Legacy(_types.names[d]) for d, name in _types.legacy.items()}
functions.rows("tensors", {
    "set_default_tensor_type": lambda t: _promotion.set_default_dtype(as_dtype(t)),
    "is_complex": lambda input: input.dtype.is_complex,
    "is_nonzero": lambda input: bool(input),
    "is_same_size": lambda input, other: input.shape == other.shape,
    "can_cast": lambda from_, to: as_dtype(from_).category <= as_dtype(to).category,
    "typename": lambda o: o.type() if isinstance(o, Tensor) else type(o).__name__,
    "get_default_device": lambda: _creation.empty(0).device,
})  # fmt: skip


class jit:
    """torch.jit: functions are compiled as they run, with or without it."""

    script = staticmethod(lambda f=None, *_, **__: f if f is not None else (lambda g: g))

    trace = staticmethod(lambda f, *_, **__: f)

    ignore = unused = export = staticmethod(lambda f: f)


def is_method(f):
    """Whether a row's first argument is the tensor whose method it is."""
    code = getattr(f, "__wrapped__", f).__code__
    return code.co_argcount > 0 and code.co_varnames[0] in ("input", "self", "tensor", "A", "x", "t", "b")
