"""Random orders."""


def shuffle(a):
    """Puts an array's parts along its first axis in random order, in place."""
    from ._generator import get_random_state

    return get_random_state().shuffle(a)


def permutation(a):
    """0 … a - 1, or a copy of an array with its parts along the first axis, in random order."""
    from ._generator import get_random_state

    return get_random_state().permutation(a)
