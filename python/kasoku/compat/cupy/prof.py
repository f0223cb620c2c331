"""cupy.prof: the old names of cupyx.profiler's marks."""

from ..cupyx.profiler import time_range


class TimeRangeDecorator(time_range):
    """Marks the calls of a function, by its name if there is no other."""
