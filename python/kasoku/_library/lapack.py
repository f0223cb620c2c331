"""LAPACK in compiled functions: kasoku/linalg/lapack.h says what its routines do with which arrays.

The arrays are in C order without gaps, and of one dtype, or of its real one; the first one says which.
"""

absent = -1000  # no library has the routine, or it cannot reach the arrays: nothing is changed
worth_it = 8  # rows: loops are over smaller matrices before LAPACK has begun


def call(routine, *operands):
    """Calls LAPACK and returns its info: 0, a positive number where it failed, or absent. Only compiled code calls it."""
    raise NotImplementedError(routine)
