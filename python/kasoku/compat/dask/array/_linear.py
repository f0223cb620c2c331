"""Products of matrices in chunks."""

import functools

import numpy as np

from ._array import Array, At, axis_in, made, method
from ._chunks import call, is_unknown, numpys
from ._sources import asanyarray
from ._table import functions as f


def _masked_products(lefts, rights):
    """As numpy.ma.dot: what is masked counts as zero, and the result is masked where nothing is left."""
    total = sum(np.matmul(np.ma.filled(a, 0), np.ma.filled(b, 0)) for a, b in zip(lefts, rights))
    count = sum(np.matmul(*((~np.ma.getmaskarray(x)).astype(int) for x in pair)) for pair in zip(lefts, rights))
    return np.ma.array(total, mask=count == 0)


def _products(lefts, rights):
    total = None
    if any(isinstance(x, np.ma.MaskedArray) for x in (*lefts, *rights)):
        return _masked_products([numpys(x) for x in lefts], [numpys(x) for x in rights])
    for a, b in zip(lefts, rights):
        product = call("matmul", a, b)
        total = product if total is None else total + product
    return total


def matmul(a, b):
    """The product of matrices, or of stacks of them."""
    a, b = asanyarray(a), asanyarray(b)
    if not a.ndim or not b.ndim:
        raise ValueError("`matmul` does not support scalars.")
    one_row, one_column = a.ndim == 1, b.ndim == 1
    a = a[None, :] if one_row else a
    b = b[:, None] if one_column else b
    if a.shape[-1] != b.shape[-2] and not (is_unknown(a.shape[-1:]) or is_unknown(b.shape[-2:-1])):
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not match")
    if a.chunks[-1] != b.chunks[-2] and not is_unknown((*a.chunks[-1], *b.chunks[-2])):
        b = b.rechunk({b.ndim - 2: a.chunks[-1]})
    if a.ndim > 2 or b.ndim > 2:
        ndim = max(a.ndim, b.ndim)
        from ._shape import broadcast_to

        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (broadcast_to(x, (*batch, *x.shape[-2:])).rechunk({k: -1 for k in range(ndim - 2)}) for x in (a, b))
        b = b.rechunk({ndim - 2: a.chunks[-1]})
    lead = a.ndim - 2
    one, own, inner = [-1] * lead, [None] * lead, [list(range(len(a.chunks[-1])))]
    rows, columns = At(a, [*one, lead, -1], [*own, None, inner]), At(b, [*one, -1, lead + 1], [*own, inner, None])
    dtype = np.matmul(np.ones((1, 1), a.dtype), np.ones((1, 1), b.dtype)).dtype
    c = made("matmul", (*a.chunks[:-1], b.chunks[-1]), dtype, (_products, rows, columns))
    if one_row:
        c = c[..., 0, :]
    return c[..., 0] if one_column else c


Array.__matmul__ = lambda a, b: matmul(a, b)
Array.__rmatmul__ = lambda a, b: matmul(b, a)


@method
def dot(a, b):
    a, b = asanyarray(a), asanyarray(b)
    if not a.ndim or not b.ndim:
        return a * b
    if b.ndim <= 2:
        return matmul(a, b)
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2,)))


def tensordot(lhs, rhs, axes=2):
    """The sum of products over pairs of axes."""
    lhs, rhs = asanyarray(lhs), asanyarray(rhs)
    if isinstance(axes, int):
        axes = tuple(range(lhs.ndim - axes, lhs.ndim)), tuple(range(axes))
    left, right = ([a] if isinstance(a, int) else list(a) for a in axes)
    left, right = [axis_in(a, lhs.ndim) for a in left], [axis_in(a, rhs.ndim) for a in right]
    rows = [a for a in range(lhs.ndim) if a not in left]
    columns = [a for a in range(rhs.ndim) if a not in right]
    shape = (*(lhs.shape[a] for a in rows), *(rhs.shape[a] for a in columns))
    inner = int(np.prod([lhs.shape[a] for a in left]))
    a = lhs.transpose([*rows, *left]).reshape(-1 if inner else 0, inner)
    b = rhs.transpose([*right, *columns]).reshape(inner, -1 if inner else 0)
    return matmul(a, b).reshape(shape)


f.rows("arrays", {
    "vdot": lambda a, b: dot(a.ravel().conj(), b.ravel()),
    "outer": lambda a, b: a.ravel()[:, None] * b.ravel()[None, :],
})  # fmt: skip


def einsum(subscripts, *operands, split_every=None, **words):
    """numpy.einsum of whole arrays. Which axes the result has NumPy says of small ones: a length has a small one in its stead."""
    from ._whole import whole

    operands = [asanyarray(x) for x in operands]
    lengths = [1, *{n for x in operands for n in x.shape if n != 1}]
    samples = (np.ones([lengths.index(n) + 1 for n in x.shape], x.dtype) for x in operands)
    small = np.einsum(subscripts, *samples, **words)
    shape = tuple(lengths[n - 1] for n in small.shape)
    return whole(shape, small.dtype, functools.partial(np.einsum, **words), subscripts, *operands)
