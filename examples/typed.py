"""Fifty names of kasoku in a program that `mypy --strict` accepts."""

from kasoku import (
    Array,
    abs,
    all,
    any,
    arange,
    argmax,
    argsort,
    array,
    astype,
    broadcast_to,
    clip,
    concat,
    cos,
    cumulative_sum,
    diff,
    dot,
    einsum,
    exp,
    expand_dims,
    eye,
    finfo,
    flip,
    float32,
    float64,
    full,
    int64,
    isfinite,
    isnan,
    linspace,
    log,
    matmul,
    maximum,
    mean,
    meshgrid,
    minimum,
    nonzero,
    ones,
    outer,
    prod,
    random,
    reshape,
    roll,
    sign,
    sin,
    sort,
    sqrt,
    stack,
    std,
    sum,
    take,
    tril,
    where,
    zeros,
)


def softmax(x: Array) -> Array:
    e = exp(x - x.max())
    return e / e.sum()


def waves(n: int) -> Array:
    t = linspace(0.0, 1.0, n, dtype=float64)
    return sin(6 * t) + cos(t) * sqrt(abs(t)) - log(t + 1)


def smallest_first(x: Array) -> tuple[Array, Array]:
    return sort(x), take(x, argsort(x))


def table(n: int) -> Array:
    x, y = meshgrid(arange(n), arange(n))
    grid = outer(ones(n), full(n, 2.0)) + tril(eye(n)) + x * y
    return concat([grid, zeros((1, n))]) * astype(broadcast_to(array([1, 2, 3])[:1], (1, n)), float64)


def main() -> None:
    x = random.default_rng(1).standard_normal(100)
    first, second = smallest_first(x)
    assert bool(all(first == second)) and not bool(any(isnan(x)))
    p = softmax(waves(50))
    assert float(sum(p)) - 1 < 10 * finfo(float64).eps
    square = table(3)
    product = matmul(square.T, square) + dot(square.T, square)
    assert product.shape == (3, 3) and bool(all(isfinite(product)))
    steps = diff(cumulative_sum(clip(x, -1.0, 1.0)))
    signs = where(steps > 0, maximum(steps, 0.0), minimum(steps, 0.0)) * sign(steps)
    turned = flip(roll(reshape(arange(6, dtype=int64), (2, 3)), 1, axis=1), axis=0)
    both = stack([mean(steps), std(steps), prod(ones(3, dtype=float32))])
    trace = einsum("ii->", product)
    where_positive = nonzero(signs > 0)[0]
    print(expand_dims(both, axis=0).shape, turned, int(argmax(p)), float(trace), where_positive.size)


main()
