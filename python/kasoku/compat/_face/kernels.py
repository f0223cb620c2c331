"""Kernels of the faces' own, from the text of one element: made for a device when its first array comes."""

import functools

import kasoku as ks


def kernel(inputs, outputs, text, name, preamble=""):
    """The ElementwiseKernel, which runs where its first argument lies."""
    made_for = functools.cache(lambda device: ks.ElementwiseKernel(
        inputs, outputs, text, name, preamble=preamble, device=device))  # fmt: skip
    return lambda first, *args, **options: made_for(first.device)(first, *args, **options)
