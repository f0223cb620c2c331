"""cupy.cublas: what programs set of cuBLAS. Products and solutions are the engine's: cupy.dot, cupy.linalg.solve."""

_batched_gesv_limit = 256


def get_batched_gesv_limit():
    """Up to which size CuPy solves stacks of systems by cuBLAS. Here it is remembered alone."""
    return _batched_gesv_limit


def set_batched_gesv_limit(limit):
    """Remembered; stacks of systems of any size are solved by the engine."""
    global _batched_gesv_limit
    _batched_gesv_limit = limit
