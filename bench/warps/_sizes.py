"""Sizes and inputs that all competitors use, and the check of their results."""

import numpy as np

n, rows, columns = 1 << 24, 1 << 14, 1 << 10
rng = np.random.default_rng(1)
x = rng.random(n, dtype=np.float32)
y = rng.random(n, dtype=np.float32)
begins = np.concatenate([[0], np.sort(rng.integers(0, n, n // 128 - 1)), [n]]).astype(np.int32)
segments = begins.size - 1
early = n - 100  # the last block has threads without an element
work = {  # figure -> amount of bytes or elements, in units of 1e9
    "scan by shuffles": 8 * n / 1e9,
    "cub::BlockReduce": 4 * n / 1e9,
    "compaction by ballots": n / 1e9,
    "bitonic sort of 512": n / 1e9,
    "softmax of rows, block each": n / 1e9,
    "layer norm of rows, warp each": n / 1e9,
    "sums of segments, warp each": 4 * n / 1e9,
    "dot product": 8 * n / 1e9,
    "return before a barrier": 8 * early / 1e9,
    "shuffle of some lanes": 8 * n / 1e9,
}


def check(figure, got):
    """Raises if a competitor's result is wrong: speed of wrong results is no figure."""
    blocks = x.reshape(-1, 256)
    if figure.startswith("scan"):
        want = np.cumsum(blocks, 1, dtype=np.float64)
    elif figure.startswith("cub"):
        want = blocks.sum(1, dtype=np.float64)
    elif figure.startswith("compaction"):
        want, got = np.sort(x[x > 0.5]), np.sort(got[: np.count_nonzero(x > 0.5)])
    elif figure.startswith("bitonic"):
        want = np.sort(x.reshape(-1, 512), 1)
    elif figure.startswith("softmax"):
        e = np.exp(x.reshape(rows, columns) - x.reshape(rows, columns).max(1, keepdims=True))
        want = e / e.sum(1, keepdims=True)
    elif figure.startswith("layer"):
        a = x.reshape(rows, columns)
        want = (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5)
    elif figure.startswith("sums"):
        sums = np.concatenate([[0], np.cumsum(x, dtype=np.float64)])
        want = sums[begins[1:]] - sums[begins[:-1]]
    elif figure.startswith("dot"):
        want = np.sum(x.astype(np.float64) * y)  # np.dot would leave the threads of a BLAS behind, spinning
    elif figure.startswith("return"):
        want = (x + x.reshape(-1, 2)[:, ::-1].ravel() * 0.5)[: early // 2 * 2]
        got = got.ravel()[: want.size]
    else:
        there = x < 0.75
        other = lambda a: a.reshape(-1, 2)[:, ::-1].ravel()  # noqa: E731
        want = np.where(there, x + np.where(other(there), other(x), 0), 0)
    np.testing.assert_allclose(got.reshape(want.shape), want, rtol=5e-4, atol=1e-4, err_msg=figure)
