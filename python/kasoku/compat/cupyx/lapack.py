"""cupyx.lapack: solutions of systems of linear equations, by LAPACK's names."""

import kasoku as _ks

from .cusolver import gels  # noqa: F401
from .scipy.linalg import solve_triangular as _solve_triangular


def gesv(a, b):
    """Puts the x with a x = b into b, which lies in Fortran order if it has columns."""
    for name, x, axes in (("a", a, (2,)), ("b", b, (1, 2))):
        if x.ndim not in axes:
            raise ValueError(f"gesv: {name} has {x.ndim} axes")
        if x.dtype.kind not in "fc":
            raise TypeError(f"gesv: {name} has the dtype {x.dtype}")
        if not (x.flags.f_contiguous or (x.flags.c_contiguous and name == "a")):
            raise ValueError(f"gesv: {name} lies in Fortran order")
    if a.shape[0] != a.shape[1] or a.shape[0] != b.shape[0]:
        raise ValueError(f"gesv: a of the shape {a.shape} and b of {b.shape}")
    b[...] = _ks.linalg.solve(a, b)


def posv(a, b):
    """x with a x = b for positive definite matrices, by Cholesky's factors."""
    return potrs(_ks.linalg.cholesky(a), b, True)


def potrs(L, b, lower):
    """x with a x = b, for the Cholesky factor of a: L with a = L L^H if `lower`, else L^H L."""
    is_row = b.ndim == L.ndim - 1
    half = _solve_triangular(L, b[..., None] if is_row else b, trans=0 if lower else 2, lower=lower)
    x = _solve_triangular(L, half, trans=2 if lower else 0, lower=lower)
    return x[..., 0] if is_row else x
