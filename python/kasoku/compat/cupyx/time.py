"""cupyx.time: repeat, the old name of cupyx.profiler.benchmark."""

from .profiler import _PerfCaseResult, benchmark as repeat  # noqa: F401
