"""cupy.cuda.cutensor: not there; products are the engine's."""

available = False
