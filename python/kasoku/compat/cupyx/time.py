"""cupyx.time: repeat, the old name of cupyx.profiler.benchmark."""

from .profiler import benchmark as repeat  # noqa: F401
