"""dask.diagnostics: ProgressBar, and profilers that note each task."""

from ..callbacks import Callback
from .profile import CacheProfiler, Profiler, ResourceProfiler, visualize
from .progress import ProgressBar

__all__ = ["CacheProfiler", "Callback", "Profiler", "ProgressBar", "ResourceProfiler", "visualize"]
