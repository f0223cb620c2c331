"""Algorithms of kasoku/array for compiled functions: the rows of kasoku/jit/algorithms.cpp, run where the arrays lie.

In a kernel, which cannot call the engine, a function has its loops instead, or says that it has none. Few elements are
sorted, counted … by loops on a CPU too, because they are done before a call has begun.
"""

few = 1024  # elements, more or less: from here on a call costs less than loops


def reaches(is_worth_it):
    """Whether to call the engine: never in a kernel or under the checker, else on a GPU always, on a CPU if it is worth it."""
    raise NotImplementedError


def call(name, like, *operands):
    """The results of an algorithm by its name: arrays or numbers of the types that `like` has, an expression that is never
    computed; a tuple of several. Operands are arrays, numbers, texts, tuples of integers, None."""
    raise NotImplementedError(name)


def with_axes(a, first, second):
    """A view in which two axes, counted from the front, have each other's place."""
    raise NotImplementedError


def strided(a, shape, strides):
    """The array's memory as an array of this shape with these strides in bytes."""
    raise NotImplementedError


def drawn(name, dtype, generator, *parameters):
    """What a function of NumPy's for C draws from a generator; None stands for room that it has to itself. With a tuple of dtypes in
    the generator's place what any function of C gives that takes numbers of these."""
    raise NotImplementedError(name)
