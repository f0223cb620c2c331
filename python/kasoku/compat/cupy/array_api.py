"""cupy.array_api: the names of the Python array API standard. They are ks's, on the current device; the arrays are cupy's own."""

import inspect as _inspect

import kasoku as _ks

from .._face.table import modules as _modules
from ._table import _here
from ._util import in_face as _in_face

__array_api_version__ = _ks.__array_api_version__
_names = """
    abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2 atanh bitwise_and
    bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor bool broadcast_arrays broadcast_to
    can_cast ceil clip complex128 complex64 concat conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum
    diff divide e empty empty_like equal exp expand_dims expm1 eye finfo flip float32 float64 floor floor_divide
    from_dlpack full full_like greater greater_equal hypot iinfo imag inf int16 int32 int64 int8 isdtype isfinite isinf
    isnan less less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul
    matrix_transpose max maximum mean meshgrid min minimum moveaxis multiply nan negative newaxis nextafter nonzero
    not_equal ones ones_like permute_dims pi positive pow prod real reciprocal remainder repeat reshape result_type roll
    round searchsorted sign signbit sin sinh sort sqrt square squeeze stack std subtract sum take take_along_axis tan
    tanh tensordot tile tril triu trunc uint16 uint32 uint64 uint8 unique_all unique_counts unique_inverse unique_values
    unstack var vecdot where zeros zeros_like
"""
_of_matrices = """
    cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr
    slogdet solve svd svdvals tensordot trace vecdot vector_norm
"""


def _of(space, names):
    found = {name: getattr(space, name) for name in names}
    makers = {name: _here(f) for name, f in found.items() if callable(f) and not _inspect.isclass(f)}
    return _in_face(found | makers)


globals().update(_of(_ks, [*_names.split(), "__array_namespace_info__"]))
_modules(__name__, {
    "fft": ("Fourier transforms, by the standard's names.", _of(_ks.fft, _ks.fft.__all__)),
    "linalg": ("matrices, by the standard's names.", _of(_ks.linalg, _of_matrices.split())),
})  # fmt: skip
__all__ = [name for name in globals() if not name.startswith("_")]
