"""What is measured, by name: (function of numpy.fft's names, array of NumPy)."""

import numpy as np
from timing import best, warm


def programs():
    rng = np.random.default_rng(0)
    real = lambda *shape: rng.standard_normal(shape)  # noqa: E731
    z = lambda *shape: real(*shape) + 1j * real(*shape)  # noqa: E731
    return {
        "fft 2^20": ("fft", z(2**20)),
        "fft 2^20 of real": ("fft", real(2**20)),
        "rfft 2^20": ("rfft", real(2**20)),
        "fft2 1024": ("fft2", z(1024, 1024)),
        "rfft2 1024": ("rfft2", real(1024, 1024)),
        "irfft2 1024": ("irfft2", z(1024, 513)),
        "fft 4096 x 256": ("fft", z(4096, 256)),
        "fft 4096 x 256, complex64": ("fft", z(4096, 256).astype("complex64")),
        "fft 10^5 + 3": ("fft", z(10**5 + 3)),
        "fft 1000": ("fft", z(1000)),
    }


def times(function, array, wait=lambda: None):
    """Milliseconds of each program."""
    figures = {}
    for name, (its, x) in programs().items():
        f, a = function(its), array(x)

        def run(f=f, a=a):
            f(a)
            wait()

        warm(run)
        figures[name] = best(run, 11, 20 if x.size < 10000 else 1) * 1e3
    return figures
