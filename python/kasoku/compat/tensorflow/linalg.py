"""tf.linalg's common part."""

from ._ops import matmul, transpose

matrix_transpose = transpose
__all__ = ["matmul", "matrix_transpose", "transpose"]
