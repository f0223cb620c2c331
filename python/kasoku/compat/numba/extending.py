"""numba.extending: what programs use of it. Plain Python functions are compiled along as they are."""

from . import njit


def register_jitable(function=None, **options):
    """The function itself: compiled code calls Python functions."""
    return function if function is not None else lambda f: f


def is_jitted(function):
    """Whether it was compiled by jit."""
    return isinstance(function, type(njit(is_jitted)))
