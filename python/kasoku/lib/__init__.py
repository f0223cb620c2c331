"""kasoku.lib: the part of numpy.lib that works on arrays of ours, stride_tricks.

>>> ks.lib.stride_tricks.sliding_window_view(ks.arange(4), 2)
array([[0, 1],
       [1, 2],
       [2, 3]])
"""

from . import stride_tricks

__all__ = ["stride_tricks"]
