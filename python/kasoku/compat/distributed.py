"""The package `distributed`, of which dask.distributed is another name."""

import sys

from .dask import distributed

sys.modules[__name__] = distributed
