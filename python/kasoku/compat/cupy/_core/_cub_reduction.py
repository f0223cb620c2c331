"""cupy._core._cub_reduction: reductions are the engine's own; nothing of CUB is here."""
