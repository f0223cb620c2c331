"""Iterators of Python's and of NumPy's as generators, which compiled code runs by turns and by next()."""


def iterated(x):
    for item in x:
        yield item


def numbers_of(numbers):
    for k in range(len(numbers)):
        yield numbers[k]


def elements(op):
    if op.size == 0:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    for k in range(op.size):
        yield _element(op, k)


def _element(x, k):
    """The element that lies at this place of those that memory has in its order."""
    if x.ndim == 0:
        return x[()]
    if x.ndim == 1:
        return x[x.size - 1 - k] if x.strides[0] < 0 else x[k]
    if x.ndim > 2:
        return x.flat[k]  # which those have that lie one after the other
    if abs(x.strides[0]) >= abs(x.strides[1]):
        i, j = k // x.shape[1], k % x.shape[1]
    else:
        j, i = k // x.shape[0], k % x.shape[0]
    i = x.shape[0] - 1 - i if x.strides[0] < 0 else i
    j = x.shape[1] - 1 - j if x.strides[1] < 0 else j
    return x[i, j]
