"""cupy_backends: where some programs look for names of cupy.cuda."""
