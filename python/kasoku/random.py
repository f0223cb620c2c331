"""ks.random: arrays of random numbers, the same on every device and with any number of threads."""

from . import _core

__all__ = [name for name in dir(_core._random) if not name.startswith("_")]
globals().update({name: getattr(_core._random, name) for name in __all__})
