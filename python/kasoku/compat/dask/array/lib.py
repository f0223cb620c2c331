"""dask.array.lib: arrays of windows."""

import types

from ._overlap import sliding_window_view

stride_tricks = types.SimpleNamespace(sliding_window_view=sliding_window_view)
