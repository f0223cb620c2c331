"""The launches of _kernels.cu, see cuda_text.measure()."""

import numpy as np
from _sizes import begins, check, columns, early, n, rows, segments, work, x, y  # noqa: F401

constants = {}
out, partly, sums, of_segments = (
    np.empty_like(x),
    np.zeros_like(x),
    np.empty(n // 256, np.float32),
    np.empty(segments, np.float32),
)
i32 = np.int32
all_ = (n // 256,), (256,)
table = {
    "scan by shuffles": ("scan", *all_, (x, out), 1),
    "cub::BlockReduce": ("cub_sum", *all_, (x, sums), 1),
    "compaction by ballots": ("compact", *all_, (x, out, np.uint32, i32(n)), 1),
    "bitonic sort of 512": ("bitonic", (n // 512,), (512,), (x, out), 1),
    "softmax of rows, block each": ("softmax", (rows,), (256,), (x, out, i32(columns)), 1),
    "layer norm of rows, warp each": ("layer_norm", (rows // 8,), (256,), (x, out, i32(rows), i32(columns)), 1),
    "sums of segments, warp each": (
        "segments", (-(-segments // 8),), (256,), (x, begins, of_segments, i32(segments)), 2,
    ),
    "dot product": ("dot", (512,), (256,), (x, y, np.float32, i32(n)), 2),
    "return before a barrier": ("leaves_early", *all_, (x, out, i32(early)), 1),
    "shuffle of some lanes": ("partly", *all_, (x, partly, i32(n)), 1),
}  # fmt: skip
