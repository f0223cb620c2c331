"""cupyx.cusolver: factors and solutions of matrices, also of stacks, by cuSOLVER's names. They are those of cupy.linalg."""

from kasoku import linalg as _linalg

from .._face.table import plain as _plain

_there = {
    "gesvdj", "gesvdjBatched", "gesvda", "potrfBatched", "potrsBatched", "syevj", "gesv", "gels",
}  # fmt: skip


def gesvdj(a, full_matrices=True, compute_uv=True, overwrite_a=False):
    """The factors u, s and v of u diag(s) v^H, or s alone. The last one is v itself, where cupy.linalg.svd gives v^H."""
    if not compute_uv:
        return _linalg.svdvals(a)
    u, s, vh = _linalg.svd(a, full_matrices)
    return u, s, vh.mT.conj()


_plain(globals(), {
    "check_availability": (lambda name: name in _there, "Whether cupy.linalg does what the routine of that name does."),
    "gesvda": (lambda a, compute_uv=True: gesvdj(a, False, compute_uv),
        "The factors u, s and v of u diag(s) v^H with as many columns as singular values, or these alone."),
    "syevj": (lambda a, UPLO="L", with_eigen_vector=True, overwrite_a=False: (
        _linalg.eigh(a, UPLO) if with_eigen_vector else _linalg.eigvalsh(a, UPLO)),
        "Eigenvalues of a Hermitian matrix, and its eigenvectors."),
    "gesv": (lambda a, b: _linalg.solve(a, b), "x with a x = b."),
    "gels": (lambda a, b: _linalg.lstsq(a, b)[0], "The x for which a x - b is the shortest."),
})  # fmt: skip
