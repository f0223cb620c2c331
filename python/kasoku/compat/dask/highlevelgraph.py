"""dask.highlevelgraph: graphs in named layers, where Dask is not installed."""

from kasoku._layers import HighLevelGraph, Layer, MaterializedLayer

__all__ = ["HighLevelGraph", "Layer", "MaterializedLayer"]
