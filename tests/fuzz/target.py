"""Kernels of the fuzzer on a target: x86-64-v3, x86-64-v4, native, cuda, or `check`."""

import os

import numpy as np


def environment(target):
    """Of a process that runs kernels on that target: one engine thread, nothing kept on disk. LLVM's verifier runs
    after each pass, and what the code generator refuses is not tried again without vectors."""
    cpu = target if target.startswith("x86-64") or target == "native" else os.environ.get("KASOKU_CPU", "native")
    settings = {"KASOKU_CPU": cpu, "KASOKU_NUM_THREADS": "1", "KASOKU_CACHE": "0", "OPENBLAS_NUM_THREADS": "1"}
    return {"KASOKU_PASSES": "verify", **os.environ, **settings, "KASOKU_DEVICE": "cuda" if target == "cuda" else "cpu"}


def run(target, kernel):
    """Buffers after the launch, as oracle.expected gives them (None of `check`); kasoku's errors pass through."""
    import kasoku as ks

    function = ks.RawModule(code=kernel.text).get_function("k")
    if target == "check":
        arguments = arrays(kernel, ks)
        findings = ks.check(function, *arguments, grid=kernel.grid, block=kernel.block, shared=kernel.shared)
        if findings:
            raise Finding("; ".join(str(finding).strip() for finding in findings)[:2000])
        return None  # it ran on copies
    for _ in range(2):  # what a launch leaves behind is not seen by the next
        arguments = arrays(kernel, ks)
        function(kernel.grid, kernel.block, tuple(arguments), shared_mem=kernel.shared)
        ks.synchronize()
    return buffers(kernel, arguments, ks)


def arrays(kernel, ks):
    return [ks.array(a) if isinstance(a, np.ndarray) else a for a in kernel.arguments()]


def buffers(kernel, arguments, ks):
    return kernel.compared([a.numpy() for a in arguments if isinstance(a, ks.Array)])


class Finding(Exception):
    """What `ks.check` says of a kernel without races."""


def difference(got, want):
    """A sentence, or None if all buffers are the same."""
    for number, (g, w) in enumerate(zip(got, want, strict=True)):
        if not np.array_equal(g, w):
            places = np.flatnonzero(g != w)
            first = places[0]
            return f"buffer {number}: {len(places)} of {w.size} wrong, first [{first}]: {g[first]}, not {w[first]}"
    return None
