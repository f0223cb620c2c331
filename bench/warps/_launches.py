"""The launches of _kernels.cu, for whoever runs CUDA text: kernel(grid, block, args)."""

import os

import numpy as np
from _sizes import begins, check, columns, early, n, rows, segments, work, x, y
from timing import best

text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_kernels.cu")).read()


def figures(get_function, to_device, to_host, synchronize):
    """figure -> rate, of kernels by name on arrays made by to_device."""
    dx, dy, db = map(to_device, (x, y, begins))
    zeros = lambda count, kind=np.float32: to_device(np.zeros(count, kind))  # noqa: E731
    n32, r32, c32, s32 = np.int32(n), np.int32(rows), np.int32(columns), np.int32(segments)
    out, sums, of_segments = zeros(n), zeros(n // 256), zeros(segments)
    everything = n // 256
    launches = {  # kernel, blocks, threads, which argument is the result, arguments (a dtype: one zero of it)
        "scan by shuffles": ("scan", everything, 256, 1, (dx, out)),
        "cub::BlockReduce": ("cub_sum", everything, 256, 1, (dx, sums)),
        "compaction by ballots": ("compact", everything, 256, 1, (dx, out, np.uint32, n32)),
        "bitonic sort of 512": ("bitonic", n // 512, 512, 1, (dx, out)),
        "softmax of rows, block each": ("softmax", rows, 256, 1, (dx, out, c32)),
        "layer norm of rows, warp each": ("layer_norm", rows // 8, 256, 1, (dx, out, r32, c32)),
        "sums of segments, warp each": ("segments", -(-segments // 8), 256, 2, (dx, db, of_segments, s32)),
        "dot product": ("dot", 512, 256, 2, (dx, dy, np.float32, n32)),
        "return before a barrier": ("leaves_early", everything, 256, 1, (dx, out, np.int32(early))),
        "shuffle of some lanes": ("partly", everything, 256, 1, (dx, zeros(n), n32)),
    }
    result = {}
    for figure, (name, blocks, threads, output, args) in launches.items():
        kernel = get_function(name)

        def prepared(args=args):
            return tuple(zeros(1, a) if isinstance(a, type) else a for a in args)

        def run(args, kernel=kernel, blocks=blocks, threads=threads):
            kernel((blocks,), (threads,), args)
            synchronize()

        first = prepared()
        run(first)
        check(figure, to_host(first[output]))
        runs = [prepared() for _ in range(9)]
        result[figure] = work[figure] / best(lambda: run(runs.pop()), 9)  # noqa: B023
    return result
