"""numba.cuda.random: xoroshiro128+ states and draws."""

from ....cuda.random import *  # noqa: F401,F403
