"""How products of matrices are computed in CuPy. Here they have the precision of their dtype; the choice is remembered."""

import numpy as np

COMPUTE_TYPE_TBD, COMPUTE_TYPE_DEFAULT, COMPUTE_TYPE_PEDANTIC, COMPUTE_TYPE_FP16 = 0, 1, 2, 3
COMPUTE_TYPE_FP32, COMPUTE_TYPE_FP64, COMPUTE_TYPE_BF16, COMPUTE_TYPE_TF32 = 4, 5, 6, 7
_chosen = {}


def _kind(dtype):
    return np.dtype(dtype).char.lower()


def get_compute_type(dtype):
    return _chosen.get(_kind(dtype), COMPUTE_TYPE_DEFAULT)


def set_compute_type(dtype, compute_type):
    if compute_type not in range(8):
        raise ValueError(f"there is no way {compute_type} to compute products")
    _chosen[_kind(dtype)] = compute_type
