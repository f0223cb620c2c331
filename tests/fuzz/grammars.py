"""The grammars that random kernels are made by; a process has one, which FUZZ_GRAMMAR names."""

import os

from fuzz import kernels, mixed

GRAMMARS = {"places": kernels.kernel, "mixed": mixed.kernel}


def kernel(seed):
    return GRAMMARS[os.environ.get("FUZZ_GRAMMAR", "places")](seed)
