"""numba.cuda: kernels in Python on whichever device there is."""

from .... import cuda as _cuda
from ....cuda import *  # noqa: F401,F403
from . import cudadrv, random  # noqa: F401


def __getattr__(name):
    return getattr(_cuda, name)
