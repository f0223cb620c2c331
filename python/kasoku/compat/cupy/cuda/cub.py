"""cupy.cuda.cub: not there; reductions and scans are the engine's."""

available = False
