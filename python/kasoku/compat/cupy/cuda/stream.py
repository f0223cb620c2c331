"""cupy.cuda.stream."""

from ._stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time  # noqa: F401
